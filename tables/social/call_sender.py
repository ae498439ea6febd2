"""Call players whose turn it is on the devices where they wish it, if no page of theirs is in sight.

The process that publishes a change looks at it, so one process alone calls. A thread of its own reads
the table again a moment later, and further threads talk to the push services: no command and no frame
waits for them. A message says which table waits, and nothing about cards.
"""

from __future__ import annotations

import datetime as dt
import queue
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

import structlog
from django.db import Error as DatabaseError
from django.db import connection
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from accounts.lib import server_clock
from tables.lib import push_service
from tables.models import PushSubscription, Seat, Visit
from tables.protocol import codec
from tables.protocol.public import Asked, PublicTable
from tables.social import calls
from tables.state import watchers

log = structlog.get_logger()

PATIENCE: Final = 1.5
"""Seconds before a call: somebody who decides at once is not called, and a page that has just gone out
of sight is stored as such.
"""
LOOK_SECONDS: Final = 3.0
"""How often the names of the players who wish to be called are read."""
MOST_WAITING: Final = 200
SENDERS: Final = 4
GONE: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
"""What a push service answers when a browser has given up its subscription."""


@dataclass(frozen=True, slots=True)
class _Turn:
    table_id: int
    turn: int
    seat: int
    due: float


@dataclass(frozen=True, slots=True)
class _Call:
    device: PushSubscription
    message: bytes
    ends: float
    """When the turn is over, by the monotonic clock."""


class CallSender:
    """The calls of one process."""

    def __init__(self) -> None:
        self._names: frozenset[str] = frozenset()
        """Who wishes to be called: most tables have nobody of them, and cost nothing here."""
        self._turns: queue.Queue[_Turn] = queue.Queue(MOST_WAITING)
        self._seen: dict[int, int] = {}
        """The last turn of a table for which somebody may have been called."""
        self._thread: threading.Thread | None = None
        self._is_over = threading.Event()
        self._calls: queue.Queue[_Call | None] = queue.Queue(MOST_WAITING)
        """What is sent, by threads for which no stop waits; ``None`` ends one of them."""

    def start(self) -> None:
        """Call players from now on."""
        self._is_over, self._turns = threading.Event(), queue.Queue(MOST_WAITING)
        self._calls = queue.Queue(MOST_WAITING)
        for _number in range(SENDERS):
            threading.Thread(
                target=_send_all, args=(self._calls,), name="push", daemon=True
            ).start()
        self._thread = threading.Thread(
            target=self._run, args=(self._is_over, self._turns), name="calls", daemon=True
        )
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """Drop all calls and end the thread. Waits ``seconds`` at most."""
        thread, self._thread = self._thread, None
        self._is_over.set()
        self._names = frozenset()
        self._seen.clear()
        with suppress(queue.Empty):
            while True:
                self._calls.get_nowait()
        for _number in range(SENDERS):
            self._calls.put_nowait(None)
        if thread is not None:
            thread.join(seconds)

    def note_change(self, table_id: int, table: PublicTable) -> None:
        """Call the players who are asked for a decision now. Called on the event loop."""
        if not self._names or self._seen.get(table_id) == table.turn:
            return
        asked: Iterable[Asked | None] = table.insurance or (table.asked,)
        wanted = [
            one.seat
            for one in asked
            if one is not None and table.seats[one.seat - 1].player in self._names
        ]
        for seat in wanted:
            self._seen[table_id] = table.turn
            try:
                self._turns.put_nowait(
                    _Turn(table_id, table.turn, seat, time.monotonic() + PATIENCE)
                )
            except queue.Full:
                log.warning("call_lost", why="queue_full")

    def _run(self, is_over: threading.Event, turns: queue.Queue[_Turn]) -> None:
        while not is_over.is_set():
            try:
                self._look()
                until = time.monotonic() + LOOK_SECONDS
                while not is_over.is_set() and (left := until - time.monotonic()) > 0:
                    self._call_next(is_over, turns, min(left, 0.5))
            except DatabaseError:
                log.warning("calls_failed", exc_info=True)
                is_over.wait(LOOK_SECONDS)
            except Exception:
                log.exception("calls_failed")
                is_over.wait(LOOK_SECONDS)
            finally:
                connection.close()

    def _look(self) -> None:
        names = PushSubscription.objects.values_list("user__username", flat=True).distinct()
        self._names = frozenset(names.order_by())

    def _call_next(
        self, is_over: threading.Event, turns: queue.Queue[_Turn], seconds: float
    ) -> None:
        try:
            turn = turns.get(timeout=seconds)
        except queue.Empty:
            return
        if is_over.wait(max(0.0, turn.due - time.monotonic())):
            return
        for device, message, ttl in claim_calls(turn.table_id, turn.turn, turn.seat):
            try:
                self._calls.put_nowait(_Call(device, message, time.monotonic() + ttl))
            except queue.Full:
                log.warning("call_lost", why="services_slow")


def claim_calls(
    table_id: int, turn: int, seat: int, now: dt.datetime | None = None
) -> list[tuple[PushSubscription, bytes, int]]:
    """The devices to call for a turn, each once: with the message, and the seconds for which it
    is worth something. Empty if the turn is over, or a page of the player is in sight.
    """
    now = now or server_clock.now()
    taken = Seat.objects.filter(table=table_id, number=seat, table__turn=turn)
    found = taken.values_list("user", "table__name", "table__deadline_at").first()
    if found is None:
        return []
    user_id, name, deadline = found
    left = int((deadline - now).total_seconds()) if deadline is not None else 0
    in_sight = Visit.objects.filter(
        table=table_id, user=user_id, is_in_sight=True, seen_at__gt=now - watchers.STALE
    )
    if left <= 0 or in_sight.exists():
        return []
    return [
        (device, _write_message(device.language, table_id, name), left)
        for device in calls.list_devices(user_id, now)
        if _claim(device, table_id, turn)
    ]


def _claim(device: PushSubscription, table_id: int, turn: int) -> bool:
    """Whether the device has not been called for this turn."""
    is_another = ~Q(called_table=table_id, called_turn=turn) | Q(called_turn=None)
    fresh = PushSubscription.objects.filter(is_another, pk=device.pk)
    return bool(fresh.update(called_table=table_id, called_turn=turn))


def _write_message(language: str, table_id: int, name: str) -> bytes:
    with override(language or None):
        told = {
            "title": name,
            "body": _("It's your turn."),
            "url": reverse("table", kwargs={"table_id": table_id}),
        }
    return codec.encode(told).encode()


def _send_all(waiting: queue.Queue[_Call | None]) -> None:
    """A thread that sends messages."""
    while (call := waiting.get()) is not None:
        _send(call)


def _send(call: _Call) -> None:
    device, left = call.device, int(call.ends - time.monotonic())
    if left <= 0:
        log.warning("call_lost", why="too_late")
        return
    try:
        status = push_service.send(
            device.endpoint, device.public_key, device.secret, call.message, ttl=left
        )
        if status in GONE:
            PushSubscription.objects.filter(pk=device.pk).delete()
        elif status >= HTTPStatus.MULTIPLE_CHOICES:
            log.warning("call_failed", status=status)
    except push_service.PushFailed as failure:
        log.warning("call_failed", why=str(failure))
    except Exception as error:
        # Never the error itself: it may have the address in it.
        log.warning("call_failed", why=type(error).__name__)
    finally:
        connection.close()


of_process: Final = CallSender()
"""The calls of this process."""
