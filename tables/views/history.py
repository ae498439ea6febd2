"""Views of the history: list, files, reset."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import check_rate_limit, get_user
from accounts.lib.downloads import streaming_download
from accounts.models import User
from accounts.users import reauthentication
from tables.game import history_reset
from tables.lib.urls import url_with_query
from tables.records import entry_rows
from tables.records import rounds as rounds_played
from tables.records.forms import FilterForm, ResetForm
from tables.records.round_export import KINDS
from tables.records.rounds import EVERYTHING, RoundCursor
from tables.views.decorators import redirect_busy_to


@never_cache
@require_safe
@login_required
def history(request: HttpRequest) -> HttpResponse:
    """The user's rounds, newest first."""
    user = get_user(request)
    form = _filter_form(request, user)
    before = RoundCursor.parse(request.GET.get("before", ""))
    page = rounds_played.list_rounds(user, form.filters, before=before)
    older = {**form.query, "before": str(page.older)} if page.older else None
    context = {
        "page": page,
        "rows": entry_rows.render_rows(page),
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
    """All of the user's rounds that match the filters, in one file."""
    if kind not in KINDS:
        raise Http404
    if answer := check_rate_limit(request, "download", counts_get=True):
        return answer
    user = get_user(request)
    content_type, write = KINDS[kind]
    pieces = write(user, _filter_form(request, user).filters)
    return streaming_download(request, pieces, name=f"rounds.{kind}", content_type=content_type)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@reauthentication.require_recent_password
@redirect_busy_to("reset-history")
def reset_history(request: HttpRequest) -> HttpResponse:
    """Clear the history and statistics, confirmed by the typed name."""
    user = get_user(request)
    form = ResetForm(user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        history_reset.reset_history(user.pk)
        messages.success(request, _("Your history is cleared. Your balance has not changed."))
        return redirect("history")
    return render(request, "tables/history/reset.html", {"form": form})


def _filter_form(request: HttpRequest, user: User) -> FilterForm:
    return FilterForm(request.GET, rounds_played.list_played_tables(user))
