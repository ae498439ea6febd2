"""The values of actions are those of the engine over every deal."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tables.engine.actions import Action
from tables.engine.cards import DECK, Card, parse_cards
from tables.engine.errors import RuleViolation
from tables.engine.hand import Hand
from tables.engine.options import customize
from tables.odds.decisions import evaluate
from tables.odds.unseen_cards import CannotHappenError
from tests.odds.every_deal import EveryDeal

ALL = {"peek": True}
CASES: list[tuple[str, dict[str, Any], str, str, str]] = [
    ("casino", {}, "Ts 5h", "6c", "Td 9d 5d Ad 8d 7d 4d"),
    ("casino", {}, "9s 2h", "Tc", "Td 9d 5d Ad 8d 7d 4d"),
    ("casino", {"natural_pays": "6:5", "hits_soft_17": True}, "As 6h", "Ac", "Td 9d 5d 6d 8d 7d 3d"),
    ("casino", {"peek": False}, "As 7h", "Tc", "Td Ad 5d 9d 8d 7d 3d"),
    ("casino", {"peek": False}, "As Kh", "Ac", "Td Ad 5d 9d 8d 7d 3d"),
    ("casino", {"twenty_one_stands": False}, "As Kh", "9c", "Td Ad 5d 9d 8d 7d 3d"),
    ("casino", {"twenty_one_stands": False}, "As 5h 5s", "9c", "Td Ad 5d 9d 8d 7d 3d"),
    ("casino", {}, "8s 8h", "6c", "Td 9d 9h Ad 8d 7d Th"),
    ("casino", {}, "As Ah", "6c", "Td 9d 9h Ad 8d 7d Th"),
    ("casino", {"split_aces_once": True}, "As Ah", "Tc", "Td 9d 9h 8d 7d 3d Th"),
    ("casino", {"double_after_split": False, "peek": False}, "6s 6h", "5c", "Td 9d 9h 8d 7d Th 6d"),
    ("vegas", {"seats": 1, "max_hands": 3}, "9s 9h", "7c", "Td 9d 9c 8d 8h 7d Th Tc"),
    ("vegas", {"seats": 1}, "9s 9h", "7c", "Td 9d 9c 8d 8h 7d Th Tc"),
    ("vegas", {"seats": 1}, "9s 9h", "Ac", "Td 9d 9c 8d 8h 7d Th 6d"),
    ("vegas", {"seats": 1}, "Ts 6h", "Ac", "Td 9d 5d 4d 8d 7d 3d"),
    # After some cards the dealer must have a blackjack, which the check excludes.
    ("vegas", {"seats": 1, "max_hands": 2}, "9s 9h", "As", "3d 4c 3c Td 2d Th Tc"),
    ("vegas", {"seats": 1, "max_hands": 3}, "9s 9h", "As", "3d 4c 3c Td 2d Th Tc"),
    ("pot", {}, "Ts 7h", "Ac", "Td 9d 5d 4d 8d 7d 3d"),
    ("pot", {"hits_soft_17": True}, "As 6h", "6c", "Td Ad 5d 4d 8d 7d 9d"),
    ("classic", {}, "Ts 4h", "Ac", "Td 9d 5d 4d 8d 7d 3d"),
    ("piles", {}, "Ts 4h", "Ac", "Td 9d 5d 4d 8d 7d 3d"),
    ("piles", {}, "Ts 4h", "6c", "Td 2d 3d 4d"),
    ("piles", {}, "2s 4h", "3c", "2d 3d 4d"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "options", "hand", "up", "unseen"), CASES)
def test_values_are_those_of_every_deal(
    key: str, options: dict[str, Any], hand: str, up: str, unseen: str
) -> None:
    rules = customize(key, options)
    own, rest = parse_cards(hand), parse_cards(unseen)
    shoe = Counter(DECK * rules.decks)
    earlier_cards = shoe - Counter([*own, *rest, Card.parse(up)])
    decision = evaluate(rules, own, Card.parse(up), earlier_cards.elements())
    exact = EveryDeal(rules, Card.parse(up), Counter(map(_as_ten, rest))).values(
        Hand.from_cards(map(_as_ten, own))
    )
    assert decision.values.keys() == exact.keys()
    for action, value in decision.values.items():
        assert value == pytest.approx(float(exact[action]), abs=1e-12), action


SHORT_SHOES: list[tuple[dict[str, Any], str, str, str]] = [
    ({}, "3c 3s", "5d", "Ts Qs 8s Jd Ac 7h 2s"),
    ({}, "8c 8s", "6d", "Ts Qs 9s Jd 7c 7h 6s"),
    ({}, "2c 2s", "6d", "3s 4s 5s 3d 4c 5h As"),
    ({}, "9c 9s", "7d", "Ts Qs 9d Jd Kc 7h 8s"),
    ({"max_hands": 3, "seats": 1}, "6c 6s", "Td", "6h 6d Ts 9s 8d 2h"),
    ({"split_aces_once": True}, "Ac As", "Td", "Ts 9s 8d 2h"),
]


@pytest.mark.parametrize(("options", "hand", "up", "unseen"), SHORT_SHOES)
def test_a_split_for_which_the_shoe_may_be_too_short_is_refused(
    options: dict[str, Any], hand: str, up: str, unseen: str
) -> None:
    """And no other one: the engine says when there are no cards left."""
    rules = customize("casino", options)
    own, rest = parse_cards(hand), parse_cards(unseen)
    earlier_cards = Counter(DECK) - Counter([*own, *rest, Card.parse(up)])
    every_deal = EveryDeal(rules, Card.parse(up), Counter(map(_as_ten, rest)))
    try:
        exact = every_deal.values(Hand.from_cards(map(_as_ten, own)))
    except RuleViolation:
        with pytest.raises(CannotHappenError, match="Too few cards are left"):
            evaluate(rules, own, Card.parse(up), earlier_cards.elements())
    else:
        decision = evaluate(rules, own, Card.parse(up), earlier_cards.elements())
        assert decision.values[Action.SPLIT] == pytest.approx(float(exact[Action.SPLIT]), abs=1e-12)


def _as_ten(card: Card) -> Card:
    """One card for all that count the same, so that fewer orders differ."""
    return Card("T" if card.points == 10 else card.rank, "d")
