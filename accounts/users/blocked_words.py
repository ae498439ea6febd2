"""The blocked words of the site, as a filter."""

from __future__ import annotations

from functools import lru_cache

from accounts import site_settings
from accounts.lib import word_filter
from accounts.lib.word_filter import WordFilter
from accounts.models import HouseSettings


def load() -> WordFilter:
    """The filter of the words in the settings. Without a query."""
    return _build(site_settings.get().blocked_words)


@lru_cache(maxsize=2)
def _build(text: str) -> WordFilter:
    return WordFilter(word_filter.split_entries(text))


def refuses_lines() -> bool:
    """Whether a chat line with a blocked word is refused, and not masked."""
    return site_settings.get().blocked_lines == HouseSettings.BlockedLines.REFUSE


def has_blocked_word(name: str) -> bool:
    """Whether a name has a blocked word."""
    return load().find(name, is_name=True) is not None
