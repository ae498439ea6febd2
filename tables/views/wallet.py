"""Views of statement and rebuy."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    JsonResponse,
)
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import check_rate_limit, get_user
from accounts.ledger.rebuys import RebuyDecision
from accounts.lib import server_clock
from accounts.lib.downloads import streaming_download
from accounts.lib.money import format_money
from accounts.lib.site_links import is_on_site
from tables.game import rebuys
from tables.lib.urls import url_with_query
from tables.realtime import dispatch
from tables.records import statement as money_lines
from tables.records import statement_export
from tables.records.statement_form import StatementForm
from tables.views.decorators import redirect_busy_to
from tables.views.tables import get_visible_table


@never_cache
@require_safe
@login_required
def statement(request: HttpRequest) -> HttpResponse:
    """The transfers of the user's wallet, newest first."""
    user = get_user(request)
    form = StatementForm(request.GET)
    before = request.GET.get("before")
    page = money_lines.list_lines(user.pk, form.filters, before=before)
    context = {
        "page": page,
        "form": form,
        "newest_url": url_with_query("statement", form.query) if before else None,
        "older_url": url_with_query("statement", {**form.query, "before": page.older})
        if page.older
        else None,
        "csv_url": url_with_query("statement-csv", form.query),
        "rebuy": rebuys.get_rebuy_state(user, server_clock.now()),
    }
    return render(request, "tables/wallet/statement.html", context)


@require_safe
@login_required
def statement_as_csv(request: HttpRequest) -> HttpResponseBase:
    """The filtered statement as CSV."""
    if answer := check_rate_limit(request, "download", counts_get=True):
        return answer
    pieces = statement_export.iter_csv(get_user(request).pk, StatementForm(request.GET).filters)
    return streaming_download(
        request, pieces, name="statement.csv", content_type="text/csv; charset=utf-8"
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_busy_to("statement")
def rebuy(request: HttpRequest) -> HttpResponse:
    """Rebuy: preview, then confirmation. ``next`` is the page to return to."""
    user = get_user(request)
    if request.method != "POST":
        state = rebuys.get_rebuy_state(user, server_clock.now())
        back = request.GET.get("next", "")
        context = {"rebuy": state, "next": back if is_on_site(back) else ""}
        return render(request, "tables/wallet/rebuy.html", context)
    if answer := check_rate_limit(request, "rebuy"):
        return answer
    state = dispatch.run(partial(rebuys.rebuy, user))
    if state.allowed:
        message = _("You got %(amount)s in play money. Your balance is %(most)s again.")
        amounts = {"amount": format_money(state.amount), "most": format_money(state.most)}
        messages.success(request, message % amounts)
    else:
        messages.warning(request, state.reason)
    back = request.POST.get("next", "")
    return HttpResponseRedirect(back if is_on_site(back) else reverse("statement"))


@never_cache
@require_safe
@login_required
def rebuy_offer(request: HttpRequest, table_id: int) -> HttpResponse:
    """What a player without enough money for this table can do, as JSON for the table's page."""
    user = get_user(request)
    row = get_visible_table(request, table_id)
    state = rebuys.get_rebuy_state(user, server_clock.now())
    table = rebuys.smaller_table(user.pk, state.balance)
    minimum = row.rules.stakes.minimum if row.rules.stakes is not None else 0
    return JsonResponse(
        {
            "allowed": state.allowed,
            "reason": "" if state.answer is RebuyDecision.CAN_PLAY else state.reason,
            "table": table
            and {
                "name": table.name,
                "url": reverse("table", args=[table.pk]),
                "minimum": table.rules.stakes.minimum if table.rules.stakes else 0,
            },
            "is_host": row.maker_id == user.pk,
            "nobody": _nobody(minimum) if rebuys.is_out_of_reach(row) else "",
        }
    )


def _nobody(minimum: int) -> str:
    message = _("Nobody seated here can afford the minimum bet of %(least)s.")
    return message % {"least": format_money(minimum)}
