"""The six presets are the columns of the table in docs/rules.md, cell by cell."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace
from fractions import Fraction

import pytest

from tables.engine.errors import RuleViolation
from tables.engine.presets import CASINO, CLASSIC, HEADS_UP, PILES, POT, PRESETS, VEGAS
from tables.engine.rules import DealOrder, Ruleset, Stakes, Tie

every_ruleset = pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)

PLAYER_BY_PLAYER, ONE_TO_EACH = DealOrder
COLUMNS = ("classic", "heads-up", "piles", "pot", "casino", "vegas")
ROWS = {
    "seats": (3, 1, 1, 3, 3, 3),
    "decks": (1, 1, 1, 1, 1, 6),
    "cut_card": (None, None, None, None, None, Fraction(3, 4)),
    "has_piles": (False, False, True, False, False, False),
    "deal_order": (*[PLAYER_BY_PLAYER] * 4, *[ONE_TO_EACH] * 2),
    "hole_card_first": (True, True, False, False, False, False),
    "stakes": (None, None, None, Stakes(200, 50_000), Stakes(1000, None), Stakes(500, 100_000)),
    "is_matched": (False, False, False, True, False, False),
    "natural_pays": (None, None, None, None, Fraction(3, 2), Fraction(3, 2)),
    "twenty_one_wins": (False, False, True, False, False, False),
    "twenty_one_stands": (False, False, False, False, True, True),
    "peek": (False, False, True, False, True, True),
    "hits_soft_17": (False,) * 6,
    "tie": (Tie.PUSH, Tie.PUSH, Tie.PUSH, Tie.DEALER_WINS, Tie.PUSH, Tie.PUSH),
    "double_down": (False, False, False, False, True, True),
    "max_hands": (1, 1, 1, 1, 2, 4),
    "split_aces_once": (False, False, False, False, False, True),
    "insurance": (False, False, False, False, False, True),
    "surrender": (False, False, False, False, False, True),
    "asks_to_play_again": (True, True, False, False, False, False),
    "keeps_its_shoe": (False, False, True, False, False, True),
    "cards": (52, 52, 52, 52, 52, 312),
    "cut_position": (None, None, None, None, None, 234),
    "hole_position": (0, 0, 1, 1, 1, 1),
}
WORDS = {"key", "title", "summary", "source"}
"""What a preset is called and how it is described."""


@pytest.mark.parametrize(
    ("key", "rule", "value"),
    [
        (key, rule, value)
        for rule, values in ROWS.items()
        for key, value in zip(COLUMNS, values, strict=True)
    ],
)
def test_a_preset_has_the_rule_of_its_text(key: str, rule: str, value: object):
    assert getattr(PRESETS[key], rule) == value


def test_every_rule_stands_in_the_table():
    """Split hands are doubled wherever there is doubling at all, so it has no row."""
    unlisted = {field.name for field in fields(Ruleset)} - WORDS - {*ROWS}
    assert unlisted == {"double_after_split"}


@every_ruleset
def test_a_preset_doubles_split_hands_as_any_others(rules: Ruleset):
    """Seed 004: "each hand is played as normal" """
    assert rules.double_after_split is True


def test_the_presets_are_found_by_their_key():
    assert {key: rules.key for key, rules in PRESETS.items()} == {key: key for key in COLUMNS}


def test_the_names_and_sentences_of_the_lobby_are_all_different():
    for word in WORDS:
        assert len({getattr(rules, word) for rules in PRESETS.values()}) == len(PRESETS)
    assert all(rules.summary.endswith(".") for rules in PRESETS.values())


@every_ruleset
def test_a_preset_cannot_be_changed(rules: Ruleset):
    with pytest.raises(FrozenInstanceError):
        rules.seats = 4


def test_heads_up_is_classic_with_one_seat():
    words = {word: getattr(CLASSIC, word) for word in WORDS}
    assert replace(HEADS_UP, seats=3, **words) == CLASSIC


# What may be staked


@pytest.mark.parametrize("rules", [CLASSIC, HEADS_UP, PILES], ids=lambda rules: rules.key)
@pytest.mark.parametrize(("stake", "is_refused"), [(0, False), (1, True), (1000, True)])
def test_where_nothing_is_staked_no_stake_is_taken(rules: Ruleset, stake: int, is_refused: bool):
    assert _refusal(rules, stake) == ("This table has no bets." if is_refused else None)


@pytest.mark.parametrize(
    ("rules", "stake", "refusal"),
    [
        (POT, 199, "The minimum bet at this table is 2."),
        (POT, 200, None),
        (POT, 50_000, None),
        (POT, 50_001, "The maximum bet at this table is 500."),
        (POT, 50_100, "The maximum bet at this table is 500."),
        (POT, 250, "Bets must be whole numbers."),
        (CASINO, 0, "The minimum bet at this table is 10."),
        (CASINO, 900, "The minimum bet at this table is 10."),
        (CASINO, 1000, None),
        (CASINO, 1001, "Bets must be whole numbers."),
        (CASINO, 10**12, None),
        (CASINO, -1000, "The minimum bet at this table is 10."),
        (VEGAS, 400, "The minimum bet at this table is 5."),
        (VEGAS, 500, None),
        (VEGAS, 100_000, None),
        (VEGAS, 100_100, "The maximum bet at this table is 1000."),
    ],
)
def test_a_stake_is_within_the_limits_and_whole(rules: Ruleset, stake: int, refusal: str | None):
    """Seed 003: "Minimum bet is $2 and maximum bet is $500"
    Seed 004: "The minimum initial bet to play a round is £10." "All bets should be made in whole
    pounds (no pence)."
    """
    assert _refusal(rules, stake) == refusal


def _refusal(rules: Ruleset, stake: int) -> str | None:
    try:
        rules.verify_stake(stake)
    except RuleViolation as violation:
        return violation.message if violation.code == "bad_bet" else violation.code
    return None
