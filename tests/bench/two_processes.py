"""Two processes on PostgreSQL and Redis beside one on PostgreSQL alone, by turns.

The players of each table are spread over both processes, and then all on one of them, as behind a
proxy that chooses it by the address of the table. More than two cores would give each its
own: what a command takes of the processors, and where, is what more cores are reckoned with.
How long is measured can be told: see :mod:`tests.bench.options`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import psycopg

from tests.bench.comparison import (
    UVICORN,
    BenchServer,
    Side,
    SideRuns,
    by_turns,
    cpu_seconds,
    line,
    running,
)
from tests.bench.databases import POSTGRESQL, Place, place_in, place_on
from tests.bench.load import run_load
from tests.bench.options import SECONDS
from tests.multiprocess.redis import RedisServer

TABLES = 20
SERVERS, DATABASE, REDIS = "servers", "postgresql", "redis"
FLOOR_IS = "one process on PostgreSQL, no Redis"


def measure(folder: Path) -> Iterator[dict[str, Any]]:
    """One JSON line a figure."""
    folder.mkdir()
    with place_on(POSTGRESQL, place_in(folder, tables=TABLES)) as place:
        spread, by_table, one = measured_by_turns(place)
    yield line(
        "two_processes_durable_commands_per_second",
        spread.per_second(), one.per_second(), FLOOR_IS, 0,
    )  # fmt: skip
    yield line(
        "two_processes_durable_commands_per_second_by_table",
        by_table.per_second(), one.per_second(), FLOOR_IS, 0,
    )  # fmt: skip
    for side, suffix in ((spread, ""), (by_table, "_by_table")):
        for whose in (SERVERS, DATABASE):
            name = f"two_processes_cpu_ms_per_command_of_{whose}{suffix}"
            yield line(name, side.cpu_ms(whose), one.cpu_ms(whose), FLOOR_IS, 3)
    all_of_one = one.cpu_ms(SERVERS) + one.cpu_ms(DATABASE)
    floor_is = "what one process and its PostgreSQL take together"
    yield line(
        "two_processes_cpu_ms_per_command_of_redis", spread.cpu_ms(REDIS), all_of_one, floor_is, 3
    )
    slow, of_one = slowest_table(spread, one)
    floor_is = "the same table on one process, at its own full load"
    yield line("two_processes_slowest_table_p50_ms", slow, of_one, floor_is)


def measured_by_turns(place: Place, seconds: float = SECONDS) -> list[SideRuns]:
    """Two processes with spread players, two with players by table, and one; each on a database of
    its own in one PostgreSQL.
    """
    with ExitStack() as stack:
        sides = []
        database = cpu_of_postgresql(place.url)
        for is_spread in (True, False):
            redis = RedisServer(place.folder)
            stack.callback(redis.kill)
            redis.start()
            data, environment = place.copy()
            two = [a_server(data, REDIS_URL=redis.url, **environment) for _ in range(2)]
            others = {DATABASE: database, REDIS: cpu_of_redis(redis)}
            sides.append(Side(two, place.busy, is_spread=is_spread, others=others))
        data, environment = place.copy()
        one = a_server(data, **environment)
        sides.append(Side([one], place.busy, others={DATABASE: database}))
        stack.enter_context(running(*(server for side in sides for server in side.servers)))
        run_load(by_turns(sides, seconds=seconds))
    return [side.measured for side in sides]


def a_server(data: Path, **environment: str) -> BenchServer:
    module = "tests.bench.product_server"
    return BenchServer(data, module=module, program=UVICORN, **environment)


def slowest_table(two: SideRuns, one: SideRuns) -> tuple[float, float]:
    """The p50 of the table that two processes slow down most, and its p50 on one; in ms."""
    pairs = [
        (1000 * median(map(median, slow)), 1000 * median(map(median, quick)))
        for slow, quick in zip(by_table(two), by_table(one), strict=True)
    ]
    return max(pairs, key=lambda pair: pair[0] / pair[1])


def by_table(measured: SideRuns) -> list[tuple[list[float], ...]]:
    """The times of each table, run by run."""
    return list(zip(*(run.times for run in measured.runs), strict=True))


def cpu_of_redis(redis: RedisServer) -> Callable[[], float]:
    assert redis.process is not None
    pid = redis.process.pid
    return lambda: cpu_seconds(pid)


def cpu_of_postgresql(url: str | None) -> Callable[[], float]:
    """All processes of the server; those that have ended are counted by the one that waited."""
    assert url is not None
    with psycopg.connect(url, autocommit=True) as connection:
        postmaster = parent_of(connection.info.backend_pid)

    def used() -> float:
        own = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        return cpu_seconds(postmaster, with_ended=True) + sum(
            cpu_seconds(int(pid)) for pid in own if Path(f"/proc/{pid}").exists()
        )

    return used


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
