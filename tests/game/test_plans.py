"""Players decide ahead while others play; the server plays it when the turn comes."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from accounts.models import User
from tables.advice.stored_rounds import grade_stored_round
from tables.engine.hand import Hand
from tables.game.commands import CommandResult
from tables.models import Change, Result, Round, Table
from tables.operators.rounds.verification import Verdict, verify_round
from tables.protocol.commands import AllowHints, DecideAhead
from tables.protocol.plans import Plan
from tables.realtime.best_play.change import play_best
from tables.realtime.best_play.thread import find_best_action
from tables.realtime.snapshots import table_snapshot
from tables.records.replay_builder import build_replay
from tables.state import plans
from tests.helpers.rounds import faults, sit_down
from tests.helpers.settled_hands import list_hands
from tests.helpers.table_client import (
    TableClient,
    code,
    events,
    fingerprint,
    refusal,
)

pytestmark = pytest.mark.django_db

STAND, TO_17, BEST = Plan.STAND, Plan.HIT_TO_17, Plan.BEST
Stack = Callable[..., None]


def ahead(at: TableClient, user: User, plan: Plan | None, turn: int | None = None) -> CommandResult:
    return at.send(user, DecideAhead(uuid.uuid4(), at.row.turn if turn is None else turn, plan))


def deal(at: TableClient, *players: User) -> None:
    sit_down(at, *players)
    for player in players:
        at.bet(player, 1000)


def planned(at: TableClient, user: User) -> Plan | None:
    """What the player's own page shows."""
    return table_snapshot(at.table_id, user.pk, at.now).you.plan


def played(result: CommandResult) -> list[tuple[int, str, str]]:
    return [
        (one["seat"], one["plan"], one["action"])
        for one in events(result)
        if one["type"] == "plan_played"
    ]


# ann 9+T, ben 8+T, the dealer 7 and T
TWO_PLAYERS = "9h 8h 7d Tc Ts Td 2c 3c 4c"


def test_a_hand_stands_in_the_change_that_brings_its_turn(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack(TWO_PLAYERS)
    deal(casino, ann, ben)
    assert code(ahead(casino, ben, STAND)) == "done"
    result = casino.act(ann, "stand")
    assert played(result) == [(2, "stand", "stand")]
    assert casino.view.phase == "betting"
    assert planned(casino, ben) is None


def test_it_hits_until_hard_17_and_stands_by_itself(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("9h 2h 7d Tc 3s Td 4c 6c 2d Kd")  # ben: 5, 9, 15, 17
    deal(casino, ann, ben)
    ahead(casino, ben, TO_17)
    result = casino.act(ann, "stand")
    assert played(result) == [(2, "hit_to_17", "hit")] * 3 + [(2, "hit_to_17", "stand")]


@pytest.mark.parametrize(
    ("cards", "action"),
    [
        ("Th 6h", "hit"),
        ("Th 7h", "stand"),
        ("Ah 6h", "hit"),
        ("Ah 7h", "stand"),
        ("Ah 6h Kd", "stand"),
    ],
)
def test_hit_to_hard_17_hits_a_soft_17_too(cards: str, action: str) -> None:
    assert str(plans.find_action(TO_17, Hand.parse(cards))) == action


def test_a_bust_ends_it(casino: TableClient, ann: User, ben: User, stack: Stack) -> None:
    stack("9h 6h 7d Tc Ts Td Kc")
    deal(casino, ann, ben)
    ahead(casino, ben, TO_17)
    result = casino.act(ann, "stand")
    assert played(result) == [(2, "hit_to_17", "hit")]
    assert casino.live.game.plans == {}


def test_nobody_else_learns_what_was_decided_ahead(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack(TWO_PLAYERS)
    deal(casino, ann, ben)
    before = casino.view
    result = ahead(casino, ben, STAND)
    assert events(result) == []
    assert casino.view == before
    assert (planned(casino, ben), planned(casino, ann)) == (STAND, None)
    (change,) = result.changes
    assert change.plans == {ben.pk: STAND}


def test_it_is_taken_back_by_a_click(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack(TWO_PLAYERS)
    deal(casino, ann, ben)
    ahead(casino, ben, STAND)
    ahead(casino, ben, TO_17)
    assert planned(casino, ben) is TO_17
    ahead(casino, ben, None)
    assert planned(casino, ben) is None
    assert played(casino.act(ann, "stand")) == []
    decision = casino.view.asked
    assert decision is not None
    assert decision.seat == 2


def test_too_late_is_said_clearly_and_what_was_played_stays(
    casino: TableClient, ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    stack("9h 8h 7h 7d Tc Ts Th Td 2c")
    deal(casino, ann, ben, cleo)
    turn = casino.row.turn
    ahead(casino, ben, STAND)
    casino.act(ann, "stand")
    before = fingerprint(casino)
    result = ahead(casino, ben, None, turn)
    assert code(result) == "too_late"
    assert refusal(result) == "Too late: your turn has already come."
    assert fingerprint(casino) == before
    casino.act(cleo, "stand")
    assert refusal(ahead(casino, ben, TO_17, turn)) == "Too late: the round is already over."


def test_an_old_turn_is_refused(casino: TableClient, ann: User, ben: User, stack: Stack) -> None:
    stack("9h 8h 7d 2c Ts Td 3c")
    deal(casino, ann, ben)
    turn = casino.row.turn
    casino.act(ann, "hit")
    assert code(ahead(casino, ben, STAND, turn)) == "stale_turn"
    assert planned(casino, ben) is None


def test_only_a_hand_that_waits_for_its_turn_can_be_decided_ahead(
    casino: TableClient, ann: User, ben: User, dora: User, stack: Stack
) -> None:
    stack("9h Ah 7d Tc Ks Td 2c")  # ben has a blackjack
    assert code(ahead(casino, dora, STAND)) == "not_seated"
    sit_down(casino, ann, ben)
    assert code(ahead(casino, ann, STAND)) == "wrong_phase"
    for player in (ann, ben):
        casino.bet(player, 1000)
    assert code(ahead(casino, ann, STAND)) == "too_late"
    assert code(ahead(casino, ben, STAND)) == "wrong_phase"


def test_who_leaves_stands_whatever_was_decided(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("9h 2h 7d Tc 3s Td 4c 6c 2d Kd")
    deal(casino, ann, ben)
    ahead(casino, ben, TO_17)
    casino.leave(ben)
    assert casino.live.game.plans == {}
    result = casino.act(ann, "stand")
    assert played(result) == []
    assert Result.objects.get(user=ben).decisions == 0


def test_an_answer_about_insurance_is_not_decided_ahead(
    vegas: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("9h 8h Ad Tc Ts 5d 2c 3c 4c 6c")
    deal(vegas, ann, ben)
    assert vegas.view.insurance
    assert code(ahead(vegas, ben, STAND)) == "done"
    vegas.act(ann, "decline")
    assert [question.seat for question in vegas.view.insurance] == [2]
    vegas.act(ben, "decline")
    result = vegas.act(ann, "stand")
    assert played(result) == [(2, "stand", "stand")]


def test_the_decision_counts_as_the_players_and_the_round_can_be_verified(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("9h 2h 7d Tc 3s Td 4c 6c 2d Kd")
    deal(casino, ann, ben)
    ahead(casino, ben, TO_17)
    casino.act(ann, "stand")
    result = Result.objects.get(user=ben)
    assert (result.decisions, result.had_hints) == (4, False)
    decisions = grade_stored_round(Round.objects.get().pk)[2].decisions
    assert [(one.action, one.by) for one in decisions] == [("hit", "player")] * 3 + [
        ("stand", "player")
    ]
    replayed = build_replay(Change.objects.order_by("seq"), list_hands(), "7d Td")
    assert replayed is not None
    assert [step.by for step in replayed.steps if step.kind == "hit"] == ["player"] * 3


# Best play


def test_rounds_with_decisions_made_ahead_can_be_played_again(
    casino: TableClient, ann: User, ben: User, cleo: User
) -> None:
    """With the cards of real shuffles, the operators' verification and the books agree."""
    players = (ann, ben, cleo)
    sit_down(casino, *players)
    for number in range(12):
        for player in players:
            casino.bet(player, 1000)
        for player in (ben, cleo):
            ahead(casino, player, [TO_17, STAND, BEST][(number + player.pk) % 3])
        while casino.row.phase == "playing":
            decision = casino.view.asked
            if decision is None:
                play_what_is_best(casino)
            else:
                casino.act(players[decision.seat - 1], "stand")
    assert {verify_round(one).verdict for one in Round.objects.all()} == {Verdict.RIGHT}
    assert faults() == []


def play_what_is_best(at: TableClient) -> str:
    """What the thread of the best play does."""
    turn = at.row.turn
    action = find_best_action(at.table_id, turn)
    effects = play_best(at.table_id, turn, action, at.now)
    assert len(effects.changes) == 1
    return str(action)


def test_the_best_play_goes_on_until_the_seat_is_done(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    # ben splits eights against a 6, and gets a 3 (doubles it) and a ten (stands)
    stack("9h 8h 6d Tc 8s Td 3c Kc 9d 5c")
    deal(casino, ann, ben)
    ahead(casino, ben, BEST)
    (change,) = casino.act(ann, "stand").changes
    assert change.best_turn == casino.row.turn
    assert (casino.view.asked, casino.view.deadline) == (None, None)
    actions = []
    while casino.row.phase == "playing":
        actions.append(play_what_is_best(casino))
    assert actions == ["split", "double", "stand"]
    assert casino.view.phase == "betting"
    assert casino.live.game.plans == {}
    assert Result.objects.get(user=ben).had_hints
    assert not Result.objects.get(user=ann).had_hints


def test_a_second_process_finds_the_decision_already_made(
    casino: TableClient, ann: User, ben: User, cleo: User, stack: Stack
) -> None:
    stack("9h 8h 7h 7d Tc Ts Th Td 2c")
    deal(casino, ann, ben, cleo)
    ahead(casino, ben, BEST)
    casino.act(ann, "stand")
    turn = casino.row.turn
    action = find_best_action(casino.table_id, turn)
    assert play_best(casino.table_id, turn, action, casino.now).changes
    before = fingerprint(casino)
    assert play_best(casino.table_id, turn, action, casino.now).changes == ()
    assert fingerprint(casino) == before


def test_it_is_tried_again_when_its_process_has_ended_and_then_asked(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack(TWO_PLAYERS)
    deal(casino, ann, ben)
    ahead(casino, ben, BEST)
    casino.act(ann, "stand")
    turn = casino.row.turn
    for _ in range(plans.MOST_TRIES - 1):
        (change,) = casino.time_is_up()
        assert change.best_turn == turn
    casino.time_is_up()
    decision = casino.view.asked
    assert decision is not None
    assert decision.seat == 2
    assert planned(casino, ben) is None
    deadline_at = casino.row.deadline_at
    assert deadline_at is not None
    assert (deadline_at - casino.now).total_seconds() == casino.row.turn_seconds


def test_the_player_may_be_faster_than_the_computation(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("9h 5h 7d Tc 4s Td 2c 3c Kc")
    deal(casino, ann, ben)
    ahead(casino, ben, BEST)
    casino.act(ann, "stand")
    assert code(casino.act(ben, "hit")) == "done"
    assert casino.live.game.plans == {}
    decision = casino.view.asked
    assert decision is not None
    assert decision.seat == 2


def test_best_play_needs_hints_at_the_table(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    Table.objects.update(maker=ann)
    stack(TWO_PLAYERS)
    deal(casino, ann, ben)
    ahead(casino, ben, BEST)
    casino.send(ann, AllowHints(uuid.uuid4(), on=False))
    assert planned(casino, ben) is None
    assert code(ahead(casino, ben, BEST)) == "hints_off"
    assert code(ahead(casino, ben, STAND)) == "done"
