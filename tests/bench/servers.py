"""Houses that the bench opens: real servers, what they use, and how figures are printed."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.chaos.metrics import needs_of
from tests.helpers.servers.process import Server, prepare
from tests.helpers.socket_player import SocketPlayer

AT_REST = 0.15
"""Of a core; a house that uses less has nothing to catch up on any more."""
LONGEST_START = 300


@contextmanager
def opened(
    folder: Path,
    *,
    players: tuple[str, ...] = (),
    furnish: Callable[[Path], None] | None = None,
    module: str = "tests.bench.bare_server",
    **environment: str,
) -> Iterator[tuple[Server, list[SocketPlayer]]]:
    """A server on data of its own, and its players, who have signed up.

    ``furnish`` gets the path of the SQLite database while nobody serves it. What a first start
    does is done once, in the folder ``prepared`` beside.
    """
    prepared = folder.parent / "prepared"
    if not prepared.exists():
        prepare(prepared)
    shutil.copytree(prepared, folder)
    server = Server(folder, module=module, **environment)
    server.start()
    try:
        socket_players = [SocketPlayer(server.url, name) for name in players]
        for player in socket_players:
            player.sign_up()
        if furnish is not None:
            server.stop()
            furnish(folder / "db.sqlite3")
            server.start()
            wait_until_at_rest(server)
        yield server, socket_players
    finally:
        server.end()


def wait_until_at_rest(server: Server) -> None:
    """Wait until the server has done what it does at a start. Raises ``RuntimeError``."""
    until = time.monotonic() + LONGEST_START
    while share_of_a_core(server, seconds=1) > AT_REST:
        if time.monotonic() > until:
            raise RuntimeError(f"the server is busy after {LONGEST_START} s")


def share_of_a_core(server: Server, *, seconds: float) -> float:
    """How much of a core the server uses in so many seconds from now."""
    before, began = needs_of(server).seconds, time.monotonic()
    time.sleep(seconds)
    return (needs_of(server).seconds - before) / (time.monotonic() - began)


def milliseconds_of_threads(server: Server) -> float:
    """What the threads that live now have used of the processor, more exactly than by its ticks."""
    assert server.process is not None
    threads = Path(f"/proc/{server.process.pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6


def private_kilobytes(server: Server) -> int:
    """The memory that is this process's alone: what ends with it, in KB."""
    assert server.process is not None
    rollup = Path(f"/proc/{server.process.pid}/smaps_rollup").read_text()
    return sum(int(kilobytes) for kilobytes in re.findall(r"Private_\w+:\s+(\d+) kB", rollup))


def line(
    name: str, value: float, floor: float, floor_is: str, *, digits: int = 2
) -> dict[str, Any]:
    """A figure beside what it stands on, as the bench prints it."""
    return {
        "name": name,
        "value": round(value, digits),
        "floor": round(floor, digits),
        "floor_is": floor_is,
        "ratio": round(value / floor, max(digits, 2)) if floor else None,
    }
