"""What a process keeps of the tables that it played at last is never what is not stored."""

from __future__ import annotations

import datetime as dt
import threading
import uuid
from random import Random

import pytest
from django.db import connection, transaction
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from accounts.lib import server_clock
from accounts.lib.sql import optimistic
from accounts.models import Account, User
from tables.engine.presets import PRESETS
from tables.game import commands
from tables.game.commands import QueuedCommand
from tables.models import Change, Round, Table
from tables.protocol.commands import Bet, TableCommand, TakeBack
from tables.protocol.topics import table_topic
from tables.realtime.hub import hub
from tables.state import rooms
from tables.state.game_state import GameState
from tables.state.live_table import LiveTable
from tables.state.rooms import Room
from tests.helpers.rounds import faults, new_table, round_at_random, sit_down
from tests.helpers.table_client import TableClient, balance_of, code

pytestmark = pytest.mark.django_db


@pytest.fixture
def playing(casino: TableClient, ann: User, ben: User) -> TableClient:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    return casino


def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which stored states are decoded from now on."""
    states: list[str] = []
    real = GameState.from_text.__func__

    def from_text(cls: type[GameState], rules: object, text: str) -> GameState:
        states.append(text)
        game: GameState = real(cls, rules, text)
        return game

    monkeypatch.setattr(GameState, "from_text", classmethod(from_text))
    return states


def test_a_table_is_decoded_once_by_who_plays_on(
    playing: TableClient, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    states, turn = decoded(monkeypatch), playing.row.turn
    assert code(playing.bet(ben, 1000, turn)) == "done"
    assert states == []


def test_a_table_that_another_process_played_on_is_read_before_its_next_command(
    playing: TableClient, ann: User
) -> None:
    def is_remembered() -> bool:
        with optimistic.transaction():
            room = rooms.take({playing.table_id: True})[playing.table_id]
        assert isinstance(room, Room)
        was_remembered = room.is_remembered
        rooms.remember([room])
        return was_remembered

    playing.bet(ann, 2000)
    assert is_remembered()
    hub._deliver(table_topic(playing.table_id), '{"t":"changed"}')
    assert not is_remembered()
    assert is_remembered()


def test_a_table_that_is_read_again_comes_with_its_round(
    playing: TableClient, ann: User, ben: User
) -> None:
    hub._deliver(table_topic(playing.table_id), '{"t":"changed"}')
    with optimistic.transaction(), CaptureQueriesContext(connection) as queries:
        room = rooms.take({playing.table_id: True})[playing.table_id]
        assert isinstance(room, Room)
        assert not room.is_remembered
        assert room.round_row is not None
        assert read_columns(room.round_row) == read_columns(
            Round.objects.get(table=playing.table_id)
        )
    rooms.remember([room])
    assert len([one for one in queries if '"tables_round"' in one["sql"]]) == 2  # the test's own
    playing.later(1)
    assert code(playing.bet(ben, 1000)) == "done"
    assert Round.objects.get(table=playing.table_id).dealt_at == playing.now


@pytest.mark.parametrize("key", PRESETS)
def test_a_table_needs_no_field_of_its_players_that_it_does_not_read(
    key: str, ann: User, ben: User, dora: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = new_table(key)
    players = (ann, ben, dora)[: at.row.rules.seats]
    sit_down(at, *players)
    seats = rooms.load_seats(at.table_id)
    assert {*rooms.NOT_AT_TABLES} == seats[1].user.get_deferred_fields()
    monkeypatch.setattr(User, "refresh_from_db", None)
    for number in range(4):
        for _ in round_at_random(at, players, Random(f"{key} {number}")):
            hub._deliver(table_topic(at.table_id), '{"t":"changed"}')
        at.later(number)
    at.leave(ann)


@pytest.mark.django_db(transaction=True)
def test_of_two_processes_at_one_table_each_sees_what_the_other_wrote(
    ann: User, ben: User, cleo: User
) -> None:
    """Each thread remembers tables as a process does. Cleo does not bet, so nothing is dealt."""
    sit_down(at := new_table("casino"), ann, ben, cleo)
    codes: list[str] = []

    def play(user: User) -> None:
        for _ in range(20):
            turn, bet = at.row.turn, Bet(uuid.uuid4(), at.row.turn, 1000)
            codes.append(code(commands.execute_one(order(at, user, bet), server_clock.now())))
            back = TakeBack(uuid.uuid4(), turn)
            codes.append(code(commands.execute_one(order(at, user, back), server_clock.now())))
        connection.close()

    threads = [threading.Thread(target=play, args=(user,)) for user in (ann, ben)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(codes) <= {"done"}
    assert at.row.seq == Change.objects.filter(table=at.table_id).count()
    assert faults() == []


def order(at: TableClient, user: User, command: TableCommand) -> QueuedCommand:
    return QueuedCommand(at.table_id, user.pk, command)


def test_a_refused_command_leaves_nothing_that_the_next_one_finds(
    playing: TableClient, ann: User, ben: User
) -> None:
    turn = playing.row.turn
    assert code(playing.bet(ben, 60_000, turn)) == "cannot_afford"
    assert code(playing.bet(ann, 60_000, turn)) == "cannot_afford"  # returns the bet before it
    assert playing.live.game.bets == {1: 1000}
    assert LiveTable.lock(playing.table_id, playing.now).game.bets == {1: 1000}


def test_a_wallet_that_changed_elsewhere_is_seen_at_once(playing: TableClient, ben: User) -> None:
    assert playing.live.funds(2) == 50_000
    LiveTable.lock(playing.table_id, playing.now)
    Account.objects.filter(user=ben).update(balance=700)
    assert code(playing.bet(ben, 1000)) == "cannot_afford"


def test_other_rules_are_played_at_once(playing: TableClient, ann: User, ben: User) -> None:
    assert LiveTable.lock(playing.table_id, playing.now).rules.hits_soft_17 is False
    playing.take_back(ann)
    Table.objects.filter(pk=playing.table_id).update(rules_options={"hits_soft_17": True})
    assert LiveTable.lock(playing.table_id, playing.now).rules.hits_soft_17 is True


def test_a_seat_that_was_changed_is_read_again(playing: TableClient, ann: User, ben: User) -> None:
    playing.bet(ben, 1000)
    while playing.view.asked:
        playing.act((ann, ben)[playing.view.asked.seat - 1], "stand")
    stored = {seat.number: seat.net for seat in playing.row.seats.all()}
    live = LiveTable.lock(playing.table_id, playing.now + dt.timedelta(seconds=1))
    assert {number: seat.net for number, seat in live.seats.items()} == stored


@pytest.mark.parametrize("does", ["settles the round", "leaves"])
def test_what_a_change_made_of_a_seat_is_gone_with_the_change(
    playing: TableClient, ann: User, ben: User, does: str
) -> None:
    playing.leave(ben)
    before = {seat.number: (seat.pk, seat.net) for seat in playing.row.seats.all()}
    with transaction.atomic():
        if does == "leaves":
            playing.take_back(ann)
            playing.leave(ann)
        while playing.view.asked:
            playing.act(ann, "stand")
        transaction.set_rollback(True)
    optimistic.forget_all()
    live = LiveTable.lock(playing.table_id, playing.now)
    assert {number: (seat.pk, seat.net) for number, seat in live.seats.items()} == before


def read_columns(row: Model) -> dict[str, object]:
    """What a row says in its columns."""
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


@pytest.mark.django_db(transaction=True)
def test_the_tables_played_last_are_remembered(
    monkeypatch: pytest.MonkeyPatch, ann: User, ben: User
) -> None:
    monkeypatch.setattr(rooms, "MOST_REMEMBERED", 2)
    tables = [new_table("casino") for _ in range(3)]
    for at in tables:
        sit_down(at, ann, ben)
    for at in tables:
        at.bet(ann, 1000)
    states = decoded(monkeypatch)
    for at, reads in zip(reversed(tables), (0, 0, 1), strict=True):
        turn = at.row.turn
        states.clear()
        at.bet(ann, 2000, turn)
        assert len(states) == reads


# What need not be read again

on_sqlite = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="of SQLite alone")


def remembered(at: TableClient) -> Room | None:
    """What the next command is decided with, if it is not read."""
    with optimistic.transaction():
        room = rooms.take({at.table_id: True})[at.table_id]
        assert isinstance(room, Room)
        is_remembered = room.is_remembered
    rooms.remember([room])
    return room if is_remembered else None


@on_sqlite
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("key", PRESETS)
def test_what_is_known_is_what_is_stored(key: str, ann: User, ben: User, dora: User) -> None:
    at, other = new_table(key), new_table("casino")
    players = (ann, ben, dora)[: at.row.rules.seats]
    sit_down(at, *players)
    sit_down(other, ann, ben)
    looks, chance = [], Random(key)
    for number in range(8):
        for _ in round_at_random(at, players, chance):
            room = remembered(at)
            looks.append(room is not None)
            if room is not None:
                verify_is_stored(room, at)
            if number == 4:
                other.bet(ann, 1000)
                other.take_back(ann)
        at.later(number)
    assert sum(looks) > 0.7 * len(looks), "or it is kept for nothing"


def verify_is_stored(room: Room, at: TableClient) -> None:
    fresh = at.live
    assert read_columns(room.row) == read_columns(fresh.row)
    assert read_columns(room.row.rack) == read_columns(fresh.row.rack)
    assert room.game.to_text() == fresh.game.to_text()
    assert [*room.seats] == [*fresh.seats]
    for number, seat in room.seats.items():
        stored_seat = fresh.seats[number]
        assert read_columns(seat) == read_columns(stored_seat)
        assert read_columns(seat.user) == read_columns(stored_seat.user)
        assert read_columns(seat.user.wallet) == read_columns(stored_seat.user.wallet)
    if room.round_row is not None:
        assert read_columns(room.round_row) == read_columns(Round.objects.get(pk=room.round_row.pk))


@on_sqlite
@pytest.mark.django_db(transaction=True)
def test_who_plays_at_two_tables_has_one_wallet_at_both(ann: User, ben: User) -> None:
    tables = [new_table("casino") for _ in range(2)]
    for at in tables:
        sit_down(at, ann, ben)
        at.bet(ben, 1000)
    for at, other in (tables, tables[::-1]):
        remembered(other)
        at.bet(ann, 20_000)
        at.take_back(ann)
        at.bet(ann, 10_000)
        room = remembered(other)
        assert room is not None
        assert LiveTable.from_room(room, other.now).funds(1) == balance_of(ann)
        at.take_back(ann)


@on_sqlite
@pytest.mark.django_db(transaction=True)
def test_a_table_that_was_played_at_is_not_asked_for_again(ann: User, ben: User) -> None:
    sit_down(at := new_table("casino"), ann, ben)
    at.bet(ann, 1000)
    at.take_back(ann)
    turn = at.row.turn
    with CaptureQueriesContext(connection) as queries:
        at.bet(ann, 1000, turn)
    read = [query["sql"] for query in queries if query["sql"].startswith("SELECT")]
    assert not [sql for sql in read if "tables_" in sql], read
