"""``make bench``: what the product costs beside the floor it stands on, in one run.

Prints JSON lines with a name, the product's figure, the floor's and their ratio. Timings of this
kind of machine are noisy: only the ratios of one run mean something, and medians of five.
``python -m tests.bench engines`` runs the named parts alone.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.bench import (
    bare,
    engines,
    growth,
    idle,
    latency,
    lobby_cost,
    move,
    odds_cost,
    operators,
    pages,
    relay_cost,
    round_pace,
    storage_cost,
    throughput,
    two_processes,
    wire_bytes,
)
from tests.bench.others import beside
from tests.helpers.servers.process import Server

PARTS: dict[str, Callable[[Path], Iterable[dict[str, Any]]]] = {
    "latency": latency.measure,
    "throughput": throughput.measure,
    "processes": two_processes.measure,
    "others": beside.measure,
    "weight": storage_cost.measure,
    "carrying": relay_cost.measure,
    "engines": lambda _: engines.measure(),
    "odds": lambda _: odds_cost.measure(),
    "lobby": lobby_cost.measure,
    "idle": idle.measure,
    "growth": growth.measure,
    "bare": bare.measure,
    "bytes": wire_bytes.measure,
    "pages": pages.measure,
    "operators": operators.measure,
    "pace": round_pace.measure,
    "move": move.measure,
}


def main(chosen: list[str]) -> None:
    if unknown := set(chosen) - set(PARTS):
        sys.exit(f"{', '.join(sorted(unknown))}? The parts are {', '.join(PARTS)}.")
    Server.is_forked = False  # a forked one shares memory
    with tempfile.TemporaryDirectory(prefix="blackjack-bench-") as folder:
        for name in chosen or PARTS:
            for line in PARTS[name](Path(folder) / name):
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
