"""Rebuys: back up to the starting grant, once in a while, for a player who can no longer play.

What is staked where is not known here: the caller says what the smallest stake is, and whether
a stake of the player's lies on a table.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from django.db import transaction
from django.utils.formats import date_format
from django.utils.translation import gettext, pgettext

from accounts.ledger import transfers
from accounts.ledger.transfers import STARTING_GRANT, Posting
from accounts.lib.money import format_money
from accounts.models import Account, HouseSettings, Transfer, User


class Answer(StrEnum):
    """Whether play money can be taken, or the first thing that stands against it."""

    ALLOWED = "allowed"
    CAN_PLAY = "can_play"
    """There is enough for the smallest stake."""
    HAS_ALL = "has_all"
    """There is as much as anybody is given."""
    TOO_SOON = "too_soon"
    STAKED = "staked"
    """Money of the player's lies on a table."""
    CLOSED = "closed"
    """The account was deleted or switched off."""


@dataclass(frozen=True, slots=True)
class RebuyState:
    """Whether a player can take play money at this moment. Amounts in hundredths."""

    answer: Answer
    balance: int
    least_stake: int
    """The smallest stake of the tables that are open to everybody."""
    hours: int
    """How much time lies between two rebuys."""
    next_at: dt.datetime | None
    """From when on the time allows another; ``None`` when there was none before."""

    @property
    def allowed(self) -> bool:
        return self.answer is Answer.ALLOWED

    @property
    def has_to_wait(self) -> bool:
        """Whether it is a matter of time alone."""
        return self.answer in (Answer.TOO_SOON, Answer.STAKED)

    @property
    def amount(self) -> int:
        """What the bank would give; 0 when it does not."""
        return STARTING_GRANT - self.balance if self.allowed else 0

    @property
    def reason(self) -> str:
        """Why not, as a sentence for the player; empty when it is allowed."""
        match self.answer:
            case Answer.CAN_PLAY:
                said = gettext(
                    "You can still play: the smallest bet at an open table is %(least)s."
                )
                return said % {"least": format_money(self.least_stake)}
            case Answer.HAS_ALL:
                said = gettext("You have %(most)s already, as much as a new player is given.")
                return said % {"most": format_money(STARTING_GRANT)}
            case Answer.TOO_SOON:
                assert self.next_at is not None
                said = gettext(
                    "You have taken play money not long ago. You can again from %(time)s."
                )
                return said % {"time": told_time(self.next_at)}
            case Answer.STAKED:
                return gettext("A bet of yours lies on a table. Finish that round first.")
            case Answer.CLOSED:
                return gettext("This account cannot play.")
        return ""


def state_of(
    wallet: Account, now: dt.datetime, *, least_stake: int, has_stake: Callable[[], bool]
) -> RebuyState:
    """Whether the owner of this wallet can take play money now.

    ``least_stake`` in hundredths. ``has_stake`` is asked only when it matters.
    """
    last, hours = _last_rebuy(wallet), HouseSettings.objects.get(pk=1).rebuy_hours
    next_at = last.at + dt.timedelta(hours=hours) if last else None
    if wallet.balance >= least_stake:
        answer = Answer.CAN_PLAY
    elif wallet.balance >= STARTING_GRANT:
        answer = Answer.HAS_ALL
    elif next_at is not None and now < next_at:
        answer = Answer.TOO_SOON
    elif has_stake():
        answer = Answer.STAKED
    else:
        answer = Answer.ALLOWED
    return RebuyState(answer, wallet.balance, least_stake, hours, next_at)


def take(
    user: User, now: dt.datetime, *, least_stake: int, has_stake: Callable[[], bool]
) -> RebuyState:
    """Bring the user's wallet back to the starting grant if that is allowed.

    Returns what was found with the user and the wallet locked: the money was moved if it is
    ``allowed``. While the wallet is locked no stake can leave it, so what ``has_stake`` says stays
    true until the money is there.
    """
    transfers.get_or_open_wallet(user, at=now)
    with transaction.atomic():
        # No stronger: a table that has the wallet refers to the user in its transfers.
        is_active = User.objects.select_for_update(no_key=True).get(pk=user.pk).is_active
        wallet, banks = transfers.locked_wallet(user.pk)
        state = state_of(wallet, now, least_stake=least_stake, has_stake=has_stake)
        if not is_active:
            state = replace(state, answer=Answer.CLOSED)
        if state.allowed:
            reference = f"user:{user.pk}/rebuy/{_number_of_next(wallet)}"
            kind = Transfer.Kind.REBUY
            movement = Posting(kind, banks.pk, wallet.pk, state.amount, reference)
            transfers.post([movement], at=now, by=user.pk)
    return state


def told_time(at: dt.datetime) -> str:
    """A moment for a sentence: ``22 November 2026, 18:05 UTC``."""
    time = date_format(at.astimezone(dt.UTC), pgettext("date format", "j F Y, H:i"))
    return gettext("%(time)s UTC") % {"time": time}


def _last_rebuy(wallet: Account) -> Transfer | None:
    rebuys = Transfer.objects.filter(credit=wallet, kind=Transfer.Kind.REBUY)
    return rebuys.order_by("-pk").first()


def _number_of_next(wallet: Account) -> int:
    """One more than the last. The reference can be used once, whatever else goes wrong."""
    last = _last_rebuy(wallet)
    return int(last.reference.rpartition("/")[2]) + 1 if last else 1
