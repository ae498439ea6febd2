"""The history as CSV and JSON, streamed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from accounts.lib.downloads import escape_csv_formula, format_csv, format_decimal
from accounts.models import User
from tables.models import Hand
from tables.protocol import codec
from tables.records import rounds
from tables.records.round_entries import HistoryEntry, PlayedRound
from tables.records.rounds import RoundFilters

PIECE: Final = 500
"""The number of entries that are read and written at once."""

COLUMNS: Final = (
    "round", "finished_at", "table", "round_at_table", "rules", "seat", "game", "game_winner", "hands",
    "totals", "outcomes", "dealer", "decisions", "stake_in_units", "payout_in_units", "net_in_units",
    "behind", "table_chips",
)  # fmt: skip
"""The columns of the CSV. Several hands of a round share a cell, separated by " | "."""


def iter_csv(user: User, filters: RoundFilters) -> Iterator[bytes]:
    """The history as CSV. Amounts are in whole units, with two decimals."""
    yield format_csv([COLUMNS])
    for entries in rounds.iter_entries(user, filters, size=PIECE):
        if entries:
            yield format_csv([_csv_row(entry, played) for entry, played in _iter_rounds(entries)])


def iter_json(user: User, filters: RoundFilters) -> Iterator[bytes]:
    """The history as one JSON object. Amounts are in hundredths, as in the names of the keys."""
    yield b'{"rounds":['
    before = "\n"
    for entries in rounds.iter_entries(user, filters, size=PIECE):
        objects = [
            codec.encode(_json_object(entry, played)) for entry, played in _iter_rounds(entries)
        ]
        if objects:
            yield (before + ",\n".join(objects)).encode()
            before = ",\n"
    yield b"\n]}\n"


KINDS: Final[dict[str, tuple[str, Callable[[User, RoundFilters], Iterator[bytes]]]]] = {
    "csv": ("text/csv; charset=utf-8", iter_csv),
    "json": ("application/json", iter_json),
}
"""The formats: content type and writer, by file extension."""


def _iter_rounds(entries: list[HistoryEntry]) -> Iterator[tuple[HistoryEntry, PlayedRound]]:
    """The rounds of the entries, newest first, also within a game."""
    for entry in entries:
        for played in reversed(entry.rounds):
            yield entry, played


def _csv_row(entry: HistoryEntry, played: PlayedRound) -> tuple[object, ...]:
    result, rows, is_hidden = played.result, played.rows, played.is_hidden
    return (
        result.round_id,
        result.finished_at.isoformat(),
        escape_csv_formula(result.table.name),
        played.number or "",
        result.rules_key,
        result.seat,
        result.game_id or "",
        entry.score.winner if entry.score else "",
        "" if is_hidden else " | ".join(row.cards for row in rows),
        " | ".join(str(row.total) for row in rows),
        result.outcome if played.is_void else " | ".join(row.outcome for row in rows),
        "" if is_hidden else result.round.dealer_cards,
        result.decisions,
        format_decimal(result.stake),
        format_decimal(result.payout),
        format_decimal(result.net),
        "yes" if played.is_behind else "",
        "yes" if result.table.has_chips else "",
    )


def _json_object(entry: HistoryEntry, played: PlayedRound) -> dict[str, Any]:
    result, is_hidden = played.result, played.is_hidden
    return {
        "round": result.round_id,
        "finished_at": result.finished_at.isoformat(),
        "table": result.table.name,
        "round_at_table": played.number,
        "rules": result.rules_key,
        "seat": result.seat,
        "game": result.game_id,
        "game_winner": entry.score.winner if entry.score else None,
        "hands": [_hand_object(row, is_hidden=is_hidden) for row in played.rows],
        "dealer": None if is_hidden else result.round.dealer_cards,
        "outcome": result.outcome,
        "decisions": result.decisions,
        "stake_in_hundredths": result.stake,
        "payout_in_hundredths": result.payout,
        "net_in_hundredths": result.net,
        "is_behind": played.is_behind,
        "is_table_chips": result.table.has_chips,
    }


def _hand_object(row: Hand, *, is_hidden: bool) -> dict[str, Any]:
    return {
        "cards": None if is_hidden else row.cards,
        "total": row.total,
        "outcome": row.outcome,
        "is_doubled": row.is_doubled,
        "stake_in_hundredths": row.stake,
        "payout_in_hundredths": row.payout,
        "insurance_stake_in_hundredths": row.insurance_stake,
        "insurance_payout_in_hundredths": row.insurance_payout,
    }
