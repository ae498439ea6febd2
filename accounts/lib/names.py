"""Names of players: the letters they may have, and names that are the same or look the same.

A name is stored in Unicode's form NFKC. Two names are the same if they differ only in case
(:func:`folded`), and look the same if they have one :func:`skeleton`.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from confusable_homoglyphs import categories
from confusable_homoglyphs.confusables import confusables_data
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy

from accounts.lib.plain_text import is_invisible, to_plain_line

LONGEST: Final = 20
"""The most letters and digits of a name, as people see them: marks do not count."""
MOST_CODE_POINTS: Final = 80
"""With the marks: three on each letter."""
LONGEST_FOLDED: Final = 250
"""Folding makes up to three letters of one. Nothing longer is stored or compared."""
SIGNS: Final = "@.+-_"
"""What a name may have beside letters and digits: earlier names have them."""
HELP: Final = gettext_lazy("Up to 20 letters or digits, no spaces.")

_SCRIPTS_TOGETHER: Final = (
    {"LATIN", "HAN", "HIRAGANA", "KATAKANA"},
    {"LATIN", "HAN", "BOPOMOFO"},
    {"LATIN", "HAN", "HANGUL"},
)
"""The scripts that one name may mix: "highly restrictive" of Unicode's UTS 39."""
_FIRST_STRONG: Final = "\u2068"
_POP: Final = "\u2069"
"""What is between these does not change the direction of the text beside it."""
_ANY_SCRIPT: Final = {"COMMON", "INHERITED"}
_DOT_ABOVE: Final = "\u0307"


def normalized(name: str) -> str:
    """The stored form of a name: compatible letters, such as full-width ones, become plain ones.

    >>> normalized(" \\uff3a\\uff4fe\\u0308 ")
    'Zoë'
    """
    # Copied out of a sentence, it brings the marks of :func:`isolated` along.
    return unicodedata.normalize("NFKC", name).strip().strip(_FIRST_STRONG + _POP)


def folded(name: str) -> str:
    """The form that is equal for names that differ only in case.

    >>> folded("ZOË") == folded("zoe\\u0308"), folded("Straße")
    (True, 'strasse')
    """
    # PostgreSQL takes no text with a NUL, and no name has one.
    return normalized(normalized(name).casefold()).replace("\0", "\ufffd")[:LONGEST_FOLDED]


def skeleton(name: str) -> str:
    """The form that is equal for names that look the same, by the table of UTS 39.

    The case of plain letters makes no difference: ``i`` counts as ``l``, because ``I`` is drawn like
    it. That of other letters may: the Greek capital Nu is drawn like ``N``, the small one like ``v``.

    >>> skeleton("\\u0440ayp\\u0430l") == skeleton("PAYPA1"), skeleton("B0b") == skeleton("Bob")
    (True, True)
    >>> skeleton("ADMIN") == skeleton("admin"), skeleton("Ph\\u0153be") == skeleton("PHOEBE")
    (True, True)
    """
    drawn = _drawn(_drawn(normalized(name)).casefold())
    return drawn.replace("i", "l").replace("l" + _DOT_ABOVE, "l")[:LONGEST_FOLDED]


def isolated(name: str) -> str:
    """A name for the middle of a sentence: one that is written from right to left, or ends in digits
    after such letters, must not turn the words beside it around.

    >>> isolated("ann"), isolated("\\u05d0") == "\\u2068\\u05d0\\u2069"
    ('ann', True)
    """
    if any(unicodedata.bidirectional(letter) in ("R", "AL", "AN") for letter in name):
        return f"{_FIRST_STRONG}{name}{_POP}"
    return name


def validate(name: str) -> None:
    """Raise a ``ValidationError`` that says what is wrong with a normalized name."""
    for letter in name:
        if fault := _fault_of(letter):
            raise ValidationError(fault, code="letter")
    if not any(unicodedata.category(letter)[0] in "LN" for letter in name):
        raise ValidationError(gettext("A name needs a letter or a digit."), code="empty")
    if to_plain_line(name) != name or _has_loose_mark(name):
        raise ValidationError(gettext("That name has an accent without a letter."), code="mark")
    if length(name) > LONGEST or len(name) > MOST_CODE_POINTS:
        raise ValidationError(
            gettext("That name is too long: %(length)s letters, at most 20.")
            % {"length": length(name)},
            code="length",
        )
    if not _is_one_script(name):
        message = gettext("That name mixes alphabets. Use letters of one alphabet, and digits.")
        raise ValidationError(message, code="scripts")


def length(name: str) -> int:
    """The number of letters, digits and signs, as people see them.

    >>> length("Zoë"), length("नमस्ते")
    (3, 4)
    """
    return sum(unicodedata.category(letter)[0] != "M" for letter in name)


def _fault_of(letter: str) -> str:
    category = unicodedata.category(letter)
    if letter.isspace():
        return gettext("A name can't have spaces.")
    if is_invisible(letter):
        return gettext("A name can't have invisible characters.")
    if category[0] == "L" or category in ("Nd", "Mn", "Mc") or letter in SIGNS:
        return ""
    return gettext("“%(letter)s” is not allowed in a name. Use letters or digits.") % {
        "letter": letter
    }


def _has_loose_mark(name: str) -> bool:
    """Whether a mark follows a digit or sign, or begins the name."""
    before = ""
    for letter in name:
        if unicodedata.category(letter)[0] != "M":
            before = letter
        elif not before.isalpha():
            return True
    return False


def _is_one_script(name: str) -> bool:
    scripts = {categories.alias(letter) for letter in name} - _ANY_SCRIPT
    zeros = {
        ord(letter) - unicodedata.decimal(letter)
        for letter in name
        if unicodedata.category(letter) == "Nd"
    }
    if len(zeros) > 1 or "Unknown" in scripts:
        return False
    return len(scripts) <= 1 or any(scripts <= together for together in _SCRIPTS_TOGETHER)


def _drawn(text: str) -> str:
    letters = "".join(map(_prototype, unicodedata.normalize("NFD", text)))
    return unicodedata.normalize("NFD", letters)


@lru_cache(maxsize=4096)
def _prototype(letter: str) -> str:
    """The letter, or letters, that this one is drawn like.

    The library lists a pair in both directions. The prototype is the one of several letters, or with
    a mark; else the one with many look-alikes, and of two that have only each other the first.
    """
    others = [_without_direction(other["c"]) for other in confusables_data.get(letter, ())]
    if len(others) != 1:
        return letter
    (other,) = others
    if len(other) > 1:
        return other
    has_more = len(confusables_data.get(other, ())) > 1
    return other if has_more else min(letter, other)


def _without_direction(text: str) -> str:
    return text.replace("\u200e", "")
