"""Bringing a rack chips from the bank."""

from __future__ import annotations

import datetime as dt

from django.db import transaction

from accounts import bank, trail
from accounts.models import Act
from accounts.trail import Operator
from tables import hosting, racks
from tables.live_table import LiveTable
from tables.models import Table
from tables.operators.editing import ChangedMeanwhile, Edited, Outcome, TableIsClosed

MOST_FILL = 1_000_000_000
"""The most that is brought at a time, in hundredths."""


class NothingIsStaked(Exception):
    """At this table nobody stakes anything, so its rack needs no chips."""


def last_fill(table: Table) -> int:
    """The number of the act by which an operator last filled the rack; 0 before the first."""
    fills = trail.of(trail.subject_of(table)).filter(what=Act.What.FILL_RACK)
    return fills.values_list("pk", flat=True).first() or 0


def fill(
    operator: Operator, table_id: int, after: int, amount: int, reason: str, now: dt.datetime
) -> Edited:
    """Bring the rack ``amount`` hundredths, and count anew what it takes by itself.

    ``after`` is the :func:`last_fill` that the operator saw, so that a form that is sent twice
    fills once. Raises ``Table.DoesNotExist``, :class:`TableIsClosed`,
    :class:`NothingIsStaked` and :class:`ChangedMeanwhile`.
    """
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        row, rack = live.row, live.rack_balance
        if row.closed_at is not None:
            raise TableIsClosed
        if row.rules.stakes is None:
            raise NothingIsStaked
        if last_fill(row) != after:
            raise ChangedMeanwhile
        act = trail.write(
            operator,
            Act.What.FILL_RACK,
            trail.subject_of(row),
            before={"rack": rack, "auto_filled": row.auto_filled},
            after={"rack": rack + amount, "auto_filled": 0},
            reason=reason,
            at=now,
        )
        racks.fill_by_hand(live, bank.fill(row.rack_id, amount, f"act:{act.pk}/fill"))
        return Edited(Outcome.HOLDS, (hosting.write(live, operator.user_id),))
