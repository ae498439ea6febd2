"""Frames that both servers write at once, from a program of their own."""

from __future__ import annotations

import subprocess
import sys

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.helpers.servers.fork_server import own_environment
from tests.helpers.servers.process import ROOT, own_port

PROGRAM = """
import sys
import django
django.setup()
from tables.servers.write_now import get_write_now

async def application(scope, receive, send):
    if scope["type"] == "lifespan":
        while (message := await receive())["type"] == "lifespan.startup":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    write_now = get_write_now(scope)
    await receive()
    is_early = write_now("before it is open")
    await send({"type": "websocket.accept"})
    is_written = write_now("at once")
    await send({"type": "websocket.send", "text": f"{is_early} {is_written}"})
    await receive()
    await send({"type": "websocket.close"})
    print(write_now("after it was closed"), flush=True)

async def finish():
    pass

def say():
    print("ready", flush=True)

where = {"host": "127.0.0.1", "port": int(sys.argv[2]), "on_ready": say}
if sys.argv[1] == "daphne":
    from tables.servers.daphne_server import DaphneServer
    DaphneServer(application, finish=finish, **where).run()
else:
    from tables.servers.uvicorn_server import UvicornServer
    UvicornServer(application, **where).serve_until_stopped()
"""


@pytest.mark.parametrize("server", ["daphne", "uvicorn"])
def test_a_server_writes_a_frame_at_once_while_the_socket_is_open(server: str) -> None:
    port = own_port()
    environment = own_environment() | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, server, str(port)],
        cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        with connect(f"ws://127.0.0.1:{port}/") as socket:
            assert [socket.recv(timeout=10), socket.recv(timeout=10)] == ["at once", "False True"]
            socket.send("go on")
            with pytest.raises(ConnectionClosed):
                socket.recv(timeout=10)
        assert process.stdout.readline() == "False\n"
    finally:
        process.terminate()
        process.wait(20)
        assert process.stdout is not None
        process.stdout.close()
