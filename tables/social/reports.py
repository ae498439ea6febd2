"""Reports of players about a round, one for each round and player."""

from __future__ import annotations

import datetime as dt

from accounts.models import User
from tables.models import Report, Result, Round


def may_report(round_: Round, user: User) -> bool:
    """Whether this user played the round."""
    return Result.objects.with_hands().filter(round=round_, user=user).exists()


def create_report(round_: Round, user: User, text: str, now: dt.datetime) -> bool:
    """Report a round that this user played. Returns false if a report exists; it is not changed."""
    _row, is_new = Report.objects.get_or_create(
        round=round_, user=user, defaults={"at": now, "text": text}
    )
    return is_new


def find_report(round_: Round, user: User) -> Report | None:
    """This user's report of the round, with the answer if there is one."""
    return Report.objects.filter(round=round_, user=user).first()
