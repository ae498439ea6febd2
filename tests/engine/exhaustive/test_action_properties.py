"""What holds whatever is tried: what is legal, what is refused, and that a round can be stored."""

from __future__ import annotations

import json
from copy import deepcopy

from hypothesis import given

from tables.engine.actions import Action
from tables.engine.errors import RuleViolation
from tables.engine.events import HandSplit
from tables.engine.round import Round
from tables.engine.shoe import Shoe
from tests.engine.random_rounds import Plan, plans, quick


def restored(round_: Round) -> Round:
    """The round and its shoe after a journey through JSON text."""
    stored = json.loads(json.dumps([round_.shoe.to_state(), round_.to_state()]))
    return Round.from_state(round_.rules, Shoe.from_state(stored[0]), stored[1])


# Refusals


@quick
@given(plans())
def test_can_says_what_act_does_and_a_refused_action_changes_nothing(plan: Plan):
    round_, _ = plan.deal()
    for attempt in plan.attempts:
        turn = attempt.turn_in(round_)
        funds = plan.funds.get(turn.seat, 0)
        before = deepcopy(round_)
        is_possible = round_.can(attempt.action, turn, funds)
        assert round_ == before
        try:
            round_.act(attempt.action, turn, funds)
        except RuleViolation:
            assert (is_possible, round_, round_.to_state()) == (False, before, before.to_state())
        else:
            assert is_possible


@quick
@given(plans())
def test_the_legal_actions_are_those_that_can_be_done(plan: Plan):
    for step in plan.steps():
        for funds in (0, 1000, 10**9):
            turn = step.round.turn
            assert step.round.legal_actions(funds) == tuple(
                action for action in Action if turn and step.round.can(action, turn, funds)
            )


@quick
@given(plans())
def test_whoever_is_asked_can_always_choose_and_one_choice_is_free(plan: Plan):
    """About insurance: to decline. About a hand: to hit and to stand."""
    for step in plan.steps():
        if step.round.turn is not None:
            legal = step.round.legal_actions(0)
            free = [Action.HIT, Action.STAND]
            assert legal[:2] == tuple([Action.DECLINE] if step.round.is_insurance_asked else free)
            assert step.round.passive_action in legal


@quick
@given(plans())
def test_insurance_is_asked_of_every_seat_once_and_before_anything_else(plan: Plan):
    questions = [
        step.round.turn.seat if step.round.is_insurance_asked else None
        for step in plan.steps()
        if step.round.turn is not None
    ]
    round_, _ = plan.deal()
    is_offered = plan.rules.insurance and round_.upcard.rank == "A"
    seats = sorted(plan.stakes) if is_offered else []
    assert questions[: len(seats)] == seats
    assert not any(questions[len(seats) :])


@quick
@given(plans())
def test_hands_are_asked_in_order(plan: Plan):
    turns = [step.round.turn for step in plan.steps() if not step.round.is_insurance_asked]
    places = [(turn.seat, turn.hand) for turn in turns if turn is not None]
    assert places == sorted(places)


@quick
@given(plans())
def test_a_hand_that_has_been_played_gets_no_other_card(plan: Plan):
    """Who is behind the hand that is asked has played: only a split moves a hand by one place."""
    played: dict[tuple[int, int], str] = {}
    for step in plan.steps():
        turn = step.round.turn
        for place, cards in played.items():
            assert str(step.round.seats[place[0]][place[1] - 1].hand) == cards
        if turn is None or step.round.is_insurance_asked:
            continue
        is_split = any(isinstance(event, HandSplit) for event in step.events)
        for seat, hands in step.round.seats.items():
            for number, hand in enumerate(hands, start=1):
                if (seat, number) < (turn.seat, turn.hand) and not is_split:
                    played[seat, number] = str(hand.hand)


# Storing


@quick
@given(plans())
def test_a_round_is_restored_from_json_as_it_was(plan: Plan):
    for step in plan.steps():
        again = restored(step.round)
        assert (again, again.to_state()) == (step.round, step.round.to_state())


@quick
@given(plans())
def test_a_stored_round_does_not_change_with_the_round(plan: Plan):
    stored = [(step.round.to_state(), json.dumps(step.round.to_state())) for step in plan.steps()]
    assert [json.dumps(state) for state, _ in stored] == [text for _, text in stored]


@quick
@given(plans())
def test_a_stored_round_holds_no_card_that_is_not_dealt(plan: Plan):
    """The undealt cards are the shoe's secret alone."""
    for step in plan.steps():
        state = step.round.to_state()
        hands = [hand for hands in state["seats"].values() for hand in hands]
        cards = " ".join([state["dealer"], *(hand["cards"] for hand in hands)]).split()
        dealt = step.round.shoe.cards[: step.round.shoe.dealt]
        assert sorted(cards) == sorted(map(str, dealt))


@quick
@given(plans())
def test_a_restored_round_plays_on_as_if_nothing_had_been(plan: Plan):
    round_, _ = plan.deal()
    again = restored(round_)
    for attempt in plan.attempts:
        turn = attempt.turn_in(round_)
        funds = plan.funds.get(turn.seat, 0)
        if round_.can(attempt.action, turn, funds):
            events = round_.act(attempt.action, turn, funds)
            assert again.act(attempt.action, turn, funds) == events
            again = restored(again)
    assert again == round_
