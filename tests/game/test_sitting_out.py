"""Players sit out for a while and keep their seats; the rounds do not wait for them."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from accounts.models import User
from tables.game.commands import CommandResult
from tables.models import Table
from tables.protocol.commands import SitOut
from tables.state import sitting_out
from tests.game.test_idle_seats import come, look, private
from tests.helpers.rounds import faults, new_table, sit_down
from tests.helpers.table_client import TableClient, balance_of, code, events, fingerprint

pytestmark = pytest.mark.django_db
Stack = Callable[..., None]


def sit_out(at: TableClient, user: User, *, on: bool = True) -> CommandResult:
    return at.send(user, SitOut(uuid.uuid4(), on))


def out(at: TableClient) -> list[int]:
    """The seats that sit out, as all at the table see them."""
    return [seat.seat for seat in at.view.seats if seat.sitting_out]


def play_alone(at: TableClient, user: User) -> list[tuple[str, str]]:
    """A round that only this player plays; who loses a seat in it, and why."""
    result = at.bet(user, 1000)
    assert code(result) == "done"
    event_dicts = events(result)
    while at.row.phase == "playing":
        decision = at.view.asked
        assert decision is not None
        event_dicts += events(at.act(user, "decline" if at.view.insurance else "stand"))
    return [(e["player"], e["reason"]) for e in event_dicts if e["type"] == "player_left"]


def test_the_round_begins_without_who_sits_out(casino: TableClient, ann: User, ben: User) -> None:
    sit_down(casino, ann, ben)
    result = sit_out(casino, ben)
    assert events(result) == [{"type": "sit_out_switched", "seat": 2, "player": "ben", "on": True}]
    assert out(casino) == [2]
    casino.bet(ann, 1000)
    assert casino.row.round_count == 1
    assert casino.view.seats[1].player == "ben"


def test_two_missed_rounds_cost_no_seat_of_who_sits_out(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    sit_out(casino, ben)
    for _ in range(8):
        assert play_alone(casino, ann) == []
    assert (casino.view.seats[1].player, casino.view.seats[1].missed) == ("ben", 0)


def test_a_bet_brings_the_player_back(casino: TableClient, ann: User, ben: User) -> None:
    sit_down(casino, ann, ben)
    sit_out(casino, ben)
    result = casino.bet(ben, 1000)
    assert [event["type"] for event in events(result)] == ["sit_out_switched", "bet_placed"]
    assert out(casino) == []
    assert casino.row.round_count == 0, "the round waits for ann"


def test_a_click_brings_the_player_back(casino: TableClient, ann: User, ben: User) -> None:
    sit_down(casino, ann, ben)
    sit_out(casino, ben)
    sit_out(casino, ben, on=False)
    assert out(casino) == []
    assert events(sit_out(casino, ben, on=False)) == []
    casino.bet(ann, 1000)
    assert casino.row.round_count == 0


def test_a_bet_is_returned_and_the_others_are_dealt_in(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    before = balance_of(ann)
    casino.bet(ann, 1000)
    result = sit_out(casino, ann)
    assert [event["type"] for event in events(result)] == ["bet_returned", "sit_out_switched"]
    assert (balance_of(ann), casino.view.seats[0].stake) == (before, None)
    casino.bet(ben, 1000)
    assert casino.row.round_count == 1
    assert faults() == []


def test_the_last_one_who_had_not_bet_sits_out_and_the_cards_are_dealt(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    sit_out(casino, ben)
    assert casino.row.round_count == 1


def test_during_a_hand_it_counts_from_the_next_round_on(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("9h 8h 7d Tc Ts Td 2c")
    sit_down(casino, ann, ben)
    for player in (ann, ben):
        casino.bet(player, 1000)
    sit_out(casino, ben)
    casino.act(ann, "stand")
    decision = casino.view.asked
    assert decision is not None
    assert decision.seat == 2
    casino.act(ben, "stand")
    assert out(casino) == [2]
    assert play_alone(casino, ann) == []


def test_play_again_is_not_asked_of_who_sits_out(
    classic: TableClient, ann: User, ben: User
) -> None:
    sit_down(classic, ann, ben)
    for player in (ann, ben):
        classic.bet(player, 0)
    sit_out(classic, ben)
    while classic.row.phase == "playing":
        decision = classic.view.asked
        assert decision is not None
        classic.act((ann, ben)[decision.seat - 1], "stand")
    classic.bet(ann, 0)
    assert classic.row.round_count == 2
    assert classic.view.seats[1].player == "ben"


def test_while_others_wait_in_line_five_rounds_are_the_limit(
    casino: TableClient, ann: User, ben: User, cleo: User, dora: User
) -> None:
    sit_down(casino, ann, ben, cleo)
    sit_out(casino, ben)
    sit_out(casino, cleo)
    play_alone(casino, ann)
    come(casino, ann, ben, cleo, dora)
    casino.queue_up(dora)
    for number in range(1, sitting_out.MOST_ROUNDS):
        assert play_alone(casino, ann) == []
        assert casino.view.seats[1].rounds_out == number
    assert play_alone(casino, ann) == [("ben", "sat_out"), ("cleo", "sat_out")]
    assert casino.view.queue[0].seat == 2


def test_a_round_that_is_played_begins_the_count_anew(
    casino: TableClient, ann: User, ben: User, cleo: User, dora: User
) -> None:
    sit_down(casino, ann, ben, cleo)
    for player in (ben, cleo):
        sit_out(casino, player)
    come(casino, ann, ben, cleo, dora)
    casino.queue_up(dora)
    play_alone(casino, ann)
    casino.bet(ben, 1000)
    casino.bet(ann, 1000)
    assert [seat.rounds_out for seat in casino.view.seats] == [0, 0, 2]


def test_the_idle_timer_leaves_the_seat_alone_for_half_an_hour(ann: User, ben: User) -> None:
    at = new_table("casino")
    come(at, ann, ben)
    sit_down(at, ann, ben)
    sit_out(at, ben)
    at.later(181)
    come(at, ann, ben)
    assert out(at) == [2], "ann has lost her seat, and ben has not"
    assert [seat.player for seat in at.view.seats] == [None, "ben", None]
    at.later(sitting_out.LONGEST.total_seconds() - 181)
    come(at, ben)
    assert [seat.player for seat in at.view.seats] == [None, None, None]


def test_half_an_hour_is_the_limit_while_others_play_too(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    sit_out(casino, ben)
    assert play_alone(casino, ann) == []
    casino.later(sitting_out.LONGEST.total_seconds())
    assert play_alone(casino, ann) == [("ben", "sat_out")]


def test_a_private_table_without_a_limit_keeps_the_seat(ann: User, ben: User) -> None:
    at = private("casino", ann, None)
    Table.objects.update(is_private=True)
    at.sit(ann, 1)
    sit_out(at, ann)
    at.later(4 * 3600)
    assert look(at, ann) == []


def test_a_line_at_a_table_where_nobody_plays_is_not_kept_waiting(
    casino: TableClient, ann: User, ben: User, cleo: User, dora: User
) -> None:
    everybody = (ann, ben, cleo, dora)
    come(casino, *everybody)
    sit_down(casino, ann, ben, cleo)
    for player in (ann, ben, cleo):
        sit_out(casino, player)
    casino.later(600)
    come(casino, *everybody)
    casino.queue_up(dora)
    assert look(casino, *everybody) == [], "three minutes from now on"
    casino.later(181)
    assert look(casino, *everybody) == [(name, "sat_out") for name in ("ann", "ben", "cleo")]


def test_the_absence_rule_stays(casino: TableClient, ann: User, ben: User) -> None:
    come(casino, ann, ben)
    sit_down(casino, ann, ben)
    sit_out(casino, ben)
    casino.later(10)
    come(casino, ann)
    casino.later(60)
    come(casino, ann)
    assert casino.view.seats[1].player is None


def test_who_has_no_seat_or_is_leaving_cannot_sit_out(
    casino: TableClient, ann: User, dora: User, stack: Stack
) -> None:
    stack("9h 7d Tc Td 2c")
    assert code(sit_out(casino, dora)) == "not_seated"
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    before = fingerprint(casino)
    assert code(sit_out(casino, dora)) == "not_seated"
    assert fingerprint(casino) == before


def test_the_next_player_of_a_seat_is_in(casino: TableClient, ann: User, ben: User) -> None:
    casino.sit(ann, 1)
    sit_out(casino, ann)
    casino.leave(ann)
    casino.sit(ben, 1)
    assert out(casino) == []


def test_who_comes_back_without_a_bet_cannot_sit_out_again(ann: User, ben: User) -> None:
    """Or a seat would be kept for ever, without a bet, while others wait in line."""
    at = new_table("casino")
    sit_down(at, ann, ben)
    assert code(sit_out(at, ben)) == "done"
    assert code(sit_out(at, ben, on=False)) == "done"
    assert code(sit_out(at, ben)) == "sat_out"
    at.bet(ben, 1000)
    at.bet(ann, 1000)
    while at.row.phase == "playing":
        decision = at.view.asked
        assert decision is not None
        at.act({1: ann, 2: ben}[decision.seat], "stand")
    assert code(sit_out(at, ben)) == "done"
