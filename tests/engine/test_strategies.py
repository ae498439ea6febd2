"""The ways to play without a person, decision by decision."""

from __future__ import annotations

import pytest

from tables.engine.actions import Action
from tables.engine.options import customize
from tables.engine.presets import CASINO, CLASSIC, PRESETS, VEGAS
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.strategies import (
    STRATEGIES,
    Strategy,
    basic_strategy,
    describe_misfit,
    mimic_dealer,
    never_bust,
)
from tests.engine.scenario import play

UPCARDS = "23456789TA"

# Written down a second time from the chart as it is published for three decks and more, dealer
# stands on soft 17, any two cards doubled, split hands too, dealer looks first, late surrender.
# For the dealer's 2 3 4 5 6 7 8 9 T A. S stand, H hit, Dh or Ds double and else hit or stand,
# SP split, SU surrender and else hit.
PUBLISHED = """
hard 17-20   S  S  S  S  S  S  S  S  S  S
hard 16      S  S  S  S  S  H  H  SU SU SU
hard 15      S  S  S  S  S  H  H  H  SU H
hard 13-14   S  S  S  S  S  H  H  H  H  H
hard 12      H  H  S  S  S  H  H  H  H  H
hard 11      Dh Dh Dh Dh Dh Dh Dh Dh Dh H
hard 10      Dh Dh Dh Dh Dh Dh Dh Dh H  H
hard 9       H  Dh Dh Dh Dh H  H  H  H  H
hard 5-8     H  H  H  H  H  H  H  H  H  H
soft 19-20   S  S  S  S  S  S  S  S  S  S
soft 18      S  Ds Ds Ds Ds S  S  H  H  H
soft 17      H  Dh Dh Dh Dh H  H  H  H  H
soft 15-16   H  H  Dh Dh Dh H  H  H  H  H
soft 13-14   H  H  H  Dh Dh H  H  H  H  H
pair A       SP SP SP SP SP SP SP SP SP SP
pair T       S  S  S  S  S  S  S  S  S  S
pair 9       SP SP SP SP SP S  SP SP S  S
pair 8       SP SP SP SP SP SP SP SP SP SP
pair 7       SP SP SP SP SP SP H  H  H  H
pair 6       SP SP SP SP SP H  H  H  H  H
pair 5       Dh Dh Dh Dh Dh Dh Dh Dh H  H
pair 4       H  H  H  SP SP H  H  H  H  H
pair 2-3     SP SP SP SP SP SP H  H  H  H
"""

HARD_CARDS = {
    **{total: f"2s {total - 2}d" for total in range(5, 12)},
    **{total: f"Ts {total - 10}d" for total in range(12, 20)},
    20: "Ts 6d 4d",
}
"""Two cards that are no pair, where there are such."""


def cards_of(kind: str, row: str) -> list[str]:
    """The hands of a row: ``hard 13-14`` are ``Ts 3d`` and ``Ts 4d``."""
    if kind == "pair":
        return [f"{face}s {face}d" for face in row.split("-")]
    least, _, most = row.partition("-")
    totals = range(int(least), int(most or least) + 1)
    return [HARD_CARDS[total] if kind == "hard" else f"As {total - 11}d" for total in totals]


CHART = [
    (cards, upcard, wish)
    for line in PUBLISHED.strip().splitlines()
    for kind, row, *wishes in [line.split()]
    for cards in cards_of(kind, row)
    for upcard, wish in zip(UPCARDS, wishes, strict=True)
]
TWO_CARDS = {
    "S": Action.STAND,
    "H": Action.HIT,
    "Dh": Action.DOUBLE_DOWN,
    "Ds": Action.DOUBLE_DOWN,
    "SP": Action.SPLIT,
    "SU": Action.SURRENDER,
}


def decision(strategy: Strategy, rules: Ruleset, cards: str, upcard: str) -> Action:
    """What is decided about these cards, the third and further ones taken by hitting."""
    first, second, *others = cards.split()
    hole = "5c" if upcard == "A" else "7c"
    shoe = " ".join([first, f"{upcard}h", second, hole, *others])
    actions = ["1:decline"] if upcard == "A" and rules.insurance else []
    actions += ["1:hit"] * len(others)
    return decided(strategy, play(rules, shoe=shoe, actions=" ".join(actions)).round)


def decided(strategy: Strategy, round_: Round) -> Action:
    assert round_.turn is not None
    return strategy(round_, round_.turn)


# Basic strategy


def test_the_chart_has_every_cell():
    """15 hard totals and 20, 8 soft ones, 10 pairs, against 10 up cards."""
    assert len(CHART) == (16 + 8 + 10) * 10


@pytest.mark.parametrize(("cards", "upcard", "wish"), CHART)
def test_basic_strategy_is_the_published_chart(cards: str, upcard: str, wish: str):
    is_two_cards = len(cards.split()) == 2
    expected = TWO_CARDS[wish] if is_two_cards else Action.STAND
    assert decision(basic_strategy, VEGAS, cards, upcard) is expected


@pytest.mark.parametrize(
    ("cards", "upcard", "action"),
    [
        ("2s 4d 5d", "6", Action.HIT),
        ("2s 2d 5d", "6", Action.HIT),
        ("As 2d 5d", "4", Action.STAND),
        ("As 2d 4d", "4", Action.HIT),
        ("5s 6d 5d", "T", Action.HIT),
        ("5s 6d 4d", "T", Action.HIT),
        ("5s 6d 5d", "6", Action.STAND),
        ("2s 2d", "T", Action.HIT),
        ("As Ad 9d", "6", Action.STAND),
        ("As 5d 6d", "3", Action.HIT),
    ],
)
def test_what_cannot_be_doubled_or_surrendered_any_more_is_hit_or_stood(
    cards: str, upcard: str, action: Action
):
    rules = customize("vegas", {"twenty_one_stands": False})
    assert decision(basic_strategy, rules, cards, upcard) is action


@pytest.mark.parametrize(
    ("pair", "upcards"), [("2", "23"), ("3", "23"), ("4", "56"), ("6", "2")], ids=str
)
def test_some_pairs_are_split_only_where_split_hands_are_doubled(pair: str, upcards: str):
    rules = customize("vegas", {"double_after_split": False})
    for upcard in upcards:
        assert decision(basic_strategy, VEGAS, f"{pair}s {pair}d", upcard) is Action.SPLIT
        assert decision(basic_strategy, rules, f"{pair}s {pair}d", upcard) is Action.HIT


@pytest.mark.parametrize(
    ("cards", "upcard", "action"),
    [
        ("8s 8d", "T", Action.HIT),
        ("8s 8d", "6", Action.STAND),
        ("5s 6d", "6", Action.HIT),
        ("As 7d", "5", Action.STAND),
        ("Ts 6d", "T", Action.HIT),
        ("As Ad", "6", Action.HIT),
        ("Ts Jd", "6", Action.STAND),
    ],
)
def test_basic_strategy_plays_what_classic_allows(cards: str, upcard: str, action: Action):
    first, second = cards.split()
    played = play(CLASSIC, shoe=f"{first} {second} 5c {upcard}h")
    assert decided(basic_strategy, played.round) is action


def test_a_picture_is_a_ten_to_basic_strategy():
    assert decision(basic_strategy, VEGAS, "Js 6d", "K") is Action.SURRENDER
    assert decision(basic_strategy, VEGAS, "Js Qd", "6") is Action.STAND


def test_a_pair_that_cannot_be_split_again_is_played_as_its_total():
    shoe = "8s 6h | 8d Tc | 8c 8h"
    assert decided(basic_strategy, play(CASINO, shoe=shoe, actions="1:split").round) is Action.STAND
    assert decided(basic_strategy, play(VEGAS, shoe=shoe, actions="1:split").round) is Action.SPLIT


# The others


@pytest.mark.parametrize(
    ("cards", "action"),
    [
        ("Ts 6d", Action.HIT),
        ("Ts 7d", Action.STAND),
        ("As 5d", Action.HIT),
        ("As 6d", Action.STAND),
        ("5s 6d", Action.HIT),
        ("8s 8d", Action.HIT),
        ("Ts Jd", Action.STAND),
    ],
)
@pytest.mark.parametrize("upcard", ["2", "6", "T", "A"])
def test_mimic_hits_below_17_and_does_nothing_else(cards: str, action: Action, upcard: str):
    assert decision(mimic_dealer, VEGAS, cards, upcard) is action


@pytest.mark.parametrize(
    ("cards", "action"),
    [
        ("5s 6d", Action.HIT),
        ("Ts 2d", Action.STAND),
        ("6s 6d", Action.STAND),
        ("As 6d", Action.HIT),
        ("As 7d", Action.STAND),
        ("As Ad", Action.HIT),
        ("As 6d 5d", Action.STAND),
        ("2s 3d 6d", Action.HIT),
    ],
)
@pytest.mark.parametrize("upcard", ["2", "6", "T", "A"])
def test_never_bust_stands_on_hard_12_and_soft_18(cards: str, action: Action, upcard: str):
    assert decision(never_bust, VEGAS, cards, upcard) is action


@pytest.mark.parametrize("name", STRATEGIES)
def test_nobody_takes_insurance(name: str):
    assert decided(STRATEGIES[name], play(VEGAS, shoe="As Ah | Ks 5c").round) is Action.DECLINE


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("key", PRESETS)
def test_a_strategy_decides_only_what_is_legal(name: str, key: str):
    for cards in ("As Ad", "8s 8d", "5s 6d", "Ts 6d", "As 7d"):
        first, second = cards.split()
        for shoe in (
            f"{first} 6h {second} Th 2c 3c 4c 5c 6c 7c",
            f"{cards} 6h Th 2c 3c 4c 5c 6c 7c",
        ):
            round_ = play(PRESETS[key], shoe=shoe).round
            if round_.turn is not None:
                assert decided(STRATEGIES[name], round_) in round_.legal_actions(10**12)


def test_the_strategies_are_known_by_their_names():
    assert {"mimic": mimic_dealer, "never-bust": never_bust, "basic": basic_strategy} == STRATEGIES


def test_case_58_the_chart_is_said_to_be_wrong_where_ties_are_lost_or_cards_are_the_score():
    wrong = {key for key, rules in PRESETS.items() if describe_misfit("basic", rules)}
    assert wrong == {"pot", "piles"}
    for rules in PRESETS.values():
        assert not describe_misfit("mimic", rules)
        assert not describe_misfit("never-bust", rules)
