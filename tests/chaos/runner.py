"""Bots play, things go wrong, and in the end everything has to add up."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from tests.chaos import faults
from tests.chaos.audit import audit
from tests.chaos.bots import QUICK, Bot, Patience, Place, until
from tests.chaos.cleanup import end
from tests.chaos.fixtures import Setup, SetupPlan, set_up
from tests.chaos.pages import Page
from tests.chaos.servers import SCALED, House, house

RULES = ["casino", "vegas", "pot", "classic", "heads-up", "piles", "casino", "vegas"]
AT_TWO_TABLES = 2
WATCHERS = 2
PATIENCE = Patience(longest=2.0, steady=5.0)
"""A browser's, but that what takes it minutes takes seconds here."""
A_LONG_RUN = 60.0
"""Seconds. From there on what breaks stays broken for longer."""
BACK_WITHIN = 30.0
"""Seconds after a fault in which everybody has to be back."""
SETTLED_WITHIN = 60.0
"""Seconds after the last fault in which every round has to be at its end."""
CONVERGED_WITHIN = 8.0
"""Seconds in which a heartbeat finds whatever was not heard of."""


@dataclass
class Report:
    """What came of a run."""

    seed: int
    on: str
    broken: Counter[str] = field(default_factory=Counter)
    back: list[tuple[str, float]] = field(default_factory=list)
    """Seconds until everybody was back, after each fault."""
    faults: list[tuple[str, str]] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    tell: Callable[[str], None] = lambda words: None
    """Is told what happens while it happens."""

    def count(self, kind: str) -> int:
        return sum(fault_kind == kind for fault_kind, _ in self.faults)

    @property
    def kills(self) -> int:
        return sum(self.broken[name] for name in faults.ON_PROCESSES)

    def __str__(self) -> str:
        worst = max(self.back, key=lambda one: one[1], default=("", 0.0))
        times = [seconds for _, seconds in self.back]
        broken = ", ".join(f"{number} x {name}" for name, number in sorted(self.broken.items()))
        lines = [
            f"seed {self.seed} on {self.on}",
            f"broken: {broken}",
            ", ".join(f"{value} {name}" for name, value in self.figures.items()),
            ", ".join(f"{self.count(kind)} {kind}" for kind in ("lost", "doubled", "stuck")),
            f"everybody back: median {median(times or [0]):.1f} s, "
            f"worst {worst[1]:.1f} s (after: {worst[0]})",
            *(f"FAULT {kind}: {words}" for kind, words in self.faults[:40]),
            f"{len(self.faults)} faults",
        ]
        return "\n".join(lines)


async def run(
    on: str,
    folder: Path,
    *,
    seed: int,
    seconds: float,
    kills: int,
    prepared: Path | None = None,
    cluster: Path | None = None,
    tell: Callable[[str], None] = lambda words: None,
) -> Report:
    """Play for so long with so many kills, let it come to its end, and audit it."""
    chance = Random(seed)
    report = Report(seed, on, tell=tell)
    async with house(
        on, folder, Random(f"{seed}/line"), prepared=prepared, cluster=cluster
    ) as open_house:
        if seconds > A_LONG_RUN:
            open_house.longest = 30.0
        players = sum(map(_seats_of, RULES)) - AT_TWO_TABLES + WATCHERS
        setup = await asyncio.to_thread(set_up, open_house.servers[0], SetupPlan(RULES, players))
        await open_house.start(*open_house.servers)
        bots = _bots(open_house.site, setup, seed)
        pages = [bot.page for bot in bots]
        try:
            for bot in bots:
                bot.start()
            await _break_things(open_house, pages, report, chance, seconds=seconds, kills=kills)
            report.tell("nothing breaks any more: everybody leaves")
            report.faults += [fault async for fault in let_it_end(bots)]
        finally:
            await asyncio.gather(*(bot.stop() for bot in bots))
        report.tell("the processes end, and the audit begins")
        for server in open_house.servers:
            await open_house.terminate(server)
        audit_report = await asyncio.to_thread(
            audit, open_house.servers[0], [page.history for page in pages], folder / "histories"
        )
        report.faults += [tuple(fault) for fault in audit_report.pop("faults")]
        report.figures = _figures(pages) | audit_report | _of_processes(open_house)
    return report


def _seats_of(key: str) -> int:
    return {"heads-up": 1, "piles": 1}.get(key, 3)


def _bots(site: str, setup: Setup, seed: int) -> list[Bot]:
    """One in every seat, some at two tables, some who only watch."""
    places = [
        Place(table, key, seat, setup.stakes[key])
        for table, key in setup.tables
        for seat in range(1, setup.seats[key] + 1)
    ]
    watching = [Place(*setup.tables[number], seat=0, stake=0) for number in range(WATCHERS)]
    seated = len(places) - AT_TWO_TABLES
    players = [*setup.players[:seated], *setup.players[:AT_TWO_TABLES], *setup.players[seated:]]
    bots = []
    for number, (place, player) in enumerate(zip([*places, *watching], players, strict=True)):
        own = f"{seed}/{number}"
        bot = Bot(site, player, place, seed=own, pace=QUICK, patience=PATIENCE)
        bot.is_leaving = place.seat == 0
        bots.append(bot)
    return bots


# While it runs


async def _break_things(
    open_house: House,
    pages: list[Page],
    report: Report,
    chance: Random,
    *,
    seconds: float,
    kills: int,
) -> None:
    """Kills one after the other, and beside them what else can break, until the time is up."""
    began = time.monotonic()
    if await until(lambda: all(page.is_open for page in pages), BACK_WITHIN) is None:
        report.faults.append(("stuck", "not everybody could come in"))
        return
    beside = asyncio.create_task(_break_lines(open_house, pages, report, Random(chance.random())))
    names = faults.endless(faults.BAG_OF_PROCESSES, chance)
    try:
        for number in range(kills):
            due = began + seconds * (number + chance.uniform(0.1, 0.6)) / kills
            # They play for a while first, also when it goes slower than it should.
            await asyncio.sleep(max(chance.uniform(0.5, 1.5), due - time.monotonic()))
            server, name = chance.choice(open_house.servers), next(names)
            await _break(name, faults.ON_PROCESSES[name](open_house, server), pages, report)
        await asyncio.sleep(began + seconds - time.monotonic())
    finally:
        await end(beside)
        open_house.proxy.mend()


async def _break_lines(
    open_house: House, pages: list[Page], report: Report, chance: Random
) -> None:
    kinds = faults.ON_LINES | faults.ON_BACKENDS
    bags = [faults.endless(tuple(faults.ON_LINES), chance)]
    if report.on == SCALED:
        bags.insert(0, faults.endless(tuple(faults.ON_BACKENDS), chance))
    for names in itertools.cycle(bags):
        await asyncio.sleep(chance.uniform(0.2, 1))
        name = next(names)
        # To its end, also when time is up: what is down has to come up again.
        work = asyncio.ensure_future(kinds[name](open_house, chance))
        try:
            await _break(name, asyncio.shield(work), pages, report)
        except asyncio.CancelledError:
            await work
            raise


async def _break(name: str, broken: Awaitable[float], pages: list[Page], report: Report) -> None:
    """Count it, and take the time until everybody has the table as it is again."""
    report.broken[name] += 1
    lifted = await broken
    for page in pages:
        await page.ask()

    def away() -> list[str]:
        return [page.player.name for page in pages if page.refreshed_at <= lifted]

    if await until(lambda: not away(), BACK_WITHIN) is None:
        report.tell(f"{name}: not back are {', '.join(away())}")
        report.faults.append(("stuck", f"{', '.join(away())} not back after: {name}"))
    else:
        seconds = max(page.refreshed_at for page in pages) - lifted
        report.back.append((name, seconds))
        report.tell(f"{name}: everybody back after {seconds:.1f} s")


async def let_it_end(bots: list[Bot]) -> AsyncIterator[tuple[str, str]]:
    """Nothing breaks any more: everybody leaves, and every page hears of everything. What does
    not come about is told as a fault.
    """
    for bot in bots:
        bot.is_leaving = True
    if await until(lambda: all(bot.is_gone for bot in bots), SETTLED_WITHIN) is None:
        for bot in bots:
            if not bot.is_gone:
                name = bot.page.player.name
                yield "stuck", f"{name} does not get away from table {bot.place.table}"
    tables = {bot.place.table for bot in bots}

    def is_one() -> bool:
        seqs = {(bot.place.table, bot.page.seq) for bot in bots}
        return len(seqs) == len(tables)

    if await until(is_one, CONVERGED_WITHIN) is None:
        seqs = {(bot.place.table, bot.page.seq) for bot in bots}
        yield "events", f"not everybody is where their table is: {sorted(seqs)}"


# Afterwards


def _figures(pages: list[Page]) -> dict[str, Any]:
    lines = Counter(line["what"] for page in pages for line in page.history.lines)
    return {
        "commands": lines["invoke"],
        "acknowledged": lines["ok"],
        "refused": lines["fail"],
        "unknown": lines["unknown"],
        "lines opened": lines["opened"],
    }


def _of_processes(open_house: House) -> dict[str, Any]:
    logs = [server.log.read_text() for server in open_house.servers if server.log.exists()]
    return {
        "tracebacks": sum(log.count("Traceback") for log in logs),
        "exits after SIGTERM": dict(Counter(map(str, open_house.exits))),
    }
