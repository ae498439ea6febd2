"""Players' own limits at a table: breaks and daily losses."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field

from accounts.lib.money import format_money_lazy
from accounts.models import User
from accounts.users import limits
from tables.engine.errors import RuleViolation


def verify_not_on_break(user: User, now: dt.datetime) -> None:
    """Refuse a player on a break. Raises :class:`RuleViolation` ``on_break``."""
    ends_at = limits.load_current_limits(user, now).break_ends_at
    if ends_at is not None:
        raise RuleViolation("on_break", "You're taking a break until %(time)s.", time=ends_at)


def loss_limit_error(remaining: int | None = None) -> RuleViolation:
    """The refusal, with what the limit leaves for today in hundredths, if that is known."""
    if remaining is None:
        return RuleViolation("loss_limit", "This bet exceeds your daily loss limit.")
    return RuleViolation(
        "loss_limit",
        "This bet exceeds your daily loss limit. You can bet %(amount)s more today.",
        amount=format_money_lazy(remaining),
    )


@dataclass(slots=True)
class LossLimits:
    """The daily loss limits of the players at one table, for one change of it."""

    now: dt.datetime
    _floors: dict[int, int] = field(default_factory=dict)

    def get_floor(self, user: User, balance: int) -> int:
        """The lowest balance that the limit allows today, in hundredths; 0 without a limit.

        ``balance`` is the stored balance of the wallet. It is read once per change.
        """
        if not user.has_own_limits:
            return 0
        if user.pk not in self._floors:
            remaining = self._get_remaining(user)
            self._floors[user.pk] = 0 if remaining is None else balance - remaining
        return self._floors[user.pk]

    def verify(self, users: Iterable[User]) -> None:
        """Check again with the wallets locked: another table may have taken a bet in between.

        Raises :class:`RuleViolation` ``loss_limit``.
        """
        for user in users:
            remaining = self._get_remaining(user) if user.has_own_limits else None
            if remaining is not None and remaining < 0:
                raise loss_limit_error()

    def _get_remaining(self, user: User) -> int | None:
        daily_loss = limits.load_current_limits(user, self.now).daily_loss
        if daily_loss is None:
            return None
        return limits.get_remaining_loss(user.wallet.pk, daily_loss, self.now)
