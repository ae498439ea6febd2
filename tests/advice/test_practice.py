"""Hands for practice: of the kind that was asked for, with a decision, and from the right rules."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from tables.advice import practice
from tables.advice.practice import (
    MISSED_SHARE,
    Dealt,
    HandKind,
    close_bound,
    deal,
    evaluate_dealt,
    list_actions,
    margin,
)
from tables.engine.actions import Action
from tables.engine.cards import DECK, Card, parse_cards
from tables.engine.hand import Hand
from tables.engine.presets import CASINO, CLASSIC, PILES, PRESETS, VEGAS
from tables.odds.decisions import Decision, evaluate
from tables.odds.unseen_cards import CannotHappenError


@pytest.fixture
def unvalued(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every hand has a decision between two equal actions: for tests of the deal alone."""
    both = Decision({Action.STAND: 0.0, Action.HIT: 0.0}, insurance=None, chances={})
    monkeypatch.setattr(practice, "evaluate_dealt", lambda rules, dealt: both)


def dealt(hand: str, up: str) -> Dealt:
    return Dealt(Hand.parse(hand), Card.parse(up))


@pytest.mark.parametrize("key", ["vegas", "piles"])
@pytest.mark.parametrize("kind", HandKind)
def test_every_hand_is_of_the_kind_and_has_a_decision(key: str, kind: HandKind) -> None:
    rules, random = PRESETS[key], Random(key)
    for _ in range(2):
        hand = deal(rules, random, kind)
        decision = evaluate_dealt(rules, hand)
        assert len(list_actions(decision)) == len(decision.values) > 1
        match kind:
            case HandKind.SOFT:
                assert hand.hand.is_soft
            case HandKind.PAIRS:
                assert hand.spot.part == "pairs"
            case HandKind.CLOSE:
                assert margin(decision) < close_bound(rules)


@pytest.mark.usefixtures("unvalued")
def test_hands_come_as_often_as_at_a_table() -> None:
    random = Random(7)
    hands = [deal(VEGAS, random) for _ in range(1200)]
    two = [hand for hand in hands if len(hand.hand.cards) == 2]
    assert 0.6 < len(two) / len(hands) < 0.9
    tens = sum(hand.up.points == 10 for hand in hands) / len(hands)
    assert 0.25 < tens < 0.35
    assert not any(hand.hand.is_natural for hand in hands)  # it is paid at once


class StackedDeals(Random):
    """Deals these cards one after the other, and no third card."""

    def __init__(self, *deals: str) -> None:
        super().__init__()
        self.deals = list(deals)

    def sample(self, *_: Any, **__: Any) -> Any:
        return parse_cards(self.deals.pop(0))

    def random(self) -> float:
        return 1.0


@pytest.mark.usefixtures("unvalued")
def test_where_the_dealer_checks_first_a_natural_below_is_no_question() -> None:
    natural, other = "Ts 6h Ad Kc 2s 2h 2d", "Ts 7h Ad 9c 2s 2h 2d"
    assert str(deal(VEGAS, StackedDeals(natural, other)).hand) == "Ts 7h"
    assert str(deal(CLASSIC, StackedDeals(natural, other)).hand) == "Ts 6h"


def test_insurance_is_asked_where_the_rules_have_it() -> None:
    random = Random(2)
    ace_hands = [
        hand
        for _ in range(3000)
        if (hand := practice._deal_once(VEGAS, DECK * 6, random)) and hand.asks_insurance
    ]
    assert 70 < len(ace_hands) < 170  # half of the hands against an ace
    for hand in ace_hands:
        assert str(hand.up).startswith("A")
        assert hand.spot.part == "insurance"
        assert not hand.hand.is_natural
    assert list_actions(evaluate_dealt(VEGAS, ace_hands[0])) == (Action.INSURE, Action.DECLINE)
    assert evaluate_dealt(VEGAS, ace_hands[0]).best is Action.DECLINE
    for rules, kind in ((CASINO, HandKind.ALL), (VEGAS, HandKind.SOFT), (VEGAS, HandKind.CLOSE)):
        hands = practice._deal_many(rules, random, kind)
        assert not any(hand.asks_insurance for _, hand in zip(range(400), hands, strict=False))
    missed = {"insurance-16-A": 1}
    spots = Counter(str(deal(VEGAS, random, missed=missed).spot) for _ in range(12))
    assert spots["insurance-16-A"] > 1


@pytest.mark.usefixtures("unvalued")
def test_a_21_that_wins_at_once_is_no_question_and_a_plain_one_is() -> None:
    random = Random(3)
    assert not any(deal(PILES, random).hand.is_natural for _ in range(200))
    assert any(deal(CLASSIC, random).hand.is_natural for _ in range(200))


def test_a_hand_that_stands_by_itself_is_no_question(monkeypatch: pytest.MonkeyPatch) -> None:
    hands = [dealt("5s 6h Td", "9c"), dealt("5s 6h 2d", "9c")]
    monkeypatch.setattr(practice, "_deal_many", lambda *_: iter(hands))
    assert deal(VEGAS, Random(1)) is hands[1]


@pytest.mark.usefixtures("unvalued")
def test_missed_spots_are_half_of_the_hands_by_their_weight() -> None:
    random = Random(5)
    missed = {"hard-16-T": 3, "pairs-88-6": 1}
    spots = Counter(str(deal(CASINO, random, missed=missed).spot) for _ in range(240))
    share = (spots["hard-16-T"] + spots["pairs-88-6"]) / 240
    assert MISSED_SHARE - 0.1 < share < MISSED_SHARE + 0.17
    assert spots["hard-16-T"] > 1.8 * spots["pairs-88-6"] > 0


@pytest.mark.usefixtures("unvalued")
@pytest.mark.parametrize("spot", ["hard-99-T", "nonsense", "pairs-88-7"])
def test_a_spot_that_does_not_fit_is_left_out(spot: str) -> None:
    random = Random(6)
    for _ in range(3):
        assert deal(CASINO, random, HandKind.SOFT, {spot: 9}).hand.is_soft


def test_spots_are_the_cells_of_a_chart() -> None:
    assert str(dealt("Ks 6h", "Jd").spot) == "hard-16-T"
    assert str(dealt("As 6h", "2d").spot) == "soft-17-2"
    assert str(dealt("As Ah", "Ad").spot) == "pairs-AA-A"
    assert str(dealt("Ks Th", "9d").spot) == "pairs-TT-9"
    assert str(dealt("8s 8h 2c", "9d").spot) == "hard-18-9"


def test_a_card_that_is_there_too_often_is_found_also_in_a_hand_that_is_known() -> None:
    evaluate_dealt(CASINO, dealt("Ts 6h", "Th"))
    with pytest.raises(CannotHappenError, match="2 times Ts"):
        evaluate_dealt(CASINO, dealt("Ts 6h", "Ts"))


def test_equal_hands_are_evaluated_once_and_like_the_odds() -> None:
    first = evaluate_dealt(CASINO, dealt("Ts 6h", "9c"))
    assert evaluate_dealt(CASINO, dealt("6d Kh", "9d")) is first
    assert evaluate_dealt(CASINO, dealt("9d 7h", "9s")) is not first
    assert first == evaluate(CASINO, Hand.parse("Ts 6h").cards, Card.parse("9c"))
    assert evaluate_dealt(VEGAS, dealt("Ts 6h", "9c")) != first
