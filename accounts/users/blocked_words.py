"""The blocked words of the site, as a filter that each process keeps for a few seconds."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from accounts.lib import word_filter
from accounts.lib.word_filter import WordFilter
from accounts.models import HouseSettings

KEPT_SECONDS: Final = 5.0
"""How long a process uses the words before it reads them again. Only then a line costs a query."""


@dataclass(frozen=True, slots=True)
class BlockedWords:
    """The filter, and what happens to chat lines."""

    text: str
    filter: WordFilter
    refuses_lines: bool


class _Kept:
    """The words as this process has read them last."""

    words = BlockedWords("", WordFilter([]), refuses_lines=False)
    until = 0.0


def load() -> BlockedWords:
    """The words of the settings, at most :data:`KEPT_SECONDS` old. Thread-safe."""
    if time.monotonic() < _Kept.until:
        return _Kept.words
    row = HouseSettings.objects.filter(pk=1).values_list("blocked_words", "blocked_lines").first()
    text, lines = row or ("", HouseSettings.BlockedLines.MASK)
    refuses = lines == HouseSettings.BlockedLines.REFUSE
    known = _Kept.words
    if (text, refuses) != (known.text, known.refuses_lines):
        entries = word_filter.split_entries(text)
        known = BlockedWords(text, WordFilter(entries), refuses_lines=refuses)
    _Kept.words, _Kept.until = known, time.monotonic() + KEPT_SECONDS
    return known


def forget() -> None:
    """Read the words again at their next use, after a change of the settings."""
    _Kept.until = 0.0


def has_blocked_word(name: str) -> bool:
    """Whether a name has a blocked word."""
    return load().filter.find(name, is_name=True) is not None
