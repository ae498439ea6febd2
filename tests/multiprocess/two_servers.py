"""Two servers on one PostgreSQL, with a Redis between them."""

from __future__ import annotations

import asyncio
import re
import urllib.request
from dataclasses import dataclass

import pytest

from tests.helpers.servers.process import Server
from tests.multiprocess.redis import RedisServer

CASINO, VEGAS = 1, 2


@dataclass
class Scaled:
    """Two servers on the same database, and what connects them."""

    first: Server
    second: Server
    redis: RedisServer


ON_DAPHNE = pytest.mark.parametrize("scaled", ["daphne"], indirect=True)
ON_UVICORN = pytest.mark.parametrize("scaled", ["uvicorn"], indirect=True)
"""What is the same on both is looked at on one."""


async def remote_commands(server: Server) -> dict[str, int]:
    """The number of commands that this server has sent to another one, by result."""
    return await asyncio.to_thread(_read_remote_commands, server)


def _read_remote_commands(server: Server) -> dict[str, int]:
    text = urllib.request.urlopen(f"{server.url}/metrics").read().decode()
    lines = re.findall(r'^blackjack_remote_commands_total{result="(\w+)"} (\S+)', text, re.M)
    return {result: int(float(number)) for result, number in lines}
