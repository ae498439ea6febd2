"""From a player's command to the last of three seats having its frame, beside the floor.

How long is measured can be told: see :mod:`tests.bench.options`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from tests.bench.comparison import DAPHNE, UVICORN, RecordedPlace, SideRuns, compared
from tests.bench.databases import place_in, recorded_at
from tests.bench.last_release import check_out
from tests.bench.options import is_wanted

COMMANDS = 500
"""So many in one run, one after the other at one table."""
MOST_SECONDS = 10


def measure(folder: Path) -> Iterator[dict[str, Any]]:
    """One JSON line a figure, in milliseconds."""
    folder.mkdir()
    ours, last = (
        RecordedPlace(place, recorded_at(place, commands=COMMANDS))
        for place in (
            place_in(folder / "ours", tables=1),
            place_in(folder / "last", tables=1, root=check_out(folder / "release")),
        )
    )
    for program in (DAPHNE, UVICORN):
        if not is_wanted(f"{program}_sqlite"):
            continue
        measured = compared(
            ours, program, last_release=last, seconds=MOST_SECONDS, commands=COMMANDS
        )
        floor_is = (
            f"raw ASGI on {program} telling three sockets, raw sqlite3 in a writer thread"
            " writing the same rows"
        )
        for name, figure in (("p50", median), ("p99", slowest_hundredth)):
            yield measured.line(
                f"command_to_last_of_three_seats_{name}_ms_{program}",
                partial(SideRuns.of_times, figure=figure),
                floor_is,
            )


def slowest_hundredth(times: Sequence[float]) -> float:
    """What one of a hundred takes longer than."""
    return quantiles(times, n=100)[98]
