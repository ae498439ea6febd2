"""Tables as the database has them, read together: row, game and seats."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from accounts.models import Account
from accounts.statement import Raw
from accounts.statements import Select, any_of
from tables import kept_tables
from tables.game import Game, UnreadableState
from tables.models import Seat, Table

_rows_locked = Select(
    lambda *table_ids: (
        Table.objects.select_for_update(of=("self",))
        .select_related("maker")
        .filter(any_of("pk", table_ids))
        .order_by("pk")
    )
)
_seats_of = Select(
    lambda *table_ids: Seat.objects.select_related("user__wallet").filter(
        any_of("table", table_ids)
    )
)


@dataclass(frozen=True, slots=True)
class StoredTable:
    """One table, with what the database says of its row and of each seat that is taken."""

    row: Table
    raw: Raw
    game: Game
    seats: dict[Raw, Seat]


def lock(
    table_ids: Iterable[int],
) -> dict[int, StoredTable | UnreadableState | Table.DoesNotExist]:
    """The tables with these ids, or what stands in the way, in two statements.

    They are locked in the order of their ids until the transaction ends. What this process made
    of them before is not made again, where the database still says the same.
    """
    wanted = sorted(table_ids)
    kept = {table_id: kept_tables.take(table_id) for table_id in wanted}
    kept_rows = {raw: row for each in kept.values() for raw, row in each.rows.items()}
    kept_seats = {raw: seat for each in kept.values() for raw, seat in each.seats.items()}
    rows = {row.pk: (raw, row) for raw, row in _rows_locked.with_kept(kept_rows, *wanted).items()}
    seats: dict[int, dict[Raw, Seat]] = {table_id: {} for table_id in wanted}
    for raw, seat in _seats_of.with_kept(kept_seats, *wanted).items():
        seats[seat.table_id][raw] = seat
    found: dict[int, StoredTable | UnreadableState | Table.DoesNotExist] = {}
    for table_id in wanted:
        if table_id not in rows:
            found[table_id] = Table.DoesNotExist(f"table {table_id}")
            continue
        raw, row = rows[table_id]
        try:
            game = kept[table_id].game_of(row.rules, row.state)
        except UnreadableState as damage:
            found[table_id] = damage
        else:
            found[table_id] = StoredTable(row, raw, game, seats[table_id])
    return found


def row_after(raw: Raw, row: Table, names: Iterable[str]) -> Raw:
    """What the database says of a table's row when these fields of it have been stored."""
    return _rows_locked.after(raw, row, names)


def seat_after(raw: Raw, written: Seat | Account, names: Iterable[str]) -> Raw:
    """The same of a seat, of which itself or the wallet was stored."""
    return _seats_of.after(raw, written, names)


def seats_at(table_id: int) -> dict[Raw, Seat]:
    """The seats taken at a table, with their players and wallets; nothing is locked."""
    return _seats_of.with_kept({}, table_id)


def lock_row(table_id: int) -> Table:
    """The table's row, locked until the transaction ends. Raises ``Table.DoesNotExist``."""
    row = _rows_locked.first(table_id)
    if row is None:
        raise Table.DoesNotExist(f"table {table_id}")
    return row
