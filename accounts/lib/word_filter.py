"""A filter of blocked words and phrases, in chat lines and names.

Whole words are compared, so that a blocked word inside of a longer one is not found. Case, accents and
letters that look alike make no difference (:func:`~accounts.lib.names.skeleton`), nor do digits and
signs in place of letters (``sh1t``), letters in circles and small capitals, letters that are written
apart (``s h i t``), and letters that are repeated. Scripts without spaces between words have no whole
words: there any part of a text counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from confusable_homoglyphs import categories

from accounts.lib import names

MOST_ENTRIES: Final = 500
LONGEST_ENTRY: Final = 60
"""In characters."""
LONGEST_LIST: Final = 8_000
"""The limit of all entries together, in characters. A form with more may be too large to be sent."""
MASK: Final = "•••"

_SIGNS: Final = str.maketrans("013457@$!€", "oleastasle")
"""Digits and signs that stand for letters, as the look of these letters: ``i`` looks like ``l``."""
_WITHOUT_SPACES: Final = {"HAN", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"}
_LEAST_LETTERS_APART: Final = 3
"""With fewer, two words of one letter would be read as one."""
_REPEATED: Final = re.compile(r"(.)\1{2,}")
_NAMES_OF_LETTERS: Final = re.compile(
    r"(?:LATIN LETTER SMALL CAPITAL|(?:NEGATIVE )?(?:CIRCLED|SQUARED) LATIN CAPITAL LETTER"
    r"|REGIONAL INDICATOR SYMBOL LETTER) ([A-Z])"
)
"""Unicode's names of characters that are drawn like a Latin letter, and that NFKC leaves as they are."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a text: ``start <= index < end``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Word:
    """The forms of a word, and its place."""

    forms: frozenset[str]
    place: Span


class WordFilter:
    """Finds blocked words. It does not change after its creation."""

    def __init__(self, entries: Iterable[str]) -> None:
        """Create the filter from words and phrases."""
        self._phrases: dict[str, list[tuple[frozenset[str], ...]]] = {}
        self._parts: list[str] = []
        for entry in entries:
            words = tuple(_looks(entry[place.start : place.end]) for place in _cut(entry))
            if not words:
                continue
            if _has_no_spaces(entry):
                self._parts.append("".join(map(_look, entry.split())))
            else:
                for form in words[0]:
                    self._phrases.setdefault(form, []).append(words)

    def find(self, text: str, *, is_name: bool = False) -> Span | None:
        """The first blocked word or phrase; ``None`` without one.

        In a name, words may also be written together with capital letters: ``BadWord``.
        """
        return next(self._iter_places(text, is_name=is_name), None)

    def mask(self, text: str) -> str:
        """The text with :data:`MASK` in place of blocked words. It is not longer than before.

        >>> WordFilter(["darn"]).mask("Oh d4rn, a darning needle")
        'Oh •••, a darning needle'
        """
        masked, begin = "", 0
        for place in _merge(self._iter_places(text, is_name=False)):
            masked += text[begin : place.start] + MASK[: place.end - place.start]
            begin = place.end
        return masked + text[begin:]

    def _iter_places(self, text: str, *, is_name: bool) -> Iterator[Span]:
        if not self._phrases and not self._parts:
            return
        for words in _readings(text, is_name=is_name):
            yield from self._match_phrases(words)
        yield from self._match_parts(text)

    def _match_phrases(self, words: list[_Word]) -> Iterator[Span]:
        for number, word in enumerate(words):
            for form in word.forms:
                for phrase in self._phrases.get(form, ()):
                    those = words[number : number + len(phrase)]
                    if len(those) == len(phrase) and all(
                        forms & one.forms for forms, one in zip(phrase, those, strict=True)
                    ):
                        yield Span(word.place.start, those[-1].place.end)

    def _match_parts(self, text: str) -> Iterator[Span]:
        if not self._parts:
            return
        looks, places = "", list[int]()
        for index, letter in enumerate(text):
            look = _look(letter)
            looks += look
            places += [index] * len(look)
        for part in self._parts:
            start = looks.find(part)
            while start >= 0:
                yield Span(places[start], places[start + len(part) - 1] + 1)
                start = looks.find(part, start + 1)


def split_entries(text: str) -> list[str]:
    """The entries of a list with one on each line, without empty lines and repetitions."""
    return list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


def has_letters(entry: str) -> bool:
    """Whether the filter could find this entry: it needs a letter."""
    return any(letter.isalpha() for letter in entry)


def _readings(text: str, *, is_name: bool) -> Iterator[list[_Word]]:
    """The ways to read a text as words: digits and signs as letters or as gaps, letters apart or not."""
    cuts = [_cut(text, has_signs=True), _cut(text)]
    if is_name:
        cuts.append(_cut_at_capitals(text))
    for cut in cuts:
        words = [_Word(_forms(text[place.start : place.end]), place) for place in cut]
        yield words
        yield from _join_letters(text, words)


def _cut(text: str, *, has_signs: bool = False) -> Iterator[Span]:
    """The words of a text; those of digits and signs alone are left out: they are numbers."""
    start = None
    for index, letter in enumerate([*text, "\n"]):
        if _is_letter(letter) or (has_signs and ord(letter) in _SIGNS):
            start = index if start is None else start
        elif start is not None:
            if any(map(_is_letter, text[start:index])):
                # At the end of a word it is punctuation.
                yield Span(start, start + len(text[start:index].rstrip("!")))
            start = None


def _is_letter(letter: str) -> bool:
    return _to_plain(letter).isalpha() or unicodedata.category(letter)[0] == "M"


@lru_cache(maxsize=4096)
def _to_plain(letter: str) -> str:
    """The plain letter of a character such as a letter in a circle; other characters as they are.

    >>> "".join(map(_to_plain, "\u24d3\u1d00\U0001f15f 1"))
    'daP 1'
    """
    named = _NAMES_OF_LETTERS.fullmatch(unicodedata.name(letter, ""))
    if named is not None:
        return named[1].lower() if "SMALL" in named[0] else named[1]
    plain = unicodedata.normalize("NFKC", letter)
    return plain if plain.isalpha() else letter


def _cut_at_capitals(text: str) -> Iterator[Span]:
    for place in _cut(text):
        start = place.start
        for index in range(place.start + 1, place.end):
            if text[index].isupper() and not text[index - 1].isupper():
                yield Span(start, index)
                start = index
        yield Span(start, place.end)


def _join_letters(text: str, words: list[_Word]) -> Iterator[list[_Word]]:
    """Each row of words of one letter, as one word."""
    row: list[Span] = []
    for word in [*words, None]:
        if word is not None and word.place.end - word.place.start == 1:
            row.append(word.place)
            continue
        if len(row) >= _LEAST_LETTERS_APART:
            letters = "".join(text[place.start] for place in row)
            yield [_Word(_forms(letters), Span(row[0].start, row[-1].end))]
        row = []


def _forms(word: str) -> frozenset[str]:
    """The looks, and with rows of three and more equal letters as one and as two."""
    looks = _looks(word.translate(_SIGNS))
    ones = {_REPEATED.sub(r"\1", look) for look in looks}
    twos = {_REPEATED.sub(r"\1\1", look) for look in looks}
    return looks | ones | twos


def _looks(word: str) -> frozenset[str]:
    """The look of a word and of its small letters, which may differ outside of the Latin script."""
    return frozenset({_look(word), _look(word.casefold())})


@lru_cache(maxsize=4096)
def _look(text: str) -> str:
    """The skeleton without accents."""
    apart = unicodedata.normalize("NFD", names.skeleton("".join(map(_to_plain, text))))
    return "".join(letter for letter in apart if unicodedata.category(letter)[0] != "M")


def _has_no_spaces(entry: str) -> bool:
    return any(categories.alias(letter) in _WITHOUT_SPACES for letter in entry)


def _merge(places: Iterable[Span]) -> list[Span]:
    """The places in order, with overlapping ones as one."""
    merged: list[Span] = []
    for place in sorted(places, key=lambda one: (one.start, one.end)):
        if merged and place.start < merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, place.end))
        else:
            merged.append(place)
    return merged
