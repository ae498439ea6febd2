"""A server that is treated badly, and those at other tables, who must not notice."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import time
import urllib.request
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from tables.lib.token_bucket import TokenBucket
from tests.adversarial.raw_socket import RawSocket, open_raw
from tests.helpers.servers.process import Server
from tests.helpers.socket_player import SocketPlayer

CASINO, VEGAS, POT, CLASSIC = 1, 2, 3, 4
"""Tables that the first start opens."""
SECONDS_TO_ANSWER = 10
"""For a healthy player, on a machine that may be busy with other tests."""
MOST_KEPT = 5
"""MB."""


class Neighbour:
    """A healthy player, alone at a table of their own."""

    def __init__(self, server: Server, name: str, table: int, stake: int) -> None:
        self.player = SocketPlayer(server.url, name)
        self.table = table
        self.stake = stake
        self.rounds = 0
        self.has_enough = False
        self.waits: list[float] = []
        """How long each answer took, in seconds."""
        self._pace = TokenBucket(per_second=8, at_once=16)  # nobody plays faster, or is allowed to

    async def sit_down(self) -> None:
        """Make an account and take a seat."""
        await asyncio.to_thread(self.player.sign_up)
        await self.player.open(self.table)
        assert (await self.player.send(t="sit", seat=1))["t"] == "done"

    async def play_round(self) -> None:
        """Play a whole round."""
        await self._decide("bet", stake=self.stake)
        while (decision := self.player.table["asked"]) is not None:
            await self._decide("decline" if "decline" in decision["legal"] else "stand")
        assert self.player.table["phase"] == "betting"
        self.rounds += 1

    async def play_on(self) -> None:
        """Play round after round, until there is enough of it."""
        while not self.has_enough:
            await self.play_round()

    async def _decide(self, what: str, **fields: Any) -> None:
        while not self._pace.take():
            await asyncio.sleep(0.02)
        began = time.monotonic()
        await asyncio.wait_for(self.player.decide(what, **fields), SECONDS_TO_ANSWER)
        self.waits.append(time.monotonic() - began)


class IllTreated:
    """One server, its players, and two neighbours who play at tables of their own."""

    def __init__(self, server: Server) -> None:
        self.server = server
        assert server.process is not None
        self.pid = server.process.pid
        self.neighbours = [
            Neighbour(server, "neighbour", CLASSIC, 0),
            Neighbour(server, "opposite", POT, 200),
        ]
        self.players: dict[str, SocketPlayer] = {}
        self.lines: list[RawSocket] = []
        self._read = 0

    async def settle_in(self) -> None:
        """Have the neighbours sit down. However long a test takes, nobody asks for their seats."""
        at = self.server.data / "db.sqlite3"
        with closing(sqlite3.connect(at, timeout=20, isolation_level=None)) as database:
            database.execute("UPDATE tables_table SET betting_seconds = 600")
        for neighbour in self.neighbours:
            await neighbour.sit_down()

    async def close(self) -> None:
        """Cut all lines, and close the pages of the neighbours."""
        for raw in self.lines:
            raw.drop()
        for neighbour in self.neighbours:
            await neighbour.player.close()

    async def player(self, name: str) -> SocketPlayer:
        """Somebody with an account, made when they are first asked for."""
        if name not in self.players:
            player = self.players[name] = SocketPlayer(self.server.url, name)
            await asyncio.to_thread(player.sign_up)
        return self.players[name]

    async def line(
        self, name: str | None = None, table: int = CASINO, *, greeted: bool = True, **how: Any
    ) -> RawSocket:
        """An open socket, which has had its snapshot unless it is not to be ``greeted``."""
        if name is not None:
            how["cookies"] = cookies_of(await self.player(name))
        raw = await open_raw(self.server.url, f"/ws/tables/{table}/", **how)
        self.lines.append(raw)
        if greeted:
            await raw.message_of("snapshot")
        return raw

    async def refusals(self, *frames: bytes) -> list[str]:
        """The code under which each of these frames is refused; no socket hears five of them."""
        codes = []
        for first in range(0, len(frames), 4):
            raw = await self.line()
            for sent in frames[first : first + 4]:
                await raw.send(sent)
                codes.append((await raw.message_of("err"))["code"])
            raw.drop()
        return codes

    async def verify_is_well(self) -> None:
        """The same process, nothing alarming in its log, and the neighbour plays a whole round."""
        assert self.server.process is not None
        assert self.server.process.poll() is None
        assert self.server.process.pid == self.pid
        log, self._read = self.server.log.read_text()[self._read :], self._read
        self._read += len(log)
        assert "Traceback" not in log, log
        assert not re.search(r"\[(error|critical)\s*\]|^(ERROR|CRITICAL)", log, re.MULTILINE), log
        await self.neighbours[0].play_round()

    def memory(self) -> float:
        """What the process has in memory, in MB."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        match = re.search(r"VmRSS:\s+(\d+)", status)
        assert match
        return int(match[1]) / 1024

    async def forgets(self, abuse: Callable[[], Awaitable[None]]) -> bool:
        """Whether this abuse leaves less than ``MOST_KEPT`` in memory at one of three times: what the
        process loads meanwhile for its own work comes once, and what it keeps grows each time.
        """
        for _ in range(3):
            before = self.memory()
            await abuse()
            if self.memory() - before < MOST_KEPT:
                return True
        return False

    def measured(self, metric: str) -> float:
        """A figure that the server tells, such as ``blackjack_sockets``."""
        with urllib.request.urlopen(f"{self.server.url}/metrics", timeout=10) as answer:
            page = answer.read().decode()
        values = re.findall(rf"^{metric}(?:{{[^}}]*}})? (\S+)$", page, re.MULTILINE)
        return sum(map(float, values))


def cookies_of(player: SocketPlayer) -> str:
    """As a browser sends them."""
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in player.cookies)
