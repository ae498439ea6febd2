"""All stored data of a round, for its operators' page.

It contains public events and settled hands only, and reads no private state of a table. Answers about
insurance are left out until all seats have answered, because an operator may sit at the table.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.ledger.round_transfers import list_round_transfers, list_void_transfers
from accounts.models import Transfer
from tables.models import Change, Round
from tables.operators.rounds.verification import MOST_CHANGES
from tables.records.hand_view import is_answer_secret, list_visible_events

INSURANCE_STAKE = "/insurance/stake"
"""The end of the reference of the transfer of a bet on insurance."""


@dataclass(frozen=True, slots=True)
class ChangeDetail:
    """One committed change: user, command, time and public events."""

    seq: int
    at: dt.datetime
    since: float | None
    """Seconds since the change before."""
    by: str
    """The name of a player; empty for deadlines and the server."""
    is_clock: bool
    command: str
    """The JSON text as it was sent; of a secret answer only that there is one."""
    events: tuple[str, ...]


def list_changes(round_: Round) -> list[ChangeDetail]:
    """The changes of the round in order, without hidden cards."""
    rows = Change.objects.filter(round=round_).select_related("user", "round__shoe")
    return list(_build_details(rows.order_by("seq")[:MOST_CHANGES]))


def list_transfers(round_: Round) -> list[Transfer]:
    """The transfers of the round and of its void in order, each with its reversal; without those of
    secret answers.
    """
    both = [*_with_accounts(list_round_transfers(round_.pk))]
    changes = Change.objects.filter(round=round_).select_related("round")
    if round_.finished_at is None and any(map(is_answer_secret, changes)):
        both = [transfer for transfer in both if not transfer.reference.endswith(INSURANCE_STAKE)]
    if round_.voided_at is not None:
        both += _with_accounts(list_void_transfers(round_.pk))
    return both


def _with_accounts(transfers: QuerySet[Transfer]) -> Iterator[Transfer]:
    found = transfers.select_related("debit__user", "credit__user", "by")
    yield from found.prefetch_related("reversals")


def _build_details(rows: QuerySet[Change]) -> Iterator[ChangeDetail]:
    before: dt.datetime | None = None
    for row in rows:
        events = list_visible_events(row)
        yield ChangeDetail(
            seq=row.seq,
            at=row.at,
            since=(row.at - before).total_seconds() if before else None,
            by=row.user.username if row.user else "",
            is_clock=any(event["type"] == "clock_ran_out" for event in events),
            command=_("decided") if is_answer_secret(row) else row.command,
            events=tuple(map(_format_event, events)),
        )
        before = row.at


def _format_event(event: dict[str, Any]) -> str:
    values = ((name, value) for name, value in event.items() if name != "type")
    told = [f"{name}={'–' if value is None else value}" for name, value in values]
    return " ".join([event["type"], *told])
