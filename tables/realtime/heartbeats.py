"""Heartbeats of tables, sent on time even while the database does not answer.

The writer thread may wait for a lock of the database. So another thread with its own connection
reads the seqs; if that fails too, the last known seqs are sent. They are never ahead of the
database, and a page with a higher seq ignores them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from functools import partial
from typing import Final

import structlog

from accounts.lib import server_clock
from accounts.lib.times import to_milliseconds
from tables.lib.daemon_threads import run_in_daemon_thread
from tables.models import Table
from tables.protocol import codec
from tables.protocol.frames import Heartbeat
from tables.protocol.topics import parse_table, table_topic
from tables.realtime.hub import hub
from tables.social import announcements

log = structlog.get_logger()

PATIENCE: Final = 1.0
"""Seconds that a heartbeat waits for the database."""

Seqs = dict[int, int]
"""The seq of each table, by its id."""


def read_seqs(table_ids: Collection[int]) -> tuple[str, Seqs]:
    """The epoch, and the seqs of these tables."""
    rows = Table.objects.filter(pk__in=table_ids).values_list("pk", "seq")
    return announcements.read_epoch(), dict(rows)


def send_heartbeats(epoch: str, seqs: Seqs) -> None:
    """Send the current seqs to the sockets of this process at these tables."""
    for table_id, seq in seqs.items():
        beat = Heartbeat(epoch, seq, to_milliseconds(server_clock.now()))
        hub.publish_local(table_topic(table_id), codec.encode(beat))


def list_table_ids(topics: Iterable[str]) -> list[int]:
    """The ids of the tables among these topics."""
    return [table_id for topic in topics if (table_id := parse_table(topic)) is not None]


class Heartbeats:
    """The heartbeats of one process. All but the reading runs on the event loop."""

    def __init__(self) -> None:
        self._epoch = ""
        self._seqs: Seqs = {}
        self._reading: asyncio.Future[tuple[str, Seqs]] | None = None

    def note_seq(self, table_id: int, seq: int, epoch: str = "") -> None:
        """Store a published seq, and the epoch if it was published with it."""
        self._merge(epoch or self._epoch, {table_id: seq})

    def get_seq(self, table_id: int) -> int:
        """The highest known seq of a table; 0 if none is known."""
        return self._seqs.get(table_id, 0)

    async def send_all(self) -> None:
        """Send a heartbeat to all pages with a table. Raises no database errors."""
        open_ids = list_table_ids(hub.topics())
        if self._reading is None:
            self._reading = run_in_daemon_thread(partial(read_seqs, open_ids), "heartbeats")
        done, _ = await asyncio.wait({self._reading}, timeout=PATIENCE)
        if done:
            reading, self._reading = self._reading, None
            if (error := reading.exception()) is None:
                self._merge(*reading.result())
            else:
                log.warning("heartbeat_failed", exc_info=error)
        self._seqs = {pk: self._seqs[pk] for pk in open_ids if pk in self._seqs}
        if self._epoch:
            send_heartbeats(self._epoch, self._seqs)

    def clear(self) -> None:
        """Clear the known seqs, for another event loop."""
        self._epoch, self._seqs, self._reading = "", {}, None

    def _merge(self, epoch: str, seqs: Seqs) -> None:
        """Keep the higher seq of each table; clear them for a new epoch."""
        if epoch != self._epoch:
            self._epoch, self._seqs = epoch, {}
        for table_id, seq in seqs.items():
            self._seqs[table_id] = max(seq, self._seqs.get(table_id, 0))


of_process: Final = Heartbeats()
"""The heartbeats of this process."""
