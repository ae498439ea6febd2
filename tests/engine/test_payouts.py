"""How two final hands compare, and what each outcome hands back."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from tables.engine.events import Outcome
from tables.engine.hand import Hand
from tables.engine.payouts import compare, insurance_payout, payout
from tables.engine.presets import CASINO, CLASSIC, PRESETS, VEGAS
from tables.engine.rules import Ruleset

every_ruleset = pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)


@every_ruleset
@pytest.mark.parametrize(
    ("hand", "dealer", "outcome"),
    [
        ("Ts 9s", "Th 8h", Outcome.WIN),
        ("Ts 8s", "Th 9h", Outcome.LOSE),
        ("2s 3s", "Th 6h Kh", Outcome.WIN),
        ("2s 3s", "Th 7h", Outcome.LOSE),
        ("5s 6s Ks", "Th Kh", Outcome.WIN),
        ("Ts Ks", "5h 6h Kh", Outcome.LOSE),
    ],
)
def test_without_a_natural_the_higher_total_wins(
    rules: Ruleset, hand: str, dealer: str, outcome: Outcome
):
    assert compare(rules, Hand.parse(hand), Hand.parse(dealer)) is outcome


TIES_ARE_THE_DEALERS = {
    "classic": False,
    "heads-up": False,
    "piles": False,
    "pot": True,
    "casino": False,
    "vegas": False,
}


@every_ruleset
@pytest.mark.parametrize(
    ("hand", "dealer"),
    [("Ts 8s", "9h 9d"), ("As 7s", "Ts 8h"), ("5s 6s Ks", "Th 7h 4h"), ("2s 3s", "5h")],
)
def test_an_equal_total_is_whose_the_rules_say(rules: Ruleset, hand: str, dealer: str):
    """Seed 003: "if tie then dealer wins" """
    outcome = Outcome.LOSE if TIES_ARE_THE_DEALERS[rules.key] else Outcome.PUSH
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
        (Outcome.SURRENDER, 750),
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
    paid_at_odds = [] if rules.natural_pays is None else [Outcome.BLACKJACK]
    outcomes = {*Outcome} - {Outcome.BLACKJACK} | {*paid_at_odds}
    assert {payout(rules, outcome, 0) for outcome in outcomes} == {0}


@pytest.mark.parametrize(("stake", "handed_back"), [(1, 2), (3, 7), (1501, 3752), (2, 5)])
def test_odds_are_rounded_down_to_the_hundredth(stake: int, handed_back: int):
    assert payout(CASINO, Outcome.BLACKJACK, stake) == handed_back


@pytest.mark.parametrize(
    ("odds", "handed_back"),
    [
        (Fraction(3, 2), 2500),
        (Fraction(6, 5), 2200),
        (Fraction(1), 2000),
        (Fraction(2), 3000),
    ],
    ids=str,
)
def test_the_odds_are_those_of_the_rules(odds: Fraction, handed_back: int):
    rules = replace(CASINO, natural_pays=odds)
    assert payout(rules, Outcome.BLACKJACK, 1000) == handed_back


@pytest.mark.parametrize(("stake", "handed_back"), [(1, 0), (3, 1), (1501, 750)])
def test_half_a_stake_is_rounded_down_to_the_hundredth(stake: int, handed_back: int):
    assert payout(VEGAS, Outcome.SURRENDER, stake) == handed_back


@pytest.mark.parametrize(("has_natural", "handed_back"), [(True, 1500), (False, 0)])
def test_insurance_pays_2_to_1_or_nothing(has_natural: bool, handed_back: int):
    assert insurance_payout(500, has_natural=has_natural) == handed_back


@pytest.mark.parametrize("stake", [10**15, 10**18 + 2])
def test_large_stakes_are_paid_exactly(stake: int):
    assert payout(CASINO, Outcome.BLACKJACK, stake) * 2 == stake * 5
