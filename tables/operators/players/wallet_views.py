"""Views that adjust a wallet and reverse an adjustment."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.audit_log import Operator
from accounts.http import user_of
from accounts.ledger import adjustments
from accounts.ledger.adjustments import Adjusted
from accounts.lib import server_clock
from accounts.lib.errors import OperationRefused
from accounts.lib.money import format_money
from accounts.models import Transfer, User
from tables.operators.actions import ASKS, act_page, attempt, is_checked, is_sure, sent, tell
from tables.operators.permissions import page
from tables.operators.players.action_views import place_of
from tables.operators.players.forms import AdjustForm, ToldReasonForm
from tables.realtime import dispatch
from tables.state.effects import Effects


@page("accounts.adjust_wallet", *ASKS)
def adjust(request: HttpRequest, user_id: int) -> HttpResponse:
    """Adjust a wallet: form, preview, confirmation."""
    user = get_object_or_404(User, pk=user_id)
    form, effects = AdjustForm(sent(request)), list[str]()
    if is_checked(request, form) and is_sure(request):
        done = _adjust(request, user, form)
        if done is not None:
            said = _("The wallet of %(name)s was adjusted. It now holds %(balance)s.")
            is_so = _("That was already done. The wallet of %(name)s holds %(balance)s.")
            return _lead_back(request, user, done, said, is_so)
    elif is_checked(request, form):
        effects = _effects(request, user, form)
    allowed = adjustments.allowed(user_of(request), server_clock.now())
    place = place_of(request, user, "player_statement", allowed=allowed)
    return act_page(
        request, _("Adjust a wallet"), place, form, effects,
        _("Adjust wallet") if effects else _("Continue"),
        template="players/adjust.html", asks_again=bool(effects),
    )  # fmt: skip


def _adjust(request: HttpRequest, user: User, form: AdjustForm) -> Adjusted | None:
    operator, read = Operator.of(request), form.cleaned_data
    return attempt(
        form,
        lambda: run_adjustment(
            partial(
                adjustments.adjust,
                operator,
                user.pk,
                form.hundredths,
                key=read["key"],
                reason=read["reason"],
            )
        ),
    )


def run_adjustment(adjust: Callable[..., Adjusted]) -> Adjusted:
    """Adjust a wallet in the writer thread, while its player may be betting."""

    def effects_of(now: dt.datetime) -> Effects[Adjusted]:
        adjusted = adjust(now=now)
        return Effects(adjusted, wallets=[adjusted.user_id] if adjusted.is_new else [])

    return dispatch.run(effects_of)


def _effects(request: HttpRequest, user: User, form: AdjustForm) -> list[str]:
    """The effects of the form; empty if it would be refused, with an error in the form."""
    operator, amount = Operator.of(request), form.hundredths
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


@page("accounts.adjust_wallet", *ASKS)
def reverse(request: HttpRequest, user_id: int, transfer_id: int) -> HttpResponse:
    """Reverse an adjustment of this player's wallet."""
    user = get_object_or_404(User, pk=user_id)
    rows = Transfer.objects.filter(Q(credit__user=user) | Q(debit__user=user))
    transfer = get_object_or_404(rows, pk=transfer_id, kind=Transfer.Kind.ADJUSTMENT)
    form, operator = ToldReasonForm(sent(request)), Operator.of(request)
    place = place_of(request, user, "player_statement")
    if form.is_valid():
        reason = form.cleaned_data["reason"]
        done = attempt(
            form,
            lambda: run_adjustment(
                partial(adjustments.reverse, operator, transfer.pk, reason=reason)
            ),
        )
        if done is not None:
            said = _("The adjustment was reversed. The wallet of %(name)s now holds %(balance)s.")
            is_so = _("It was already reversed. The wallet of %(name)s holds %(balance)s.")
            return _lead_back(request, user, done, said, is_so)
    elif not form.is_bound:
        try:
            adjustments.preview_reversal(operator, transfer.pk, now=server_clock.now())
        except OperationRefused as refused:
            messages.error(request, str(refused))
            return redirect(place.back)
    effects = _effects_of_reversal(request, user, transfer)
    return act_page(request, _("Reverse an adjustment"), place, form, effects, _("Reverse"))


def _effects_of_reversal(request: HttpRequest, user: User, transfer: Transfer) -> list[str]:
    moves = (
        _("The bank takes back the %(amount)s it gave %(name)s on %(time)s UTC.")
        if transfer.credit.user_id == user.pk
        else _("The bank gives back the %(amount)s it took from %(name)s on %(time)s UTC.")
    )
    time = date_format(transfer.at, pgettext("date format", "j M Y, H:i"))
    effects = [
        moves % {"amount": format_money(transfer.amount), "name": user.username, "time": time},
        _(
            "Both transfers stay in the statement, linked to each other. You can't reverse a "
            "reversal."
        ),
    ]
    left = adjustments.allowed(user_of(request), server_clock.now()).today
    if left is not None:
        counts = _("This counts towards your adjustment limit: %(left)s left today (UTC).")
        effects.append(counts % {"left": format_money(left)})
    return effects


def _lead_back(
    request: HttpRequest, user: User, done: Adjusted, said: str, is_so: str
) -> HttpResponse:
    words = {"name": user.username, "balance": format_money(done.balance)}
    tell(request, said % words, is_so % words, is_new=done.is_new)
    return redirect("admin:player_statement", user.pk)
