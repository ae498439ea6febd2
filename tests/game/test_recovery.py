"""The server was away: same cards, same turn, more time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest

from accounts.models import User
from tables.game import deadlines, recovery
from tables.models import Round
from tests.helpers.table_client import TableClient, events, fingerprint

pytestmark = pytest.mark.django_db


def test_an_open_decision_has_twenty_seconds_at_least_after_an_outage(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    before, state = casino.view, casino.row.state
    casino.later(3600)
    (change,) = recovery.resume_after_outage(casino.table_id, casino.now)
    assert change.changed.events == ({"type": "clock_extended"},)
    assert casino.row.state == state
    assert (casino.view.turn, casino.view.asked) == (before.turn, before.asked)
    deadline_at = casino.row.deadline_at
    assert deadline_at is not None
    assert (deadline_at - casino.now).total_seconds() == recovery.OUTAGE_CLOCK


def test_a_decision_that_has_more_time_keeps_it(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    before = fingerprint(casino)
    assert recovery.resume_after_outage(casino.table_id, casino.now) == ()
    assert fingerprint(casino) == before


def test_a_table_at_rest_is_left_alone(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    before = fingerprint(casino)
    assert recovery.resume_after_outage(casino.table_id, casino.now) == ()
    assert fingerprint(casino) == before


def test_every_table_where_something_waits_is_resumed(
    casino: TableClient, classic: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc")
    casino.sit(ann, 1)
    classic.sit(ben, 1)
    assert deadlines.list_timed_tables() == [], "who sits there is neither asked nor away"
    casino.bet(ann, 1000)
    classic.row.seats.update(away_since=classic.now)
    assert deadlines.list_timed_tables() == [casino.table_id, classic.table_id]


def test_the_deadlines_of_all_tables_are_known(casino: TableClient, ann: User, ben: User) -> None:
    tables = [casino.table_id]
    assert deadlines.list_deadlines(casino.now + dt.timedelta(days=1)) == {}
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1000)
    deadline_at = casino.row.deadline_at
    assert deadline_at is not None
    assert deadlines.list_deadlines(deadline_at) == {casino.table_id: deadline_at}
    assert deadlines.list_deadlines(deadline_at - dt.timedelta(seconds=0.001)) == {}
    assert deadlines.list_overdue_tables(casino.now, tables) == []
    casino.later(casino.row.betting_seconds + 0.75)
    assert deadlines.list_overdue_tables(casino.now, tables) == tables
    assert deadlines.list_overdue_tables(casino.now, [casino.table_id + 1]) == []


def test_a_state_of_an_unknown_version_is_not_guessed_at(casino: TableClient) -> None:
    row = casino.row
    row.state = '{"version": 99}'
    row.save()
    with pytest.raises(RuntimeError, match="version 99"):
        _ = casino.live


VERSION_1_IN_PLAY = (
    '{"version":1,"round_id":%d,"bets":{},"players":{"1":%d},"round":{"shoe":"8s 6h 8d Kc 2c 3c",'
    '"dealt":4,"seats":{"1":[{"cards":"8s 8d","from_split":false,"stake":0,"doubled":false,'
    '"stood":false,"outcome":null,"payout":0}]},"dealer":"6h Kc","hole_position":1,'
    '"hole_revealed":false,"turn":[1,1]}}'
)


def test_a_round_from_before_shoes_were_sealed_is_played_on(casino: TableClient, ann: User) -> None:
    casino.sit(ann, 1)
    round_ = Round.objects.create(table=casino.row, rules_key="casino", opened_at=casino.now)
    row = casino.row
    row.state, row.phase = VERSION_1_IN_PLAY % (round_.pk, ann.pk), "playing"
    row.save()
    assert casino.view.dealer.cards == ("6h", "??")
    assert casino.view.shoe is None
    casino.act(ann, "hit")
    casino.act(ann, "stand")
    assert casino.view.seats[0].hands[0].outcome == "lose"
    assert casino.view.shoe is not None
    assert casino.bet(ann, 1000).value.seq == casino.row.seq


def test_a_clock_that_ran_out_long_ago_is_put_off(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    """Nobody was there to see it: the house was away, and not the player."""
    stack("8s 6h 8d Kc 2c 3d")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.later(casino.row.turn_seconds + 5.1)
    (change,) = deadlines.apply_deadline(casino.table_id, casino.now)
    assert change.changed.events == ({"type": "clock_extended"},)
    assert casino.view.asked is not None
    casino.time_is_up()
    assert casino.view.asked is None


def test_a_command_that_finds_such_a_clock_is_done(
    casino: TableClient, ann: User, stack: Callable[..., None]
) -> None:
    stack("8s 6h 8d Kc 2c 3d")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.later(3600)
    played = casino.act(ann, "hit")
    assert [event["type"] for event in events(played)] == ["clock_extended", "card_dealt"]


@pytest.mark.parametrize(("seconds", "is_drawn_in"), [(0, False), (3600, True)])
def test_a_clock_that_was_set_back_keeps_nobody_waiting(
    casino: TableClient,
    ann: User,
    stack: Callable[..., None],
    seconds: int,
    is_drawn_in: bool,
) -> None:
    stack("8s 6h 8d Kc")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.later(-seconds)
    assert bool(recovery.resume_after_outage(casino.table_id, casino.now)) is is_drawn_in
    deadline_at = casino.row.deadline_at
    assert deadline_at is not None
    assert (deadline_at - casino.now).total_seconds() <= casino.row.turn_seconds
