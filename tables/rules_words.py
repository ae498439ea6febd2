"""Words that several sentences about the rules share."""

from __future__ import annotations

from fractions import Fraction

from django.utils.translation import gettext as _

from tables.engine.errors import Words
from tables.engine.rules import DEALER, Ruleset

_NUMBERS = (
    Words("no"), Words("one"), Words("two"), Words("three"), Words("four"), Words("five"),
    Words("six"), Words("seven"), Words("eight"),
)  # fmt: skip


def by_dealer(rules: Ruleset, *, dealer: str, house: str) -> str:
    """The sentence about who deals, under the name that the rules have for it.

    Two sentences, because the words around a name change with it in many languages.
    """
    return dealer if rules.dealer_name == DEALER else house


def in_words(number: int) -> str:
    """``one``, ``three``: what a table has few of. A language may well have figures instead."""
    return _(_NUMBERS[number])


def odds(pays: Fraction | None) -> str:
    """Odds in words: ``3 to 2``."""
    if pays is None:
        return _("nothing extra")
    return _("%(win)s to %(stake)s") % {"win": pays.numerator, "stake": pays.denominator}
