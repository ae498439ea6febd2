"""The websocket protocol on uvicorn: when it stops reading, and when it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from uvicorn import Config, Server
from websockets.asyncio.client import connect

from tables.servers.uvicorn_protocols import UvicornHttp, UvicornWebSocket
from tests.adversarial.raw_socket import frame

MESSAGES = 40


@asynccontextmanager
async def serve(application: Any) -> AsyncIterator[Server]:
    """A server with this site's protocols on a free port."""
    server = Server(
        Config(
            application, port=0, lifespan="off", http=UvicornHttp, ws=UvicornWebSocket,
            log_config=None, access_log=False,
        )
    )  # fmt: skip
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield server
    finally:
        server.should_exit = server.force_exit = True
        await serving


def get_protocol(server: Server) -> UvicornWebSocket:
    (protocol,) = (
        one for one in server.server_state.connections if isinstance(one, UvicornWebSocket)
    )
    return protocol


@pytest.mark.parametrize("pause", [0.0, 0.02])
async def test_frames_before_the_handshake_reply_cut_the_connection(pause: float) -> None:
    """uvicorn drops those that come with the request, and would leave their commands unanswered."""
    texts: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await asyncio.sleep(0.1)
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            texts.append(message["text"])

    async with serve(application) as server:
        host, port = server.servers[0].sockets[0].getsockname()[:2]
        reader, writer = await asyncio.open_connection(host, port)
        request = (
            "GET / HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "", "",
        )  # fmt: skip
        writer.write("\r\n".join(request).encode() + (b"" if pause else frame("early")))
        if pause:
            await asyncio.sleep(pause)
            writer.write(frame("early"))
        received = b""
        with suppress(ConnectionError):
            received = await asyncio.wait_for(reader.read(), 5)
        writer.close()
    assert (received, texts) == (b"", [])


async def test_reading_pauses_while_the_application_takes_no_messages() -> None:
    may_go_on = asyncio.Event()
    texts: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        texts.append((await receive())["text"])
        await may_go_on.wait()
        while (message := await receive())["type"] == "websocket.receive":
            texts.append(message["text"])

    async with serve(application) as server:
        host, port = server.servers[0].sockets[0].getsockname()[:2]
        async with connect(f"ws://{host}:{port}/") as client:
            for number in range(MESSAGES):
                await client.send(str(number))
                await asyncio.sleep(0.005)
            protocol = get_protocol(server)
            assert not protocol.transport.is_reading()
            assert protocol.queue.qsize() < MESSAGES / 2
            may_go_on.set()
            async with asyncio.timeout(5):
                while len(texts) < MESSAGES:
                    await asyncio.sleep(0.01)
            assert protocol.transport.is_reading()
    assert texts == [str(number) for number in range(MESSAGES)]
