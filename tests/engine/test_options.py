"""What a table may play differently: within bounds, and without contradictions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from tables.engine.errors import OptionError
from tables.engine.options import MOST_STAKE, OPTIONS, customize
from tables.engine.presets import CASINO, PRESETS, VEGAS
from tables.engine.rules import Stakes

every_preset = pytest.mark.parametrize("key", PRESETS)


def refusal(key: str, /, **options: Any) -> tuple[str, str]:
    """The option that is named, and the reason."""
    with pytest.raises(OptionError) as error:
        customize(key, options)
    return error.value.option, str(error.value)


# Reading


@every_preset
def test_without_options_a_table_plays_the_preset_itself(key: str):
    assert customize(key, {}) is PRESETS[key]


@pytest.mark.parametrize(
    ("options", "field", "value"),
    [
        ({"seats": 2}, "seats", 2),
        ({"decks": 8}, "decks", 8),
        ({"minimum": 2000}, "stakes", Stakes(2000, 100_000)),
        ({"maximum": 50_000}, "stakes", Stakes(500, 50_000)),
        ({"maximum": "none"}, "stakes", Stakes(500, None)),
        ({"minimum": 100, "maximum": 100}, "stakes", Stakes(100, 100)),
        ({"natural_pays": "6:5"}, "natural_pays", Fraction(6, 5)),
        ({"natural_pays": "3:2"}, "natural_pays", Fraction(3, 2)),
        ({"natural_pays": "1:1"}, "natural_pays", Fraction(1)),
        ({"natural_pays": "2:1"}, "natural_pays", Fraction(2)),
        ({"hits_soft_17": True}, "hits_soft_17", True),
        ({"twenty_one_stands": False}, "twenty_one_stands", False),
        ({"double_down": False}, "double_down", False),
        ({"double_after_split": False}, "double_after_split", False),
        ({"max_hands": 2}, "max_hands", 2),
        ({"split_aces_once": False}, "split_aces_once", False),
        ({"insurance": False}, "insurance", False),
        ({"surrender": False}, "surrender", False),
    ],
    ids=str,
)
def test_an_option_changes_its_rule_and_no_other(options: dict[str, Any], field: str, value: Any):
    changes: dict[str, Any] = {field: value}
    assert customize("vegas", options) == replace(VEGAS, **changes)


def test_peek_can_be_switched_off_where_nothing_needs_it():
    assert customize("casino", {"peek": False}) == replace(CASINO, peek=False)


def test_blackjack_can_be_just_21_without_the_check_for_it():
    rules = customize("casino", {"natural_pays": "none", "peek": False})
    assert rules == replace(CASINO, natural_pays=None, peek=False)


def test_several_options_are_changed_together():
    options = {"hits_soft_17": True, "natural_pays": "6:5", "seats": 1}
    changes: dict[str, Any] = {**options, "natural_pays": Fraction(6, 5)}
    assert customize("casino", options) == replace(CASINO, **changes)


def test_every_option_has_its_own_name_and_label():
    assert {name: option.name for name, option in OPTIONS.items()} == {
        name: name for name in OPTIONS
    }
    assert len({option.label for option in OPTIONS.values()}) == len(OPTIONS)


def test_a_preset_that_does_not_exist_is_our_own_mistake():
    with pytest.raises(KeyError):
        customize("whist", {"seats": 1})


@pytest.mark.parametrize(
    "name", ["", "Seats", "key", "title", "stakes", "tie", "has_piles", "__class__"]
)
def test_an_option_that_does_not_exist_is_refused(name: str):
    """Most rules are what makes the preset itself, and nobody's to change."""
    assert refusal("casino", **{name: 1}) == (name, f"Unknown option “{name}”.")


# Bounds

YES_OR_NO = (
    *("hits_soft_17", "peek", "twenty_one_stands", "double_down", "double_after_split"),
    *("split_aces_once", "insurance", "surrender"),
)
NONSENSE = (None, "", "yes", "1", 1.0, 1.5, [], [1], {}, {"a": 1}, float("nan"))
OUT_OF_BOUNDS = {
    "seats": (0, 4, -1, True, *NONSENSE),
    "decks": (0, 9, -1, True, *NONSENSE),
    "minimum": (0, 99, -100, MOST_STAKE + 1, "none", True, *NONSENSE),
    "maximum": (0, 99, -100, MOST_STAKE + 1, "None", True, *NONSENSE),
    "natural_pays": ("3/2", "7:5", "1.5", "None", 1, 0, True, *NONSENSE),
    "max_hands": (0, 5, -1, True, *NONSENSE),
    **dict.fromkeys(YES_OR_NO, (0, 1, "true", *NONSENSE)),
}


def test_every_option_has_bounds():
    assert OUT_OF_BOUNDS.keys() == OPTIONS.keys()


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in OUT_OF_BOUNDS.items() for value in values]
)
def test_a_value_out_of_bounds_is_refused_by_name_and_label(name: str, value: Any):
    option, reason = refusal("vegas", **{name: value})
    assert option == name
    assert reason.startswith(f"{OPTIONS[name].label} can't be {value!r}.")


@pytest.mark.parametrize("name", ["seats", "decks", "max_hands"])
def test_one_is_not_the_same_as_yes(name: str):
    """Python takes True for 1 and JSON does not, whichever was asked for first."""
    assert customize("casino", {name: 1})
    assert refusal("casino", **{name: True})[0] == name
    assert refusal("casino", **{name: 1.0})[0] == name


@pytest.mark.parametrize(
    ("options", "stakes"),
    [
        ({"minimum": 100, "maximum": MOST_STAKE}, Stakes(100, MOST_STAKE)),
        ({"minimum": MOST_STAKE}, Stakes(MOST_STAKE, None)),
    ],
)
def test_the_limits_of_the_limits_are_possible(options: dict[str, Any], stakes: Stakes):
    assert customize("casino", options).stakes == stakes


# Contradictions

NO_MONEY = "needs bets, and this rule set has none."
NO_POT = "isn't possible when the dealer matches bets."
WHOLE = "Bets must be whole numbers."


@pytest.mark.parametrize(
    ("key", "options", "option", "reason"),
    [
        ("heads-up", {"seats": 2}, "seats", "Heads-up has at most 1."),
        ("piles", {"seats": 3}, "seats", "Piles has at most 1."),
        ("classic", {"minimum": 100}, "minimum", "Classic has no bets."),
        ("heads-up", {"maximum": 100}, "maximum", "Heads-up has no bets."),
        ("piles", {"maximum": "none"}, "maximum", "Piles has no bets."),
        ("classic", {"double_down": True}, "double_down", f"Doubling {NO_MONEY}"),
        ("classic", {"max_hands": 2}, "max_hands", f"Splitting {NO_MONEY}"),
        ("classic", {"insurance": True}, "insurance", f"Insurance {NO_MONEY}"),
        ("classic", {"surrender": True}, "surrender", f"Surrender {NO_MONEY}"),
        ("piles", {"natural_pays": "3:2"}, "natural_pays", f"A blackjack payout {NO_MONEY}"),
        ("pot", {"double_down": True}, "double_down", f"Doubling {NO_POT}"),
        ("pot", {"max_hands": 2}, "max_hands", f"Splitting {NO_POT}"),
        ("pot", {"insurance": True}, "insurance", f"Insurance {NO_POT}"),
        ("pot", {"surrender": True}, "surrender", f"Surrender {NO_POT}"),
        ("pot", {"natural_pays": "1:1"}, "natural_pays", f"A blackjack payout {NO_POT}"),
        ("casino", {"minimum": 1050}, "minimum", WHOLE),
        ("casino", {"maximum": 100_001}, "maximum", WHOLE),
        (
            "casino",
            {"maximum": 900},
            "maximum",
            "The maximum bet can't be below the minimum bet.",
        ),
        (
            "vegas",
            {"minimum": 100_100},
            "minimum",
            "The minimum bet is above the maximum bet of 1000. Set a higher maximum too, or none.",
        ),
        (
            "casino",
            {"insurance": True, "peek": False},
            "insurance",
            "Insurance needs the dealer's check for blackjack. Turn that on too.",
        ),
        (
            "casino",
            {"surrender": True, "peek": False},
            "surrender",
            "Late surrender needs the dealer's check for blackjack. Turn that on too.",
        ),
        (
            "vegas",
            {"natural_pays": "none"},
            "insurance",
            "Insurance isn't possible here: a blackjack is just 21.",
        ),
        (
            "piles",
            {"peek": False},
            "peek",
            "Where 21 wins at once, the dealer must check for 21 first.",
        ),
        (
            "casino",
            {"natural_pays": "none"},
            "peek",
            "The dealer can't check for blackjack where a blackjack is just 21.",
        ),
        (
            "classic",
            {"peek": True},
            "peek",
            "The dealer can't check for blackjack where a blackjack is just 21.",
        ),
        ("piles", {"decks": 2}, "decks", "Piles uses one deck."),
        (
            "casino",
            {"max_hands": 3},
            "decks",
            "The shoe has 52 cards, and a round can take 60. "
            "Choose more decks, fewer seats or fewer hands after splitting.",
        ),
        (
            "vegas",
            {"decks": 5},
            "decks",
            "The last round of a shoe may have only 65 cards left, and a round can take 78. "
            "Choose more decks, fewer seats or fewer hands after splitting.",
        ),
        (
            "vegas",
            {"decks": 1, "seats": 1, "max_hands": 1},
            "decks",
            "The last round of a shoe may have only 13 cards left, and a round can take 17. "
            "Choose more decks, fewer seats or fewer hands after splitting.",
        ),
    ],
)
def test_options_that_contradict_are_refused_with_the_reason(
    key: str, options: dict[str, Any], option: str, reason: str
):
    assert refusal(key, **options) == (option, reason)
