"""The house beside what one might pick instead: a socket.io table in memory, and boardgame.io.

All are asked for the same: tables of three, an action, its frame to all three, the next action.
One load generator in a process of its own plays at all of them, by turns. It is written in
JavaScript, because that is what the others' clients are written in; the house's pages are the same
``ws`` sockets that carry socket.io. The others come from the npm registry into a throw-away folder.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.busy_tables import make_busy
from tests.bench.comparison import DAPHNE, UVICORN, BenchServer, cpu_seconds, line
from tests.bench.options import RUNS, SECONDS

TABLES = 20
PACKAGES = (
    "socket.io@4.8.1", "socket.io-client@4.8.1", "ws@8.18.3", "boardgame.io@0.50.2",
    "node-persist@3.1.0",
)  # fmt: skip
"""Later ones of node-persist 3 write once a second, and boardgame.io waits for each write."""
SCRIPTS = Path(__file__).parent

FLOORS = {
    "socket_io_in_memory": "a socket.io table in memory: nothing is written, nothing survives",
    "boardgame_io_in_memory": "boardgame.io 0.50.2, matches in memory",
    "boardgame_io_flat_files": "boardgame.io 0.50.2 with its FlatFile storage",
}
KINDS = {name: "socket.io" if name.startswith("socket") else "boardgame.io" for name in FLOORS}
OWN_LENGTH = {"socket.io": 230, "boardgame.io": 820}
"""Characters of a frame of theirs before anything is added to make it as long as ours."""
OURS = {DAPHNE: "ours_on_daphne", UVICORN: "ours_on_uvicorn"}
"""What the load generator calls ours, by the server."""


@dataclass
class Figures:
    """Of one server, one figure a run."""

    per_second: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    p50_ms: list[float] = field(default_factory=list)
    characters: list[float] = field(default_factory=list)


@dataclass
class Running:
    """A server that runs; ``tables`` are the house's own, others make theirs when asked."""

    url: str
    pid: int
    tables: list[dict[str, Any]] = field(default_factory=list)


class Load:
    """The load generator: one order at a time."""

    def __init__(self, program: subprocess.Popen[str]) -> None:
        self.program = program

    def order(self, **order: Any) -> dict[str, Any]:
        """Have it done. Raises ``RuntimeError`` when the generator gives up."""
        assert self.program.stdin is not None
        assert self.program.stdout is not None
        self.program.stdin.write(json.dumps(order) + "\n")
        self.program.stdin.flush()
        answer = self.program.stdout.readline()
        if not answer:
            raise RuntimeError("the load generator gave up")
        result: dict[str, Any] = json.loads(answer)
        return result


def measure(
    folder: Path, *, runs: int = RUNS, seconds: float = SECONDS, tables: int = TABLES
) -> Iterator[dict[str, Any]]:
    """One JSON line a figure; none, and a sentence, where Node.js or the registry is missing."""
    scripts = fetched(folder / "npm")
    if isinstance(scripts, str):
        print(scripts, file=sys.stderr)
        return
    with ExitStack() as stack:
        load = Load(stack.enter_context(node(scripts, "load.mjs")))
        servers = {}
        for program, name in OURS.items():
            own = stack.enter_context(house(folder / name, tables, program))
            load.order(open=name, kind="ours", url=own.url, tables=own.tables)
            length = load.order(play=name, tables=tables, seconds=seconds / 3)["characters"]
            servers[name] = own
        for name in FLOORS:
            starting = their_server(scripts, name, folder / name, round(length))
            servers[name] = stack.enter_context(starting)
        figures: dict[str, Figures] = defaultdict(Figures)
        for run in range(runs + 1):
            for name, server in servers.items():
                run_figures = figures[name] if run else Figures()  # the first is to get warm
                one_run(load, server, name, run, tables, seconds, run_figures)
    yield from lines(figures)


def one_run(
    load: Load, server: Running, name: str, run: int, tables: int, seconds: float, figures: Figures
) -> None:
    """All tables at once, then one of them alone. Others get new tables for each run."""
    is_ours = name in OURS.values()
    if not is_ours:
        new = [{"id": f"{run}-{number}"} for number in range(tables)]
        load.order(open=name, kind=KINDS[name], url=server.url, tables=new)
    before = cpu_seconds(server.pid)
    busy = load.order(play=name, tables=tables, seconds=seconds)
    used = cpu_seconds(server.pid) - before
    alone = load.order(play=name, tables=1, seconds=seconds / 2)
    if not is_ours:
        load.order(close=name)
    figures.per_second.append(busy["per_second"])
    figures.cpu_ms.append(1000 * used / busy["actions"])
    figures.characters.append(busy["characters"])
    figures.p50_ms.append(alone["p50"])


def lines(figures: dict[str, Figures]) -> Iterator[dict[str, Any]]:
    """Ours beside each of the others."""
    for (program, own), (other, floor_is) in product(OURS.items(), FLOORS.items()):
        ours, theirs = figures[own], figures[other]
        for figure, digits, each, floor in (
            ("actions_per_second", 0, ours.per_second, theirs.per_second),
            ("p50_of_one_table_ms", 2, ours.p50_ms, theirs.p50_ms),
            ("server_cpu_ms_per_action", 3, ours.cpu_ms, theirs.cpu_ms),
            ("characters_of_a_frame", 0, ours.characters, theirs.characters),
        ):
            name = f"{figure}_{program}_beside_{other}"
            yield line(name, median(each), median(floor), floor_is, digits)


def fetched(folder: Path) -> Path | str:
    """A folder with our scripts and what they need, or a sentence that says why there is none."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return "Nothing to hold the house against: Node.js 20 with npm is needed."
    shutil.copytree(SCRIPTS, folder, ignore=lambda _, names: {n for n in names if ".mjs" not in n})
    (folder / "package.json").write_text('{"private": true}')
    process = subprocess.run(
        [npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts",
         *PACKAGES],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    if process.returncode:
        errors = [text for text in process.stderr.splitlines() if text.startswith("npm error")]
        why = " ".join(errors[:2]) or "it does not say why"
        return f"Nothing to hold the house against: npm cannot fetch the others: {why}"
    return folder


@contextmanager
def node(folder: Path, script: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A script that runs; whatever happens, it is ended."""
    program = subprocess.Popen(
        ["node", script, *arguments],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"NODE_ENV": "production"},
    )  # fmt: skip
    with program:
        try:
            yield program
        finally:
            program.kill()


@contextmanager
def their_server(scripts: Path, name: str, folder: Path, length: int) -> Iterator[Running]:
    """A server of others, whose frames are made about as long as ours."""
    script = "socketio_server.mjs" if KINDS[name] == "socket.io" else "boardgame_server.mjs"
    more = max(0, length - OWN_LENGTH[KINDS[name]])
    flat = [str(folder)] if "flat" in name else []
    with node(scripts, script, str(more), *flat) as program:
        assert program.stdout is not None
        words = next((text.split() for text in program.stdout if text.startswith("port ")), None)
        if words is None:
            raise RuntimeError(f"{script} did not start")
        yield Running(f"http://localhost:{words[1]}", program.pid)


@contextmanager
def house(folder: Path, tables: int, program: str) -> Iterator[Running]:
    """The real server on SQLite, with tables at which rich players sit."""
    folder.mkdir(parents=True)
    server = BenchServer(folder, module="tests.bench.product_server", program=program)
    prepared = server.manage("prepare")
    if prepared.returncode:
        raise RuntimeError(prepared.stderr)
    own = [{"id": busy.table_id, "players": busy.cookies} for busy in make_busy(server, tables)]
    try:
        server.start()
        assert server.process is not None
        yield Running(server.url, server.process.pid, own)
    finally:
        server.end()
