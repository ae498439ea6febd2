"""The rules of a table as text, generated from its rule set.

The text uses the same :class:`Ruleset` as the engine, so the two cannot differ.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset, Tie
from tables.texts import rules_sections
from tables.texts.rules_sections import format_bet, format_odds, spell_number


@dataclass(frozen=True, slots=True)
class RulesSection:
    heading: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RulesPage:
    """All rules of one rule set, a sentence each."""

    rules: Ruleset
    sections: tuple[RulesSection, ...]
    differences: tuple[str, ...]
    """The differences from the preset."""


def build_page(rules: Ruleset) -> RulesPage:
    """Build the rules page of a rule set."""
    sections = [
        RulesSection(_("The aim"), rules_sections.describe_aim(rules)),
        RulesSection(_("The cards"), rules_sections.describe_cards(rules)),
        RulesSection(_("Bets"), rules_sections.describe_bets(rules)),
        RulesSection(_("The deal"), rules_sections.describe_deal(rules)),
        RulesSection(_("Your turn"), rules_sections.describe_turn(rules)),
        RulesSection(_("The dealer's turn"), rules_sections.describe_dealer(rules)),
        RulesSection(_("Winning the hand"), rules_sections.describe_result(rules)),
        RulesSection(_("After the round"), rules_sections.describe_afterwards(rules)),
        RulesSection(_("Leaving and disconnecting"), rules_sections.describe_absence(rules)),
    ]
    nonempty_sections = tuple(section for section in sections if section.sentences)
    return RulesPage(rules, nonempty_sections, list_differences(rules))


def list_differences(rules: Ruleset) -> tuple[str, ...]:
    """The differences of a rule set from its preset, a few words each; empty for a preset."""
    preset = PRESETS.get(rules.key, rules)
    changed = {
        field.name
        for field in fields(Ruleset)
        if getattr(rules, field.name) != getattr(preset, field.name)
    }
    words = _describe_options(rules) if changed else {}
    return tuple(words[name] for name in words if name in changed)


def _describe_options(rules: Ruleset) -> dict[str, str]:
    """A few words for each option, by its name."""
    return {
        "seats": _describe_seats(rules.seats),
        "decks": _describe_decks(rules.decks),
        "stakes": _describe_limits(rules),
        "natural_pays": _("blackjack pays %(odds)s") % {"odds": format_odds(rules.natural_pays)},
        "twenty_one_stands": (
            _("21 stands automatically")
            if rules.twenty_one_stands
            else _("21 does not stand automatically")
        ),
        "peek": (
            _("the dealer checks first") if rules.peek else _("the dealer does not check first")
        ),
        "hits_soft_17": (
            _("the dealer hits soft 17") if rules.hits_soft_17 else _("stands on soft 17")
        ),
        "double_down": _("doubling") if rules.double_down else _("no doubling"),
        "double_after_split": (
            _("doubling after a split")
            if rules.double_after_split
            else _("no doubling after a split")
        ),
        "max_hands": _describe_splits(rules.max_hands),
        "split_aces_once": (
            _("one card on split aces") if rules.split_aces_once else _("split aces can be hit")
        ),
        "insurance": _("insurance") if rules.insurance else _("no insurance"),
        "surrender": _("late surrender") if rules.surrender else _("no surrender"),
    }


def _describe_seats(number: int) -> str:
    text = ngettext("%(number)s seat", "%(number)s seats", number)
    return text % {"number": spell_number(number)}


def _describe_decks(number: int) -> str:
    text = ngettext("%(number)s deck", "%(number)s decks", number)
    return text % {"number": spell_number(number)}


def _describe_splits(hands: int) -> str:
    if hands == 1:
        return _("no splitting")
    return _("splits to %(number)s hands") % {"number": spell_number(hands)}


def _describe_limits(rules: Ruleset) -> str:
    if rules.stakes is None:
        return _("no bets")
    least = format_bet(rules, rules.stakes.minimum)
    if rules.stakes.maximum is None:
        return _("bets from %(least)s") % {"least": least}
    most = format_bet(rules, rules.stakes.maximum)
    return _("bets %(least)s to %(most)s") % {"least": least, "most": most}


def felt_text(rules: Ruleset) -> str:
    """The line of text on the table: the most important rules."""
    if rules.natural_pays is not None:
        pays = _("Blackjack pays %(odds)s") % {"odds": format_odds(rules.natural_pays)}
        return " · ".join((pays, _describe_stands(rules)))
    if rules.tie is Tie.DEALER_WINS:
        return " · ".join((_describe_stands(rules), _("the dealer wins ties")))
    if rules.has_piles:
        return " · ".join((_("21 wins at once"), _describe_stands(rules)))
    if rules.hits_soft_17:
        return _("Dealer draws to 16 and hits soft 17")
    return _("Dealer draws to 16 and stands on all 17s")


def _describe_stands(rules: Ruleset) -> str:
    """The totals at which the dealer stands."""
    if rules.hits_soft_17:
        return _("Dealer hits soft 17")
    return _("Dealer stands on all 17s")
