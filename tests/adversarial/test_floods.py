"""Floods of frames, directly and through nginx: cut after a few MB, and cheap."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random

import pytest
import pytest_asyncio

from deploy.nginx import Nginx
from deploy.part import CannotStart
from tests.adversarial.abused_server import SECONDS_TO_ANSWER, IllTreated
from tests.adversarial.raw_socket import (
    BINARY,
    PARTS,
    PATIENCE,
    PING,
    PONG,
    TEXT,
    RawSocket,
    Refused,
    close_frame,
    frame,
)  # fmt: skip
from tests.conftest import skip_or_fail
from tests.helpers.servers.process import own_port, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

FLOOD_BYTES = 36_000_000
"""Six million empty frames; nobody has to take so many."""
MOST_BYTES = 3_000_000
"""Of it, with what the system keeps on its way."""
MOST_BYTES_PROXIED = 12_000_000
"""With what the system keeps for nginx, which is several times as much."""
MOST_SECONDS = 1.0
"""Of the server's processor for one flood. To read all of it takes twenty."""
STRANGERS = 40
"""So many people who are not logged in may look on here."""


class SiteBehindNginx(IllTreated):
    """A house whose players come through nginx."""

    direct: str
    """Where the server itself listens."""

    def processor_seconds(self) -> float:
        """What the process has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def flood(self, frames: bytes, *, first: bytes = b"", proxied: bool = True) -> int:
        """Send these frames over and over until the line is cut; how many bytes were taken."""
        raw = await self.line(port=None if proxied else self.server.port)
        line = raw.transport.get_extra_info("socket")
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
        piece = frames * (65_536 // len(frames) + 1)
        await raw.send(first)
        sent = 0
        while sent < FLOOD_BYTES and not _is_over(raw):
            await raw.send(piece)
            sent += len(piece)
        await asyncio.wait_for(raw.ended.wait(), PATIENCE)
        return sent


def _is_over(raw: RawSocket) -> bool:
    return raw.ended.is_set() or raw.transport.is_closing()


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["uvicorn", "daphne"])
async def house(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, prepared: Path
) -> AsyncIterator[SiteBehindNginx]:
    """One on each server for all of these tests."""
    try:
        Nginx.verify_installed()
    except CannotStart as missing:
        skip_or_fail(str(missing))
    folder, port = tmp_path_factory.mktemp("floods"), own_port()
    url = f"http://localhost:{port}"
    with ExitStack() as stack:
        server = stack.enter_context(
            serving(
                folder,
                prepared,
                program=request.param,
                SITE_URL=url,
                TRUSTED_PROXIES="1",
                SOCKETS_WITHOUT_LOGIN=str(STRANGERS),
            )
        )  # fmt: skip
        nginx = Nginx(folder, host="127.0.0.1", port=port, ports=[server.port])
        stack.callback(nginx.stop)
        nginx.start()
        nginx.wait_until_ready()
        server.url = url
        opened = SiteBehindNginx(server)
        await opened.settle_in()
        yield opened
        await opened.close()


@pytest_asyncio.fixture(autouse=True, loop_scope="module")
async def nobody_notices(house: SiteBehindNginx) -> AsyncIterator[None]:
    """Whatever a test does: no traceback, no restart, and the next table plays on."""
    yield
    await house.verify_is_well()


def some_of(chance: Random) -> bytes:
    """Frames of every kind, with any mask."""
    return b"".join(
        chance.choice(KINDS)(chance.randbytes(chance.choice([0, 0, 1, 125])), chance.randbytes(4))
        for _ in range(200)
    )


KINDS: tuple[Callable[[bytes, bytes], bytes], ...] = (
    lambda payload, mask: frame(payload, PING, mask=mask),
    lambda payload, mask: frame(payload, PONG, mask=mask),
    lambda payload, mask: frame(payload.hex(), TEXT, mask=mask),
    lambda payload, mask: frame(payload, BINARY, mask=mask),
    lambda payload, mask: frame("", TEXT, fin=False, mask=mask) + frame("", PARTS, mask=mask),
)

FLOODS = {
    "empty pings": (b"", frame(b"", PING)),
    "long pings": (b"", frame(b"x" * 125, PING)),
    "empty pongs": (b"", frame(b"", PONG)),
    "empty parts": (frame("", fin=False), frame("", PARTS, fin=False)),
    "parts and pings": (frame("", fin=False), frame("", PARTS, fin=False) + frame(b"", PING)),
    "empty messages": (b"", frame("")),
    "empty binary messages": (b"", frame(b"", BINARY)),
    "commands": (b"", frame('{"t":"resync"}')),
    "messages in two parts": (b"", frame("{", fin=False) + frame("}", PARTS)),
    "long messages": (b"", frame("x" * 8192)),
    "a message that is too long": (b"", frame("x" * 65_536)),
    "one that never ends": (frame("x", length=2**62), b"x" * 1000),
    "closes": (b"", close_frame()),
    "pings after a close": (close_frame(), frame(b"", PING)),
    "no text": (b"", frame(b"\xff\xfe")),
    "no text and a close": (b"", frame(b"\xff\xfe") + close_frame()),
    "half a letter": (frame("ä".encode()[:1], fin=False), frame("", PARTS)),
    "no frames": (b"", b"\xff" * 1000),
}


@pytest.mark.parametrize("proxied", [False, True], ids=["directly", "through nginx"])
@pytest.mark.parametrize("kind", FLOODS)
async def test_case_52_a_flood_is_cut_before_it_takes_a_core(
    house: SiteBehindNginx, kind: str, proxied: bool
) -> None:
    first, frames = FLOODS[kind]
    most = MOST_BYTES_PROXIED if proxied else MOST_BYTES
    before = house.processor_seconds()
    assert await house.flood(frames, first=first, proxied=proxied) <= most
    assert house.processor_seconds() - before <= MOST_SECONDS


MOST_GROWTH = 40
"""In MB. The grades of the rounds that are played meanwhile take up to 30 of them, once."""


@pytest.mark.long
async def test_case_52_a_player_plays_on_while_frames_of_any_kind_flood_in(
    house: SiteBehindNginx,
) -> None:
    seed = uuid.uuid4().hex[:8]
    sys.stdout.write(f"seed {seed}\n")
    playing = [asyncio.create_task(neighbour.play_on()) for neighbour in house.neighbours]
    rounds = min(neighbour.rounds for neighbour in house.neighbours)
    before, floods = house.memory(), 0
    try:
        while min(neighbour.rounds for neighbour in house.neighbours) < rounds + 3 or floods < 24:
            chances = [Random(f"{seed}/{floods + number}") for number in range(4)]
            floods += 4
            sizes = await asyncio.gather(
                *(house.flood(some_of(chance), proxied=chance.random() < 0.5) for chance in chances)
            )
            assert max(sizes) <= MOST_BYTES_PROXIED
    finally:
        for neighbour in house.neighbours:
            neighbour.has_enough = True
        await asyncio.gather(*playing)
    assert max(wait for neighbour in house.neighbours for wait in neighbour.waits) < (
        SECONDS_TO_ANSWER
    )
    assert house.memory() - before < MOST_GROWTH


UPGRADE = (
    "GET /ws/lobby/ HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
)
KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
POST = "POST /accounts/login/ HTTP/1.1\r\nHost: {host}\r\n"

REQUESTS = {
    "a line that never ends": ("GET /", "x" * 1000),
    "a header that never ends": (UPGRADE + "X: ", "x" * 1000),
    "headers without end": (UPGRADE, "X: y\r\n" * 100),
    "more headers than a socket may have": (UPGRADE + "X: y\r\n" * 200 + KEY + "\r\n", "x"),
    "a socket without a key": (UPGRADE + "\r\n", "x"),
    "a socket with a body": (UPGRADE + KEY + "Content-Length: 9\r\n\r\n", "x" * 1000),
    "a socket that does not wait": (UPGRADE + KEY + "\r\n", "x" * 1000),
    "an endless body": (POST + "Content-Length: 99999999999\r\n\r\n", "x" * 1000),
    "small pieces of a body": (POST + "Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n" * 100),
    "pieces with long names": (
        POST + "Transfer-Encoding: chunked\r\n\r\n", "1;" + "n" * 1000 + "\r\nx\r\n",
    ),
    "an answer that nobody waits for": ("GET /livez HTTP/1.1\r\nHost: {host}\r\n\r\n", "\0" * 1000),
}  # fmt: skip


@pytest.mark.parametrize("kind", REQUESTS)
async def test_case_52_a_request_without_end_is_cut(house: SiteBehindNginx, kind: str) -> None:
    """Also one that becomes no socket, whose answer nobody waits for."""
    begin, more = (part.format(host=f"localhost:{house.server.port}") for part in REQUESTS[kind])
    before = house.processor_seconds()
    reader, writer = await asyncio.open_connection("127.0.0.1", house.server.port)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
    writer.write(begin.encode())
    piece, sent = more.encode() * (65_536 // len(more) + 1), 0
    with suppress(ConnectionError):
        while sent < FLOOD_BYTES:
            writer.write(piece)
            await writer.drain()
            sent += len(piece)
    with suppress(ConnectionError):
        await asyncio.wait_for(reader.read(), PATIENCE)
    writer.transport.abort()
    assert sent <= MOST_BYTES
    assert house.processor_seconds() - before <= MOST_SECONDS


@pytest.mark.long
async def test_case_52_sockets_that_are_opened_one_after_the_other_are_refused(
    house: SiteBehindNginx,
) -> None:
    """Those of one address, of which the proxy tells; others come in.

    The last one is logged in: of people who are not, the many before may still take all places.
    """
    refused = 0
    for _ in range(4_000):  # The slower they come, the more are let in.
        if refused > 50:
            break
        try:
            raw = await house.line(
                greeted=False, asks="X-Forwarded-For: 192.0.2.9\r\n", port=house.server.port
            )
        except Refused:
            refused += 1
        else:
            raw.drop()
    assert refused > 50
    await house.line("dora", asks="X-Forwarded-For: 192.0.2.10\r\n", port=house.server.port)


async def test_case_52_so_many_people_who_are_not_logged_in_look_on_and_no_more(
    house: SiteBehindNginx,
) -> None:
    there = [await house.line(greeted=False) for _ in range(STRANGERS + 3)]
    ends = [asyncio.create_task(raw.closed()) for raw in there]
    closed, others = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    assert {task.result() for task in closed} == {4429}
    await house.line("dora")  # who is logged in comes in
    for raw in there:
        raw.drop()
    await asyncio.wait(others)


def _address_of_this_machine() -> str:
    """One that nginx does not take for this machine itself."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line, suppress(OSError):
        line.connect(("192.0.2.1", 9))  # nothing is sent
        return str(line.getsockname()[0])
    return "127.0.0.1"


async def test_case_52_nginx_lets_one_address_open_so_many_sockets_and_pages(
    house: SiteBehindNginx,
) -> None:
    address = _address_of_this_machine()
    if address.startswith("127."):
        # nginx exempts loopback addresses, so the limit cannot be reached from one.
        pytest.skip("this machine has no address but loopback")
    refused, lines = [], []
    for _ in range(60):
        try:
            lines.append(await house.line(address=address, greeted=False))
        except Refused as answer:
            refused.append(str(answer).split("\r\n")[0])
    assert 30 <= len(lines) <= 50
    assert set(refused) == {"HTTP/1.1 429 Too Many Requests"}
    for raw in lines:
        raw.drop()
    statuses = await asyncio.gather(*(_status(house, address) for _ in range(100)))
    assert set(statuses) == {b"200", b"429"}
    assert 5 <= statuses.count(b"200") <= 80
    assert set(await asyncio.gather(*(_status(house, "127.0.0.1") for _ in range(100)))) == {b"200"}


async def _status(house: SiteBehindNginx, address: str) -> bytes:
    host, _, port = house.server.url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    writer.write(
        f"GET /livez HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode()
    )
    answer = await asyncio.wait_for(reader.read(), PATIENCE)
    writer.close()
    return answer.split(b" ")[1]
