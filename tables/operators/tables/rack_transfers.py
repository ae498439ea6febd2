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
from tables.game import commit
from tables.game.chips import racks
from tables.game.chips.racks import get_minimum_for_matching
from tables.game.pending_settings import ChangedMeanwhile, TableIsClosed
from tables.models import Table
from tables.state.effects import Effects
from tables.state.live_table import LiveTable

MOST_FILL = 1_000_000_000
"""The limit of one transfer in either direction, in hundredths."""
BRING_BACK = "bring_back"
"""The name of a return in the audit log, where it is a change of the table."""


class NoStakes(OperationRefused):
    """The table has no stakes, so its rack needs no chips."""

    def __init__(self) -> None:
        super().__init__(gettext("This table has no bets, so its rack needs no chips."))


@dataclass(frozen=True, slots=True)
class RackPlan:
    """The balances of a rack and of the bank before and after, in hundredths."""

    before: int
    after: int
    bank: int
    bank_after: int


def find_last_act(table: Table) -> int:
    """The id of the last action that moved chips of the rack; 0 before the first."""
    moved = audit_log.list_entries(audit_log.build_subject(table)).filter(after__has_key="rack")
    return moved.values_list("pk", flat=True).first() or 0


def fill_rack(
    operator: Operator, table_id: int, after: int, amount: int, reason: str, now: dt.datetime
) -> Effects[RackPlan]:
    """Fill the rack with ``amount`` hundredths, and reset the count of automatic fills.

    ``after`` is the :func:`find_last_act` that the operator saw, so that a form sent twice fills
    once. Raises ``Table.DoesNotExist``, :class:`TableIsClosed`,
    :class:`NoStakes` and :class:`ChangedMeanwhile`.
    """
    with transaction.atomic():
        live = _lock_table(table_id, after, now)
        row, plan = live.row, _plan_fill(live, amount)
        act = audit_log.record(
            operator,
            Act.What.FILL_RACK,
            audit_log.build_subject(row),
            before={"rack": plan.before, "auto_filled": row.auto_filled},
            after={"rack": plan.after, "auto_filled": 0},
            reason=reason,
            at=now,
        )
        racks.fill_manually(live, transfers.rack_fill(row.rack_id, amount, f"act:{act.pk}/fill"))
        return Effects(plan, (commit.commit_table(live, operator.user_id),))


def preview_fill(table_id: int, amount: int, now: dt.datetime) -> RackPlan:
    """Preview :func:`fill_rack` without locks. Raises :class:`OperationRefused` as it does."""
    live = LiveTable.from_stored(Table.objects.select_related("rack").get(pk=table_id), now)
    return _plan_fill(live, amount)


def return_chips(
    operator: Operator, table_id: int, after: int, amount: int, reason: str, now: dt.datetime
) -> Effects[RackPlan]:
    """Return ``amount`` hundredths of the rack to the bank, also at a closed table.

    The count of automatic fills does not change. ``after`` is as for :func:`fill_rack`. Raises
    ``Table.DoesNotExist``, :class:`NoStakes`, :class:`ChangedMeanwhile`, and
    :class:`OperationRefused` while chips may be needed, or for more than :func:`get_spare_chips`.
    """
    with transaction.atomic():
        live = _lock_table(table_id, after, now)
        row, plan = live.row, _plan_return(live, amount)
        act = audit_log.record(
            operator,
            Act.What.EDIT_TABLE,
            audit_log.build_subject(row),
            before={"rack": plan.before},
            after={"command": BRING_BACK, "rack": plan.after},
            reason=reason,
            at=now,
        )
        live.movements.append(transfers.rack_withdrawal(row.rack_id, amount, f"act:{act.pk}/back"))
        return Effects(plan, (commit.commit_table(live, operator.user_id),))


def preview_return(table_id: int, amount: int, now: dt.datetime) -> RackPlan:
    """Preview :func:`return_chips` without locks. Raises :class:`OperationRefused` as it does."""
    live = LiveTable.from_stored(Table.objects.select_related("rack").get(pk=table_id), now)
    return _plan_return(live, amount)


def get_spare_chips(table: Table) -> int:
    """The chips that the rack does not need between two rounds, in hundredths.

    A rack that matches bets keeps the smallest bets of a full table. Other racks are filled from
    the bank when they run low.
    """
    is_needed = table.rules.is_matched and table.closed_at is None
    reserve = get_minimum_for_matching(table.rules) if is_needed else 0
    return max(0, table.free_chips - reserve)


def _lock_table(table_id: int, after: int, now: dt.datetime) -> LiveTable:
    live = LiveTable.lock(table_id, now)
    if live.row.rules.stakes is None:
        raise NoStakes
    if find_last_act(live.row) != after:
        raise ChangedMeanwhile
    return live


def _plan_fill(live: LiveTable, amount: int) -> RackPlan:
    if live.row.closed_at is not None:
        raise TableIsClosed
    return _plan(live, amount)


def _plan_return(live: LiveTable, amount: int) -> RackPlan:
    if live.game.is_playing or live.game.bets:
        reason = gettext(
            "A round or a bet is in play. Return chips between two rounds, or pause the "
            "table first."
        )
        raise OperationRefused(reason)
    rack, most = live.rack_balance, get_spare_chips(live.row)
    if amount > most:
        reason = gettext("The rack holds %(rack)s. You can return at most %(most)s.")
        raise OperationRefused(reason % {"rack": format_money(rack), "most": format_money(most)})
    return _plan(live, -amount)


def _plan(live: LiveTable, amount: int) -> RackPlan:
    rack, bank = live.rack_balance, transfers.get_bank().balance
    return RackPlan(rack, rack + amount, bank, bank - amount)
