"""The lobby feed: sends the cards of changed tables to all open lobbies of this process.

The tables that changed are collected, read and drawn once, and sent in one frame, at most once a
second. It is a frame for each language, and for viewers who see some tables otherwise.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, Protocol

import structlog
from django.conf import settings

from accounts.lib import server_clock
from accounts.lib.times import to_milliseconds
from tables.lib.daemon_threads import run_in_daemon_thread
from tables.lobby import cards
from tables.lobby.cards import Viewer
from tables.protocol import codec
from tables.protocol.frames import LobbyChanged, LobbyTables
from tables.protocol.topics import (
    LIST_AGAIN,
    LOBBY,
    LOBBY_PAGES,
    parse_hidden,
    parse_table,
    parse_user,
)
from tables.realtime.hub import Hub

log = structlog.get_logger()

SHORTEST_PAUSE: Final = 1.0
"""Seconds between two frames."""
REMEMBERED: Final = dt.timedelta(minutes=2)
"""Lists of this age are brought up to date when their page connects; older ones are fetched."""
CLOCKS_APART: Final = dt.timedelta(seconds=2)
"""By how much the clocks of two processes may differ."""


class LobbySocket(Protocol):
    """The socket of an open lobby."""

    user_id: int | None
    language: str

    def push(self, text: str) -> None: ...


class LobbyFeed:
    """The feed of one process."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._changed: set[int] = set()
        self._hidden: set[int] = set()
        self._recent: dict[int, dt.datetime] = {}
        """When each table changed last, within :data:`REMEMBERED`."""
        self._shut_out: dict[int, dt.datetime] = {}
        """When each user lost access to a table last."""
        self._complete_since = server_clock.now()
        """Changes since then are known."""
        self._earliest = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start to collect changes."""
        self._hub.subscribe(LOBBY, self.note_change)

    async def stop(self) -> None:
        """Stop; pages fetch the list when they reconnect."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def add_page(self, socket: LobbySocket, since: dt.datetime | None) -> None:
        """Bring a page up to date whose list is of this time. It must have joined its topic."""
        apart = CLOCKS_APART if settings.REDIS_URL else dt.timedelta()  # one process has one clock
        first = since - apart if since is not None else None
        complete_since = max(self._complete_since, server_clock.now() - REMEMBERED)
        if socket.user_id in self._shut_out:
            complete_since = max(complete_since, self._shut_out[socket.user_id])
        if first is None or first < complete_since:
            socket.push(codec.encode(LobbyChanged()))
            return
        if late := [table_id for table_id, at in self._recent.items() if at >= first]:
            self._changed.update(late)  # all pages get them again: drawn once, they cost little
            self._schedule()

    def note_change(self, text: str) -> None:
        """Note what a message about the list says has changed."""
        if text == LIST_AGAIN:
            self._complete_since = server_clock.now()
            self._send(self._list_pages(), lambda _page: codec.encode(LobbyChanged()))
            return
        if (user_id := parse_user(text)) is not None:
            self._shut_out[user_id] = server_clock.now()
            pages = [page for page in self._list_pages() if page.user_id == user_id]
            self._send(pages, lambda _page: codec.encode(LobbyChanged()))
            return
        hidden = parse_hidden(text)
        table_id = parse_table(text) if hidden is None else hidden
        assert table_id is not None
        if hidden is not None:
            self._hidden.add(hidden)
        self._changed.add(table_id)
        self._recent.pop(table_id, None)
        self._recent[table_id] = server_clock.now()
        self._schedule()

    def _list_pages(self) -> list[LobbySocket]:
        return list(self._hub.get_sockets(LOBBY_PAGES))  # type: ignore[arg-type]  # all of them are

    def _schedule(self) -> None:
        if self._timer is None and self._task is None:
            loop = asyncio.get_running_loop()
            # Not at once: a change often brings others, such as a seat and its watchers.
            when = max(self._earliest, loop.time() + 0.05)
            self._timer = loop.call_at(when, self._begin)

    def _begin(self) -> None:
        loop = asyncio.get_running_loop()
        self._timer = None
        self._earliest = loop.time() + SHORTEST_PAUSE
        self._task = loop.create_task(self._send_changes())
        self._task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if self._changed and not task.cancelled():
            self._schedule()

    async def _send_changes(self) -> None:
        oldest = server_clock.now() - REMEMBERED
        self._recent = {pk: at for pk, at in self._recent.items() if at >= oldest}
        self._shut_out = {pk: at for pk, at in self._shut_out.items() if at >= oldest}
        changed, hidden = self._changed, self._hidden
        self._changed, self._hidden = set(), set()
        pages = self._list_pages()
        if not pages:
            return
        now = server_clock.now()
        try:
            viewers = {_get_viewer(page) for page in pages}
            draw = partial(cards.draw_changes, changed, hidden, viewers)
            drawn = await run_in_daemon_thread(draw, "lobby")
        except Exception:
            log.exception("lobby_failed")
            self._send(pages, lambda _page: codec.encode(LobbyChanged()))
            return
        texts: dict[Viewer, str] = {}

        def get_text(page: LobbySocket) -> str:
            viewer = _get_viewer(page)
            key = viewer if viewer in drawn.own else (None, viewer[1])
            if key not in texts:
                frame = LobbyTables(to_milliseconds(now), drawn.cards_for(key))
                texts[key] = codec.encode(frame) if frame.tables else ""
            return texts[key]

        self._send(pages, get_text)

    def _send(self, pages: Iterable[LobbySocket], get_text: Callable[[LobbySocket], str]) -> None:
        for page in pages:
            if text := get_text(page):
                page.push(text)


def _get_viewer(page: LobbySocket) -> Viewer:
    return page.user_id, page.language
