"""Views that fill a rack and return chips to the bank."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from accounts.audit_log import Operator
from accounts.lib import server_clock
from accounts.lib.money import format_money
from tables.game.pending_settings import ChangedMeanwhile
from tables.models import Table
from tables.operators.actions import (
    ASKS,
    Subject,
    attempt,
    is_confirmed,
    is_submitted,
    post_data,
    show_preview,
)
from tables.operators.permissions import operator_page
from tables.operators.tables import rack_transfers
from tables.operators.tables.forms import FillForm, ReturnChipsForm
from tables.operators.tables.rack_transfers import RackPlan
from tables.operators.tables.views import CHANGED, redirect_if_closed
from tables.realtime import dispatch
from tables.realtime.dispatch import Work


@operator_page("tables.fill_rack", *ASKS)
def fill_rack(request: HttpRequest, table_id: int) -> HttpResponse:
    """Fill a rack from the bank: form, preview, confirmation."""
    row = _get_table_or_404(table_id)
    if row.closed_at is not None:
        return redirect_if_closed(request)
    if row.rules.stakes is None:
        return _redirect_without_stakes(request)
    form, effects = (
        FillForm(post_data(request), initial={"after": rack_transfers.find_last_act(row)}),
        list[str](),
    )
    if is_submitted(request, form) and is_confirmed(request):
        operator, data = Operator.from_request(request), form.cleaned_data

        after, amount, reason = data["after"], data["amount"], data["reason"]
        work = partial(rack_transfers.fill_rack, operator, table_id, after, amount, reason)

        if answer := _run_transfer(request, form, work, partial(_describe_fill, data["previewed"])):
            return answer
    elif is_submitted(request, form):
        effects = _list_fill_effects(form, row)
    title = _("The rack of “%(name)s”") % {"name": row.name}
    return show_preview(
        request, title, _subject(request, row), form, effects,
        _("Refill rack") if effects else _("Continue"),
        template="tables/rack.html", asks_again=bool(effects),
    )  # fmt: skip


def _list_fill_effects(form: FillForm, row: Table) -> list[str]:
    """The effects of the form; empty if it would be refused, with an error in the form."""
    amount = form.cleaned_data["amount"]
    plan = attempt(form, lambda: rack_transfers.preview_fill(row.pk, amount, server_clock.now()))
    if plan is None:
        return []
    form.set_previewed(plan.before)
    moves = _("The bank gives %(amount)s to the rack. The transfer is recorded in your name.")
    return [
        moves % {"amount": format_money(amount)},
        *_list_balances(plan),
        _("The automatic refill counter restarts at zero."),
        _("Reason in the audit log: %(reason)s") % {"reason": form.cleaned_data["reason"]},
    ]


def _list_balances(plan: RackPlan) -> list[str]:
    """The balances before and after, in sentences."""
    return [
        _("The rack changes from %(before)s to %(after)s.")
        % {"after": format_money(plan.after), "before": format_money(plan.before)},
        _("The bank changes from %(before)s to %(after)s.")
        % {"after": format_money(plan.bank_after), "before": format_money(plan.bank)},
    ]


def _describe_fill(previewed: int | None, plan: RackPlan) -> str:
    """What a fill has done, and whether the rack had moved since its preview, by rounds in play."""
    sentence = _("The rack was refilled. It changed from %(before)s to %(after)s.")
    message = sentence % {"after": format_money(plan.after), "before": format_money(plan.before)}
    if previewed is None or previewed == plan.before:
        return message
    note = _("Since the preview it had moved from %(previewed)s to %(before)s.")
    return f"{message} {note}" % {
        "before": format_money(plan.before), "previewed": format_money(previewed)
    }  # fmt: skip


@operator_page("tables.fill_rack", *ASKS)
def return_rack_chips(request: HttpRequest, table_id: int) -> HttpResponse:
    """Return chips of a rack to the bank: form, preview, confirmation."""
    row = _get_table_or_404(table_id)
    if row.rules.stakes is None:
        return _redirect_without_stakes(request)
    form, effects = (
        ReturnChipsForm(post_data(request), initial={"after": rack_transfers.find_last_act(row)}),
        [],
    )
    if is_submitted(request, form) and is_confirmed(request):
        operator, data = Operator.from_request(request), form.cleaned_data

        after, amount, reason = data["after"], data["amount"], data["reason"]
        work = partial(rack_transfers.return_chips, operator, table_id, after, amount, reason)

        message = _("The chips were returned to the bank.")
        if answer := _run_transfer(request, form, work, lambda _plan: message):
            return answer
    elif is_submitted(request, form):
        effects = _list_effects(form, row)
    title = _("Return chips of “%(name)s” to the bank") % {"name": row.name}
    return show_preview(
        request, title, _subject(request, row), form, effects,
        _("Return chips") if effects else _("Continue"),
        template="tables/rack.html", asks_again=bool(effects),
    )  # fmt: skip


def _list_effects(form: ReturnChipsForm, row: Table) -> list[str]:
    """The effects of the form; empty if it would be refused, with an error in the form."""
    amount = form.cleaned_data["amount"]
    plan = attempt(form, lambda: rack_transfers.preview_return(row.pk, amount, server_clock.now()))
    if plan is None:
        return []
    return [
        _("The bank gets %(amount)s. The transfer is recorded in your name.")
        % {"amount": format_money(amount)},
        *_list_balances(plan),
        _("Reason in the audit log: %(reason)s") % {"reason": form.cleaned_data["reason"]},
    ]


def _run_transfer(
    request: HttpRequest,
    form: forms.Form,
    work: Work[RackPlan],
    describe: Callable[[RackPlan], str],
) -> HttpResponse | None:
    """Execute the transfer and redirect; ``None`` if refused, with an error in the form."""
    here = request.path
    try:
        plan = attempt(form, lambda: dispatch.run(work))
    except ChangedMeanwhile:
        # The rack has changed since the form was shown.
        messages.error(request, CHANGED)
        return redirect(here)
    if plan is None:
        return None
    messages.success(request, describe(plan))
    return redirect(here)


def _redirect_without_stakes(request: HttpRequest) -> HttpResponse:
    messages.error(request, str(rack_transfers.NoStakes()))
    return redirect("admin:racks")


def _get_table_or_404(table_id: int) -> Table:
    return get_object_or_404(Table.objects.defer("state").select_related("rack"), pk=table_id)


def _subject(request: HttpRequest, row: Table) -> Subject:
    """The related pages; the table's page only with its permission."""
    back = reverse("admin:racks")
    crumbs: list[tuple[str | Promise, str]] = [(_("Racks"), back)]
    if request.user.has_perm("tables.view_table"):
        back = reverse("admin:floor_table", args=[row.pk])
        crumbs.append((row.name, back))
    return Subject(
        row.name, back, tuple(crumbs), {"table": row, "spare": rack_transfers.get_spare_chips(row)}
    )
