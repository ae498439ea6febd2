"""The house edge of each rule set: simulated once, and stored.

The edges of the presets are part of the program. Other combinations of options are simulated in the
background when the books first need them.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Final

import structlog
from django.db import connection

from tables.engine.errors import OptionError
from tables.engine.options import customize
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset
from tables.engine.simulation import SimulationResult, simulate
from tables.engine.strategies import STRATEGIES, describe_misfit
from tables.models import Edge
from tables.operators.books.confidence_band import SimulatedEdge
from tables.protocol import codec
from tables.results.revenue import encode_options

log = structlog.get_logger()

ROUNDS: Final = 400_000
"""Simulated rounds of a new combination: about ten seconds, with an error of 0.2 % of the bets."""
_TRIAL: Final = 20_000
"""Rounds to select the best strategy."""
_LEAVES_EDGE: Final = ("seats", "minimum", "maximum")
"""Options that do not change the edge."""
_PAUSE: Final = 0.02
"""Pause in seconds after each thousand background rounds, for other threads."""

SHIPPED: Final = {
    "casino": SimulatedEdge(+0.002584, 1.1422, 8_000_000, "basic"),
    "vegas": SimulatedEdge(-0.004142, 1.1409, 8_000_000, "basic"),
    "pot": SimulatedEdge(-0.135155, 0.9908, 8_000_000, "basic"),
}
"""The output of ``manage.py edges --presets --rounds 8000000``."""


@dataclass(frozen=True, order=True, slots=True)
class RuleVariant:
    """A preset with the options that change the edge."""

    key: str
    options: str = "{}"

    @classmethod
    def from_stored(cls, key: str, options: str) -> RuleVariant:
        """Parse the stored values of takings."""
        told = codec.decode_state(options)
        return cls(key, encode_options({k: v for k, v in told.items() if k not in _LEAVES_EDGE}))

    @property
    def rules(self) -> Ruleset:
        """The rule set. Raises :class:`OptionError` and ``KeyError`` if it no longer exists."""
        return customize(self.key, codec.decode_state(self.options))


def load_edges(ways: Iterable[RuleVariant]) -> dict[RuleVariant, SimulatedEdge]:
    """The known values of these ways; unsimulated ones are missing."""
    wanted = set(ways)
    found = {way: SHIPPED[way.key] for way in wanted if way.options == "{}" and way.key in SHIPPED}
    for edge in Edge.objects.filter(rules_key__in={way.key for way in wanted}):
        way = RuleVariant(edge.rules_key, edge.options)
        is_better = way not in found or found[way].rounds < edge.rounds
        if way in wanted and edge.rounds and is_better:
            found[way] = SimulatedEdge(edge.edge, edge.deviation, edge.rounds, edge.strategy)
    return found


def is_beatable(way: RuleVariant, found: SimulatedEdge) -> bool:
    """Whether the strategy does not fit the rules, so that better play reduces the house edge."""
    try:
        return bool(describe_misfit(found.strategy, way.rules))
    except (OptionError, KeyError):
        return False


def is_staked(way: RuleVariant) -> bool:
    """Whether there are stakes, and so an edge."""
    preset = PRESETS.get(way.key)
    return preset is not None and preset.stakes is not None


def simulate_edge(
    way: RuleVariant, rounds: int, progress: Callable[[int], None] | None = None
) -> SimulatedEdge:
    """Simulate the best strategy there is. Raises :class:`OptionError` and ``KeyError``."""
    rules = way.rules
    # A fixed seed, for reproducible results.
    chance = random.Random(f"{way.key} {way.options}")  # noqa: S311 - no player's cards
    trials = {
        name: simulate(rules, strategy, _TRIAL, chance, progress).edge
        for name, strategy in STRATEGIES.items()
    }
    best = max(trials, key=trials.__getitem__)
    result = simulate(rules, STRATEGIES[best], rounds, chance, progress)
    return SimulatedEdge(result.edge, _deviation(result), result.rounds, best)


def store_edge(way: RuleVariant, found: SimulatedEdge) -> None:
    """Store the values, in place of older ones."""
    values = {
        "strategy": found.strategy,
        "rounds": found.rounds,
        "edge": found.edge,
        "deviation": found.deviation,
    }
    Edge.objects.update_or_create(rules_key=way.key, options=way.options, defaults=values)


def _deviation(result: SimulationResult) -> float:
    return result.standard_error * sqrt(result.rounds)


class _SimulationThread:
    """A thread that simulates one combination after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._waiting: list[RuleVariant] = []
        self._tried: set[RuleVariant] = set()
        self._failed: set[RuleVariant] = set()

    @property
    def failed(self) -> frozenset[RuleVariant]:
        """The combinations that could not be simulated."""
        return frozenset(self._failed)

    def queue(self, ways: Iterable[RuleVariant]) -> None:
        """Queue these for simulation. Each is tried once per process."""
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
                store_edge(way, simulate_edge(way, ROUNDS, lambda _played: time.sleep(_PAUSE)))
            except (OptionError, KeyError):
                self._failed.add(way)
                log.warning("edge_of_unplayable_rules", rules=way.key, options=way.options)
            except Exception:
                self._failed.add(way)
                log.exception("edge_failed", rules=way.key, options=way.options)
            finally:
                connection.close()


background: Final = _SimulationThread()
"""The simulator of this process."""
