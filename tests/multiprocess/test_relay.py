"""Two hubs in one process, and a real Redis between them that is broken in every way."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from django.test import override_settings
from redis import Redis

from accounts.models import User
from tables import metrics
from tables.protocol.frames import CloseCode
from tables.protocol.topics import table_topic
from tables.realtime import redis_relay, runtime
from tables.realtime.hub import Hub
from tables.realtime.writers.writer import writer
from tables.social import announcements
from tests.helpers.table_client import TableClient
from tests.multiprocess.redis import RedisServer
from tests.realtime.test_sockets import page

TOPIC = "table.1"


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path)
    server.start()
    with override_settings(REDIS_URL=server.url):
        yield server
    server.kill()


class Listener:
    """A socket of a hub, that keeps what it is sent."""

    user_id: int | None = None
    session_key: str | None = None

    def __init__(self) -> None:
        self.texts: list[str] = []

    def push(self, text: str) -> None:
        if text == "broken":
            raise ValueError(text)
        self.texts.append(text)

    def close_socket(self, code: int) -> None:
        """Nothing to close."""

    async def wait_closed(self) -> None:
        """Nothing to wait for."""

    def may_see(self, table: Any) -> bool:
        return True


class Process:
    """A hub with one socket, as a process has."""

    def __init__(self) -> None:
        self.hub, self.socket = Hub(), Listener()
        self.followed: list[str] = []
        self.hub.on_followed = self._note
        self.hub.start()
        self.hub.register(self.socket)

    async def _note(self, topics: set[str]) -> None:
        self.followed += topics

    async def join(self, *topics: str) -> None:
        """Follow them, and wait until Redis knows."""
        self.hub.join(self.socket, topics)
        await until(lambda: set(topics) <= set(self.followed))

    def publish(self, *texts: str, topic: str = TOPIC) -> None:
        self.hub.publish([(topic, text) for text in texts])

    async def hears(self, *texts: str) -> None:
        """Wait until it has heard just that since the last time."""
        await until(lambda: len(self.socket.texts) >= len(texts))
        assert self.socket.texts == list(texts)
        self.socket.texts.clear()


async def until(is_so: Callable[[], object], seconds: float = 10) -> None:
    async with asyncio.timeout(seconds):
        while not is_so():
            await asyncio.sleep(0.01)


@pytest_asyncio.fixture
async def both(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Process, Process]]:
    monkeypatch.setattr(redis_relay, "RETRY_SECONDS", 0.05)
    here, there = Process(), Process()
    yield here, there
    for process in (here, there):
        await process.hub.stop(CloseCode.RESTART)


async def test_frames_come_once_and_in_order_also_to_who_sends_them(
    both: tuple[Process, Process],
) -> None:
    here, there = both
    for process in both:
        await process.join(TOPIC, "house")
    texts = [f'{{"n":{number},"text":"♠ é \\n"}}' for number in range(2_000)]
    here.publish(*texts)
    await there.hears(*texts)
    there.publish("last", topic="house")
    await here.hears(*texts, "last")
    await there.hears("last")


async def test_only_what_somebody_follows_is_asked_of_redis(
    both: tuple[Process, Process], redis: RedisServer
) -> None:
    here, there = both
    topics = [f"table.{number}" for number in range(300)]
    await until(lambda: here.hub.is_relay_connected and there.hub.is_relay_connected)
    with Redis(port=redis.port) as client:
        before = client.info("commandstats")
        await here.join(*topics)
        after = client.info("commandstats")
        assert calls(after, "subscribe") - calls(before, "subscribe") == 1
        await there.join("table.7")
        here.hub.leave(here.socket)
        channels = [b"blackjack:0:nobody", b"blackjack:0:table.7"]
        await until(lambda: sorted(client.pubsub_channels()) == channels)
        here.hub.register(here.socket)
        here.followed.clear()
        await here.join("table.7")
        assert client.pubsub_numsub("blackjack:0:table.7") == [(b"blackjack:0:table.7", 2)]


def calls(stats: Any, command: str) -> int:
    return int(stats.get(f"cmdstat_{command}", {"calls": 0})["calls"])


async def test_houses_in_two_databases_of_one_redis_do_not_hear_each_other(
    both: tuple[Process, Process], redis: RedisServer
) -> None:
    here, there = both
    with override_settings(REDIS_URL=redis.url.removesuffix("/0") + "/1"):
        elsewhere = Process()
    await elsewhere.join(TOPIC)
    await there.join(TOPIC)
    elsewhere.publish("theirs")
    here.publish("ours")
    await there.hears("ours")
    await elsewhere.hub.stop(CloseCode.RESTART)
    assert elsewhere.socket.texts == ["theirs"]


def cut(redis: RedisServer, *kinds: str) -> None:
    """End all connections of these kinds."""
    with Redis(port=redis.port) as client:
        for kind in kinds:
            client.client_kill_filter(_type=kind, skipme=True)


async def test_after_cut_lines_and_a_new_empty_redis_everything_is_followed_again(
    both: tuple[Process, Process], redis: RedisServer
) -> None:
    here, there = both
    await there.join(TOPIC, "house", "doors")

    def renew() -> None:
        redis.kill()
        redis.start()

    for trouble in (partial(cut, redis, "pubsub", "normal"), renew):
        here.publish("before")
        await there.hears("before")
        there.followed.clear()
        await asyncio.to_thread(trouble)
        await until(lambda: sorted(there.followed) == ["doors", "house", TOPIC])
        here.publish("after", "it")
        await there.hears("after", "it")


async def test_what_waits_while_redis_is_away_is_dropped_and_counted_and_the_rest_arrives(
    both: tuple[Process, Process], redis: RedisServer
) -> None:
    here, there = both
    await there.join(TOPIC)
    here.publish("before")
    await there.hears("before")
    failed = metrics.RELAY_SEND_FAILED._value.get()
    redis.kill()
    here.publish("a", "b", "c")
    await until(lambda: metrics.RELAY_SEND_FAILED._value.get() == failed + 3)
    there.followed.clear()
    await asyncio.to_thread(redis.start)
    await until(lambda: there.followed)
    here.publish("d")
    await there.hears("d")


async def test_a_redis_that_stands_still_is_left_and_a_stop_does_not_wait_for_it(
    both: tuple[Process, Process],
    redis: RedisServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    here, there = both
    await there.join(TOPIC)
    here.publish("before")
    await there.hears("before")
    # What has to be heard was heard: a machine that is as slow as Redis does no harm any more.
    for name in ("PING_SECONDS", "PATIENCE_SECONDS"):
        monkeypatch.setattr(redis_relay, name, 0.3)
    there.followed.clear()
    await asyncio.to_thread(cut, redis, "pubsub")  # the next connection goes by that
    await until(lambda: there.followed)
    assert redis.process is not None
    there.followed.clear()
    redis.process.send_signal(signal.SIGSTOP)
    try:
        failed = metrics.RELAY_SEND_FAILED._value.get()
        here.publish("lost")
        await until(lambda: metrics.RELAY_SEND_FAILED._value.get() == failed + 1)
        third = Process()
        third.publish("lost")
        began = time.monotonic()
        await third.hub.stop(CloseCode.RESTART)
        assert time.monotonic() - began < 5  # it would wait for ever
        # The system still accepts connections for it.
        await until(lambda: not here.hub.is_relay_connected)
        caplog.clear()
        states = set()
        for _ in range(100):
            states.add(here.hub.is_relay_connected)
            here.publish("lost, too")
            await asyncio.sleep(0.02)
        assert states == {False}
        assert "redis_back" not in caplog.text
        assert "relay_send_failed" not in caplog.text
    finally:
        redis.process.send_signal(signal.SIGCONT)
    await until(lambda: there.followed)
    async with asyncio.timeout(10):
        while there.socket.texts[-1:] != ["after"]:
            here.publish("after")  # once, if the machine is not as slow as Redis was
            await asyncio.sleep(0.2)


async def test_a_frame_that_a_socket_cannot_take_keeps_nobody_from_hearing_the_next(
    both: tuple[Process, Process],
) -> None:
    here, there = both
    await there.join(TOPIC)
    here.publish("broken", "whole")
    await there.hears("whole")
    assert there.followed == [TOPIC]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("redis", "running")
async def test_a_page_is_told_the_seq_when_its_table_is_heard_of_from_now_on(
    casino: TableClient, monkeypatch: pytest.MonkeyPatch, ann: User
) -> None:
    monkeypatch.setattr(runtime, "HEARTBEAT_SECONDS", 3600)
    async with page(casino.table_id, ann) as anns:
        snapshot = await anns.frame_of("snapshot")
        assert (await anns.frame_of("heartbeat"))["seq"] == snapshot["seq"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
async def test_the_seq_is_read_after_a_snapshot_that_waits_for_the_same_batch(
    casino: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    busy, epoch = threading.Event(), announcements.read_epoch

    def read() -> str:
        order.append("seq")
        return epoch()

    def is_gone() -> bool:
        order.append("snapshot")
        return False

    monkeypatch.setattr(announcements, "read_epoch", read)
    writer.submit(busy.wait)
    runtime.request_snapshot(casino.table_id, None, lambda *_: None, is_gone=is_gone)
    beat = asyncio.create_task(runtime.send_seqs([table_topic(casino.table_id)]))
    await asyncio.sleep(0)
    busy.set()
    await beat
    assert order == ["snapshot", "seq"]
