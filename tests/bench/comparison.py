"""The two sides of a comparison as real server processes, and runs of the load by turns."""

from __future__ import annotations

import os
import signal
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import mkdtemp
from typing import Any

from tests.bench.baseline_server import FRESH
from tests.bench.busy_tables import BusyTable
from tests.bench.databases import Place
from tests.bench.load import NO_END, Load, Run, run_load
from tests.bench.options import RUNS, SECONDS
from tests.helpers.servers.process import ROOT, Server

DAPHNE, UVICORN = "daphne", "uvicorn"
QUIET_SECONDS = 2.0
"""By then it was noted and told whose pages are open: the load takes every change for its own."""
WARM_UP_SECONDS = 0.5


class BenchServer(Server):
    """One of the bench's servers, on daphne or uvicorn."""

    def __init__(
        self, data: Path, *, module: str, program: str, root: Path = ROOT, **environment: str
    ) -> None:
        super().__init__(data, module=module, **environment)
        self.command.append(program)
        self.root = root


def cpu_seconds(pid: int, *, with_ended: bool = False) -> float:
    """What a process has used of the processors, as Linux tells it; ``with_ended`` also what its
    children had when they ended.
    """
    used = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
    return sum(map(int, used if with_ended else used[:2])) / os.sysconf("SC_CLK_TCK")


@dataclass
class SideRuns:
    """The runs of one side. ``cpu``: seconds of the processors in each, by whose they are."""

    runs: list[Run] = field(default_factory=list)
    cpu: list[dict[str, float]] = field(default_factory=list)

    def per_second(self) -> float:
        """Commands a second."""
        return median(run.commands / run.seconds for run in self.runs)

    def of_times(self, figure: Callable[[Sequence[float]], float]) -> float:
        """A figure of the times of all tables, in milliseconds."""
        return 1000 * median(figure(run.all_times) for run in self.runs)

    def cpu_ms(self, whose: str = "servers") -> float:
        """Milliseconds of the processors a command."""
        each = zip(self.runs, self.cpu, strict=True)
        return median(1000 * cpu[whose] / run.commands for run, cpu in each)


class Side:
    """Servers that run, and the load that plays there.

    ``is_spread``: the players of one table are at different servers.
    """

    def __init__(
        self,
        servers: Sequence[Server],
        busy: Sequence[BusyTable],
        *,
        is_floor: bool = False,
        is_spread: bool = True,
        others: dict[str, Callable[[], float]] | None = None,
    ) -> None:
        self.servers = servers
        self.busy = busy
        self.is_floor = is_floor
        self.is_spread = is_spread
        self.others = others or {}
        self.measured = SideRuns()
        self._load: Load | None = None

    async def start(self) -> None:
        """Open the sockets, and play a little."""
        self._load = await Load.open(
            self.busy, [server.url for server in self.servers], is_spread=self.is_spread
        )
        if len(self.servers) > 1:  # each of them follows the tables of the others by then
            await self._load.hear(b"heartbeat")
        await self._load.hear_out(QUIET_SECONDS)
        await self._load.look()
        await self._load.run(WARM_UP_SECONDS)

    async def run(self, seconds: float, commands: int = NO_END) -> None:
        """Play once more, and keep what is measured."""
        assert self._load is not None
        if self.is_floor:
            urllib.request.urlopen(self.servers[0].url + FRESH, timeout=30).read()
        await self._load.look()
        before = self._cpu()
        self.measured.runs.append(await self._load.run(seconds, commands))
        after = self._cpu()
        self.measured.cpu.append({whose: after[whose] - before[whose] for whose in after})

    async def close(self) -> None:
        if self._load is not None:
            await self._load.close()

    def hold(self) -> None:
        """Stop the server processes: what a site does after the load, such as the grades of its
        rounds, is not to take a core from the next side.
        """
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let the server processes run again."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        for server in self.servers:
            assert server.process is not None
            server.process.send_signal(number)

    def _cpu(self) -> dict[str, float]:
        own = sum(cpu_seconds(server.process.pid) for server in self.servers if server.process)
        return {"servers": own, **{whose: used() for whose, used in self.others.items()}}


@dataclass(frozen=True)
class Comparison:
    """What was measured by turns. The last two are of the last release, if that took part."""

    product: SideRuns
    floor: SideRuns
    fixed_floor: SideRuns | None = None
    last_release: SideRuns | None = None

    def line(
        self, name: str, figure: Callable[[SideRuns], float], floor_is: str, digits: int = 2
    ) -> dict[str, Any]:
        """What the bench prints of one figure of all of them."""
        others = {"fixed_floor": self.fixed_floor, "last_release": self.last_release}
        figures = {other: figure(side) for other, side in others.items() if side}
        return line(name, figure(self.product), figure(self.floor), floor_is, digits, **figures)


@dataclass(frozen=True)
class RecordedPlace:
    """Busy tables, and what a house wrote there."""

    place: Place
    recorded: Path

    def product(self, program: str) -> Side:
        """The house of that code."""
        data, environment = self.place.copy()
        module = "tests.bench.product_server"
        server = BenchServer(
            data, module=module, program=program, root=self.place.root, **environment
        )
        return Side([server], self.place.busy)

    def floor(self, program: str) -> Side:
        """The program that writes what was recorded."""
        server = BenchServer(
            Path(mkdtemp(prefix="floor_", dir=self.place.folder)),
            module="tests.bench.baseline_server",
            program=program,
            FLOOR_RECORDING=str(self.recorded),
            FLOOR_FRESH=self.place.fresh,
        )
        return Side([server], self.place.busy, is_floor=True)


def compared(
    ours: RecordedPlace,
    program: str,
    *,
    last_release: RecordedPlace | None = None,
    seconds: float = SECONDS,
    commands: int = NO_END,
    runs: int = RUNS,
) -> Comparison:
    """The product, the floor that writes its rows, and the same of the last release, by turns."""
    sides = [each.product(program) for each in (ours, last_release) if each]
    sides[1:1] = [each.floor(program) for each in (ours, last_release) if each]
    with running(*(server for side in sides for server in side.servers)):
        run_load(by_turns(sides, seconds=seconds, commands=commands, runs=runs))
    return Comparison(*(side.measured for side in sides))


@contextmanager
def running(*servers: Server) -> Iterator[None]:
    """These servers are started; whatever happens, they are ended."""
    try:
        for server in servers:
            server.start()
        yield
    finally:
        for server in servers:
            server.end()


async def by_turns(
    sides: Sequence[Side], *, seconds: float, commands: int = NO_END, runs: int = RUNS
) -> None:
    """Play ``runs`` times at each side in turn. The servers of the other sides are stopped meanwhile."""
    try:
        for side in sides:
            await side.start()
            side.hold()
        for _ in range(runs):
            for side in sides:
                side.go_on()
                await side.run(seconds, commands)
                side.hold()
    finally:
        for side in sides:
            await side.close()


def line(
    name: str, value: float, floor: float, floor_is: str, digits: int = 2, **others: float
) -> dict[str, Any]:
    """What the bench prints. ``others``: what else was measured in the same run, by its name."""
    printed = {
        "name": name,
        "value": round(value, digits or None),
        "floor": round(floor, digits or None),
        "floor_is": floor_is,
        "ratio": round(value / floor, 2),
    }
    for other, figure in others.items():
        printed |= {
            other: round(figure, digits or None),
            f"ratio_to_{other}": round(value / figure, 2),
        }
    return printed
