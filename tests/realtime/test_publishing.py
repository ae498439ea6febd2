"""Frames to many sockets: one that fails keeps nothing from the others, on every event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from tables import metrics
from tables.protocol.frames import CloseCode
from tables.realtime.connections import connection
from tables.realtime.connections.connection import Connection
from tables.realtime.hub import Hub

TOPIC = "table.1"
FRAMES = ["first", "second", "third"]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class Line:
    """What a server does with what is sent to a browser."""

    def __init__(self, send: Send | None = None) -> None:
        self.texts: list[str] = []
        self.code: int | None = None
        self._send = send

    async def take(self, message: dict[str, Any]) -> None:
        if self._send is not None:
            await self._send(message)
        if message["type"] == "websocket.close":
            self.code = message["code"]
        else:
            self.texts.append(message["text"])


async def full(_: dict[str, Any]) -> None:
    await asyncio.Event().wait()


async def raising(_: dict[str, Any]) -> None:
    raise OSError("the transport failed")


async def unexpected(_: dict[str, Any]) -> None:
    raise AssertionError("the server is in another state")


async def cancelled(_: dict[str, Any]) -> None:
    raise asyncio.CancelledError


async def raising_later(_: dict[str, Any]) -> None:
    await asyncio.sleep(0)
    raise ConnectionResetError("the transport failed later")


async def slow(_: dict[str, Any]) -> None:
    await asyncio.sleep(0.01)


WAYS = [full, raising, unexpected, cancelled, raising_later, slow]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    new_hub = Hub()
    monkeypatch.setattr(connection, "hub", new_hub)
    yield new_hub
    new_hub.on_move = None


def follow(hub: Hub, line: Line) -> Connection:
    """A page that follows the topic, on this line."""
    socket = Connection()
    socket.base_send = line.take
    hub.register(socket)
    hub.join(socket, [TOPIC])
    return socket


async def publish_around(hub: Hub, spoil: Callable[[Connection], None], send: Send | None) -> None:
    """Publish to ten lines, five of which fail in one way: the others get every frame in order."""
    lines = [Line() for _ in range(5)]
    bad = [Line(send) for _ in range(5)]
    sockets = []
    for line, other in zip(lines, bad, strict=True):
        sockets += [follow(hub, line), follow(hub, other)]
    for socket in sockets[1::2]:
        spoil(socket)
    hub.publish([(TOPIC, text) for text in FRAMES])
    assert [line.texts for line in lines] == [FRAMES] * 5, "at once, as the lines are free"
    await asyncio.sleep(0.05)
    hub.publish([(TOPIC, "later")])
    assert [line.texts for line in lines] == [[*FRAMES, "later"]] * 5
    await hub_closes(hub, lines)


async def hub_closes(hub: Hub, lines: list[Line]) -> None:
    """So does the end of the process: each line that is well is told that it is over."""
    for socket in hub.get_sockets(TOPIC):
        socket._closed.set()
    await hub.stop(4012)
    await asyncio.sleep(0)
    assert [line.code for line in lines] == [4012] * 5


@pytest.mark.parametrize("send", WAYS)
async def test_case_46_one_that_fails_stops_no_frame_to_another(hub: Hub, send: Send) -> None:
    await publish_around(hub, lambda _: None, send)


@pytest.mark.parametrize("way", ["_is_cut", "is_hung_up"])
async def test_case_46_nor_does_one_that_is_closed(hub: Hub, way: str) -> None:
    await publish_around(hub, lambda socket: setattr(socket, way, True), None)


async def test_case_46_nor_does_a_fault_in_the_socket_itself(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    def spoil(socket: Connection) -> None:
        for name in ("push", "close_socket"):
            monkeypatch.setattr(socket, name, fail)

    await publish_around(hub, spoil, None)


async def test_case_46_a_socket_that_failed_is_closed(hub: Hub) -> None:
    line = Line()
    socket = follow(hub, line)

    async def fail_once(_: dict[str, Any]) -> None:
        line._send = None
        raise asyncio.CancelledError

    line._send = fail_once
    hub.publish([(TOPIC, "lost")])
    assert (line.code, hub.get_sockets(TOPIC)) == (CloseCode.TRY_LATER, set())
    assert socket.is_gone()


class QuickLine(Line):
    """A line of a server that writes at once where it can: ``room`` is for how many frames."""

    def __init__(self, room: int, send: Send | None = None) -> None:
        super().__init__(send)
        self.room = room

    def write(self, text: str) -> bool:
        if self.room == 0:
            return False
        self.room -= 1
        self.texts.append(text)
        return True


async def test_frames_are_written_at_once_and_none_overtakes_one_that_waits(hub: Hub) -> None:
    has_room = asyncio.Event()

    async def wait(_: dict[str, Any]) -> None:
        await has_room.wait()

    line = QuickLine(1, wait)
    socket = follow(hub, line)
    socket._write_now = line.write
    sent = metrics.REGISTRY.get_sample_value("blackjack_frames_sent_total") or 0
    hub.publish([(TOPIC, "first"), (TOPIC, "second")])
    line.room = 9
    hub.publish([(TOPIC, "third")])
    assert line.texts == ["first"]
    has_room.set()
    await asyncio.sleep(0.01)
    hub.publish([(TOPIC, "fourth")])
    assert line.texts == ["first", "second", "third", "fourth"]
    assert line.room == 8, "the last one did not wait"
    assert metrics.REGISTRY.get_sample_value("blackjack_frames_sent_total") == sent + 4


async def test_case_46_a_line_that_cannot_be_written_to_is_closed_and_stops_no_other(
    hub: Hub,
) -> None:
    spoiled: list[Connection] = []

    def fail(_: str) -> bool:
        raise RuntimeError("the transport is closed")

    def spoil(socket: Connection) -> None:
        spoiled.append(socket)
        socket._write_now = fail

    await publish_around(hub, spoil, None)
    assert len(spoiled) == 5
    assert all(socket.is_gone() for socket in spoiled)


class PickyLoop(asyncio.SelectorEventLoop):
    """Takes a coroutine for a task, and nothing else, as others than asyncio's own do."""

    def create_task(self, coro: Any, **options: Any) -> asyncio.Task[Any]:
        assert asyncio.iscoroutine(coro)
        assert hasattr(coro, "cr_await"), "no generator"
        return super().create_task(coro, **options)


def eager_loop() -> asyncio.AbstractEventLoop:
    """A loop whose tasks begin at once, where Python has such tasks."""
    loop = asyncio.new_event_loop()
    loop.set_task_factory(getattr(asyncio, "eager_task_factory", None))
    return loop


def watched_loop() -> asyncio.AbstractEventLoop:
    """A loop that looks for mistakes."""
    loop = asyncio.new_event_loop()
    loop.set_debug(True)
    return loop


@pytest.mark.parametrize("make", [PickyLoop, eager_loop, watched_loop])
def test_case_46_every_event_loop_sends_to_all(
    hub: Hub, make: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    with asyncio.Runner(loop_factory=make) as runner:
        for send in WAYS:
            runner.run(publish_around(hub, lambda _: None, send))
            runner.run(asyncio.sleep(0))
            hub.start()
