"""Loading tables: rows, seats and state, with and without locks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from accounts.lib.sql import sqlite_cache
from accounts.lib.sql.driver import Raw
from accounts.lib.sql.select import Select, build_in_condition, pad_arguments
from tables.models import Round, Seat, Table
from tables.state import cache
from tables.state.cache import CachedTable
from tables.state.game_state import GameState, UnreadableState

OFTEN: Final = (
    "seq", "turn", "phase", "deadline_at", "state", "used_at", "round_count", "shoe_count",
)  # fmt: skip
"""The fields of a table that most changes write."""
SEAT_FIELDS: Final = (
    "missed_rounds", "is_leaving", "away_since", "idle_since", "won", "lost", "pushed", "net",
)  # fmt: skip
"""The fields of a seat that most changes write, with the balance of its player's wallet."""

_rows_locked = Select(
    lambda *table_ids: (
        Table.objects.select_for_update(of=("self",))
        .select_related("maker")
        .filter(build_in_condition("pk", table_ids))
        .order_by("pk")
    )
)
_seats_of = Select(
    lambda *table_ids: Seat.objects.select_related("user__wallet").filter(
        build_in_condition("table", table_ids)
    )
)


@dataclass(frozen=True, slots=True)
class StoredTable:
    """One table, with the raw database values of its row and of each taken seat."""

    row: Table
    raw: Raw
    game: GameState
    seats: tuple[tuple[Raw, Seat], ...]
    round_row: Round | None = None
    """The row of its round, if known."""
    generation: int = 0
    """The cache generation of the read; see :mod:`accounts.lib.sql.sqlite_cache`."""


def load_locked(
    table_ids: Iterable[int],
) -> dict[int, StoredTable | UnreadableState | Table.DoesNotExist]:
    """Lock and load tables by id, with two statements; returns for each the table or its error.

    They are locked in the order of their ids until the transaction ends. Decoded values from the
    cache are reused if the database row is identical; within a valid cache generation it is not
    read at all.
    """
    generation = sqlite_cache.cache_generation()
    kept = {table_id: cache.pop(table_id) for table_id in sorted(table_ids)}
    found: dict[int, StoredTable | UnreadableState | Table.DoesNotExist] = {}
    asked: dict[int, CachedTable] = {}
    for table_id, one in kept.items():
        if one.generation != generation or one.row is None:
            asked[table_id] = one
            continue
        raw, row = one.row
        game = one.decode_game(row.rules, row.state)
        found[table_id] = StoredTable(row, raw, game, one.seats, one.round_row, generation)
    if asked:
        found |= _load_rows(asked, generation)
    return found


def _load_rows(
    kept: Mapping[int, CachedTable], generation: int
) -> dict[int, StoredTable | UnreadableState | Table.DoesNotExist]:
    wanted, slots = list(kept), pad_arguments(kept)
    kept_rows = {raw: row for each in kept.values() for raw, row in cached_row(each).items()}
    kept_seats = {raw: seat for each in kept.values() for raw, seat in cached_seats(each).items()}
    rows = {row.pk: (raw, row) for raw, row in _rows_locked.load_cached(kept_rows, *slots).items()}
    seats: dict[int, list[tuple[Raw, Seat]]] = {table_id: [] for table_id in wanted}
    for raw, seat in _seats_of.load_cached(kept_seats, *slots).items():
        seats[seat.table_id].append((raw, seat))
    found: dict[int, StoredTable | UnreadableState | Table.DoesNotExist] = {}
    for table_id in wanted:
        if table_id not in rows:
            found[table_id] = Table.DoesNotExist(f"table {table_id}")
            continue
        raw, row = rows[table_id]
        try:
            game = kept[table_id].decode_game(row.rules, row.state)
        except UnreadableState as damage:
            found[table_id] = damage
        else:
            found[table_id] = StoredTable(
                row, raw, game, tuple(seats[table_id]), generation=generation
            )
    return found


def cached_row(kept: CachedTable) -> dict[Raw, Table]:
    """The cached row of a table, by the raw values that the database must have now."""
    if kept.row is None:
        return {}
    raw, row = kept.row
    return {_rows_locked.raw_after_write(raw, row, OFTEN): row}


def cached_seats(kept: CachedTable) -> dict[Raw, Seat]:
    """The same for the seats."""
    return {_current_raw(raw, seat): seat for raw, seat in kept.seats}


def _current_raw(raw: Raw, seat: Seat) -> Raw:
    raw = _seats_of.raw_after_write(raw, seat, SEAT_FIELDS)
    return _seats_of.raw_after_write(raw, seat.user.wallet, ("balance", "seq"))


def load_seats(table_id: int) -> tuple[tuple[Raw, Seat], ...]:
    """The seats taken at a table, with their players and wallets; nothing is locked."""
    return tuple(_seats_of.load_cached({}, table_id).items())


def lock_row(table_id: int) -> Table:
    """The table's row, locked until the transaction ends. Raises ``Table.DoesNotExist``."""
    row = _rows_locked.first(table_id)
    if row is None:
        raise Table.DoesNotExist(f"table {table_id}")
    return row
