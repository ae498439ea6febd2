"""Views of the history: list, files, reset."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import too_many, user_of
from accounts.models import User
from accounts.users import reauthentication
from tables.game.history_reset import empty_history
from tables.lib.downloads import streaming_download
from tables.lib.urls import url_with_query
from tables.records import rounds as rounds_played
from tables.records.forms import FilterForm, ResetForm
from tables.records.round_export import KINDS
from tables.records.rounds import EVERYTHING, Place
from tables.views.decorators import busy_leads_to


@never_cache
@require_safe
@login_required
def history(request: HttpRequest) -> HttpResponse:
    """My rounds, newest first."""
    user = user_of(request)
    form = _filter_form(request, user)
    before = Place.parse(request.GET.get("before", ""))
    page = rounds_played.page(user, form.filters, before=before)
    older = {**form.query, "before": str(page.older)} if page.older else None
    context = {
        "entries": page.entries,
        "rounds": page.rounds,
        "form": form,
        "is_filtered": form.filters != EVERYTHING,
        "older_url": url_with_query("history", older) if older else None,
        "newest_url": url_with_query("history", form.query) if before else None,
        "files": {kind: url_with_query("history-file", form.query, kind) for kind in KINDS},
    }
    return render(request, "tables/history/history.html", context)


@require_safe
@login_required
def history_file(request: HttpRequest, kind: str) -> HttpResponseBase:
    """All my rounds that match the filters, in one file."""
    if kind not in KINDS:
        raise Http404
    if refused := too_many(request, "download", counts_get=True):
        return refused
    user = user_of(request)
    content_type, write = KINDS[kind]
    pieces = write(user, _filter_form(request, user).filters)
    return streaming_download(request, pieces, name=f"rounds.{kind}", content_type=content_type)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@reauthentication.required
@busy_leads_to("reset-history")
def reset_history(request: HttpRequest) -> HttpResponse:
    """Clear my history and figures, after I have typed my name."""
    user = user_of(request)
    form = ResetForm(user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        empty_history(user.pk)
        messages.success(request, _("Your history is cleared. Your balance has not changed."))
        return redirect("history")
    return render(request, "tables/history/reset.html", {"form": form})


def _filter_form(request: HttpRequest, user: User) -> FilterForm:
    return FilterForm(request.GET, rounds_played.tables_played_at(user))
