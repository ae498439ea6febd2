"""Extra time for decisions about a hand, of which each player has some at a table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import User
from tables.game import deadlines, recovery
from tables.lobby.forms import PlayerTableForm
from tables.models import Table
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient, code, events

pytestmark = pytest.mark.django_db
Stack = Callable[..., None]


@pytest.fixture
def at(casino: TableClient) -> TableClient:
    """A table with time banks of 30 seconds."""
    Table.objects.update(time_bank_seconds=30)
    return casino


def banks(at: TableClient) -> list[int | None]:
    """What the players have left, in seconds."""
    return [seat.bank and seat.bank // 1000 for seat in at.view.seats if seat.player]


def deal(at: TableClient, *players: User) -> None:
    sit_down(at, *players)
    for player in players:
        at.bet(player, 1000)


def test_it_runs_when_the_clock_is_out_and_then_the_hand_stands(
    at: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("9h 8h 7d Tc Ts Td 2c")
    deal(at, ann, ben)
    assert banks(at) == [31, 31], "one second more for the round"
    turn = at.row.turn
    (change,) = at.time_is_up()
    assert change.changed.events == (
        {"type": "time_bank_started", "seat": 1, "hand": 1, "left": 31_000},
    )
    view = at.view
    assert (view.turn, view.on_bank, view.clock) == (turn, True, 31)
    at.later(7)
    assert code(at.act(ann, "hit", turn)) == "done"
    assert (banks(at), at.view.on_bank, at.view.clock) == ([24, 31], False, at.row.turn_seconds)


def test_a_bank_that_is_used_up_ends_like_any_clock(
    at: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("9h 8h 7d Tc Ts Td 2c")
    deal(at, ann, ben)
    at.time_is_up()
    (change,) = at.time_is_up()
    assert [event["type"] for event in change.changed.events] == ["clock_ran_out", "hand_stood"]
    assert banks(at) == [0, 31]
    decision = at.view.asked
    assert decision is not None
    assert decision.seat == 2


def test_who_leaves_and_sits_down_again_has_what_was_left(
    at: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("9h 8h 7d Tc Ts Td 2c")
    deal(at, ann, ben)
    at.time_is_up()
    at.later(20)
    at.act(ann, "stand")
    at.act(ben, "stand")
    assert banks(at) == [11, 31]
    at.leave(ann)
    at.sit(ann, 3)
    assert banks(at) == [31, 11]


def test_it_grows_to_twice_its_start_and_no_more(at: TableClient, ann: User) -> None:
    at.sit(ann, 1)
    for _ in range(33):
        at.bet(ann, 1000)
        while at.row.phase == "playing":
            at.act(ann, "stand")
    assert banks(at) == [60]


def test_it_goes_on_after_a_restart(at: TableClient, ann: User, ben: User, stack: Stack) -> None:
    stack("9h 8h 7d Tc Ts Td 2c")
    deal(at, ann, ben)
    at.time_is_up()
    at.later(25)
    (change,) = recovery.resume_after_outage(at.table_id, at.now)
    assert change.changed.events == ({"type": "clock_extended"},)
    assert at.view.on_bank
    at.later(5)
    at.act(ann, "stand")
    assert banks(at) == [26, 31], "the seconds of the outage are given back"


def test_a_bank_with_time_left_is_no_implausible_clock(
    at: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    Table.objects.update(turn_seconds=10, betting_seconds=10)
    stack("9h 8h 7d Tc Ts Td 2c")
    deal(at, ann, ben)
    at.time_is_up()
    assert recovery.resume_after_outage(at.table_id, at.now) == ()


def test_bets_and_insurance_have_no_bank(
    vegas: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    Table.objects.update(time_bank_seconds=30)
    stack("9h 8h Ad Tc Ts 5d 2c 3c 4c 6c")
    sit_down(vegas, ann, ben)
    vegas.bet(ann, 1000)
    vegas.bet(ben, 1000)
    assert vegas.view.insurance
    (change,) = vegas.time_is_up()
    assert "time_bank_started" not in {event["type"] for event in change.changed.events}
    assert not vegas.view.insurance


def test_a_table_without_banks_stores_nothing_about_them(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("9h 8h 7d Tc Ts Td 2c")
    deal(casino, ann, ben)
    assert banks(casino) == [None, None]
    (change,) = casino.time_is_up()
    assert change.changed.events[0]["type"] == "clock_ran_out"
    assert "time_banks" not in casino.row.state


def test_a_late_decision_within_the_grace_costs_no_bank(
    at: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("9h 8h 7d Tc Ts Td 2c")
    deal(at, ann, ben)
    deadline_at = at.row.deadline_at
    assert deadline_at is not None
    at.now = deadline_at + deadlines.GRACE / 2
    assert "time_bank_started" not in {event["type"] for event in events(at.act(ann, "stand"))}
    assert banks(at) == [31, 31]


def test_the_host_chooses_it_when_the_table_is_opened() -> None:
    form = PlayerTableForm(
        {"name": "Den", "rules_key": "casino", "betting_seconds": 20, "turn_seconds": 30,
         "time_bank_seconds": "30"}
    )  # fmt: skip
    assert form.is_valid(), form.errors
    assert form.settings["time_bank_seconds"] == 30
    form = PlayerTableForm(
        {"name": "Den", "rules_key": "casino", "betting_seconds": 20, "turn_seconds": 30,
         "time_bank_seconds": "31"}
    )  # fmt: skip
    assert list(form.errors) == ["time_bank_seconds"]
