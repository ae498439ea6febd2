"""What a process needs, how long players wait: for load, storm and soak."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import quantiles
from time import monotonic
from typing import Any

from tests.chaos.bots import HUMAN, Bot, Patience, Place
from tests.chaos.fixtures import Setup, SetupPlan, set_up
from tests.chaos.pages import Page, Player
from tests.chaos.servers import House, house
from tests.helpers.servers.process import Server

RULES = ("casino", "vegas", "pot", "classic")
"""Those with three seats."""
SEATS = 3
MEGABYTE = 2**20


@dataclass(frozen=True)
class Needs:
    """What a server process has and has used: bytes, open files, seconds of the processor."""

    resident: int
    files: int
    seconds: float


def needs_of(server: Server) -> Needs:
    """Read from /proc, as Linux tells it."""
    assert server.process is not None
    folder = Path(f"/proc/{server.process.pid}")
    pages = int((folder / "statm").read_text().split()[1])
    user, system = (folder / "stat").read_text().rpartition(")")[2].split()[11:13]
    return Needs(
        resident=pages * os.sysconf("SC_PAGE_SIZE"),
        files=len(os.listdir(folder / "fd")),
        seconds=(int(user) + int(system)) / os.sysconf("SC_CLK_TCK"),
    )


class Meter:
    """From a command to its frame at the last who looks at the table, in seconds."""

    def __init__(self) -> None:
        self.is_on = False
        self.answers: list[float] = []
        """From a command to its answer."""
        self._starts: dict[str, float] = {}
        self._changes: dict[tuple[int, int], float] = defaultdict(float)
        self._commands: list[tuple[int, int, float]] = []

    def watch(self, page: Page) -> None:
        """Count what this page gives and hears."""
        page.on_given = self._note_given
        page.on_changed = self._note_changed
        page.on_done = self._note_done

    def times(self) -> list[float]:
        """The waits of all commands that are done, in no order."""
        return [self._changes[table, seq] - start for table, seq, start in self._commands]

    def _note_given(self, page: Page, command: dict[str, Any]) -> None:
        if self.is_on:
            self._starts[command["id"]] = monotonic()

    def _note_changed(self, page: Page, seq: int) -> None:
        if self.is_on:
            self._changes[page.table_id, seq] = monotonic()

    def _note_done(self, page: Page, command: dict[str, Any], seq: int) -> None:
        start = self._starts.pop(command["id"], None)
        if start is not None:
            self.answers.append(monotonic() - start)
            self._commands.append((page.table_id, seq, start))


def shares(times: Sequence[float]) -> str:
    """The p50, p95, p99 and the worst, in words."""
    if len(times) < 2:
        return "nothing to measure"
    cuts = quantiles(times, n=100)
    named = {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "worst": max(times)}
    return ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in named.items())


def seated(
    opened: House, setup: Setup, players: Sequence[Player], *, meter: Meter | None = None
) -> list[Bot]:
    """A bot in every seat, straight to the processes, one table after the other."""
    bots = []
    for number, player in enumerate(players):
        table, key = setup.tables[number // SEATS]
        place = Place(table, key, number % SEATS + 1, setup.stakes[key])
        bots.append(a_bot(opened, setup, place, player))
        if meter is not None:
            meter.watch(bots[-1].page)
    return bots


def a_bot(opened: House, setup: Setup, place: Place, player: Player) -> Bot:
    """Somebody who plays at the pace of people, and of whom nothing is written down."""
    port = opened.servers[place.table % len(opened.servers)].port
    bot = Bot(
        opened.site, player, place, seed=player.name, pace=HUMAN, patience=Patience(), port=port
    )
    bot.page.history.is_kept = False
    return bot


@asynccontextmanager
async def furnished(
    on: str, folder: Path, *, tables: int, players: int
) -> AsyncIterator[tuple[House, Setup]]:
    """A house whose servers run, with so many tables and players."""
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(house(on, folder, Random(0)))
        rules = [RULES[number % len(RULES)] for number in range(tables)]
        plan = SetupPlan(rules, players, betting_seconds=20, turn_seconds=30)
        setup = set_up(opened.servers[0], plan)
        await opened.start(*opened.servers)
        yield opened, setup
