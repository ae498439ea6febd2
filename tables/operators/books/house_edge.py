"""The exact value of each combination of rules that was played, for the band of the books.

The presets are shipped. Other combinations are computed in the background when the books first
need them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog
from django.db import connection

from tables.advice import game_odds
from tables.engine.errors import OptionError
from tables.engine.options import WITHOUT_ODDS, customize
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset
from tables.odds.games import Game
from tables.protocol import codec
from tables.results.revenue import encode_options

log = structlog.get_logger()


@dataclass(frozen=True, order=True, slots=True)
class RuleVariant:
    """A preset with the options that change the edge."""

    key: str
    options: str = "{}"

    @classmethod
    def from_stored(cls, key: str, options: str) -> RuleVariant:
        """Parse the stored values of takings."""
        values = codec.decode_state(options)
        return cls(key, encode_options({k: v for k, v in values.items() if k not in WITHOUT_ODDS}))

    @property
    def rules(self) -> Ruleset:
        """The rule set. Raises :class:`OptionError` and ``KeyError`` if it no longer exists."""
        return customize(self.key, codec.decode_state(self.options))


def load_games(ways: Iterable[RuleVariant]) -> dict[RuleVariant, Game]:
    """The known values of those with stakes; what is not computed yet is missing."""
    rules = _playable_rules(way for way in ways if is_staked(way))
    games = game_odds.find_all(rules.values())
    return {way: games[of] for way, of in rules.items() if of in games}


def list_unplayable(ways: Iterable[RuleVariant]) -> frozenset[RuleVariant]:
    """Those that no table can have any more, so nothing can be computed."""
    all_ways = set(ways)
    return frozenset(all_ways - _playable_rules(all_ways).keys())


def _playable_rules(ways: Iterable[RuleVariant]) -> dict[RuleVariant, Ruleset]:
    rules = {}
    for way in ways:
        with suppress(OptionError, KeyError):
            rules[way] = way.rules
    return rules


def is_staked(way: RuleVariant) -> bool:
    """Whether there are stakes, and so an edge."""
    preset = PRESETS.get(way.key)
    return preset is not None and preset.stakes is not None


class _Computations:
    """A thread that computes one combination after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._waiting: list[RuleVariant] = []
        self._tried: set[RuleVariant] = set()

    def queue(self, ways: Iterable[RuleVariant]) -> None:
        """Queue these. Each is tried once per process."""
        with self._lock:
            fresh = sorted(set(ways) - self._tried)
            self._tried.update(fresh)
            self._waiting += fresh
            if self._waiting and self._thread is None:
                self._thread = threading.Thread(target=self._run, name="edges", daemon=True)
                self._thread.start()

    def wait(self) -> None:
        """Wait until the queue is empty."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _next_combination(self) -> RuleVariant | None:
        with self._lock:
            if self._waiting:
                return self._waiting.pop(0)
            self._thread = None
            return None

    def _run(self) -> None:
        while (way := self._next_combination()) is not None:
            try:
                game_odds.get(way.rules, game_odds.NO_LIMIT)
            except (OptionError, KeyError):
                log.warning("edge_of_unplayable_rules", rules=way.key, options=way.options)
            except Exception:
                log.exception("edge_failed", rules=way.key, options=way.options)
            finally:
                connection.close()


background: Final = _Computations()
"""The computations of this process."""
