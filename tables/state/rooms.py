"""Loading tables: rows, seats and state, locked or from the memory of this thread.

A player's command is decided with the table as this thread remembers it, and written under the
condition that it is still at the same change (:mod:`accounts.lib.sql.optimistic`). All other work
locks the table and reads it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import Any, Final
from weakref import WeakValueDictionary

from accounts.lib.sql import driver, optimistic
from accounts.lib.sql.select import Select, build_in_condition, pad_arguments
from accounts.models import Account, User
from tables.models import QueueEntry, Round, Seat, Table
from tables.state import locking
from tables.state.game_state import GameState, UnreadableState

MOST_REMEMBERED: Final = 1_000

SEAT_FIELDS: Final = (
    "missed_rounds", "has_hints", "is_sitting_out", "sat_out_since", "rounds_sat_out", "is_leaving",
    "away_since", "idle_since", "won", "lost", "pushed", "net",
)  # fmt: skip
"""The fields of a seat that a change may write."""
_OF_SEAT: Final = ("id", "user_id", *SEAT_FIELDS)
_OF_USER: Final = ("username", "is_active", "password", "has_own_limits", "colour")
_OF_WALLET: Final = ("balance", "seq")
_CHECKED: Final = (
    *_OF_SEAT,
    *(f"user__{name}" for name in _OF_USER),
    *(f"user__wallet__{name}" for name in _OF_WALLET),
)
"""What a command relies on in its seats; see :func:`take`."""

_rows = Select(
    lambda *table_ids: (
        Table.objects.select_related("maker", "rack")
        .filter(build_in_condition("pk", table_ids))
        .order_by("pk")
    )
)
NOT_AT_TABLES: Final = (
    "last_login", "date_joined", "first_name", "last_name", "email", "folded", "skeleton",
    "frozen_at", "frozen_because", "role_since", "refused_because",
)  # fmt: skip
"""Fields of users that nothing at a table needs. Times above all take long to read."""
_seats = Select(
    lambda *table_ids: (
        Seat.objects.select_related("user__wallet", "stack__account")
        .defer(*(f"user__{name}" for name in NOT_AT_TABLES))
        .filter(build_in_condition("table", table_ids))
    )
)
_queues = Select(
    lambda *table_ids: (
        QueueEntry.objects.select_related("user")
        .filter(build_in_condition("table", table_ids))
        .order_by("pk")
    )
)
_checked_seats = Select(
    lambda *table_ids: (
        Seat.objects.filter(build_in_condition("table", table_ids))
        .order_by("pk")
        .values_list("table", "table__watchers", "table__maker__username", *_CHECKED)
    )
)

_rounds = Select(lambda *round_ids: Round.objects.filter(build_in_condition("pk", round_ids)))

_users = Select(
    lambda *user_ids: User.objects.select_related("wallet").filter(
        build_in_condition("pk", user_ids)
    )
)

_COLUMNS: Final = tuple(field.attname for field in Table._meta.concrete_fields)
_get_columns: Final = itemgetter(*_COLUMNS)
_columns = Select(
    lambda *table_ids: Table.objects.filter(build_in_condition("pk", table_ids)).values_list(
        *_COLUMNS
    )
)


@dataclass(slots=True)
class Room:
    """One table: its row with maker and rack, its seats with players and wallets, its state."""

    row: Table
    game: GameState = field(repr=False)
    seats: dict[int, Seat]
    """By number."""
    queue: list[QueueEntry] = field(default_factory=list)
    """The players in line for a seat, the first one first."""
    backers: dict[int, User] = field(default_factory=dict)
    """The users with a bet behind that is not settled, with their wallets, by id."""
    round_row: Round | None = None
    """The row of the current or last round, if known."""
    is_remembered: bool = False
    """Whether it was not read in this transaction."""
    new_seats: Sequence[Seat] = ()
    """Those that the last change has taken."""
    foreign_writes: int = 0
    """:func:`optimistic.foreign_writes` when it was remembered."""


RoomOrError = Room | UnreadableState | Table.DoesNotExist


class _Memory(threading.local):
    """The tables that this thread has changed last."""

    def __init__(self) -> None:
        self.generation = -1
        self.rooms: OrderedDict[int, Room] = OrderedDict()
        """By table id; the newest is last."""
        self.users: WeakValueDictionary[int, User] = WeakValueDictionary()
        """Their players: one object for all tables, so that all see the same wallet."""


_memory: Final = _Memory()
_changed_elsewhere: Final[set[int]] = set()
"""Ids of tables about which a frame of another process came since this one has read them."""


def note_change_elsewhere(table_id: int) -> None:
    """Have the table read again before its next command, which would conflict. Thread-safe."""
    _changed_elsewhere.add(table_id)


def _get_memory() -> _Memory:
    """The memory of this thread. Of tables that are no longer valid it has only decoded states."""
    if _memory.generation != optimistic.generation():
        _memory.generation = optimistic.generation()
        _memory.users.clear()
        for room in _memory.rooms.values():
            room.is_remembered = False
    return _memory


def take(requests: Mapping[int, bool]) -> dict[int, RoomOrError]:
    """Tables, or their errors, by id. Call it in an optimistic transaction.

    With true, a table may be one that is remembered: then nothing is written before the pipeline
    that checks it. Others are locked and read, and so is a table where players are in line, one with
    bets behind, whose users the checks do not include, and one with chips of its own. A table leaves
    the memory until :func:`remember`, so that a failed change leaves nothing behind.
    """
    rooms = _get_memory().rooms
    valid = {
        pk: rooms.pop(pk)
        for pk, may_be_remembered in requests.items()
        if may_be_remembered
        and pk in rooms
        and rooms[pk].is_remembered
        and not rooms[pk].queue
        and not rooms[pk].backers
        and not rooms[pk].row.has_chips
        and pk not in _changed_elsewhere
    }
    if optimistic.has_checks():
        _expect_unchanged(valid.values())
    else:
        _drop_changed(valid)
    missing = requests.keys() - valid.keys()
    return {**valid, **_lock_and_read(missing, locked=requests)} if missing else dict(valid)


def _expect_unchanged(rooms: Collection[Room]) -> None:
    """Have the transaction check what may change without the ``seq`` of a table: watchers, host, seats,
    players, wallets.
    """
    if rooms:
        table_ids = pad_arguments(room.row.pk for room in rooms)
        optimistic.expect(lambda: _checked_seats.send(*table_ids), _list_checked(rooms))


def _drop_changed(rooms: dict[int, Room]) -> None:
    """Compare the tables that are in doubt with what is stored, and drop changed ones.

    Another program may write to SQLite's file, and does not count ``seq``: so whole rows are compared.
    """
    doubtful = [room for room in rooms.values() if optimistic.is_in_doubt(room.foreign_writes)]
    if not doubtful:
        return
    slots = pad_arguments(room.row.pk for room in doubtful)
    stored, seats = {row[0]: row for row in _columns(*slots)}, {*_checked_seats(*slots)}
    changed = {table_id for table_id, *_ in seats ^ {*_list_checked(doubtful)}}
    for room in doubtful:
        room.round_row = None
        if room.row.pk in changed or stored.get(room.row.pk) != _get_columns(vars(room.row)):
            del rooms[room.row.pk]


def _list_checked(rooms: Iterable[Room]) -> list[tuple[Any, ...]]:
    """The rows of ``_checked_seats`` as they are remembered."""
    seats = [
        (
            room.row.pk, room.row.watchers, room.row.maker and room.row.maker.username,
            *_get_checked(seat),
        )
        for room in rooms
        for seat in room.seats.values()
    ]  # fmt: skip
    return sorted(seats, key=lambda values: values[3])


def _get_checked(seat: Seat) -> tuple[Any, ...]:
    user = seat.user
    return (*_get_of_seat(seat), *_get_of_user(user), *_get_of_wallet(user.wallet))


_get_of_seat: Final[Callable[[Seat], tuple[Any, ...]]] = attrgetter(*_OF_SEAT)
_get_of_user: Final[Callable[[User], tuple[Any, ...]]] = attrgetter(*_OF_USER)
_get_of_wallet: Final[Callable[[Account], tuple[Any, ...]]] = attrgetter(*_OF_WALLET)


def reload(table_id: int, batch: Collection[int]) -> RoomOrError:
    """Lock and read a table whose remembered state has refused a command; lock all tables of its batch."""
    return _lock_and_read([table_id], locked=batch)[table_id]


def lock(table_id: int) -> RoomOrError:
    """Lock a table until the transaction ends, and read it."""
    return _lock_and_read([table_id], locked=[table_id], is_shared=False)[table_id]


def _lock_and_read(
    table_ids: Collection[int], *, locked: Collection[int], is_shared: bool = True
) -> dict[int, RoomOrError]:
    """Read these tables. Lock them, and the others in ``locked`` that this transaction will write.

    All locks are taken by one statement, in order: two processes that take some of them now and the
    others with the writes would wait for each other.
    """
    _changed_elsewhere.difference_update(table_ids)
    optimistic.drop_keys()
    slots = pad_arguments(sorted(table_ids))
    # What the next command may need: another process has probably gone on with the same round.
    round_ids = pad_arguments(_list_round_ids(table_ids))
    with driver.pipeline():
        # Read by other statements: rows that a locking SELECT joins are those from before it waited.
        locking.lock_tables(locked)
        get_rows, get_seats = _rows.send(*slots), _seats.send(*slots)
        get_queues = _queues.send(*slots)
        get_rounds = _rounds.send(*round_ids) if round_ids else lambda: []
    rooms = _build_rooms(sorted(table_ids), get_rows(), get_seats(), is_shared=is_shared)
    for entry in get_queues():
        queued_at = rooms[entry.table_id]
        if isinstance(queued_at, Room):
            queued_at.queue.append(entry)
    for round_row in get_rounds():
        room = rooms.get(round_row.table_id)  # none of these, if the database was replaced
        if isinstance(room, Room) and room.game.round_id == round_row.pk:
            room.round_row = round_row
    load_backers(rooms.values(), is_shared=is_shared)
    return rooms


def _list_round_ids(table_ids: Collection[int]) -> list[int]:
    """The ids of the last rounds of those of these tables that this thread remembers."""
    rooms = _get_memory().rooms
    table_rooms = [rooms[table_id] for table_id in table_ids if table_id in rooms]
    rows = [room.round_row for room in table_rooms if room.is_remembered]
    return [row.pk for row in rows if row is not None]


def load_backers(rooms_or_errors: Iterable[RoomOrError], *, is_shared: bool = False) -> None:
    """Read the users with open bets behind at these tables, with their wallets; nothing is locked."""
    rooms = [room for room in rooms_or_errors if isinstance(room, Room) and room.game.backer_ids]
    if not rooms:
        return
    user_ids = {user_id for room in rooms for user_id in room.game.backer_ids}
    users = {user.pk: user for user in _users(*pad_arguments(user_ids))}
    if is_shared:
        users = {pk: _share(user) for pk, user in users.items()}
    for room in rooms:
        room.backers = {pk: users[pk] for pk in sorted(room.game.backer_ids)}


def remember(rooms: Iterable[Room]) -> None:
    """Remember tables as they were committed."""
    memory = _get_memory()
    for room in rooms:
        room.is_remembered, room.foreign_writes = True, optimistic.foreign_writes()
        memory.rooms[room.row.id] = room
        for seat in room.new_seats:
            _share_user(seat)
        room.new_seats = ()
        if room.backers:
            room.backers = {pk: _share(user) for pk, user in room.backers.items()}
    while len(memory.rooms) > MOST_REMEMBERED:
        memory.rooms.popitem(last=False)


def _share_user(seat: Seat) -> None:
    """Use one object for a player at several tables, with what this one has."""
    seat.user = _share(seat.user)
    vars(seat).pop("account", None)  # that of the other object


def _share(user: User) -> User:
    shared_user = _memory.users.setdefault(user.pk, user)
    if shared_user is not user:
        vars(shared_user.wallet).update(vars(user.wallet))
        vars(shared_user).update(vars(user) | {"_state": shared_user._state})
    return shared_user


def _build_rooms(
    table_ids: list[int], table_rows: Iterable[Table], seat_rows: Iterable[Seat], *, is_shared: bool
) -> dict[int, RoomOrError]:
    _get_memory()
    rows = {row.pk: row for row in table_rows}
    seats: dict[int, dict[int, Seat]] = {table_id: {} for table_id in table_ids}
    for seat in sorted(seat_rows, key=attrgetter("number")):
        seats[seat.table_id][seat.number] = seat
        if is_shared:
            _share_user(seat)
    return {
        table_id: _build_room(rows[table_id], seats[table_id])
        if table_id in rows
        else Table.DoesNotExist(f"table {table_id}")
        for table_id in table_ids
    }


def _build_room(row: Table, seats: dict[int, Seat]) -> Room | UnreadableState:
    previous = _memory.rooms.pop(row.pk, None)
    if previous and previous.row.state == row.state and previous.game.rules == row.rules:
        return Room(row, previous.game, seats)
    try:
        return Room(row, GameState.from_text(row.rules, row.state), seats)
    except UnreadableState as damage:
        return damage


def load_seats(table_id: int) -> dict[int, Seat]:
    """The seats taken at a table by number, with their players and wallets; nothing is locked."""
    return sort_seats(_seats(table_id))


def send_seats(table_id: int) -> Callable[[], list[Seat]]:
    """Read the seats taken at a table; return a function for them, to be called after a pipeline."""
    return _seats.send(table_id)


def load_queue(table_id: int) -> list[QueueEntry]:
    """The players in line at a table, the first one first; nothing is locked."""
    return _queues(table_id)


def send_queue(table_id: int) -> Callable[[], list[QueueEntry]]:
    """Read the players in line; return a function for them, to be called after a pipeline."""
    return _queues.send(table_id)


def sort_seats(seats: Iterable[Seat]) -> dict[int, Seat]:
    """These seats by number, in that order."""
    return {seat.number: seat for seat in sorted(seats, key=attrgetter("number"))}


def lock_row(table_id: int) -> Table:
    """The table's row, locked until the transaction ends. Raises ``Table.DoesNotExist``."""
    optimistic.drop_keys()
    locking.lock_tables([table_id])
    row = _rows.first(table_id)
    if row is None:
        raise Table.DoesNotExist(f"table {table_id}")
    return row
