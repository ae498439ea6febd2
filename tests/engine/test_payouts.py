"""How two final hands compare, and what each outcome hands back."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from tables.engine.events import Outcome
from tables.engine.hand import Hand
from tables.engine.payouts import compare, payout
from tables.engine.presets import CASINO, CLASSIC, PRESETS
from tables.engine.rules import DealOrder, Ruleset

every_ruleset = pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)


@every_ruleset
@pytest.mark.parametrize(
    ("hand", "dealer", "outcome"),
    [
        ("Ts 9s", "Th 8h", Outcome.WIN),
        ("Ts 8s", "Th 9h", Outcome.LOSE),
        ("Ts 8s", "9h 9d", Outcome.PUSH),
        ("As 7s", "Ts 8h", Outcome.PUSH),
        ("2s 3s", "Th 6h Kh", Outcome.WIN),
        ("2s 3s", "Th 7h", Outcome.LOSE),
        ("5s 6s Ks", "Th 7h 4h", Outcome.PUSH),
        ("5s 6s Ks", "Th Kh", Outcome.WIN),
        ("Ts Ks", "5h 6h Kh", Outcome.LOSE),
    ],
)
def test_without_a_natural_the_higher_total_wins(
    rules: Ruleset, hand: str, dealer: str, outcome: Outcome
):
    assert compare(rules, Hand.parse(hand), Hand.parse(dealer)) is outcome


@pytest.mark.parametrize(
    ("hand", "dealer", "in_casino", "in_classic"),
    [
        ("As Ks", "Th 9h", Outcome.BLACKJACK, Outcome.WIN),
        ("As Ks", "Th 6h Kh", Outcome.BLACKJACK, Outcome.WIN),
        ("As Ks", "Th 5h 6h", Outcome.BLACKJACK, Outcome.PUSH),
        ("As Ks", "Ah Kh", Outcome.PUSH, Outcome.PUSH),
        ("5s 6s Ks", "Ah Kh", Outcome.LOSE, Outcome.PUSH),
        ("Ts Ks", "Ah Kh", Outcome.LOSE, Outcome.LOSE),
    ],
)
def test_a_natural_is_more_than_21_only_where_it_is_paid(
    hand: str, dealer: str, in_casino: Outcome, in_classic: Outcome
):
    hands = Hand.parse(hand), Hand.parse(dealer)
    assert (compare(CASINO, *hands), compare(CLASSIC, *hands)) == (in_casino, in_classic)


@pytest.mark.parametrize(
    ("dealer", "outcome"),
    [
        ("Th 9h", Outcome.WIN),
        ("Th 6h Kh", Outcome.WIN),
        ("Th 5h 6h", Outcome.PUSH),
        ("Ah Kh", Outcome.LOSE),
    ],
)
def test_a_21_from_a_split_is_just_21(dealer: str, outcome: Outcome):
    assert compare(CASINO, Hand.parse("As Ks", from_split=True), Hand.parse(dealer)) is outcome


@pytest.mark.parametrize(
    ("outcome", "handed_back"),
    [
        (Outcome.BLACKJACK, 3750),
        (Outcome.WIN, 3000),
        (Outcome.PUSH, 1500),
        (Outcome.LOSE, 0),
        (Outcome.BUST, 0),
    ],
)
def test_every_outcome_hands_back_its_part_of_the_stake(outcome: Outcome, handed_back: int):
    """Seed 004: "Standard winning hands pay 1:1 (e.g. win £10 for every £10 bet).
    Blackjack pays 3:2 (e.g. win £30 for every £20 bet).
    Upon losing the dealer takes the player's bet.
    No money is collected by the dealer in the event of a push."
    """
    assert payout(CASINO, outcome, 1500) == handed_back


@every_ruleset
def test_nothing_is_handed_back_for_nothing(rules: Ruleset):
    outcomes = [outcome for outcome in Outcome if outcome is not Outcome.BLACKJACK]
    assert [payout(rules, outcome, 0) for outcome in outcomes] == [0, 0, 0, 0]


@pytest.mark.parametrize(("stake", "handed_back"), [(1, 2), (3, 7), (1501, 3752), (2, 5)])
def test_odds_are_rounded_down_to_the_hundredth(stake: int, handed_back: int):
    assert payout(CASINO, Outcome.BLACKJACK, stake) == handed_back


def test_the_odds_are_those_of_the_rules():
    rules = replace(CASINO, natural_pays=Fraction(6, 5))
    assert payout(rules, Outcome.BLACKJACK, 1000) == 2200


@pytest.mark.parametrize("stake", [10**15, 10**18 + 2])
def test_large_stakes_are_paid_exactly(stake: int):
    assert payout(CASINO, Outcome.BLACKJACK, stake) * 2 == stake * 5


# The presets


def test_the_presets_are_found_by_their_key():
    assert {key: rules.key for key, rules in PRESETS.items()} == {key: key for key in PRESETS}


def test_classic_is_casino_without_money_and_what_it_buys():
    """Seed 000 has neither stakes, naturals that pay, doubles nor splits."""
    without_money = replace(
        CASINO,
        key=CLASSIC.key,
        title=CLASSIC.title,
        summary=CLASSIC.summary,
        deal_order=DealOrder.PLAYER_BY_PLAYER,
        stakes=None,
        natural_pays=None,
        twenty_one_stands=False,
        peek=False,
        double_down=False,
        max_hands=1,
    )
    assert without_money == CLASSIC


@every_ruleset
def test_a_preset_is_played_with_one_deck(rules: Ruleset):
    """Seed 000: "Blackjack is played with a "deck" (pile) of 52 cards." """
    assert rules.decks == 1
