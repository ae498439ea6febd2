"""Whatever options are possible can be played, and so can a rule set nobody has thought of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import pytest

from tables.engine.errors import OptionError
from tables.engine.options import OPTIONS, customize
from tables.engine.presets import PRESETS
from tables.engine.round import Round
from tables.engine.rules import DealOrder, Ruleset, Stakes, Tie
from tables.engine.shoe import Shoe
from tests.engine.random_rounds import hands_of, shuffled
from tests.engine.scenario import play
from tests.engine.scripted import play_script

every_preset = pytest.mark.parametrize("key", PRESETS)

YES_OR_NO = (False, True)
VALUES: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(OPTIONS, YES_OR_NO),
    "seats": (1, 2, 3),
    "decks": tuple(range(1, 9)),
    "minimum": (100, 700, 100_000),
    "maximum": (100, 700, 100_000, "none"),
    "natural_pays": ("3:2", "6:5", "1:1", "2:1", "none"),
    "max_hands": (1, 2, 3, 4),
}


def single_changes() -> Iterator[dict[str, Any]]:
    for name, values in VALUES.items():
        for value in values:
            yield {name: value}


def plays(rules: Ruleset, rounds: int, random: Random) -> None:
    """Random rounds of full tables, to their ends, by everything that is legal."""
    stake = rules.stakes.minimum if rules.stakes else 0
    stakes = dict.fromkeys(range(1, rules.seats + 1), stake)
    for _ in range(rounds):
        cards = shuffled(rules, random, is_rich=random.random() < 0.5)
        begin = rules.cut_position or 0 if random.random() < 0.5 else 0
        round_, _ = Round.deal(rules, stakes, Shoe(cards, begin))
        while round_.turn is not None:
            action = random.choice(round_.legal_actions(10**12))
            round_.act(action, round_.turn, 10**12)
        assert all(hand.outcome is not None for hand in hands_of(round_))


def playable(key: str, options: dict[str, Any]) -> Ruleset | None:
    try:
        return customize(key, options)
    except OptionError:
        return None


@every_preset
@pytest.mark.parametrize("options", list(single_changes()), ids=str)
def test_a_preset_with_one_change_is_refused_or_played(key: str, options: dict[str, Any]):
    rules = playable(key, options)
    if rules is not None:
        plays(rules, 20, Random(1))


@every_preset
def test_a_preset_with_two_changes_is_refused_or_played(key: str):
    random = Random(2)
    played = 0
    for first, second in combinations(single_changes(), 2):
        rules = playable(key, first | second) if first.keys() != second.keys() else None
        if rules is not None:
            plays(rules, 3, random)
            played += 1
    assert played >= 100


# A seventh rule set is data

FRIDAY = Ruleset(
    key="friday",
    title="Friday night",
    summary="Ours.",
    source="a test",
    seats=5,
    deal_order=DealOrder.ONE_TO_EACH,
    hole_card_first=True,
    decks=2,
    cut_card=Fraction(1, 2),
    stakes=Stakes(minimum=300, maximum=900, unit=300),
    natural_pays=Fraction(7, 5),
    peek=True,
    hits_soft_17=True,
    tie=Tie.DEALER_WINS,
    double_down=True,
    double_after_split=False,
    max_hands=3,
    surrender=True,
)


def test_a_rule_set_that_nobody_has_thought_of_is_played_to_the_end():
    plays(FRIDAY, 200, Random(7))


@pytest.mark.parametrize(
    ("shoe", "question"),
    [("As Kh | Ks 9c", "1.1 hit stand"), ("As Kh | Ks Ac", "nobody"), ("9s Kh | 8s Ac", "nobody")],
    ids=["natural of the player", "of both", "of the dealer"],
)
def test_a_dealer_may_look_where_a_natural_is_just_21(shoe: str, question: str):
    """Nothing wins at once then, and a natural of the dealer ends the round all the same."""
    rules = replace(FRIDAY, natural_pays=None, double_down=False, max_hands=1, surrender=False)
    played = play(replace(rules, hole_card_first=False), stakes={1: 300}, shoe=shoe)
    assert played.question() == question


def test_a_rule_set_becomes_playable_by_being_listed(monkeypatch: pytest.MonkeyPatch):
    """Its own limits, odds, tie, order of the deal and dealer, without a line of engine."""
    monkeypatch.setitem(PRESETS, "friday", FRIDAY)
    played = play_script(
        "friday",
        "As Ts 9s 6h Ks 8s 9d Ah | 3h 8h",
        "2:stand 3:stand",
        seats=3,
        stakes="3,6,9",
    )
    (round_,) = played["rounds"]
    hands = [hand for seat in round_["seats"] for hand in seat["hands"]]
    assert [(hand["outcome"], hand["stake"], hand["payout"]) for hand in hands] == [
        ("blackjack", 300, 720),
        ("lose", 600, 0),
        ("lose", 900, 0),
    ]
    assert round_["dealer"] == {"cards": "6h Ah 3h", "total": 20, "soft": True}
