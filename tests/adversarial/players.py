"""Players at tables of one real server, each table with nobody at it before, and its books."""

from __future__ import annotations

import asyncio
import sqlite3
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from tests.helpers.servers.process import Server
from tests.helpers.socket_player import SocketPlayer

TABLES = 16
OPEN_TABLES = f"""
from tables.game import lifecycle
for number in range({TABLES}):
    print(lifecycle.open_table(name=f"Case {{number}}", rules_key="casino").pk)
"""


@dataclass
class House:
    """A server, and tables at which nobody has sat yet."""

    server: Server
    fresh: list[int]


class Company:
    """The players of one test, at a table of their own."""

    def __init__(self, house: House) -> None:
        self.server = house.server
        self.fresh = house.fresh
        self.table = self.fresh.pop()
        self.pages: list[SocketPlayer] = []

    async def come(self) -> SocketPlayer:
        """A new player, without an open page."""
        player = SocketPlayer(self.server.url, f"p{uuid.uuid4().hex[:12]}")
        await asyncio.to_thread(player.sign_up)
        self.pages.append(player)
        return player

    def stack(self, shoe: str) -> None:
        """Have the next round at this table dealt from this shoe.

        At tables of earlier tests bets may lie yet: the clock deals there, at any moment.
        """
        self.server.stack(shoe, table=self.table)

    async def seated(self, seat: int) -> SocketPlayer:
        """A new player in this seat."""
        player = await self.come()
        await player.open(self.table)
        assert (await player.send(t="sit", seat=seat))["t"] == "done"
        return player

    async def tab(self, player: SocketPlayer, table: int = 0) -> SocketPlayer:
        """Another page of the same browser."""
        other = SocketPlayer(player.url, player.name)
        other.cookies, other.opener = player.cookies, player.opener
        self.pages.append(other)
        await other.open(table or self.table)
        return other

    # The database

    def ask(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with (
            closing(
                sqlite3.connect(f"file:{self.server.data}/db.sqlite3?mode=ro", uri=True)
            ) as database,
            database,
        ):
            return database.execute(query, values).fetchall()

    def set_clocks(self, *, betting: int = 20, turn: int = 30) -> None:
        with (
            closing(sqlite3.connect(self.server.data / "db.sqlite3", timeout=20)) as database,
            database,
        ):
            statement = "UPDATE tables_table SET betting_seconds = ?, turn_seconds = ? WHERE id = ?"
            database.execute(statement, (betting, turn, self.table))

    def wallet(self, player: SocketPlayer) -> int:
        ((balance,),) = self.ask(
            "SELECT balance FROM accounts_account JOIN accounts_user ON user_id = accounts_user.id"
            " WHERE username = ?", player.name,
        )  # fmt: skip
        return int(balance)

    def pot(self, *tables: int) -> int:
        """What is staked at these tables, or at this one."""
        pots = self.ask("SELECT id, staked FROM tables_table")
        return sum(staked for pk, staked in pots if pk in (tables or (self.table,)))

    def seats(self) -> int:
        """How many are taken."""
        return len(self.ask("SELECT id FROM tables_seat WHERE table_id = ?", self.table))


async def until(holds: Callable[[], object], seconds: float = 15) -> None:
    """Wait for something that has to become so."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "that did not come about"
        await asyncio.sleep(0.05)
