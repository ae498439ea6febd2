"""A command, the lobby and a table's page in houses of all sizes, beside a small one.

Three real servers on three databases, asked by turns: ten tables, a thousand, and ten thousand
with ten million hands in the books, which fill 13 GB. ``BENCH_HANDS=1000000 make bench
PART=growth`` fills a tenth of that.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench import many_tables
from tests.bench.bare import get, milliseconds
from tests.bench.bulk_ledger import Books
from tests.bench.playing import PAUSE, close_pages, one_command, take_seats
from tests.bench.servers import line, milliseconds_of_threads, opened
from tests.helpers.servers.process import Server
from tests.helpers.socket_player import SocketPlayer

HANDS = int(os.environ.get("BENCH_HANDS", 10_000_000))
FEW_HANDS = 10_000
TABLES = (10, 1_000, 10_000)
OTHERS = 200
REGULARS = ("ann", "ben", "cleo")
"""They play, and are in a hundredth of all rounds each before."""
RUNS = 5
COMMANDS = 60
REQUESTS = 9
"""In one run."""
CASINO = 1
PAGES = {"lobby": "/", "table": f"/tables/{CASINO}/"}


@dataclass
class SizedHouse:
    """A server with so much in its database, and what it was measured to take."""

    tables: int
    hands: int
    server: Server
    players: list[SocketPlayer]
    measurements: dict[str, list[float]] = field(default_factory=dict)

    def note(self, name: str, value: float) -> None:
        self.measurements.setdefault(name, []).append(value)

    @property
    def size(self) -> str:
        return f"{self.tables}_tables_{self.hands}_hands"


def measure(
    folder: Path,
    *,
    hands: int = HANDS,
    tables: tuple[int, ...] = TABLES,
    runs: int = RUNS,
    commands: int = COMMANDS,
    requests: int = REQUESTS,
) -> Iterator[dict[str, Any]]:
    """Four JSON lines for each size but the smallest."""
    sizes = [(number, FEW_HANDS) for number in tables[:-1]] + [(tables[-1], hands)]
    with ExitStack() as stack:
        houses = [_house(stack, folder, *size, is_small=size == sizes[0]) for size in sizes]
        asyncio.run(commands_by_turns(houses, runs, commands))
        for _ in range(runs):
            for name, path in PAGES.items():
                for house in houses:
                    request = get(house.server, path, house.players[0])
                    took = milliseconds(house.server, request, requests=requests)
                    house.note(f"{name}_ms", took)
        yield from figures(houses)


def figures(houses: list[SizedHouse]) -> Iterator[dict[str, Any]]:
    small = houses[0]
    floor_is = f"the same with {small.tables} tables and {small.hands} hands"
    for name, least in small.measurements.items():
        for house in houses[1:]:
            value = median(house.measurements[name])
            yield line(f"{name}_with_{house.size}", value, median(least), floor_is)


def _house(
    stack: ExitStack, folder: Path, tables: int, hands: int, *, is_small: bool
) -> SizedHouse:
    def furnish(path: Path) -> None:
        rounds = dict.fromkeys(REGULARS, hands // 3 // 100)
        Books(path).fill(hands=hands, rounds_of=rounds, others=OTHERS)
        many_tables.furnish(path, tables=tables, is_seated=not is_small)

    server_and_players = stack.enter_context(
        opened(folder / str(tables), players=REGULARS, furnish=furnish)
    )
    return SizedHouse(tables, hands, *server_and_players)


async def commands_by_turns(houses: list[SizedHouse], runs: int, commands: int) -> None:
    """The times of commands, and what of the processor they need."""
    for house in houses:
        await take_seats(house.players, CASINO)
    for _ in range(runs):
        times: dict[str, list[float]] = {house.size: [] for house in houses}
        used = dict.fromkeys(times, 0.0)
        for _ in range(commands):
            for house in houses:
                before = milliseconds_of_threads(house.server)
                took = await one_command(house.players)
                used[house.size] += milliseconds_of_threads(house.server) - before
                times[house.size].append(1000 * took)
                await asyncio.sleep(PAUSE / len(houses))
        for house in houses:
            house.note("command_ms", median(times[house.size]))
            house.note("command_cpu_ms", used[house.size] / commands)
    for house in houses:
        await close_pages(house.players)
