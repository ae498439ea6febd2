"""The time and memory of exact values: whole games, and single hands of a running shoe."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from random import Random
from statistics import median
from typing import Any

from tables.engine.cards import DECK
from tables.engine.presets import CASINO, VEGAS
from tables.odds.decisions import evaluate
from tables.odds.games import evaluate_game
from tests.bench.engines import on_one_core

RUNS = 5
HANDS = 400
MOST_SEEN = 200
"""Cards of a shoe of 312 that were seen before the hand."""


def measure() -> Iterator[dict[str, Any]]:
    """One JSON line a figure; the floor is the limit that it has to keep."""
    with on_one_core():
        evaluate_game(CASINO)  # once for what is computed at the first use
        yield line("odds_of_six_decks_seconds", _median_of_game(lambda: evaluate_game(VEGAS)), 4)
        yield line("odds_of_one_deck_seconds", _median_of_game(lambda: evaluate_game(CASINO)), 1.5)
        yield line("odds_of_a_hand_with_seen_cards_p50_ms", 1000 * median(_hand_seconds()), 30)
        yield line("odds_of_six_decks_peak_mb", _peak_megabytes(), 300)


def line(name: str, value: float, limit: float) -> dict[str, Any]:
    return {
        "name": name,
        "value": round(value, 2),
        "floor": limit,
        "floor_is": "the limit",
        "ratio": round(value / limit, 2),
    }


def _median_of_game(work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(RUNS):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return median(seconds)


def _hand_seconds() -> Iterator[float]:
    """Hands of two cards from six decks, of which up to :data:`MOST_SEEN` cards were seen."""
    random = Random(1)
    for _ in range(HANDS):
        shoe = list(DECK * VEGAS.decks)
        random.shuffle(shoe)
        first, second, up, *rest = shoe
        began = time.perf_counter()
        evaluate(VEGAS, (first, second), up, rest[: random.randrange(MOST_SEEN)])
        yield time.perf_counter() - began


PEAK = """
from tables.engine.presets import VEGAS
from tables.odds.games import evaluate_game
evaluate_game(VEGAS)
print(*[line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")])
"""


def _peak_megabytes() -> float:
    """Of a process of its own, as Linux tells it."""
    process = subprocess.run(
        [sys.executable, "-c", PEAK], check=True, capture_output=True, text=True
    )
    return int(process.stdout) / 1024
