"""What a process keeps of the tables that it played at last is never what is not stored."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import OrderedDict
from random import Random

import pytest
from django.db import connection, transaction
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from accounts.lib.sql import sqlite_cache
from accounts.models import Account, User
from tables.engine.presets import PRESETS
from tables.models import Round, Table
from tables.protocol.commands import Leave
from tables.state import cache, loading
from tables.state.cache import CachedTable
from tables.state.game_state import GameState
from tables.state.live_table import LiveTable
from tables.state.loading import StoredTable
from tests.helpers.rounds import new_table, round_at_random, sit_down
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
    real = GameState.from_text.__func__  # type: ignore[attr-defined]

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


def test_what_another_process_wrote_is_what_counts(
    playing: TableClient, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = cache.pop(playing.table_id)
    before = playing.row
    turn = before.turn
    playing.bet(ben, 2000, turn)
    cache.put(playing.table_id, mine)  # as it is in the process that did not see the bet
    states = decoded(monkeypatch)
    with_bet = LiveTable.lock(playing.table_id, playing.now)
    assert len(states) == 1
    assert with_bet.game.round is not None
    assert with_bet.row.seq == before.seq + 1


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
    live = LiveTable.lock(playing.table_id, playing.now)
    assert {number: (seat.pk, seat.net) for number, seat in live.seats.items()} == before


@pytest.mark.parametrize("key", PRESETS)
def test_what_is_kept_is_what_is_stored(key: str, ann: User, ben: User, dora: User) -> None:
    at = new_table(key)
    players = (ann, ben, dora)[: at.row.rules.seats]
    sit_down(at, *players)
    at.send(players[0], Leave(uuid.uuid4()))
    at.sit(players[0], 1)
    reused, chance = [], Random(key)
    for number in range(8):
        for _ in round_at_random(at, players, chance):
            kept = cache.pop(at.table_id)
            fresh = loading.load_locked([at.table_id])[at.table_id]
            assert isinstance(fresh, StoredTable)
            rows, seats = loading.cached_row(kept), loading.cached_seats(kept)
            found = dict(fresh.seats)
            reused += [set(rows) == {fresh.raw}, set(seats) == set(found)]
            for raw, seat in seats.items():
                if raw in found:
                    assert said(seat) == said(found[raw])
                    assert said(seat.user) == said(found[raw].user)
                    assert said(seat.user.wallet) == said(found[raw].user.wallet)
            for raw, row in rows.items():
                if raw == fresh.raw:
                    assert said(row) == said(fresh.row)
            cache.put(at.table_id, kept)
            at.later(number)
    assert sum(reused) > 0.9 * len(reused), "or it is kept for nothing"


def said(row: Model) -> dict[str, object]:
    """What a row says in its columns."""
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_only_so_many_tables_are_kept(
    playing: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MOST_KEPT", 2)
    monkeypatch.setattr(cache, "_kept", OrderedDict())
    for table_id in (-1, -2, -3):
        cache.put(table_id, cache.CachedTable(f"state of {table_id}"))
    assert [cache.pop(table_id).state for table_id in (-1, -2, -3)] == [
        "", "state of -2", "state of -3",
    ]  # fmt: skip


# What need not be asked again

spells_go_on = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="of SQLite alone")


def known(at: TableClient) -> CachedTable | None:
    """What the next change of the table takes for what is stored, without asking."""
    with transaction.atomic():
        generation = sqlite_cache.cache_generation()
        kept = cache.pop(at.table_id)
        cache.put(at.table_id, kept)
        return kept if kept.generation == generation else None


@spells_go_on
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
            kept = known(at)
            looks.append(kept is not None)
            if kept is not None:
                verify_is_stored(kept, at)
            if number == 4:
                other.bet(ann, 1000)
                other.take_back(ann)
        at.later(number)
    assert sum(looks) > 0.7 * len(looks), "or it is kept for nothing"


def verify_is_stored(kept: CachedTable, at: TableClient) -> None:
    assert kept.row is not None
    row, seats = kept.row[1], [seat for _, seat in kept.seats]
    fresh = at.live
    assert said(row) == said(fresh.row)
    assert kept.decode_game(row.rules, row.state).to_text() == fresh.game.to_text()
    assert {seat.number for seat in seats} == fresh.seats.keys()
    for seat in seats:
        stored_seat = fresh.seats[seat.number]
        assert said(seat) == said(stored_seat)
        assert said(seat.user) == said(stored_seat.user)
        assert said(seat.user.wallet) == said(stored_seat.user.wallet)
    if kept.round_row is not None:
        assert said(kept.round_row) == said(Round.objects.get(pk=kept.round_row.pk))


@spells_go_on
@pytest.mark.django_db(transaction=True)
def test_who_plays_at_two_tables_has_one_wallet_at_both(ann: User, ben: User) -> None:
    tables = [new_table("casino") for _ in range(2)]
    for at in tables:
        sit_down(at, ann, ben)
        at.bet(ben, 1000)
    for at, other in (tables, tables[::-1]):
        at.bet(ann, 20_000)
        at.take_back(ann)
        at.bet(ann, 10_000)
        with transaction.atomic():
            assert LiveTable.lock(other.table_id, other.now).funds(1) == balance_of(ann)
        at.take_back(ann)


@spells_go_on
@pytest.mark.django_db(transaction=True)
def test_a_table_that_was_played_at_is_not_asked_for_again(ann: User, ben: User) -> None:
    sit_down(at := new_table("casino"), ann, ben)
    at.bet(ann, 1000)
    at.take_back(ann)
    turn = at.row.turn
    with CaptureQueriesContext(connection) as asked:
        at.bet(ann, 1000, turn)
    read = [query["sql"] for query in asked if query["sql"].startswith("SELECT")]
    assert not [sql for sql in read if "tables_" in sql], read
