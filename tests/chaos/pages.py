"""An open page of a table: its line, its frames and its commands, as the browser keeps them."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from tests.chaos.cleanup import end
from tests.chaos.client_log import UNSURE, History, cards_of

SILENCE = 12.0
"""Seconds without a frame, and the line counts as dead."""
DEAD = 8.0
"""Seconds without an answer, likewise."""
FOR_EVER = (4401, 4404, 4409)
"""Closed under these codes, a page does not come back by itself."""
AFTER_REFUSAL = {4400: 5.0, 4429: 5.0}


@dataclass(frozen=True)
class Patience:
    """How a page comes back: full jitter, in seconds; see ``static/js/net/reconnecting_socket.js``."""

    first: float = 0.5
    longest: float = 30.0
    steady: float = 60.0
    """A line that held so long makes the next wait a first one again."""


@dataclass(frozen=True)
class Player:
    """Somebody with an account, and the cookie of the browser in which they are logged in."""

    name: str
    cookie: str


class Page:
    """One page at one table. ``table`` is the table as last heard of."""

    def __init__(
        self,
        site: str,
        player: Player,
        table_id: int,
        *,
        seed: str,
        patience: Patience,
        port: int | None = None,
    ) -> None:
        self.site = site
        self.port = port or urlsplit(site).port
        """Where it connects to, whatever the address of the site says."""
        self.player = player
        self.table_id = table_id
        self.history = History(player.name, table_id)
        self.table: dict[str, Any] = {}
        self.seq = 0
        self.epoch: str | None = None
        self.balance: int | None = None
        self.balance_seq = 0
        self.news = asyncio.Event()
        """Set whenever something was heard."""
        self.refreshed_at = 0.0
        """When the last snapshot came."""
        self.lines_opened = 0
        self.ended_under: int | None = None
        """The close code after which the page stays away."""
        self.unanswered: dict[str, dict[str, Any]] = {}
        self.last_refusal = ""
        self.on_given: Callable[[Page, dict[str, Any]], None] | None = None
        self.on_changed: Callable[[Page, int], None] | None = None
        self.on_done: Callable[[Page, dict[str, Any], int], None] | None = None
        self.refusals: Counter[str] = Counter()
        """How often a command was refused, by code."""
        self._chance = Random(seed)  # not the one of who plays: how often it is asked is luck
        self._patience = patience
        self._socket: ClientConnection | None = None
        self._committed_at = 0
        self._waits_since: float | None = None
        self._heard_at = 0.0
        self._is_asking = False
        self._is_closing = False
        self._behind_at = 0
        self._task: asyncio.Task[None] | None = None

    # From outside

    def open(self) -> None:
        """Open the page. It keeps its line open until it is closed."""
        self._task = asyncio.create_task(self._stay())

    async def close(self) -> None:
        """Close the page; what was not answered by then stays unknown."""
        self._is_closing = True
        if self._task is not None:
            await end(self._task)
        for command_id in self.unanswered:
            self.history.note("unknown", id=command_id)

    @property
    def is_open(self) -> bool:
        """Whether there is a line on which something was heard."""
        return self._socket is not None and self.lines_opened > 0

    @property
    def is_waiting(self) -> bool:
        """Whether a command is unanswered, or its change was not heard of yet."""
        return bool(self.unanswered) or self.seq < self._committed_at

    async def give(self, **command: Any) -> None:
        """Write the command down, then send it: unanswered, it is sent again under its id."""
        command["id"] = str(uuid.UUID(int=self._chance.getrandbits(128), version=4))
        self.unanswered[command["id"]] = command
        self.history.note("invoke", command=command)
        if self.on_given is not None:
            self.on_given(self, command)
        await self._send_command(command)

    async def repeat(self) -> None:
        """Send what is unanswered once more, as an impatient network does."""
        for command in list(self.unanswered.values()):
            await self._send_command(command)

    async def ask(self) -> None:
        """Ask for the table as it is, to see whether the line lives."""
        await self._send({"t": "resync"})

    # The line

    async def _stay(self) -> None:
        attempts = 0
        while self.ended_under is None and not self._is_closing:
            opened_at = time.monotonic()
            code = await self._one_line()
            if code in FOR_EVER:
                self.ended_under = code
                return
            if time.monotonic() - opened_at > self._patience.steady:
                attempts = 0
            longest = min(self._patience.longest, self._patience.first * 2**attempts)
            attempts += 1
            await asyncio.sleep(AFTER_REFUSAL.get(code, 0) + self._chance.random() * longest)

    async def _one_line(self) -> int:
        """Open a line and listen until it ends; under which code, 1006 if without one."""
        address = f"ws://localhost:{self.port}/ws/tables/{self.table_id}/"
        watch = None
        try:
            async with connect(
                address,
                origin=self.site,
                additional_headers={"Cookie": self.player.cookie} if self.player.cookie else {},
                proxy=None,
                ping_interval=None,
                open_timeout=SILENCE,
                close_timeout=1,
            ) as socket:
                self._heard_at = time.monotonic()
                self._socket, self._is_asking, self._behind_at = socket, False, 0
                self.history.note("opened")
                watch = asyncio.create_task(self._watch(socket))
                async for text in socket:
                    self._heard_at = time.monotonic()
                    await self._hear(json.loads(text))
                code = socket.close_code or 1006
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd else 1006
        except (OSError, TimeoutError, InvalidHandshake, InvalidMessage, EOFError) as error:
            self.history.note("no line", error=repr(error)[:200])
            return 1006
        finally:
            self._socket, self._waits_since = None, None
            if watch is not None:
                watch.cancel()
        self.history.note("closed", code=code)
        return code

    async def _watch(self, socket: ClientConnection) -> None:
        while True:
            await asyncio.sleep(0.5)
            now = time.monotonic()
            is_unheard = self._waits_since is not None and now - self._waits_since > DEAD
            if is_unheard or now - self._heard_at > SILENCE:
                socket.transport.abort()

    async def _send(self, message: dict[str, Any]) -> bool:
        if self._socket is None:
            return False
        try:
            await self._socket.send(json.dumps(message))
        except ConnectionClosed:
            return False
        return True

    async def _send_command(self, command: dict[str, Any]) -> None:
        self.history.note("sent", id=command["id"])
        if await self._send(command) and self._waits_since is None:
            self._waits_since = time.monotonic()

    # What comes in

    async def _hear(self, frame: dict[str, Any]) -> None:
        kind = frame["t"]
        if kind == "snapshot":
            await self._take_snapshot(frame)
        elif kind == "changed":
            await self._take_change(frame)
        elif kind == "heartbeat":
            if frame["seq"] > self.seq or frame.get("epoch") != self.epoch:
                self._is_asking = False
                await self._resync()
        elif kind in ("done", "err"):
            self._take_answer(frame)
        elif kind == "wallet":
            self._take_balance(frame["balance"], frame["seq"])
            self.history.note("wallet", balance=frame["balance"], balance_seq=frame["seq"])
        self.news.set()

    async def _take_snapshot(self, frame: dict[str, Any]) -> None:
        self._is_asking = False
        seq, you = frame["seq"], frame["you"]
        # A change may come before the first snapshot; a browser's page knows its epoch by then.
        is_of_now = self.epoch in (None, frame.get("epoch"))
        is_old = seq < self.seq and is_of_now and self._behind_at != self.seq
        self._behind_at = self.seq if is_old else 0
        values = {"balance": you["balance"], "balance_seq": you["balance_seq"]}
        cards = cards_of(frame["table"])
        self.history.note("snapshot", seq=seq, cards=cards, **values, is_applied=not is_old)
        if is_old:  # read before a change that another process has told already
            await self._resync()
            return
        self.seq, self.table, self.epoch = seq, frame["table"], frame.get("epoch")
        self._take_balance(you["balance"], you["balance_seq"])
        self.lines_opened += 1
        self.refreshed_at = time.monotonic()
        self._waits_since = None
        await self.repeat()

    def _take_balance(self, balance: int | None, seq: int) -> None:
        """Of what several processes tell of the wallet the latest, which may be heard first."""
        if seq >= self.balance_seq:
            self.balance, self.balance_seq = balance, seq

    async def _take_change(self, frame: dict[str, Any]) -> None:
        seq = frame["seq"]
        is_next = seq == self.seq + 1
        self.history.note(
            "changed",
            seq=seq,
            events=frame["events"],
            cards=cards_of(frame["table"]),
            is_applied=is_next,
        )
        if self.on_changed is not None:
            self.on_changed(self, seq)
        if is_next:
            self.seq, self.table = seq, frame["table"]
        elif seq > self.seq:  # a browser's page waits a moment for what crosses on its way
            await self._resync()

    def _take_answer(self, frame: dict[str, Any]) -> None:
        self.last_refusal = frame.get("code", "")
        if frame["t"] == "done":
            self.history.note("ok", id=frame["id"], seq=frame["seq"])
        else:
            self.refusals[self.last_refusal] += 1
            self.history.note("fail", id=frame["id"], code=frame["code"])
        if self.last_refusal in UNSURE:
            self.history.note("unknown", id=frame["id"])
        command = self.unanswered.pop(frame["id"], None)
        if command is None:
            return
        self._waits_since = None
        if frame["t"] == "done":
            self._committed_at = max(self._committed_at, frame["seq"])
            if self.on_done is not None:
                self.on_done(self, command, frame["seq"])

    async def _resync(self) -> None:
        if not self._is_asking:
            self._is_asking = await self._send({"t": "resync"})
