"""A preset with some of its options changed, within bounds and without contradictions."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from tables.engine.errors import OptionError, Text
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset, Stakes

MOST_STAKE: Final = 1_000_000_00
"""The highest limit a table can be given, in hundredths."""


NO_HELP: Final = Text()


@dataclass(frozen=True, slots=True)
class Option:
    """A field of a rule set that a table may change."""

    name: str
    label: Text
    help: Text
    read: Callable[[Any], Any]
    """Converts a JSON value to that of the field. Raises ``ValueError`` or ``TypeError``."""


def _parse_bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


def _int_in(least: int, most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(value)
        return value

    return read


ODDS: Final = {"3:2": Fraction(3, 2), "6:5": Fraction(6, 5), "1:1": Fraction(1), "2:1": Fraction(2)}
"""The odds of a blackjack."""


def _parse_odds(value: Any) -> Fraction | None:
    return None if value == "none" else ODDS[value]


def _parse_limit(value: Any) -> int | None:
    return None if value == "none" else _int_in(100, MOST_STAKE)(value)


OPTIONS: Final = {
    option.name: option
    for option in (
        Option("seats", Text("Seats"), Text("1 to 3."), _int_in(1, 3)),
        Option("decks", Text("Decks"), Text("1 to 8."), _int_in(1, 8)),
        Option("minimum", Text("Minimum bet"), Text("In hundredths."), _int_in(100, MOST_STAKE)),
        Option(
            "maximum",
            Text("Maximum bet"),
            Text("In hundredths; “none” for no limit."),
            _parse_limit,
        ),
        Option("natural_pays", Text("Blackjack pays"), Text("What a blackjack pays."), _parse_odds),
        Option("hits_soft_17", Text("Dealer hits soft 17"), NO_HELP, _parse_bool),
        Option(
            "peek", Text("Dealer checks for blackjack"), Text("Before players act."), _parse_bool
        ),
        Option("twenty_one_stands", Text("Stand on 21 automatically"), NO_HELP, _parse_bool),
        Option("double_down", Text("Doubling"), Text("On the first two cards."), _parse_bool),
        Option("double_after_split", Text("Doubling after a split"), NO_HELP, _parse_bool),
        Option(
            "max_hands",
            Text("Maximum hands after splitting"),
            Text("1 (no split) to 4."),
            _int_in(1, 4),
        ),
        Option("split_aces_once", Text("One card on split aces"), NO_HELP, _parse_bool),
        Option("insurance", Text("Insurance"), Text("Against an ace."), _parse_bool),
        Option("surrender", Text("Late surrender"), Text("For half the bet."), _parse_bool),
    )
}
"""All options, by their stored name."""
WITHOUT_ODDS: Final = ("seats", "minimum", "maximum")
"""The options that change nothing in what a hand or a game is worth."""


def customize(key: str, options: Mapping[str, Any]) -> Ruleset:
    """The preset ``key`` with ``options``, plain JSON values by name of :data:`OPTIONS`.

    Raises :class:`OptionError` with the reason when an option is unknown or out of its bounds,
    or does not go together with the others; ``KeyError`` when there is no such preset.
    """
    rules = apply_stored(key, options)
    if options:
        verify_options(rules, PRESETS[key], chosen=options)
    return rules


def apply_stored(key: str, options: Mapping[str, Any]) -> Ruleset:
    """Apply stored options without the check for conflicts, which may be newer than the table."""
    preset = PRESETS[key]
    if not options:
        return preset
    values: dict[str, Any] = {}
    for name, value in options.items():
        option = OPTIONS.get(name)
        if option is None:
            raise OptionError(name, "Unknown option “%(name)s”.", name=name)
        try:
            values[name] = option.read(value)
        except (ValueError, TypeError, KeyError) as error:
            raise _out_of_bounds_error(option, value) from error
    return replace(preset, stakes=_merge_stakes(preset, values), **values)


def _merge_stakes(preset: Ruleset, values: dict[str, Any]) -> Stakes | None:
    """Convert the two options of the limits to one value, and remove them from ``values``."""
    stakes = preset.stakes
    limits = {name: values.pop(name) for name in ("minimum", "maximum") if name in values}
    if stakes is None:
        if limits:
            option = next(iter(limits))
            raise OptionError(option, "%(title)s has no bets.", title=preset.title)
        return None
    return replace(stakes, **limits)


def _out_of_bounds_error(option: Option, value: Any) -> OptionError:
    values = {"label": option.label, "value": repr(value), "help": option.help}
    if not option.help:
        return OptionError(option.name, "%(label)s can't be %(value)s.", **values)
    return OptionError(option.name, "%(label)s can't be %(value)s. %(help)s", **values)


def verify_options(rules: Ruleset, preset: Ruleset, *, chosen: Container[str] = ()) -> None:
    """Raise :class:`OptionError` for the first combination that cannot be played. ``chosen`` are the
    options that somebody has set: limits that contradict each other are reported at one of them.
    """
    for is_impossible, error in _find_contradictions(rules, preset, chosen):
        if is_impossible:
            raise error


def _find_contradictions(
    rules: Ruleset, preset: Ruleset, chosen: Container[str]
) -> Iterator[tuple[bool, OptionError]]:
    """Yield each possible conflict: whether it exists, and its error."""
    yield (
        rules.seats > preset.seats,
        OptionError(
            "seats",
            "%(title)s has at most %(seats)s.",
            title=preset.title,
            seats=preset.seats,
        ),
    )
    yield from _check_stakes(rules, chosen)
    yield from _check_naturals(rules)
    yield from _check_cards(rules)


def _check_stakes(rules: Ruleset, chosen: Container[str]) -> Iterator[tuple[bool, OptionError]]:
    played = {
        "double_down": rules.double_down,
        "max_hands": rules.max_hands > 1,
        "insurance": rules.insurance,
        "surrender": rules.surrender,
        "natural_pays": rules.natural_pays is not None,
    }
    for option, is_on in played.items():
        yield rules.stakes is None and is_on, OptionError(option, _NEEDS_STAKES[option])
    for option, is_on in played.items():
        yield rules.is_matched and is_on, OptionError(option, _NOT_FOR_A_POT[option])
    if rules.stakes is not None:
        least, most, unit = rules.stakes.minimum, rules.stakes.maximum, rules.stakes.unit
        yield least % unit != 0, OptionError("minimum", "Bets must be whole numbers.")
        if most is not None:
            yield most % unit != 0, OptionError("maximum", "Bets must be whole numbers.")
            yield most < least, _limits_error(most, chosen)


def _limits_error(most: int, chosen: Container[str]) -> OptionError:
    if "minimum" in chosen and "maximum" not in chosen:
        return OptionError(
            "minimum",
            "The minimum bet is above the maximum bet of %(most)s. Set a higher maximum too, or none.",
            most=most // 100,
        )
    return OptionError("maximum", "The maximum bet can't be below the minimum bet.")


_NEEDS_STAKES: Final = {
    "double_down": Text("Doubling needs bets, and this rule set has none."),
    "max_hands": Text("Splitting needs bets, and this rule set has none."),
    "insurance": Text("Insurance needs bets, and this rule set has none."),
    "surrender": Text("Surrender needs bets, and this rule set has none."),
    "natural_pays": Text("A blackjack payout needs bets, and this rule set has none."),
}
_NOT_FOR_A_POT: Final = {
    "double_down": Text("Doubling isn't possible when the dealer matches bets."),
    "max_hands": Text("Splitting isn't possible when the dealer matches bets."),
    "insurance": Text("Insurance isn't possible when the dealer matches bets."),
    "surrender": Text("Surrender isn't possible when the dealer matches bets."),
    "natural_pays": Text("A blackjack payout isn't possible when the dealer matches bets."),
}


def _check_naturals(rules: Ruleset) -> Iterator[tuple[bool, OptionError]]:
    yield (
        rules.insurance and not rules.peek,
        OptionError(
            "insurance",
            "Insurance needs the dealer's check for blackjack. Turn that on too.",
        ),
    )
    yield (
        rules.surrender and not rules.peek,
        OptionError(
            "surrender",
            "Late surrender needs the dealer's check for blackjack. Turn that on too.",
        ),
    )
    yield (
        rules.insurance and rules.natural_pays is None,
        OptionError("insurance", "Insurance isn't possible here: a blackjack is just 21."),
    )
    yield (
        rules.twenty_one_wins and not rules.peek,
        OptionError("peek", "Where 21 wins at once, the dealer must check for 21 first."),
    )
    yield (
        rules.peek and rules.natural_pays is None and not rules.twenty_one_wins,
        OptionError("peek", "The dealer can't check for blackjack where a blackjack is just 21."),
    )


def _check_cards(rules: Ruleset) -> Iterator[tuple[bool, OptionError]]:
    yield (
        rules.has_piles and rules.decks != 1,
        OptionError("decks", "Piles uses one deck."),
    )
    behind, needed = rules.cards - (rules.cut_position or 0), rules.most_cards_of_a_round
    too_few = Text(
        "The shoe has %(cards)s cards, and a round can take %(needed)s. "
        "Choose more decks, fewer seats or fewer hands after splitting."
    )
    if rules.cut_card:
        too_few = Text(
            "The last round of a shoe may have only %(cards)s cards left, and a round can take "
            "%(needed)s. Choose more decks, fewer seats or fewer hands after splitting."
        )
    yield (
        not rules.has_piles and behind < needed,
        OptionError("decks", too_few, cards=behind, needed=needed),
    )
