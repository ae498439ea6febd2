"""A line to PostgreSQL that can be cut without a word: no end of a connection and no refusal arrives.

The other end is in a network namespace of Linux, which needs the rights of root. A program that relays
bytes cannot do this: the system under it goes on to confirm what was sent.

``python -m tests.multiprocess.cut_line SOCKET PORT`` relays a port to a unix socket.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.helpers.servers.process import ROOT

NEAR, FAR = "198.18.99.1", "198.18.99.2"
"""Addresses of the range for tests of networks (RFC 2544)."""
PORT = 5432


class CutLine:
    """The two ends of the line, and the URL of a database behind it."""

    def __init__(self, namespace: str, url: str) -> None:
        self.url = url
        self._there = ("ip", "netns", "exec", namespace)

    def cut(self) -> None:
        """Let nothing come back, and let nobody know."""
        run(*self._there, "ip", "route", "add", "blackhole", f"{NEAR}/32")

    def mend(self) -> None:
        run(*self._there, "ip", "route", "del", "blackhole", f"{NEAR}/32")


def run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=10)


@contextmanager
def line_to(socket: Path, database: str) -> Iterator[CutLine]:
    """A line to a database of the PostgreSQL behind ``socket``. Skips the test where this process may not
    make a network namespace, as in most containers: the fault cannot be made in another way.
    """
    name, near, far = (f"{kind}{os.getpid()}" for kind in ("bj", "bjn", "bjf"))
    with ExitStack() as stack:
        try:
            run("ip", "netns", "add", name)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("a network namespace needs root, Linux and the program ip")
        stack.callback(run, "ip", "netns", "del", name)
        run("ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", name)
        run("ip", "addr", "add", f"{NEAR}/30", "dev", near)
        run("ip", "link", "set", near, "up")
        there = ("ip", "netns", "exec", name)
        run(*there, "ip", "addr", "add", f"{FAR}/30", "dev", far)
        run(*there, "ip", "link", "set", far, "up")
        relay = subprocess.Popen(
            [*there, sys.executable, "-m", "tests.multiprocess.cut_line", str(socket), str(PORT)],
            cwd=ROOT,
        )
        stack.callback(relay.wait)
        stack.callback(relay.kill)
        url = f"postgresql://postgres@{FAR}:{PORT}/{database}"
        wait_for(url)
        yield CutLine(name, url)


def wait_for(url: str) -> None:
    """Return when the database can be reached."""
    until = time.monotonic() + 30
    while True:
        try:
            psycopg.connect(url, connect_timeout=2).close()
        except psycopg.OperationalError:
            assert time.monotonic() < until
            time.sleep(0.1)  # the relay and PostgreSQL send no ready signal
        else:
            return


async def relay(path: str, port: int) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_unix_connection(path)
        await asyncio.gather(pump(reader, there[1]), pump(there[0], writer), return_exceptions=True)

    await (await asyncio.start_server(serve, FAR, port)).serve_forever()


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()


if __name__ == "__main__":
    asyncio.run(relay(sys.argv[1], int(sys.argv[2])))
