"""What it takes to carry a frame from one process to another, through Redis: for the model.

Two hubs in one process, and between them the real Redis, beside its own PUBLISH and SUBSCRIBE.
``python -m tests.bench.relay_cost`` is told in the environment where Redis is, and prints JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.comparison import cpu_seconds, line
from tests.bench.options import RUNS
from tests.helpers.servers.process import ROOT
from tests.multiprocess.redis import RedisServer

FRAMES = 3_000
AT_ONCE = 1
"""Frames that wait together go in one write and cost less: of twenty, each about a sixth."""
FRAME = "." * 1_100
"""About as long as that of a hit at a full table."""
TOPIC = "bench.frames"
PATIENCE_SECONDS = 20
FLOOR_IS = "PUBLISH and SUBSCRIBE of the same frame, by redis-py"


def measure(folder: Path) -> Iterator[dict[str, Any]]:
    """One JSON line a figure, in milliseconds of the processor; here it is both processes'."""
    folder.mkdir(parents=True)
    redis = RedisServer(folder)
    redis.start()
    try:
        assert redis.process is not None
        environment = {"REDIS_URL": redis.url, "BLACKJACK_DATA": str(folder)}
        process = subprocess.run(
            [sys.executable, "-m", "tests.bench.relay_cost", str(redis.process.pid)],
            cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, timeout=120,
            check=False,
        )  # fmt: skip
    finally:
        redis.kill()
    if process.returncode:
        raise RuntimeError(process.stderr)
    costs = json.loads(process.stdout)
    for whose in ("server", "redis"):
        hub, bare = costs["hub"][whose], costs["bare"][whose]
        yield line(f"{whose}_cpu_ms_per_relayed_frame", hub, bare, FLOOR_IS, 3)


class Listener:
    """A socket of a hub, that counts."""

    user_id: int | None = None
    session_key: str | None = None

    def __init__(self) -> None:
        self.frame_count = 0
        self.more = asyncio.Event()

    def push(self, text: str) -> None:
        self.frame_count += 1
        self.more.set()

    def close_socket(self, code: int) -> None:
        """Nothing to close."""

    async def wait_closed(self) -> None:
        """Nothing to wait for."""

    def may_see(self, table: Any) -> bool:
        return True

    async def wait_for(self, count: int) -> None:
        """Wait until so many frames have come. Raises ``TimeoutError``."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.frame_count < count:
                self.more.clear()
                await self.more.wait()


async def through_hubs(redis: int) -> dict[str, float]:
    from tables.realtime.hub import Hub

    here, there, listener = Hub(), Hub(), Listener()
    for hub in (here, there):
        hub.start()
    there.register(listener)
    there.join(listener, [TOPIC])
    while not listener.frame_count:  # until Redis knows who listens
        here.publish([(TOPIC, FRAME)])
        await asyncio.sleep(0.05)

    async def send(count: int) -> None:
        total = listener.frame_count + count
        here.publish([(TOPIC, FRAME)] * count)
        await listener.wait_for(total)

    await asyncio.sleep(0.5)  # what was sent until then has come
    costs = await costs_of(send, redis)
    for hub in (here, there):
        await hub.stop(1001)
    return costs


async def through_redis_alone(redis: int) -> dict[str, float]:
    from redis.asyncio import Redis

    async with Redis.from_url(os.environ["REDIS_URL"]) as client, client.pubsub() as pubsub:
        await pubsub.subscribe(TOPIC)
        await pubsub.get_message(timeout=PATIENCE_SECONDS)

        async def send(count: int) -> None:
            for _ in range(count):
                await client.publish(TOPIC, FRAME)
            for _ in range(count):
                assert await pubsub.get_message(True, timeout=PATIENCE_SECONDS)

        return await costs_of(send, redis)


async def costs_of(send: Callable[[int], Awaitable[None]], redis: int) -> dict[str, float]:
    """For one frame, here and at Redis, whose process this is."""
    began, began_there = time.process_time(), cpu_seconds(redis)
    for _ in range(FRAMES // AT_ONCE):
        await send(AT_ONCE)
    took, took_there = time.process_time() - began, cpu_seconds(redis) - began_there
    return {"server": 1000 * took / FRAMES, "redis": 1000 * took_there / FRAMES}


def main(redis: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    import django

    django.setup()
    pairs = [
        {"hub": asyncio.run(through_hubs(redis)), "bare": asyncio.run(through_redis_alone(redis))}
        for _ in range(RUNS)
    ]
    medians = {
        side: {whose: median(pair[side][whose] for pair in pairs) for whose in ("server", "redis")}
        for side in ("hub", "bare")
    }
    json.dump(medians, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]))
