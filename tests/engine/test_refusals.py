"""Every action refused: not your turn, no such hand, the round is over, no cards."""

from __future__ import annotations

from copy import deepcopy

import pytest

from tables.engine.actions import Action
from tables.engine.errors import RuleViolation
from tables.engine.presets import CASINO, CLASSIC
from tables.engine.round import Round, Turn
from tables.engine.shoe import Shoe
from tests.engine.scenario import PLENTY, play

every_action = pytest.mark.parametrize("action", Action)


@every_action
def test_it_refuses_a_seat_whose_turn_it_is_not(action: Action):
    played = play(CASINO, stakes={1: 1000, 2: 1000}, shoe="8s 8h 7h | 8d 8c Tc | 2s 3s")
    assert played.refusal(f"2:{action}") == "not_your_turn"


@every_action
def test_it_refuses_a_seat_that_has_played(action: Action):
    played = play(
        CASINO, stakes={1: 1000, 2: 1000}, shoe="8s 8h 7h | 8d 8c Tc | 2s 3s", actions="1:stand"
    )
    assert played.refusal(f"1:{action}") == "not_your_turn"


@every_action
def test_it_refuses_the_other_hand_of_a_split(action: Action):
    played = play(CASINO, shoe="8s 7h | 8d Tc | 2s 3s", actions="1:split")
    assert played.refusal(f"1.2:{action}") == "not_your_turn"


@every_action
@pytest.mark.parametrize("nowhere", ["3", "0", "-1", "99", "1.2", "1.0", "1.-1"])
def test_it_refuses_a_hand_that_does_not_exist(action: Action, nowhere: str):
    played = play(CASINO, stakes={1: 1000, 2: 1000}, shoe="8s 8h 7h | 8d 8c Tc | 2s 3s")
    assert played.refusal(f"{nowhere}:{action}") == "not_your_turn"


@every_action
def test_it_refuses_to_go_on_when_the_round_is_over(action: Action):
    played = play(CASINO, shoe="8s 7h | 8d Tc | 2s 3s", actions="1:stand")
    assert played.refusal(f"1:{action}") == "round_over"


def test_nothing_is_legal_when_the_round_is_over():
    assert play(CASINO, shoe="8s 7h | 8d Tc", actions="1:stand").round.legal_actions(PLENTY) == ()


@pytest.mark.parametrize(
    ("shoe", "action"),
    [
        ("8s 7h | 8d Tc", Action.HIT),
        ("8s 7h | 8d Tc", Action.DOUBLE_DOWN),
        ("8s 7h | 8d Tc", Action.SPLIT),
        ("8s 7h | 8d Tc | 2c", Action.SPLIT),
    ],
)
def test_it_refuses_to_deal_cards_that_are_not_there(shoe: str, action: Action):
    assert play(CASINO, shoe=shoe).refusal(f"1:{action}") == "shoe_exhausted"


def test_a_stand_needs_no_card():
    played = play(CASINO, shoe="8s 7h | 8d Tc", actions="1:stand")
    assert played.hands == ["1.1 8s 8d lose 1500 -> 0"]


def test_the_last_two_cards_of_the_shoe_can_be_split():
    played = play(CASINO, shoe="8s 7h | 8d Tc | 2c 3c", actions="1:split")
    assert played.hands == ["1.1 8s 2c open 1500", "1.2 8d 3c open 1500"]


@pytest.mark.parametrize(
    ("action", "funds", "rest"),
    [
        ("2:hit", PLENTY, "2c 3c"),
        ("1.2:stand", PLENTY, "2c 3c"),
        ("1:double", 0, "2c 3c"),
        ("1:split", 0, "2c 3c"),
        ("1:hit", PLENTY, ""),
        ("1:double", PLENTY, ""),
        ("1:split", PLENTY, ""),
        ("1:split", PLENTY, "2c"),
    ],
)
def test_a_refused_action_changes_nothing(action: str, funds: int, rest: str):
    round_ = play(CASINO, shoe=f"8s 7h | 8d Tc | {rest}").round
    before = deepcopy(round_)
    place, _, word = action.partition(":")
    seat, _, hand = place.partition(".")
    with pytest.raises(RuleViolation):
        round_.act(Action(word), Turn(int(seat), int(hand or 1)), funds)
    assert round_ == before


def test_a_refusal_has_a_sentence_for_the_player():
    round_ = play(CLASSIC, shoe="8s 8d | Tc 7h").round
    with pytest.raises(RuleViolation) as refusal:
        round_.verify(Action.SPLIT, Turn(1, 1), PLENTY)
    assert refusal.value.message == "This table has no splitting."


def test_a_shoe_that_is_too_short_for_the_deal_is_refused():
    with pytest.raises(RuleViolation) as refusal:
        Round.deal(CASINO, {1: 1000}, Shoe.parse("8s 7h 8d"))
    assert refusal.value.code == "shoe_exhausted"


def test_doubling_is_asked_of_the_rules_before_the_money():
    assert play(CLASSIC, shoe="8s 8d | Tc 7h").refusal("1:double", funds=-1) == "cannot_double"


def test_splitting_is_asked_of_the_rules_before_the_money():
    assert play(CLASSIC, shoe="8s 8d | Tc 7h").refusal("1:split", funds=-1) == "cannot_split"
