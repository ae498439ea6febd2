"""Transfers between the bank and a rack, by an operator."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.ledger import transfers
from accounts.lib.errors import OperationRefused
from accounts.lib.money import format_money
from accounts.models import Act
from tables.game import commit, racks
from tables.game.racks import minimum_for_matching
from tables.models import Table
from tables.operators.tables.editing import ChangedMeanwhile, TableIsClosed
from tables.state.effects import Effects
from tables.state.live_table import LiveTable

MOST_FILL = 1_000_000_000
"""The most that is brought at a time, in hundredths, either way."""
BRING_BACK = "bring_back"
"""How the trail calls that chips were brought back: to the table it is a change like others."""


class NothingIsStaked(OperationRefused):
    """At this table nobody stakes anything, so its rack needs no chips."""

    def __init__(self) -> None:
        super().__init__(gettext("At this table nothing is staked: its rack needs no chips."))


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be in a rack, in hundredths: now, and then."""

    before: int
    after: int


def last_act(table: Table) -> int:
    """The number of the act by which an operator last moved chips of the rack; 0 before the first.

    Nothing else that is done to a table says what is in its rack.
    """
    moved = audit_log.entries_for(audit_log.subject_of(table)).filter(after__has_key="rack")
    return moved.values_list("pk", flat=True).first() or 0


def fill(
    operator: Operator, table_id: int, after: int, amount: int, reason: str, now: dt.datetime
) -> Effects[bool]:
    """Bring the rack ``amount`` hundredths, and count anew what it takes by itself.

    ``after`` is the :func:`last_act` that the operator saw, so that a form that is sent twice
    fills once. Raises ``Table.DoesNotExist``, :class:`TableIsClosed`,
    :class:`NothingIsStaked` and :class:`ChangedMeanwhile`.
    """
    with transaction.atomic():
        live = _locked(table_id, after, now)
        row, rack = live.row, live.rack_balance
        if row.closed_at is not None:
            raise TableIsClosed
        act = audit_log.record(
            operator,
            Act.What.FILL_RACK,
            audit_log.subject_of(row),
            before={"rack": rack, "auto_filled": row.auto_filled},
            after={"rack": rack + amount, "auto_filled": 0},
            reason=reason,
            at=now,
        )
        racks.fill_by_hand(live, transfers.rack_fill(row.rack_id, amount, f"act:{act.pk}/fill"))
        return Effects(True, (commit.commit_table(live, operator.user_id),))


def bring_back(
    operator: Operator, table_id: int, after: int, amount: int, reason: str, now: dt.datetime
) -> Effects[bool]:
    """Bring ``amount`` hundredths of the rack back to the bank, also those of a closed table.

    What the rack takes by itself is counted on. ``after`` is as for :func:`fill`. Raises
    ``Table.DoesNotExist``, :class:`NothingIsStaked`, :class:`ChangedMeanwhile`, and
    :class:`OperationRefused` while chips may be needed, and for more than :func:`spare` says.
    """
    with transaction.atomic():
        live = _locked(table_id, after, now)
        row, plan = live.row, _plan(live, amount)
        act = audit_log.record(
            operator,
            Act.What.EDIT_TABLE,
            audit_log.subject_of(row),
            before={"rack": plan.before},
            after={"command": BRING_BACK, "rack": plan.after},
            reason=reason,
            at=now,
        )
        live.movements.append(transfers.rack_withdrawal(row.rack_id, amount, f"act:{act.pk}/back"))
        return Effects(True, (commit.commit_table(live, operator.user_id),))


def preview(table_id: int, amount: int, now: dt.datetime) -> Plan:
    """What :func:`bring_back` would come to. Raises :class:`OperationRefused` for what it would refuse now.

    Nothing is locked: it may be another thing in a moment.
    """
    live = LiveTable.of(Table.objects.select_related("rack").get(pk=table_id), now)
    return _plan(live, amount)


def spare(table: Table) -> int:
    """What the rack could do without between two rounds, in hundredths.

    A dealer who matches bets keeps enough for the smallest bets of a full table: with less, nobody
    could bet. Everywhere else a rack takes what it pays from the bank when it runs low.
    """
    is_needed = table.rules.is_matched and table.closed_at is None
    kept = minimum_for_matching(table.rules) if is_needed else 0
    return max(0, table.rack.balance - kept)


def _locked(table_id: int, after: int, now: dt.datetime) -> LiveTable:
    live = LiveTable.lock(table_id, now)
    if live.row.rules.stakes is None:
        raise NothingIsStaked
    if last_act(live.row) != after:
        raise ChangedMeanwhile
    return live


def _plan(live: LiveTable, amount: int) -> Plan:
    if live.game.is_playing or live.game.bets:
        said = gettext(
            "A round is played, or a bet lies there. Bring chips back between two rounds, or have "
            "the table paused first."
        )
        raise OperationRefused(said)
    rack, most = live.rack_balance, spare(live.row)
    if amount > most:
        said = gettext("The rack holds %(rack)s. It can do without %(most)s.")
        raise OperationRefused(said % {"rack": format_money(rack), "most": format_money(most)})
    return Plan(rack, rack - amount)
