"""Visible text: the one definition for names, chat lines and reasons."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_IGNORABLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Unicode's Default_Ignorable_Code_Point: characters without a glyph, of any category."""
_BLANKS: Final = re.compile("[\\s\u2028\u2029\u2800\ufffc\U0001d159\U00013441\U00013442]+")
"""White space, and characters with an empty glyph."""
_EMPTY_MARKS: Final = "\U00016fe4"
"""A mark without a glyph that Unicode does not list as ignorable."""
_JOINERS: Final = "\u200c\u200d"
"""They join emoji and letters of some scripts, between two visible characters."""
_SELECTORS: Final = "\ufe0e\ufe0f"
"""They select the text or emoji form of the character before."""
_PILED_MARKS: Final = 3
"""The limit of combining marks on a letter; more would cover other lines."""


def to_plain_line(text: str) -> str:
    """Convert a text to one plain line; empty if nothing in it is visible.

    Removes control characters, direction overrides and invisible characters.

    >>> to_plain_line(" well\\n\\u202eplayed \\u0007"), to_plain_line("\\u3164 \\u200d\\u2800")
    ('well played', '')
    """
    spaced = _BLANKS.sub(" ", text)
    plain = unicodedata.normalize("NFC", "".join(filter(_is_allowed, spaced)))
    line = "".join(_limit_combining_marks(_remove_loose_joiners(plain))).strip()
    return line if any(map(_is_visible, line)) else ""


def to_plain_text(text: str) -> str:
    """Convert a text to plain lines, without empty ones at the begin and end."""
    return "\n".join(map(to_plain_line, text.splitlines())).strip("\n")


def is_invisible(letter: str) -> bool:
    """Whether a character has no glyph of its own, or only changes those beside it."""
    is_empty = letter in _EMPTY_MARKS or _BLANKS.match(letter) is not None
    is_control = unicodedata.category(letter)[0] == "C"
    return is_empty or is_control or _IGNORABLE.match(letter) is not None


def _is_allowed(letter: str) -> bool:
    if letter in _JOINERS or letter in _SELECTORS:
        return True
    return unicodedata.category(letter)[0] != "C" and not _IGNORABLE.match(letter)


def _is_visible(letter: str) -> bool:
    """Whether a character is visible alone: a combining mark is not."""
    return unicodedata.category(letter)[0] in "LNPS" and not _IGNORABLE.match(letter)


def _remove_loose_joiners(text: str) -> str:
    """Remove joiners that are not between non-ASCII characters, and selectors without a base."""
    letters: list[str] = []
    for place, letter in enumerate(text):
        before, behind = letters[-1] if letters else " ", text[place + 1 : place + 2] or " "
        is_joined = not before.isascii() and not behind.isascii() and _is_valid_alone(behind)
        if letter in _JOINERS and (before in _JOINERS or not is_joined):
            continue
        if letter in _SELECTORS and not _is_visible(before):
            continue
        letters.append(letter)
    return "".join(letters)


def _is_valid_alone(letter: str) -> bool:
    return letter not in _JOINERS and letter not in _SELECTORS


def _limit_combining_marks(text: str) -> list[str]:
    marks, letters = 0, []
    for letter in text:
        marks = marks + 1 if unicodedata.category(letter) in ("Mn", "Me") else 0
        if marks <= _PILED_MARKS and letter not in _EMPTY_MARKS:
            letters.append(letter)
    return letters
