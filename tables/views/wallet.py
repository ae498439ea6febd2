"""Views of statement and rebuy."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import too_many, user_of
from accounts.ledger.transfers import STARTING_GRANT
from accounts.lib import server_clock
from accounts.lib.money import format_money
from tables.game import rebuys
from tables.lib.downloads import streaming_download
from tables.lib.urls import url_with_query
from tables.realtime import dispatch
from tables.records import statement as money_lines
from tables.records import statement_export
from tables.records.statement_form import StatementForm
from tables.views.decorators import busy_leads_to


@never_cache
@require_safe
@login_required
def statement(request: HttpRequest) -> HttpResponse:
    """Every transfer of my wallet, newest first."""
    user = user_of(request)
    form = StatementForm(request.GET)
    before = request.GET.get("before")
    page = money_lines.page_of_lines(user.pk, form.filters, before=before)
    context = {
        "page": page,
        "form": form,
        "newest_url": url_with_query("statement", form.query) if before else None,
        "older_url": url_with_query("statement", {**form.query, "before": page.older})
        if page.older
        else None,
        "csv_url": url_with_query("statement-csv", form.query),
        "rebuy": rebuys.rebuy_state(user, server_clock.now()),
    }
    return render(request, "tables/wallet/statement.html", context)


@require_safe
@login_required
def statement_as_csv(request: HttpRequest) -> HttpResponseBase:
    """The filtered statement as CSV."""
    if refused := too_many(request, "download", counts_get=True):
        return refused
    pieces = statement_export.csv_of(user_of(request).pk, StatementForm(request.GET).filters)
    return streaming_download(
        request, pieces, name="statement.csv", content_type="text/csv; charset=utf-8"
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@busy_leads_to("statement")
def rebuy(request: HttpRequest) -> HttpResponse:
    """Rebuy: preview, then confirmation."""
    user = user_of(request)
    if request.method != "POST":
        state = rebuys.rebuy_state(user, server_clock.now())
        context = {"rebuy": state, "most": STARTING_GRANT}
        return render(request, "tables/wallet/rebuy.html", context)
    if answer := too_many(request, "rebuy"):
        return answer
    state = dispatch.run(partial(rebuys.take, user))
    if state.allowed:
        said = _("You got %(amount)s in play money. Your balance is %(most)s again.")
        told = {"amount": format_money(state.amount), "most": format_money(STARTING_GRANT)}
        messages.success(request, said % told)
    else:
        messages.warning(request, state.reason)
    return redirect("statement")
