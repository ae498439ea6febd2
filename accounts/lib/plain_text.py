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
"""Unicode's Default_Ignorable_Code_Point: nothing is drawn, whatever category they are of."""
_BLANKS: Final = re.compile("[\\s\u2028\u2029\u2800\ufffc\U0001d159\U00013441\U00013442]+")
"""White space, and signs whose glyph is empty."""
_EMPTY_MARKS: Final = "\U00016fe4"
"""A mark without a glyph that is not among the ignorable ones."""
_JOINERS: Final = "\u200c\u200d"
"""They hold emoji and some scripts together, between two signs that can be seen."""
_SELECTORS: Final = "\ufe0e\ufe0f"
"""They say whether the sign before them is drawn as text or as emoji."""
_PILED_MARKS: Final = 3
"""Marks above and below one letter; more of them spill over the lines around."""


def plain_line(text: str) -> str:
    """``text`` as one plain line; empty when nothing of it can be seen.

    No control characters, nothing that turns other text around or is not drawn.

    >>> plain_line(" well\\n\\u202eplayed \\u0007"), plain_line("\\u3164 \\u200d\\u2800")
    ('well played', '')
    """
    spaced = _BLANKS.sub(" ", text)
    plain = unicodedata.normalize("NFC", "".join(filter(_is_kept, spaced)))
    line = "".join(_without_piles(_without_loose_joiners(plain))).strip()
    return line if any(map(_is_seen, line)) else ""


def plain_text(text: str) -> str:
    """``text`` as plain lines, without empty ones before and behind."""
    return "\n".join(map(plain_line, text.splitlines())).strip("\n")


def _is_kept(letter: str) -> bool:
    if letter in _JOINERS or letter in _SELECTORS:
        return True
    return unicodedata.category(letter)[0] != "C" and not _IGNORABLE.match(letter)


def _is_seen(letter: str) -> bool:
    """Whether there is something to be seen of it alone: not of a mark, which needs a letter."""
    return unicodedata.category(letter)[0] in "LNPS" and not _IGNORABLE.match(letter)


def _without_loose_joiners(text: str) -> str:
    """Joiners stay between two signs that are not plain ASCII, selectors behind a sign."""
    kept: list[str] = []
    for place, letter in enumerate(text):
        before, behind = kept[-1] if kept else " ", text[place + 1 : place + 2] or " "
        is_joined = not before.isascii() and not behind.isascii() and _is_kept_alone(behind)
        if letter in _JOINERS and (before in _JOINERS or not is_joined):
            continue
        if letter in _SELECTORS and not _is_seen(before):
            continue
        kept.append(letter)
    return "".join(kept)


def _is_kept_alone(letter: str) -> bool:
    return letter not in _JOINERS and letter not in _SELECTORS


def _without_piles(text: str) -> list[str]:
    marks, letters = 0, []
    for letter in text:
        marks = marks + 1 if unicodedata.category(letter) in ("Mn", "Me") else 0
        if marks <= _PILED_MARKS and letter not in _EMPTY_MARKS:
            letters.append(letter)
    return letters
