"""What goes wrong on purpose, in an order that follows from the seed of the run."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from random import Random

import redis

from tests.chaos.proxy import Weather
from tests.chaos.servers import House
from tests.helpers.servers.process import Server

STOPPED = 3.0
"""Seconds for which a process stands still."""

Broken = Callable[[House, Random], Awaitable[float]]
"""Does it, lifts it, and says when it was lifted: from then on everybody should come back."""


async def kill(house: House, server: Server) -> float:
    await house.kill(server)
    lifted = time.monotonic()
    await house.start(server)
    return lifted


async def term(house: House, server: Server) -> float:
    await house.terminate(server)
    lifted = time.monotonic()
    await house.start(server)
    return lifted


async def stop(house: House, server: Server) -> float:
    await house.freeze(server, STOPPED)
    return time.monotonic()


ON_PROCESSES = {"kill -9": kill, "SIGTERM": term, "SIGSTOP": stop}
BAG_OF_PROCESSES = ("kill -9", "SIGTERM", "kill -9", "SIGSTOP")


async def redis_killed(house: House, chance: Random) -> float:
    assert house.redis is not None
    house.redis.kill()
    await asyncio.sleep(chance.uniform(0.5, house.longest))
    await asyncio.to_thread(house.redis.start)
    return time.monotonic()


async def redis_emptied(house: House, chance: Random) -> float:
    assert house.redis is not None
    with redis.Redis(port=house.redis.port) as client:
        await asyncio.to_thread(client.flushall)
    return time.monotonic()


async def redis_paused(house: House, chance: Random) -> float:
    assert house.redis is not None
    assert house.redis.process is not None
    process = house.redis.process
    process.send_signal(signal.SIGSTOP)
    try:
        await asyncio.sleep(chance.uniform(0.5, house.longest / 3))
    finally:
        process.send_signal(signal.SIGCONT)
    return time.monotonic()


async def postgres_restarted(house: House, chance: Random) -> float:
    assert house.postgres is not None
    await asyncio.to_thread(house.postgres.restart, "fast")
    return time.monotonic()


async def postgres_crashed(house: House, chance: Random) -> float:
    assert house.postgres is not None
    await asyncio.to_thread(house.postgres.restart, "immediate")
    return time.monotonic()


async def line_reset(house: House, chance: Random) -> float:
    house.proxy.reset(chance.choice((0.3, 1.0)))
    return time.monotonic()


async def line_half_open(house: House, chance: Random) -> float:
    house.proxy.half_open(chance.choice((0.3, 1.0)))
    await asyncio.sleep(chance.uniform(0.5, house.longest / 3))
    house.proxy.mend()
    return time.monotonic()


async def black_hole(house: House, chance: Random) -> float:
    house.proxy.black_hole()
    await asyncio.sleep(chance.uniform(0.5, house.longest / 3))
    house.proxy.mend()
    return time.monotonic()


def _weather(weather: Weather) -> Broken:
    async def bad_weather(house: House, chance: Random) -> float:
        house.proxy.weather = weather
        await asyncio.sleep(chance.uniform(2, 4))
        house.proxy.mend()
        return time.monotonic()

    return bad_weather


ON_LINES: dict[str, Broken] = {
    "line reset": line_reset,
    "line half open": line_half_open,
    "black hole": black_hole,
    "300 ms late": _weather(Weather(delay=0.3, jitter=0.2)),
    "in slices": _weather(Weather(slices=True)),
}
ON_BACKENDS: dict[str, Broken] = {
    "Redis killed": redis_killed,
    "Redis emptied": redis_emptied,
    "Redis paused": redis_paused,
    "PostgreSQL restarted": postgres_restarted,
    "PostgreSQL crashed": postgres_crashed,
}


def endless(names: tuple[str, ...], chance: Random) -> Iterator[str]:
    """All of them in a random order; and again."""
    while True:
        yield from chance.sample(names, len(names))
