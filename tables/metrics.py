"""Prometheus metrics of this process.

One registry per process. Labels have few values: kinds of commands and codes of replies, never
names or ids of players. docs/operations.md describes each metric.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)

from accounts.lib.errors import BUSY
from accounts.users.sessions import SessionEnded
from tables.protocol.commands import AnyCommand
from tables.protocol.frames import Done, Err

disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY: Final = CollectorRegistry()
ProcessCollector(registry=REGISTRY)  # memory, processor time and open files

UNREADABLE: Final = "unreadable"
"""The ``command`` label of frames that are no command."""

# Set where the event happens

COMMANDS = Counter(
    "blackjack_commands", "Commands by kind and by their answer: done, or the code of the refusal.",
    ["command", "result"], registry=REGISTRY,
)  # fmt: skip
COMMAND_SECONDS = Histogram(
    "blackjack_command_seconds", "From a command's arrival until it is told, or refused.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
    registry=REGISTRY,
)  # fmt: skip
DEADLINE_LAG_SECONDS = Histogram(
    "blackjack_deadline_lag_seconds", "By how much later than its clock said a decision ended.",
    buckets=(0.8, 0.9, 1, 1.25, 1.5, 2, 3, 5, 10, 30, 60, 300), registry=REGISTRY,
)  # fmt: skip
FRAMES_SENT = Counter("blackjack_frames_sent", "Frames written to sockets.", registry=REGISTRY)
DROPPED_BROADCASTS = Counter(
    "blackjack_dropped_broadcasts", "What the other processes were to be told and were not.",
    ["why"], registry=REGISTRY,
)  # fmt: skip
RELAY_FULL = DROPPED_BROADCASTS.labels("relay_full")
RELAY_SEND_FAILED = DROPPED_BROADCASTS.labels("relay_send_failed")
SLOW_READERS = Counter(
    "blackjack_slow_readers", "Sockets closed because they did not read.", registry=REGISTRY
)
RESYNCS = Counter(
    "blackjack_resyncs", "Pages that had missed something and asked again.", registry=REGISTRY
)
FAILED_BATCHES = Counter(
    "blackjack_failed_batches", "Transactions of several changes that an error has ended.",
    registry=REGISTRY,
)  # fmt: skip
CLOCK_FAILURES = Counter(
    "blackjack_clock_failures", "Times that the clock could not do its work.", registry=REGISTRY
)

# Read at each request of /metrics: tables/realtime/gauges.py

SOCKETS = Gauge("blackjack_sockets", "Open sockets of this process.", registry=REGISTRY)
VIEWERS = Gauge(
    "blackjack_viewers", "Those of them that show a table, seated or not.", registry=REGISTRY
)
WRITER_QUEUE = Gauge(
    "blackjack_writer_queue", "Changes that wait for the writer thread.", registry=REGISTRY
)
DATABASE_UP = Gauge("blackjack_database_up", "Whether the database answers.", registry=REGISTRY)
TABLES = Gauge(
    "blackjack_tables", "Tables that are open, and those that are paused.", ["state"],
    registry=REGISTRY,
)  # fmt: skip
ROUNDS_IN_PLAY = Gauge(
    "blackjack_rounds_in_play", "Tables at which cards are being played.", registry=REGISTRY
)
SEATS_TAKEN = Gauge("blackjack_seats_taken", "Seats that somebody has.", registry=REGISTRY)
OVERDUE_DEADLINES = Gauge(
    "blackjack_overdue_deadlines", "Clocks that ran out and were not seen to.", registry=REGISTRY
)
AUDIT_FINISHED = Gauge(
    "blackjack_audit_finished_timestamp_seconds", "When an audit was last finished; 0 for never.",
    registry=REGISTRY,
)  # fmt: skip
AUDIT_FAULTS = Gauge(
    "blackjack_audit_faults", "What the last finished audit found wrong.", registry=REGISTRY
)

BACKUP_FINISHED = Gauge(
    "blackjack_backup_finished_timestamp_seconds",
    "When the last backup of this epoch was finished; 0 for never.", registry=REGISTRY,
)  # fmt: skip
REDIS_UP = Gauge(
    "blackjack_redis_up", "Whether Redis is connected; NaN without one.", registry=REGISTRY
)
MAINTENANCE = Gauge(
    "blackjack_maintenance", "Whether the site is closed for maintenance.", registry=REGISTRY
)
WAITING = Gauge(
    "blackjack_waiting", "What waits for an operator, by kind.", ["kind"], registry=REGISTRY
)
ALERTS = Gauge(
    "blackjack_alerts", "Open alerts, by kind, seen or not.", ["kind"], registry=REGISTRY
)


class Stopwatch:
    """Measures the time of a command from its arrival."""

    __slots__ = ("_began", "_command")

    def __init__(self, command: AnyCommand) -> None:
        self._command = str(command.__struct_config__.tag)
        self._began = time.perf_counter()

    def stop(self, answer: Done | Err | None, failure: BaseException | None) -> None:
        """Record the time and the result of the command."""
        COMMAND_SECONDS.observe(time.perf_counter() - self._began)
        _get_counter(self._command, _result_label(answer, failure)).inc()


@lru_cache(maxsize=1_000)
def _get_counter(command: str, result: str) -> Counter:
    return COMMANDS.labels(command, result)


def _result_label(answer: Done | Err | None, failure: BaseException | None) -> str:
    if isinstance(failure, SessionEnded):
        return "session_ended"
    if answer is None:  # same codes as in the consumer
        return "busy" if isinstance(failure, BUSY) else "internal"
    return answer.code if isinstance(answer, Err) else "done"
