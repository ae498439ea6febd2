"""The socket of the load, against a complete server."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

import pytest
from websockets.asyncio.server import Request, Response, ServerConnection, serve

from tests.bench.light_socket import LightSocket
from tests.helpers.servers.process import own_port

LENGTHS = (0, 125, 126, 65_535, 65_536)
"""Where the header of a frame changes its form."""


async def test_texts_of_all_lengths_arrive_whole_and_in_order() -> None:
    texts: asyncio.Queue[bytes] = asyncio.Queue()
    pongs: list[float] = []

    async def answer(server: ServerConnection) -> None:
        async for text in server:
            pongs.append(await (await server.ping()))
            assert text == "more"
            for length in LENGTHS:
                await server.send("x" * length)

    port = own_port()
    async with serve(answer, "localhost", port, compression=None):
        socket = await LightSocket.open(f"http://localhost:{port}", "/", "a=b")
        socket.on_text = texts.put_nowait
        for _ in range(2):
            socket.send("more")
            async with asyncio.timeout(10):
                assert [await texts.get() for _ in LENGTHS] == [b"x" * n for n in LENGTHS]
        with pytest.raises(ValueError, match="126 bytes"):
            socket.send("x" * 126)
        await socket.wait_closed()
    assert len(pongs) == 2


async def test_a_server_that_refuses_is_an_error() -> None:
    def refuse(server: ServerConnection, _request: Request) -> Response:
        return server.respond(HTTPStatus.FORBIDDEN, "no")

    async def nothing(_server: ServerConnection) -> None:
        raise AssertionError

    port = own_port()
    async with serve(nothing, "localhost", port, process_request=refuse):
        with pytest.raises(ConnectionError, match="403"):
            await LightSocket.open(f"http://localhost:{port}", "/", "")
