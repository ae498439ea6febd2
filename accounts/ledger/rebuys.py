"""Rebuys: up to the amount of the site, once per period, for players who can no longer play.

This module knows no tables: the caller passes the smallest stake, and whether the player has a
stake on a table.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from django.db import transaction
from django.utils.translation import gettext, ngettext, pgettext

from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.lib import times
from accounts.lib.money import format_money
from accounts.models import Account, HouseSettings, Transfer, User


class RebuyDecision(StrEnum):
    """Whether a rebuy is allowed, or the first reason against it."""

    ALLOWED = "allowed"
    CAN_PLAY = "can_play"
    """The balance is enough for the smallest stake."""
    HAS_ALL = "has_all"
    """The balance is at least the amount of a rebuy."""
    TOO_SOON = "too_soon"
    STAKED = "staked"
    """The player has a stake on a table."""
    CLOSED = "closed"
    """The account is deleted, deactivated or not approved."""


@dataclass(frozen=True, slots=True)
class RebuyState:
    """The state of a player's rebuy. Amounts in hundredths."""

    answer: RebuyDecision
    balance: int
    least_stake: int
    """The minimum bet that the player must not be able to afford."""
    most: int
    """The balance that a rebuy brings the player to."""
    hours: int
    """The period between two rebuys."""
    next_at: dt.datetime | None
    """The earliest time of the next rebuy; ``None`` before the first."""

    @property
    def allowed(self) -> bool:
        return self.answer is RebuyDecision.ALLOWED

    @property
    def has_to_wait(self) -> bool:
        """Whether a rebuy will be allowed later."""
        return self.answer in (RebuyDecision.TOO_SOON, RebuyDecision.STAKED)

    @property
    def amount(self) -> int:
        """The amount of the rebuy; 0 if it is not allowed."""
        return self.most - self.balance if self.allowed else 0

    @property
    def reason(self) -> str:
        """The reason against it, as a sentence for the player; empty if it is allowed."""
        match self.answer:
            case RebuyDecision.CAN_PLAY:
                sentence = gettext("You still have enough for the minimum bet of %(least)s.")
                return sentence % {"least": format_money(self.least_stake)}
            case RebuyDecision.HAS_ALL:
                sentence = gettext("You already have %(most)s or more, as much as a top-up gives.")
                return sentence % {"most": format_money(self.most)}
            case RebuyDecision.TOO_SOON:
                assert self.next_at is not None
                sentence = gettext("You've already topped up. Next top-up: %(time)s.")
                style = pgettext("date format", "j F Y, H:i")
                return sentence % {"time": times.format_time(self.next_at, style)}
            case RebuyDecision.STAKED:
                return gettext("You have a bet on a table. Finish that round first.")
            case RebuyDecision.CLOSED:
                return gettext("This account can't play. It is frozen or deleted.")
            case RebuyDecision.ALLOWED:
                return ""

    @property
    def rule(self) -> str:
        """The rule of rebuys as a sentence, the same on all pages: condition, amount and period."""
        sentence = ngettext(
            "When you can't afford the minimum bet at the table where you sit, or at any public table, "
            "you can top up to %(most)s, once an hour.",
            "When you can't afford the minimum bet at the table where you sit, or at any public table, "
            "you can top up to %(most)s, once every %(hours)s hours.",
            self.hours,
        )
        return sentence % {"most": format_money(self.most), "hours": self.hours}


def get_state(
    wallet: Account, now: dt.datetime, *, least_stake: int, has_stake: Callable[[], bool]
) -> RebuyState:
    """Whether the owner of this wallet may rebuy now.

    ``least_stake`` is in hundredths. ``has_stake`` is called only if needed.
    """
    last, house = _find_last_rebuy(wallet), HouseSettings.objects.get(pk=1)
    most, hours = house.rebuy_amount, house.rebuy_hours
    next_at = last.at + dt.timedelta(hours=hours) if last else None
    if wallet.balance >= least_stake:
        answer = RebuyDecision.CAN_PLAY
    elif wallet.balance >= most:
        answer = RebuyDecision.HAS_ALL
    elif next_at is not None and now < next_at:
        answer = RebuyDecision.TOO_SOON
    elif has_stake():
        answer = RebuyDecision.STAKED
    else:
        answer = RebuyDecision.ALLOWED
    return RebuyState(answer, wallet.balance, least_stake, most, hours, next_at)


def rebuy(
    user: User, now: dt.datetime, *, least_stake: int, has_stake: Callable[[], bool]
) -> RebuyState:
    """Fill the user's wallet up to the amount of the site if that is allowed.

    Returns the state with user and wallet locked; the money was moved if it is ``allowed``. While
    the wallet is locked no stake can leave it, so the result of ``has_stake`` stays valid.
    """
    transfers.get_or_open_wallet(user, at=now)
    with transaction.atomic():
        # No stronger lock: tables with the wallet locked insert rows that refer to the user.
        owner = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        wallet, bank = transfers.lock_wallet_and_bank(user.pk)
        state = get_state(wallet, now, least_stake=least_stake, has_stake=has_stake)
        if not owner.is_active or owner.is_held:
            state = replace(state, answer=RebuyDecision.CLOSED)
        if state.allowed:
            reference = f"user:{user.pk}/rebuy/{_next_number(wallet)}"
            kind = Transfer.Kind.REBUY
            movement = Posting(kind, bank.pk, wallet.pk, state.amount, reference)
            transfers.post([movement], at=now, by=user.pk)
    return state


def _find_last_rebuy(wallet: Account) -> Transfer | None:
    rebuys = Transfer.objects.filter(credit=wallet, kind=Transfer.Kind.REBUY)
    return rebuys.order_by("-pk").first()


def _next_number(wallet: Account) -> int:
    """The number of the next rebuy. It makes a unique reference, against repeats."""
    last = _find_last_rebuy(wallet)
    return int(last.reference.rpartition("/")[2]) + 1 if last else 1
