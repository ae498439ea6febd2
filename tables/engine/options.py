"""A preset with some of its options changed, within bounds and without contradictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from tables.engine.errors import OptionError
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset, Stakes

MOST_STAKE: Final = 1_000_000_00
"""The highest limit a table can be given, in hundredths."""


@dataclass(frozen=True, slots=True)
class Option:
    """Something about a rule set that a table may do differently."""

    name: str
    label: str
    help: str
    read: Callable[[Any], Any]
    """The value of the field, from a plain JSON value. Raises ``ValueError`` or ``TypeError``."""


def _yes_or_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


def _whole(least: int, most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(value)
        return value

    return read


ODDS: Final = {"3:2": Fraction(3, 2), "6:5": Fraction(6, 5), "1:1": Fraction(1), "2:1": Fraction(2)}
"""What a blackjack may pay."""


def _odds(value: Any) -> Fraction | None:
    return None if value == "none" else ODDS[value]


def _limit(value: Any) -> int | None:
    return None if value == "none" else _whole(100, MOST_STAKE)(value)


OPTIONS: Final = {
    option.name: option
    for option in (
        Option("seats", "Seats", "1 to 3.", _whole(1, 3)),
        Option("decks", "Decks", "1 to 8.", _whole(1, 8)),
        Option("minimum", "Smallest bet", "In hundredths.", _whole(100, MOST_STAKE)),
        Option("maximum", "Largest bet", "In hundredths; “none” for no limit.", _limit),
        Option("natural_pays", "Blackjack pays", "3:2, 6:5, 1:1, 2:1 or none.", _odds),
        Option("hits_soft_17", "Dealer hits soft 17", "", _yes_or_no),
        Option("peek", "Dealer checks for blackjack", "Before players act.", _yes_or_no),
        Option("twenty_one_stands", "21 stands by itself", "", _yes_or_no),
        Option("double_down", "Doubling", "On the first two cards.", _yes_or_no),
        Option("double_after_split", "Doubling split hands", "", _yes_or_no),
        Option("max_hands", "Hands by splitting", "1 (no split) to 4.", _whole(1, 4)),
        Option("split_aces_once", "One card on split aces", "", _yes_or_no),
        Option("insurance", "Insurance", "Against an ace.", _yes_or_no),
        Option("surrender", "Late surrender", "For half the stake.", _yes_or_no),
    )
}
"""Every option, by the name under which a table keeps it."""


def customized(key: str, options: Mapping[str, Any]) -> Ruleset:
    """The preset ``key`` with ``options``, plain JSON values by name of :data:`OPTIONS`.

    Raises :class:`OptionError` with the reason when an option is unknown or out of its bounds,
    or does not go together with the others; ``KeyError`` when there is no such preset.
    """
    preset = PRESETS[key]
    if not options:
        return preset
    values: dict[str, Any] = {}
    for name, value in options.items():
        option = OPTIONS.get(name)
        if option is None:
            raise OptionError(name, f"There is no option “{name}”.")
        try:
            values[name] = option.read(value)
        except (ValueError, TypeError, KeyError) as error:
            message = f"{option.label}: {value!r} is not possible. {option.help}".strip()
            raise OptionError(name, message) from error
    rules = replace(preset, stakes=_stakes(preset, values), **values)
    verify(rules, preset)
    return rules


def _stakes(preset: Ruleset, values: dict[str, Any]) -> Stakes | None:
    """The limits, which are two options and one value; they are taken out of ``values``."""
    stakes = preset.stakes
    limits = {name: values.pop(name) for name in ("minimum", "maximum") if name in values}
    if stakes is None:
        if limits:
            raise OptionError(next(iter(limits)), f"Nothing is staked at {preset.title}.")
        return None
    return replace(stakes, **limits)


def verify(rules: Ruleset, preset: Ruleset) -> None:
    """Raise :class:`OptionError` for the first combination that cannot be played."""
    for option, is_impossible, reason in _contradictions(rules, preset):
        if is_impossible:
            raise OptionError(option, reason)


def _contradictions(rules: Ruleset, preset: Ruleset) -> list[tuple[str, bool, str]]:
    """Everything that could be wrong: the option, whether it is, and why that cannot be."""
    return [
        (
            "seats",
            rules.seats > preset.seats,
            f"{preset.title} is played with {preset.seats} at most.",
        ),
        *_about_stakes(rules),
        *_about_naturals(rules),
        *_about_cards(rules),
    ]


def _about_stakes(rules: Ruleset) -> list[tuple[str, bool, str]]:
    no_money = rules.stakes is None
    found = [
        (option, no_money and is_on, f"{label} needs stakes, and nothing is staked here.")
        for option, is_on, label in (
            ("double_down", rules.double_down, "Doubling"),
            ("max_hands", rules.max_hands > 1, "Splitting"),
            ("insurance", rules.insurance, "Insurance"),
            ("surrender", rules.surrender, "Surrender"),
            ("natural_pays", rules.natural_pays is not None, "Paying a blackjack"),
        )
    ]
    found += [
        (option, rules.is_matched and is_on, f"{label} cannot be played for a matched pot.")
        for option, is_on, label in (
            ("double_down", rules.double_down, "Doubling"),
            ("max_hands", rules.max_hands > 1, "Splitting"),
            ("insurance", rules.insurance, "Insurance"),
            ("surrender", rules.surrender, "Surrender"),
            ("natural_pays", rules.natural_pays is not None, "Odds on a blackjack"),
        )
    ]
    if rules.stakes is not None:
        least, most, unit = rules.stakes.minimum, rules.stakes.maximum, rules.stakes.unit
        found += [
            ("minimum", least % unit != 0, "Bets are made in whole units."),
            (
                "maximum",
                most is not None and most % unit != 0,
                "Bets are made in whole units.",
            ),
            (
                "maximum",
                most is not None and most < least,
                "The largest bet cannot be below the smallest.",
            ),
        ]
    return found


def _about_naturals(rules: Ruleset) -> list[tuple[str, bool, str]]:
    return [
        (
            "insurance",
            rules.insurance and not rules.peek,
            "Insurance is settled when the dealer checks the hole card: switch that on as well.",
        ),
        (
            "surrender",
            rules.surrender and not rules.peek,
            "Late surrender comes after the dealer's check: switch that on as well.",
        ),
        (
            "insurance",
            rules.insurance and rules.natural_pays is None,
            "Insurance is against a blackjack, which is just 21 here.",
        ),
        (
            "peek",
            rules.twenty_one_wins and not rules.peek,
            "Where 21 wins at once the house looks at its cards first.",
        ),
        (
            "peek",
            rules.peek and rules.natural_pays is None and not rules.twenty_one_wins,
            "There is nothing to check for where a natural is just 21.",
        ),
    ]


def _about_cards(rules: Ruleset) -> list[tuple[str, bool, str]]:
    behind = rules.cards - (rules.cut_position or 0)
    hands = rules.seats * rules.max_hands + 1
    place = "behind the cut card " if rules.cut_card else ""
    return [
        (
            "decks",
            rules.has_piles and rules.decks != 1,
            "The game of piles is played with one deck.",
        ),
        (
            "decks",
            not rules.has_piles and behind < rules.most_cards_of_a_round,
            f"{behind} cards {place}are too few for a round that can have {hands} hands.",
        ),
    ]
