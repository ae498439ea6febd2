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

from accounts.ledger.entries import list_reversals, list_round_entries, list_void_transfers
from accounts.models import Transfer, WalletEntry
from tables.models import Change, Round
from tables.operators.floor.change_author import load_change_authors
from tables.operators.floor.event_text import format_event
from tables.operators.rounds.verification import MOST_CHANGES
from tables.records.hand_view import is_answer_secret, list_visible_events

INSURANCE_STAKE = "/insurance/stake"
"""The end of the reference of a bet on insurance."""


@dataclass(frozen=True, slots=True)
class ChangeDetail:
    """One committed change: user, command, time and public events."""

    seq: int
    at: dt.datetime
    since: float | None
    """Seconds since the change before."""
    by: str
    """The name of the player or operator, or "the clock" or "the site"."""
    command: str
    """The command or the operator's action, in words."""
    events: tuple[str, ...]
    """The sentences of the public events."""
    sent: str
    """The JSON text of the command as it was sent; empty for a secret answer."""
    published: tuple[str, ...]
    """The events as published, in hundredths."""


@dataclass(frozen=True, slots=True)
class MoneyLine:
    """An entry of a wallet, or a transfer of a void. Amounts in hundredths."""

    id: int
    at: dt.datetime
    what: str
    debit: str
    credit: str
    amount: int
    reference: str
    reverses: int | None = None
    """The id of the entry that this one reverses."""
    reversed_by: int | None = None


def list_changes(round_: Round) -> list[ChangeDetail]:
    """The changes of the round in order, without hidden cards."""
    rows = Change.objects.filter(round=round_).select_related("user", "round__shoe")
    return list(_build_details(list(rows.order_by("seq")[:MOST_CHANGES])))


def list_money(round_: Round) -> list[MoneyLine]:
    """What moved by the round and by its void in order; without bets of secret answers."""
    entries = _load_entries(list_round_entries(round_.pk))
    changes = Change.objects.filter(round=round_).select_related("round")
    if round_.finished_at is None and any(map(is_answer_secret, changes)):
        entries = [entry for entry in entries if not entry.place.endswith(INSURANCE_STAKE)]
    lines = [_format_entry(entry, round_) for entry in entries]
    if round_.voided_at is not None:
        transfers = list_void_transfers(round_.pk).select_related("debit__user", "credit__user")
        payments = [_format_transfer(one) for one in transfers.exclude(kind=Transfer.Kind.RETURN)]
        reversals = [
            _format_entry(entry, round_) for entry in _load_entries(list_reversals(round_.pk))
        ]
        returns = [_format_transfer(one) for one in transfers.filter(kind=Transfer.Kind.RETURN)]
        lines += [*payments, *reversals, *returns]
    return lines


def _load_entries(entries: QuerySet[WalletEntry]) -> list[WalletEntry]:
    rows = entries.select_related("wallet__user", "transfer")
    return list(rows.prefetch_related("reversals"))


def _format_entry(entry: WalletEntry, round_: Round) -> MoneyLine:
    wallet, rack = str(entry.wallet), str(round_.table.rack)
    return MoneyLine(
        id=entry.pk,
        at=entry.at,
        what=entry.get_kind_display(),
        debit=wallet if entry.amount < 0 else rack,
        credit=rack if entry.amount < 0 else wallet,
        amount=abs(entry.amount),
        reference=entry.reference,
        reverses=entry.reverses_id,
        reversed_by=next((back.pk for back in entry.reversals.all()), None),
    )


def _format_transfer(transfer: Transfer) -> MoneyLine:
    return MoneyLine(
        id=transfer.pk,
        at=transfer.at,
        what=transfer.get_kind_display(),
        debit=str(transfer.debit),
        credit=str(transfer.credit),
        amount=transfer.amount,
        reference=transfer.reference,
    )


def _build_details(rows: list[Change]) -> Iterator[ChangeDetail]:
    authors = load_change_authors(rows)
    before: dt.datetime | None = None
    for row in rows:
        events = list_visible_events(row)
        yield ChangeDetail(
            seq=row.seq,
            at=row.at,
            since=(row.at - before).total_seconds() if before else None,
            by=authors.describe_author(row, events),
            command=authors.describe_command(row),
            events=tuple(map(format_event, events)),
            sent="" if is_answer_secret(row) else row.command,
            published=tuple(map(_list_values, events)),
        )
        before = row.at


def _list_values(event: dict[str, Any]) -> str:
    values = ((name, value) for name, value in event.items() if name != "type")
    parts = [f"{name}={'–' if value is None else value}" for name, value in values]
    return " ".join([event["type"], *parts])
