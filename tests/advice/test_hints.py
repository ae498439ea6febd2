"""What a hint says: the legal actions, the best one first, in bets and in money."""

from __future__ import annotations

import pytest

from tables.advice.hints import compute_hint
from tables.engine.actions import Action
from tables.engine.player_hand import Turn
from tables.engine.presets import PRESETS
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe

INSURANCE = (Action.INSURE, Action.DECLINE)


def deal(rules: Ruleset, cards: str, stake: int) -> Round:
    return Round.deal(rules, {1: stake}, Shoe.parse(cards))[0]


def test_it_names_the_legal_actions_with_the_best_one_first() -> None:
    round_ = deal(PRESETS["casino"], "Ts 9h 6h 7d", 2_000)
    hint = compute_hint(round_, Turn(1, 1), [Action.STAND, Action.HIT])
    assert [value.action for value in hint] == ["hit", "stand"]
    best = hint[0]
    assert best.value == pytest.approx(-0.4793, abs=0.001)
    assert best.money == pytest.approx(best.value * 2_000, abs=1)
    assert best.chances is None


def test_without_stakes_it_has_no_money() -> None:
    round_ = deal(PRESETS["classic"], "Ts 6h 9h 7d", 0)
    assert {v.money for v in compute_hint(round_, Turn(1, 1), [Action.STAND, Action.HIT])} == {None}


def test_of_piles_it_has_the_chances_of_hit_and_stand() -> None:
    round_ = deal(PRESETS["piles"], "Ts 6h 9h 7d 2c 3c 4c 5c 8c Tc Jc Qc", 0)
    hint = compute_hint(round_, Turn(1, 1), [Action.STAND, Action.HIT])
    for value in hint:
        assert value.chances is not None
        chances = value.chances
        assert chances.win + chances.tie + chances.lose == pytest.approx(1, abs=0.001)
        assert value.money is None


def test_insurance_is_a_side_bet() -> None:
    round_ = deal(PRESETS["vegas"], "9s Ah 9h 7d", 2_000)
    decline, insure = compute_hint(round_, Turn(1, 1), INSURANCE)
    assert (decline.action, decline.value, decline.money) == ("decline", 0, 0)
    # 96 of the 309 unseen cards count ten.
    assert insure.value == pytest.approx((2 * 96 / 309 - 213 / 309) / 2, abs=0.0001)


def test_with_a_natural_the_answers_are_worth_the_whole_hand() -> None:
    round_ = deal(PRESETS["vegas"], "As Ah Kh 7d", 2_000)
    decline, insure = compute_hint(round_, Turn(1, 1), INSURANCE)
    assert (insure.action, insure.value, insure.money) == ("insure", 1, 2_000)  # even money
    assert decline.value == pytest.approx(1.5 * 214 / 309, abs=0.0001)


def test_insurance_is_worth_it_when_enough_low_cards_are_gone() -> None:
    low = [f"{rank}{suit}" for rank in "23456" for suit in "cdhs"] * 3
    shoe = Shoe.parse(" ".join([*low, "9s Ah 9h 7d"]))
    shoe.dealt = len(low)
    round_ = Round.deal(PRESETS["vegas"], {1: 2_000}, shoe)[0]
    assert compute_hint(round_, Turn(1, 1), INSURANCE)[0].action == "insure"


def test_cards_that_cannot_be_there_give_no_hint() -> None:
    round_ = deal(PRESETS["classic"], "6h 6h Ts 9d", 0)  # two equal cards of one deck
    assert compute_hint(round_, Turn(1, 1), [Action.STAND, Action.HIT]) == ()
