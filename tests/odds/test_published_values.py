"""Published values of single-deck blackjack.

Source: J. A. Nairn, "Exact Calculation of Expected Values for Splitting Pairs in Blackjack"
(arXiv:1909.13710), and the tables of its program (https://github.com/nairnj/Blackjack,
webtables/OneDeck.html): one deck, the dealer checks for blackjack, doubling on any two cards,
aces get one card and are not split again, every other pair is split again up to the limit. The
splits of those tables are played by a fixed basic strategy; here are hands whose best play that is.
"""

from __future__ import annotations

from typing import Any

import pytest

from tables.engine.actions import Action
from tables.engine.cards import Card, parse_cards
from tables.engine.options import customize
from tables.odds.decisions import evaluate

ONE_DECK: dict[str, Any] = {"split_aces_once": True, "seats": 1}


def value(hand: str, up: str, action: Action, **options: Any) -> float:
    rules = customize("casino", ONE_DECK | options)
    return evaluate(rules, parse_cards(hand), Card.parse(up)).values[action]


@pytest.mark.parametrize(
    ("hand", "up", "stand", "hit", "double"),
    [
        ("Ts 6h", "Ac", -0.652909, -0.50875, -1.0175),
        ("9s 7h", "Ac", -0.643246, -0.495493, -0.990987),
        ("5s 6h", "Ac", -0.634013, 0.172946, 0.240258),
        ("Ts Th", "Ac", 0.650097, -0.883183, -1.76637),
        ("Ts 2h", "3c", -0.267868, -0.219299, -0.438597),
        ("7s 5h", "3c", -0.212345, -0.221956, -0.443911),
    ],
)
def test_stand_hit_and_double(hand: str, up: str, stand: float, hit: float, double: float) -> None:
    assert value(hand, up, Action.STAND) == pytest.approx(stand, abs=5e-6)
    assert value(hand, up, Action.HIT) == pytest.approx(hit, abs=5e-6)
    assert value(hand, up, Action.DOUBLE_DOWN) == pytest.approx(double, abs=5e-6)


@pytest.mark.parametrize(
    ("hand", "up", "no_double", "double"),
    [
        # For at most 2, 3 and 4 hands, without and with doubling after a split.
        ("2s 2h", "Ac", (-0.427834, -0.441544, -0.442273), (-0.421365, -0.434265, -0.434935)),
        ("7s 7h", "Ac", (-0.606933, -0.611805, -0.611818), (-0.595329, -0.598957, -0.598886)),
        ("8s 8h", "Ac", (-0.340317, -0.325769, -0.324889), (-0.333718, -0.318552, -0.317635)),
        ("Ts Th", "Ac", (0.0985434, -0.186974, -0.354749), (0.0985434, -0.186974, -0.354749)),
        ("8s 8h", "3c", None, (0.161814, 0.195962, 0.197907)),
    ],
)
def test_splits_up_to_four_hands(
    hand: str, up: str, no_double: tuple[float, ...] | None, double: tuple[float, ...]
) -> None:
    for after_split, published in ((False, no_double), (True, double)):
        if published is None:
            continue
        for most, expected in zip((2, 3, 4), published, strict=True):
            actual = value(hand, up, Action.SPLIT, max_hands=most, double_after_split=after_split)
            assert actual == pytest.approx(expected, abs=2e-6), (after_split, most)
