"""A paused table finishes its round and begins no other; nobody loses anything by it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from random import Random

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import HouseSettings, User
from tables.engine.presets import PRESETS
from tables.game import commit, host_commands, pauses
from tables.game.deadlines import GRACE, apply_deadline
from tables.lobby import table_list
from tables.models import Round, Table
from tables.realtime import presence
from tables.realtime.snapshots import table_snapshot
from tables.state.effects import ChangeNotice
from tables.state.live_table import LiveTable
from tests.helpers.rounds import faults, least_stake, new_table, play_round, sit_down, types
from tests.helpers.table_client import (
    TableClient,
    balance_of,
    code,
    events,
    fingerprint,
    told_of_wallets,
)

pytestmark = pytest.mark.django_db

AGAIN = [key for key, rules in PRESETS.items() if rules.asks_to_play_again]
BECAUSE = "A card is missing."


def pause(at: TableClient, because: str = BECAUSE) -> ChangeNotice:
    with transaction.atomic():
        live = LiveTable.lock(at.table_id, at.now)
        pauses.pause(live, because)
        return commit.commit_table(live)


def resume(at: TableClient) -> ChangeNotice:
    with transaction.atomic():
        live = LiveTable.lock(at.table_id, at.now)
        pauses.resume(live)
        return commit.commit_table(live)


def close(at: TableClient) -> ChangeNotice:
    with transaction.atomic():
        live = LiveTable.lock(at.table_id, at.now)
        host_commands.close_table(live)
        return commit.commit_table(live)


def kinds(change: ChangeNotice) -> list[str]:
    return [str(event["type"]) for event in change.changed.events]


def maintain(at: dt.datetime | None, says: str = "") -> None:
    HouseSettings.objects.update(maintenance_at=at, maintenance_says=says)


# Pausing


def test_rule_sets_that_ask_to_play_again_are_among_those_tested() -> None:
    assert AGAIN


def test_bets_on_the_coming_round_go_back_and_the_clock_stops(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    change = pause(casino)
    assert kinds(change) == ["table_paused", "bet_returned"]
    assert change.changed.table.paused == BECAUSE
    assert change.changed.table.deadline is None
    assert told_of_wallets(change) == {ann.pk: 50000}
    assert Round.objects.get().finished_at == casino.now
    assert faults() == []


def test_a_bet_is_refused_while_the_table_is_paused_and_says_why(
    casino: TableClient, ann: User
) -> None:
    casino.sit(ann, 1)
    pause(casino)
    before = fingerprint(casino)
    played = casino.bet(ann, 1000)
    assert code(played) == "table_paused"
    assert BECAUSE in played.value.message
    assert fingerprint(casino) == before


def test_a_round_that_is_played_is_finished_with_its_clock_and_paid(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts Kd 9c 9h 8c 7d 2s 3s 4s")
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.bet(ben, 1000)
    change = pause(casino)
    assert kinds(change) == ["table_paused"]
    assert change.changed.table.deadline is not None
    assert code(casino.act(ann, "stand")) == "done"
    casino.time_is_up()
    row = casino.row
    assert row.phase == Table.Phase.BETTING
    assert row.deadline_at is None
    assert code(casino.bet(ann, 1000)) == "table_paused"
    assert {seat.user_id for seat in row.seats.all()} == {ann.pk, ben.pk}
    assert faults() == []


@pytest.mark.parametrize("key", PRESETS)
def test_no_clock_runs_after_the_last_round_of_any_rule_set(key: str, ann: User) -> None:
    at = new_table(key)
    at.sit(ann, 1)
    at.bet(ann, least_stake(at))
    pause(at)
    while at.row.deadline_at is not None:
        at.time_is_up()
    assert not at.live.game.is_playing
    at.later(3600)
    assert apply_deadline(at.table_id, at.now) == ()
    assert at.row.seats.count() == 1
    assert code(at.bet(ann, least_stake(at))) == "table_paused"


@pytest.mark.parametrize("key", AGAIN)
def test_nobody_loses_a_seat_to_a_question_that_nobody_asks(key: str, ann: User, ben: User) -> None:
    at = new_table(key)
    players = [ann, ben][: at.row.rules.seats]
    sit_down(at, *players)
    play_round(at, players, Random(1))
    deadline_at = at.row.deadline_at
    assert deadline_at is not None
    pause(at)
    at.now = deadline_at + GRACE + dt.timedelta(hours=1)
    assert apply_deadline(at.table_id, at.now) == ()
    resume(at)
    assert at.row.seats.count() == len(players)
    assert at.row.deadline_at == at.now + dt.timedelta(seconds=at.row.betting_seconds)
    for user in players:
        assert code(at.bet(user, 0)) == "done"
    assert at.live.game.is_playing


@pytest.mark.parametrize("key", AGAIN)
def test_who_has_not_played_yet_is_not_hurried_after_a_pause(key: str, ann: User) -> None:
    at = new_table(key)
    at.sit(ann, 1)
    pause(at)
    resume(at)
    assert at.row.deadline_at is None


def test_the_seat_of_who_closes_the_page_meanwhile_is_held(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    pause(casino)
    casino.later(10)
    presence.update_table(casino.table_id, "p", {}, casino.now)
    assert casino.row.seats.get().away_since == casino.now
    casino.later(3600)
    assert presence.list_tables_to_check(casino.now) == []
    presence.update_table(casino.table_id, "p", {}, casino.now)
    assert casino.row.seats.count() == 1
    resume(casino)
    casino.later(59)
    presence.update_table(casino.table_id, "p", {}, casino.now)
    assert casino.row.seats.count() == 1
    casino.later(2)
    presence.update_table(casino.table_id, "p", {}, casino.now)
    assert casino.row.seats.count() == 0


def test_people_come_and_go_at_a_paused_table(casino: TableClient, ann: User, ben: User) -> None:
    casino.sit(ann, 1)
    pause(casino)
    assert code(casino.sit(ben, 2)) == "done"
    assert code(casino.leave(ann)) == "done"
    assert casino.row.paused_at is not None


def test_a_resumed_table_deals_again(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    turn = casino.row.turn
    pause(casino)
    change = resume(casino)
    assert kinds(change) == ["table_resumed"]
    assert change.changed.table.paused is None
    assert code(casino.bet(ann, 1000, turn)) == "stale_turn"
    assert "card_dealt" in types(events(casino.bet(ann, 1000)))


def test_resuming_in_mid_round_leaves_the_round_alone(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("Ts Kd 9c 9h 8c 7d")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    pause(casino)
    turn, deadline_at = casino.row.turn, casino.row.deadline_at
    resume(casino)
    assert (casino.row.turn, casino.row.deadline_at) == (turn, deadline_at)
    assert code(casino.act(ann, "stand", turn)) == "done"


def test_pausing_and_resuming_twice_changes_nothing(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    pause(casino)
    since = casino.row.paused_at
    casino.later(5)
    assert kinds(pause(casino, "Something else.")) == []
    assert (casino.row.paused_at, casino.row.paused_because) == (since, BECAUSE)
    resume(casino)
    turn = casino.row.turn
    assert kinds(resume(casino)) == []
    assert casino.row.turn == turn


def test_the_lobby_hears_of_a_pause_and_shows_it(casino: TableClient, ann: User) -> None:
    assert pause(casino).is_lobby_news
    assert [table.is_paused for table in table_list.list_tables(None).tables] == [True]
    assert resume(casino).is_lobby_news
    assert [table.is_paused for table in table_list.list_tables(None).tables] == [False]


# Closing


def test_nobody_new_sits_down_in_the_last_round(
    casino: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts Kd 9c 9h 8c 7d")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    assert kinds(close(casino)) == ["table_closing"]
    assert code(casino.sit(ben, 2)) == "table_closed"
    assert kinds(close(casino)) == []
    casino.act(ann, "stand")
    assert casino.row.closed_at is not None
    assert faults() == []


def test_a_paused_table_can_be_closed(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    pause(casino)
    assert kinds(close(casino)) == ["player_left", "table_closed"]


# Maintenance


def test_bets_are_taken_until_maintenance_begins_and_not_at_that_moment(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    begins_at = casino.now + dt.timedelta(seconds=10)
    maintain(begins_at)
    casino.now = begins_at - dt.timedelta(microseconds=1)
    assert code(casino.bet(ann, 1000)) == "done"
    casino.now = begins_at
    before = fingerprint(casino)
    assert code(casino.bet(ben, 1000)) == "maintenance"
    assert code(casino.bet(ann, 2000)) == "maintenance"
    assert fingerprint(casino) == before


def test_bets_that_lie_there_go_back_when_their_clock_runs_out(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    maintain(casino.now + dt.timedelta(seconds=1))
    (change,) = casino.time_is_up()
    assert kinds(change) == ["clock_ran_out", "bet_returned"]
    assert balance_of(ann) == 50000
    assert casino.row.deadline_at is None
    assert casino.row.seats.count() == 2
    assert [seat.missed_rounds for seat in casino.row.seats.all()] == [0, 0]
    assert Round.objects.get().dealt_at is None
    assert faults() == []


def test_nothing_is_dealt_in_maintenance_when_the_last_who_has_not_bet_leaves(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    maintain(casino.now)
    assert types(events(casino.leave(ben))) == ["player_left"]
    assert code(casino.take_back(ann)) == "done"
    assert faults() == []


def test_a_round_that_is_played_is_finished_in_maintenance(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("Ts Kd 9c 9h 8c 7d")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    maintain(casino.now)
    assert code(casino.act(ann, "stand")) == "done"
    assert balance_of(ann) != 49000
    assert code(casino.bet(ann, 1000)) == "maintenance"


@pytest.mark.parametrize("key", AGAIN)
def test_nobody_loses_a_seat_to_play_again_in_maintenance(key: str, ann: User) -> None:
    at = new_table(key)
    at.sit(ann, 1)
    play_round(at, [ann], Random(1))
    maintain(at.now)
    at.time_is_up()
    assert at.row.seats.count() == 1
    assert at.row.deadline_at is None
    maintain(None)
    assert code(at.bet(ann, 0)) == "done"


def test_the_seat_of_who_is_away_is_held_in_maintenance(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    maintain(casino.now)
    casino.later(10)
    presence.update_table(casino.table_id, "p", {}, casino.now)
    casino.later(3600)
    presence.update_table(casino.table_id, "p", {}, casino.now)
    assert casino.row.seats.count() == 1
    maintain(None)
    presence.update_table(casino.table_id, "p", {}, casino.now)
    assert casino.row.seats.count() == 0


def test_a_bet_asks_once_whether_the_house_is_in_maintenance(
    casino: TableClient, ann: User
) -> None:
    casino.sit(ann, 1)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert code(casino.bet(ann, 1000)) == "done"
    settings_queries = [one for one in queries if "accounts_housesettings" in one["sql"]]
    assert len(settings_queries) == 1


def test_a_decision_does_not_ask(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("Ts Kd 2c 9h 8c 7d 3s")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    with CaptureQueriesContext(connection) as queries:
        assert code(casino.act(ann, "stand")) == "done"
    assert not [one for one in queries if "accounts_housesettings" in one["sql"]]


# What everybody is told


def test_an_announcement_is_told_to_who_comes_within_ten_minutes(casino: TableClient) -> None:
    announced_at = casino.now
    HouseSettings.objects.update(announcement="To all.", announced_at=announced_at)
    Table.objects.update(announcement="To you.", announced_at=announced_at)
    casino.later(599)
    snapshot = table_snapshot(casino.table_id, None, casino.now)
    at = round(announced_at.timestamp() * 1000)
    assert (snapshot.house.announcement.text, snapshot.house.announcement.at) == ("To all.", at)
    assert (snapshot.announcement.text, snapshot.announcement.at) == ("To you.", at)
    casino.later(1)
    snapshot = table_snapshot(casino.table_id, None, casino.now)
    assert (snapshot.house.announcement, snapshot.announcement) == (None, None)


def test_maintenance_is_told_until_it_is_called_off(casino: TableClient) -> None:
    begins_at = casino.now + dt.timedelta(hours=1)
    maintain(begins_at, "Back at noon.")
    maintenance = table_snapshot(
        casino.table_id, None, begins_at + dt.timedelta(days=1)
    ).house.maintenance
    assert maintenance is not None
    assert (maintenance.at, maintenance.says) == (
        round(begins_at.timestamp() * 1000),
        "Back at noon.",
    )
    maintain(None)
    assert table_snapshot(casino.table_id, None, casino.now).house.maintenance is None
