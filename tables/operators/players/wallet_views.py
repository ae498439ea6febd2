"""Views that adjust a wallet and reverse an adjustment."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.audit_log import Operator
from accounts.http import get_user
from accounts.ledger import adjustments
from accounts.ledger.adjustments import Adjustment
from accounts.lib import server_clock, times
from accounts.lib.errors import OperationRefused
from accounts.lib.money import format_money
from accounts.models import Transfer, User
from accounts.users import reauthentication
from tables.operators.actions import (
    ASKS,
    add_result,
    attempt,
    is_confirmed,
    is_submitted,
    post_data,
    show_preview,
)
from tables.operators.permissions import operator_page
from tables.operators.players.action_views import player_subject
from tables.operators.players.forms import AdjustForm, PublicReasonForm
from tables.realtime import dispatch
from tables.state.effects import Effects


@operator_page("accounts.adjust_wallet", *ASKS)
def adjust(request: HttpRequest, user_id: int) -> HttpResponse:
    """Adjust a wallet: form, preview, confirmation."""
    user = get_object_or_404(User, pk=user_id)
    form, effects = AdjustForm(post_data(request)), list[str]()
    if is_submitted(request, form) and is_confirmed(request):
        if not reauthentication.is_factor_recent(request):
            return reauthentication.redirect_to_factor(request)
        adjustment = _run_form_adjustment(request, user, form)
        if adjustment is not None:
            success = _("The wallet of %(name)s was adjusted. It now holds %(balance)s.")
            is_so = _("That was already done. The wallet of %(name)s holds %(balance)s.")
            return _redirect_to_player(request, user, adjustment, success, is_so)
    elif is_submitted(request, form):
        effects = _list_effects(request, user, form)
    allowed = adjustments.adjustment_limits(get_user(request), server_clock.now())
    subject = player_subject(request, user, "player_statement", allowed=allowed)
    return show_preview(
        request, _("Adjust a wallet"), subject, form, effects,
        _("Adjust wallet") if effects else _("Continue"),
        template="players/adjust.html", asks_again=bool(effects),
    )  # fmt: skip


def _run_form_adjustment(request: HttpRequest, user: User, form: AdjustForm) -> Adjustment | None:
    operator, data = Operator.from_request(request), form.cleaned_data
    return attempt(
        form,
        lambda: run_adjustment(
            partial(
                adjustments.adjust,
                operator,
                user.pk,
                form.hundredths,
                key=data["key"],
                reason=data["reason"],
            )
        ),
    )


def run_adjustment(adjust: Callable[..., Adjustment]) -> Adjustment:
    """Adjust a wallet in the writer thread, while its player may be betting."""

    def effects_of(now: dt.datetime) -> Effects[Adjustment]:
        adjusted = adjust(now=now)
        return Effects(adjusted, wallets=[adjusted.user_id] if adjusted.is_new else [])

    return dispatch.run(effects_of)


def _list_effects(request: HttpRequest, user: User, form: AdjustForm) -> list[str]:
    """The effects of the form; empty if it would be refused, with an error in the form."""
    operator, amount = Operator.from_request(request), form.hundredths
    plan = attempt(
        form, lambda: adjustments.preview(operator, user.pk, amount, now=server_clock.now())
    )
    if plan is None:
        return []
    moves = (
        _("The bank gives %(amount)s to %(name)s.") if amount > 0
        else _("The bank takes %(amount)s from %(name)s.")
    )  # fmt: skip
    holds = _("The wallet changes from %(before)s to %(after)s.")
    reads = _("The player sees in the statement: %(reason)s")
    return [
        moves % {"amount": format_money(abs(amount)), "name": user.username},
        holds % {"after": format_money(plan.after), "before": format_money(plan.before)},
        reads % {"reason": form.cleaned_data["reason"]},
    ]


@operator_page("accounts.adjust_wallet", *ASKS)
def reverse(request: HttpRequest, user_id: int, transfer_id: int) -> HttpResponse:
    """Reverse an adjustment of this player's wallet."""
    user = get_object_or_404(User, pk=user_id)
    rows = Transfer.objects.filter(Q(credit__user=user) | Q(debit__user=user))
    transfer = get_object_or_404(rows, pk=transfer_id, kind=Transfer.Kind.ADJUSTMENT)
    form, operator = PublicReasonForm(post_data(request)), Operator.from_request(request)
    subject = player_subject(request, user, "player_statement")
    if form.is_valid():
        if not reauthentication.is_factor_recent(request):
            return reauthentication.redirect_to_factor(request)
        reason = form.cleaned_data["reason"]
        adjustment = attempt(
            form,
            lambda: run_adjustment(
                partial(adjustments.reverse, operator, transfer.pk, reason=reason)
            ),
        )
        if adjustment is not None:
            success = _(
                "The adjustment was reversed. The wallet of %(name)s now holds %(balance)s."
            )
            is_so = _("It was already reversed. The wallet of %(name)s holds %(balance)s.")
            return _redirect_to_player(request, user, adjustment, success, is_so)
    elif not form.is_bound:
        try:
            adjustments.preview_reversal(operator, transfer.pk, now=server_clock.now())
        except OperationRefused as refused:
            messages.error(request, str(refused))
            return redirect(subject.back)
    effects = _list_reversal_effects(request, user, transfer)
    return show_preview(request, _("Reverse an adjustment"), subject, form, effects, _("Reverse"))


def _list_reversal_effects(request: HttpRequest, user: User, transfer: Transfer) -> list[str]:
    moves = (
        _("The bank takes back the %(amount)s it gave %(name)s on %(time)s.")
        if transfer.credit.user_id == user.pk
        else _("The bank gives back the %(amount)s it took from %(name)s on %(time)s.")
    )
    time = times.format_time(transfer.at, pgettext("date format", "j M Y, H:i"))
    effects = [
        moves % {"amount": format_money(transfer.amount), "name": user.username, "time": time},
        _(
            "Both transfers stay in the statement, linked to each other. You can't reverse a "
            "reversal."
        ),
    ]
    remaining = adjustments.adjustment_limits(get_user(request), server_clock.now()).today
    if remaining is not None:
        counts = _("This counts towards your adjustment limit: %(left)s left today.")
        effects.append(counts % {"left": format_money(remaining)})
    return effects


def _redirect_to_player(
    request: HttpRequest, user: User, adjustment: Adjustment, success: str, is_so: str
) -> HttpResponse:
    words = {"name": user.username, "balance": format_money(adjustment.balance)}
    add_result(request, success % words, is_so % words, is_new=adjustment.is_new)
    return redirect("admin:player_statement", user.pk)
