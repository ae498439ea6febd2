"""Faults around the house, one case after the other: Redis, the lines, processes.

All of them share one house of three server processes on PostgreSQL and Redis.
"""

from __future__ import annotations

import asyncio
import itertools
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest
import pytest_asyncio

from tests.chaos.audit import audit
from tests.chaos.bots import QUICK, Bot, Pace, Patience, Place, Player, until
from tests.chaos.fixtures import Setup, SetupPlan, set_up
from tests.chaos.proxy import Proxy, Weather
from tests.chaos.runner import let_it_end
from tests.chaos.servers import SCALED, House, house
from tests.chaos.storm import PAGES_OF_ONE, pages_of, storm

pytestmark = pytest.mark.asyncio(loop_scope="module")

HEARTBEAT = 6.0
"""Seconds after which a page has heard a heartbeat, and mostly what it did not know."""
AT_ONCE = 3.0
"""Seconds, on a busy machine; by the heartbeat some of several changes take longer, up to five."""
BACK_WITHIN = 10.0
"""Seconds until a page knows everything: a heartbeat, a snapshot, and what a busy machine takes."""
GIVEN_UP_AFTER = 8.0
"""Seconds, and a little less: three times the house waits three for a row that is locked."""
SIT_WITHIN = 30.0
STORM = 200
"""Fewer than the 500 of ``make storm``."""
STORM_WITHIN = 240.0
"""Seconds. How fast they are back tells ``make storm``, which has the machine for itself."""
AT_ONE_TABLE = 3
QUIETLY = Pace(QUICK.least, QUICK.most)
"""Without mischief: these players keep their seats."""


@dataclass
class Room:
    """The house, with tables and players nobody has used yet."""

    house: House
    setup: Setup
    folder: Path
    tables: Iterator[tuple[int, str]]
    players: Iterator[Player]

    @asynccontextmanager
    async def playing(self, *ports: int | None) -> AsyncIterator[list[Bot]]:
        """Three who play at a table of their own; ``ports``: whom each connects to."""
        table, key = next(self.tables)
        bots = [
            Bot(
                self.house.site, next(self.players), Place(table, key, seat, self.setup.stakes[key]),
                seed=f"{table}/{seat}", pace=QUIETLY, patience=Patience(longest=4), port=port,
            )
            for seat, port in enumerate(ports, start=1)
        ]  # fmt: skip
        for bot in bots:
            bot.start()
        try:
            assert await until(lambda: all(bot.own_seat for bot in bots), SIT_WITHIN) is not None
            yield bots
        finally:
            await asyncio.gather(*(bot.stop() for bot in bots))

    async def audit(self, bots: list[Bot]) -> list[Any]:
        """Let these bots come to an end; what is wrong with what they were told."""
        all_faults: list[Any] = [fault async for fault in let_it_end(bots)]
        for bot in bots:
            await bot.stop()
        histories = [bot.page.history for bot in bots]
        folder = self.folder / str(bots[0].place.table)
        audited = await asyncio.to_thread(audit, self.house.servers[0], histories, folder)
        return all_faults + [tuple(fault) for fault in audited["faults"]]

    @property
    def ports(self) -> list[int]:
        return [server.port for server in self.house.servers]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room(
    tmp_path_factory: pytest.TempPathFactory, prepared: Path, cluster: Path
) -> AsyncIterator[Room]:
    folder = tmp_path_factory.mktemp("faults")
    async with house(SCALED, folder, Random(1), prepared=prepared, cluster=cluster) as opened:
        plan = SetupPlan(["casino"] * 20, 180)
        setup = await asyncio.to_thread(set_up, opened.servers[0], plan)
        await opened.start(*opened.servers)
        yield Room(opened, setup, folder, iter(setup.tables), iter(setup.players))


def worst_lag(bots: list[Bot], since: float) -> float:
    """Seconds from when one page heard of a change to when the last one knew of it.

    Of the changes after ``since`` that all of them know by now.
    """
    first_times: dict[int, float] = {}
    pages: list[list[tuple[float, int]]] = []
    for bot in bots:
        lines = bot.page.history.of("snapshot", "changed")
        pages.append([(line["at"], line["seq"]) for line in lines])
        for line in bot.page.history.of("changed"):
            first_times[line["seq"]] = min(line["at"], first_times.get(line["seq"], line["at"]))
    last = min(bot.page.seq for bot in bots)
    return max(
        next(at for at, page_seq in page if page_seq >= seq) - first_at
        for seq, first_at in first_times.items()
        if first_at >= since and seq <= last
        for page in pages
    )


async def wait_for_changes(changes: int, bots: list[Bot], within: float = 3 * HEARTBEAT) -> None:
    """Wait until everybody has heard of so many changes more."""
    until_seq = max(bot.page.seq for bot in bots) + changes
    seconds = await until(lambda: min(b.page.seq for b in bots) >= until_seq, within)
    assert seconds is not None


# Redis


@pytest.mark.long(seconds=30)
async def test_case_36_without_redis_play_goes_on_and_pages_catch_up_by_the_heartbeat(
    room: Room,
) -> None:
    redis = room.house.redis
    assert redis is not None
    async with room.playing(*room.ports) as bots:
        began = time.monotonic()
        redis.kill()
        await wait_for_changes(3, bots)
        await asyncio.to_thread(redis.start)
        # Empty, so that the processes have to follow their tables again.
        await asyncio.sleep(HEARTBEAT)
        flows = time.monotonic()
        await wait_for_changes(3, bots)
        assert worst_lag(bots, flows) < AT_ONCE
        assert redis.process is not None
        redis.process.send_signal(signal.SIGSTOP)
        try:
            await asyncio.sleep(3)
        finally:
            redis.process.send_signal(signal.SIGCONT)
        await wait_for_changes(1, bots)
        assert worst_lag(bots, began) < BACK_WITHIN
        assert await room.audit(bots) == []


# Lines

WEATHERS = {
    "late": Weather(delay=0.3, jitter=0.2),
    "slow": Weather(rate=1000),
    "sliced": Weather(slices=True),
}


@pytest.mark.long(seconds=15)
async def test_case_38_on_bad_lines_nothing_wrong_is_shown_and_everybody_comes_back(
    room: Room,
) -> None:
    names = (*WEATHERS, "reset", "half open", "black hole")
    proxies = [Proxy(Random(name)) for name in names]
    for proxy in proxies:
        proxy.backends = room.ports
        await proxy.start()
    tables: list[list[Bot]] = []
    opened = [room.playing(*[proxy.port] * AT_ONE_TABLE) for proxy in proxies]
    try:
        tables = await asyncio.gather(*(context.__aenter__() for context in opened))
        back = await asyncio.gather(*map(_suffer, names, proxies, tables))
        assert max(back) < BACK_WITHIN, dict(zip(names, back, strict=True))
        assert await room.audit([bot for table in tables for bot in table]) == []
    finally:
        await asyncio.gather(*(context.__aexit__(None, None, None) for context in opened))
        for proxy in proxies:
            await proxy.close()


async def _suffer(name: str, proxy: Proxy, bots: list[Bot]) -> float:
    """Have it bad for a while; how long it took then until everybody had the table again."""
    if name in WEATHERS:
        proxy.weather = WEATHERS[name]
        await asyncio.sleep(5)
    elif name == "half open":
        proxy.half_open()
        await asyncio.sleep(2)
    elif name == "black hole":
        proxy.black_hole()
        await asyncio.sleep(10)
    else:
        proxy.reset()
    proxy.mend()
    mended = time.monotonic()
    for bot in bots:
        await bot.page.ask()
    pages = [bot.page for bot in bots]
    back = await until(lambda: all(page.refreshed_at > mended for page in pages), 2 * BACK_WITHIN)
    return 2 * BACK_WITHIN if back is None else back


# Processes


@pytest.mark.long
async def test_case_40_who_hangs_holds_up_no_table_of_another_process(room: Room) -> None:
    first, second, third = room.ports
    assert room.house.postgres is not None
    async with (
        room.playing(first, first, first) as hung,
        room.playing(second, third, third) as bots,
    ):
        # A handler that hangs: what it waits for is a row that somebody else has.
        with psycopg.connect(room.house.postgres.url) as session:
            session.execute(
                "SELECT 1 FROM tables_table WHERE id = %s FOR UPDATE", [hung[0].place.table]
            )
            await wait_for_changes(2, bots, within=GIVEN_UP_AFTER)
            session.rollback()
        await wait_for_changes(1, hung)
        frozen = room.house.servers[0].process
        assert frozen is not None
        frozen.send_signal(signal.SIGSTOP)
        try:  # for as long as it takes: who waited for that process would wait for ever
            await wait_for_changes(2, bots)
        finally:
            frozen.send_signal(signal.SIGCONT)
        await wait_for_changes(1, hung)
        assert await room.audit([*hung, *bots]) == []


@pytest.mark.long
async def test_case_40_a_restart_of_one_process_after_the_other_loses_no_round(room: Room) -> None:
    async with room.playing(None, None, None) as bots:
        for server in room.house.servers:
            await room.house.terminate(server)
            await room.house.start(server)
        assert bots[0].page.seq > 5
        assert await room.audit(bots) == []
    assert None not in room.house.exits


@pytest.mark.long
async def test_case_40_hundreds_of_pages_come_back_at_once_after_a_kill(room: Room) -> None:
    players = list(itertools.islice(room.players, STORM // PAGES_OF_ONE))
    tables = [table for table, _ in room.setup.tables]
    server = room.house.servers[0]
    pages = pages_of(room.house, server, players, tables, STORM)
    assert await storm(room.house, server, pages, STORM_WITHIN) is not None
