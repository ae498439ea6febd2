"""Watches the sockets of this process: presence, evictions, expired sessions.

Each process stores its open pages in the database, where the others read them.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import structlog

from accounts.lib import server_clock
from accounts.users import sessions
from tables.models import Table
from tables.protocol.frames import CloseCode
from tables.protocol.topics import EVICTIONS, parse_table, parse_user, table_topic, user_topic
from tables.realtime import dispatch, presence, process_registry
from tables.realtime.hub import Hub, Socket

log = structlog.get_logger()

AFTER_COMING: Final = 0.3
AFTER_GOING: Final = 3.0
"""Seconds before a closed page is stored as gone. A reload takes less."""

USERS_AFTER: Final = 1.0
"""Seconds before a user who has come is stored; one who goes after :data:`AFTER_GOING`."""

LONGEST_WAIT: Final = 3600.0
"""Seconds. A session may be extended before then, and those of guests last a year."""

AFTER_FAILURE: Final = 5.0
"""Seconds before a retry after an error of the database."""

Work = Callable[[int], Awaitable[None]]


class ConnectionMonitor:
    """Follows the sockets of the hub, and handles eviction messages."""

    def __init__(self, hub: Hub) -> None:
        self.process = uuid.uuid4().hex
        self._hub = hub
        self._due: dict[tuple[Work, int], asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Start to watch the sockets."""
        self._hub.on_move = self._schedule_update
        self._hub.subscribe(EVICTIONS, self.evict)

    async def stop(self) -> None:
        """Stop, and cancel pending writes: another process removes the visits later."""
        self._hub.on_move = None
        for due in self._due.values():
            due.cancel()
        self._due.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def register_process(self) -> None:
        """Register this process; after an error the next periodic check does it."""
        try:
            await self.record_process()
        except Exception:
            log.exception("register_process_failed")

    async def record_process(self) -> None:
        """Record that this process runs, and its number of sockets."""
        sockets = self._hub.count()
        await dispatch.run_without_publishing(
            partial(process_registry.record_process, self.process, sockets)
        )

    async def unregister_process(self) -> None:
        """Unregister this process; after an error its entry becomes stale."""
        try:
            await dispatch.run_without_publishing(
                lambda _now: process_registry.unregister(self.process)
            )
        except Exception:
            log.exception("unregister_process_failed")

    async def update_presence(self, table_id: int) -> None:
        """Store the open pages of this process at the table, and publish the changes."""
        topic = table_topic(table_id)
        pages: dict[int | None, int] = {}
        in_sight: set[int | None] = set()
        for socket in self._hub.get_sockets(topic):
            pages[socket.user_id] = pages.get(socket.user_id, 0) + 1
            if socket.is_in_sight:
                in_sight.add(socket.user_id)
        work = partial(presence.update_table, table_id, self.process, pages, in_sight=in_sight)
        try:
            await dispatch.run_async(work)
        except Table.DoesNotExist:
            return

    async def store_users(self, _user_id: int = 0) -> None:
        """Store the users who have a page open in this process."""
        users = {pk for topic in self._hub.topics() if (pk := parse_user(topic)) is not None}
        await dispatch.run_without_publishing(
            partial(presence.store_open_pages, self.process, users)
        )

    async def close_unauthorized(self, table_id: int) -> None:
        """Close the sockets that may not see the table any more."""
        sockets = self._hub.get_sockets(table_topic(table_id))
        stay = await dispatch.run_without_publishing(lambda _now: _find_allowed(table_id, sockets))
        self._hub.close_sockets(sockets - stay, CloseCode.NO_SUCH_TABLE)

    async def check_all_sockets(self) -> None:
        """Check all sockets: eviction messages may have been lost."""
        await self.close_ended()
        for topic in self._hub.topics():
            if (table_id := parse_table(topic)) is not None:
                await self.close_unauthorized(table_id)

    async def close_ended(self, user_id: int | None = None, *, but: str = "") -> None:
        """Close sockets whose session has ended, of one user or of all.

        Sockets of the session ``but`` are skipped.
        """
        keys = self._hub.session_keys()
        if user_id is not None:
            pages = self._hub.get_sockets(user_topic(user_id))
            keys = {page.session_key for page in pages if page.session_key} - {but}
        ended = await dispatch.run_without_publishing(partial(sessions.find_ended, keys))
        self._hub.close_session_sockets(ended, CloseCode.SESSION_ENDED)

    async def close_expired(self, _user_id: int = 0) -> None:
        """Close sockets of expired sessions, and set a timer for the next expiry."""
        keys = self._hub.session_keys()
        first = await dispatch.run_without_publishing(lambda _now: sessions.find_first_expiry(keys))
        if first is None:
            return
        remaining = (first - server_clock.now()).total_seconds()
        if remaining <= 0:
            await self.close_ended()
        self._start_later(max(AFTER_COMING, min(remaining, LONGEST_WAIT)), self.close_expired)

    async def reload_pages_of(self, user_id: int) -> None:
        """Close all sockets of a user, so that the pages reload."""
        pages = self._hub.get_sockets(user_topic(user_id))
        self._hub.close_sockets(pages, CloseCode.SESSION_ENDED)

    def evict(self, text: str) -> None:
        """Handle an eviction message: check the sockets that it names."""
        kind, number, *rest = text.split(".")
        works: dict[str, Work] = {
            "table": self.close_unauthorized,
            "sessions": partial(self.close_ended, but="".join(rest)),
            "renamed": self.reload_pages_of,
        }
        self._start(works[kind], int(number))

    def _schedule_update(self, topic: str, *, is_coming: bool) -> None:
        table_id = parse_table(topic)
        if table_id is not None:
            self._start_later(
                AFTER_COMING if is_coming else AFTER_GOING, self.update_presence, table_id
            )
        elif parse_user(topic) is not None:
            self._start_later(USERS_AFTER if is_coming else AFTER_GOING, self.store_users)
            if is_coming:
                self._start_later(AFTER_COMING, self.close_expired)

    def _start_later(self, seconds: float, work: Work, whose: int = 0) -> None:
        """Start the work after this time. The same work that is due earlier stays due."""
        loop = asyncio.get_running_loop()
        timer = self._due.get((work, whose))
        if timer is not None:
            if timer.when() <= loop.time() + seconds:
                return
            timer.cancel()
        self._due[work, whose] = loop.call_later(seconds, self._start, work, whose)

    def _start(self, work: Work, whose: int) -> None:
        self._due.pop((work, whose), None)
        task = asyncio.create_task(self._try(work, whose))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _try(self, work: Work, whose: int) -> None:
        try:
            await work(whose)
        except Exception:
            log.exception("connection_monitor_failed", whose=whose)
            self._start_later(AFTER_FAILURE, work, whose)


def _find_allowed(table_id: int, sockets: set[Socket]) -> set[Socket]:
    table = Table.objects.defer("state").get(pk=table_id)
    return {socket for socket in sockets if socket.may_see(table)}
