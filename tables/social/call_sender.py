"""Call players on the devices where they wish it, if no page of theirs is in sight: whose turn it is, to
whom a seat is offered, and whose friend has opened a table or invites them.

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
from django.db.models import Exists, Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from accounts import site_settings
from accounts.lib import server_clock
from accounts.lib.names import isolated
from tables.lib import push_service
from tables.models import Notice, PushSubscription, QueueEntry, Seat, Visit
from tables.protocol import codec
from tables.protocol.public import Asked, PublicTable
from tables.social import calls, friends, invites_by_name, notices
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
NEWS_SECONDS: Final = 600
"""How long a push service keeps news of friends."""
GONE: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
"""What a push service answers when a browser has given up its subscription."""


@dataclass(frozen=True, slots=True)
class _Turn:
    table_id: int
    turn: int
    seat: int
    due: float


@dataclass(frozen=True, slots=True)
class _Offer:
    """A seat that is offered to a player in line."""

    table_id: int
    seat: int
    due: float


@dataclass(frozen=True, slots=True)
class _News:
    notice_id: int
    due: float


Claimed = list[tuple[PushSubscription, bytes, int]]
"""Devices, each with the message and the seconds for which it is worth something."""


@dataclass(frozen=True, slots=True)
class _Call:
    device: PushSubscription
    message: bytes
    ends: float
    """When the turn is over, by the monotonic clock."""


_Occasion = _Turn | _Offer | _News


class CallSender:
    """The calls of one process."""

    def __init__(self) -> None:
        self._names: frozenset[str] = frozenset()
        """Who wishes to be called: most tables have nobody of them, and cost nothing here."""
        self._turns: queue.Queue[_Occasion | None] = queue.Queue(MOST_WAITING)
        """What may be called about; ``None`` wakes the thread at its end."""
        self._last_turns: dict[int, int] = {}
        """The last turn of a table for which somebody may have been called."""
        self._offers: dict[int, frozenset[tuple[int | None, int | None]]] = {}
        """The seats that are offered at a table, each with the end of its offer."""
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
        with suppress(queue.Full):  # then it does not wait
            self._turns.put_nowait(None)
        self._names = frozenset()
        self._last_turns.clear()
        self._offers.clear()
        with suppress(queue.Empty):
            while True:
                self._calls.get_nowait()
        for _number in range(SENDERS):
            self._calls.put_nowait(None)
        if thread is not None:
            thread.join(seconds)

    def note_change(self, table_id: int, table: PublicTable) -> None:
        """Call the players who are asked for a decision now, and those to whom a seat is offered.
        Called on the event loop.
        """
        if not self._names:
            return
        if table.queue or table_id in self._offers:
            self._note_offers(table_id, table)
        if self._last_turns.get(table_id) != table.turn:
            self._note_turns(table_id, table)

    def note_notice(self, notice_id: int) -> None:
        """Call the player for whom this notice is. Thread-safe."""
        if self._names:
            self._put(_News(notice_id, time.monotonic() + PATIENCE))

    def _note_offers(self, table_id: int, table: PublicTable) -> None:
        offers = [entry for entry in table.queue if entry.seat is not None]
        before = self._offers.pop(table_id, frozenset())
        if offers:
            self._offers[table_id] = frozenset((entry.seat, entry.until) for entry in offers)
        for entry in offers:
            is_new = (entry.seat, entry.until) not in before
            if is_new and entry.seat is not None and entry.player in self._names:
                self._put(_Offer(table_id, entry.seat, time.monotonic() + PATIENCE))

    def _note_turns(self, table_id: int, table: PublicTable) -> None:
        questions: Iterable[Asked | None] = table.insurance or (table.asked,)
        seats = [
            one.seat
            for one in questions
            if one is not None and table.seats[one.seat - 1].player in self._names
        ]
        for seat in seats:
            self._last_turns[table_id] = table.turn
            self._put(_Turn(table_id, table.turn, seat, time.monotonic() + PATIENCE))

    def _put(self, occasion: _Occasion) -> None:
        try:
            self._turns.put_nowait(occasion)
        except queue.Full:
            log.warning("call_lost", why="queue_full")

    def _run(self, is_over: threading.Event, turns: queue.Queue[_Occasion | None]) -> None:
        while not is_over.is_set():
            try:
                self._look()
                connection.close()  # between two jobs it is of use to others
                until = time.monotonic() + LOOK_SECONDS
                while not is_over.is_set() and (seconds := until - time.monotonic()) > 0:
                    self._call_next(is_over, turns, seconds)
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
        self,
        is_over: threading.Event,
        turns: queue.Queue[_Occasion | None],
        seconds: float,
    ) -> None:
        try:
            occasion = turns.get(timeout=seconds)
        except queue.Empty:
            return
        if occasion is None or is_over.wait(max(0.0, occasion.due - time.monotonic())):
            return
        claimed = _claim_occasion(occasion)
        connection.close()
        for device, message, ttl in claimed:
            try:
                self._calls.put_nowait(_Call(device, message, time.monotonic() + ttl))
            except queue.Full:
                log.warning("call_lost", why="services_slow")


def _claim_occasion(occasion: _Occasion) -> Claimed:
    match occasion:
        case _Turn():
            return claim_calls(occasion.table_id, occasion.turn, occasion.seat)
        case _Offer():
            return claim_offer_calls(occasion.table_id, occasion.seat)
        case _News():
            return claim_news_calls(occasion.notice_id)


def claim_calls(table_id: int, turn: int, seat: int, now: dt.datetime | None = None) -> Claimed:
    """The devices to call for a turn, each once: with the message, and the seconds for which it
    is worth something. Empty if the turn is over, or a page of the player is in sight.
    """
    now = now or server_clock.now()
    seats = Seat.objects.filter(table=table_id, number=seat, table__turn=turn)
    row = seats.values_list("user", "table__name", "table__deadline_at").first()
    if row is None:
        return []
    user_id, name, deadline = row
    seconds = int((deadline - now).total_seconds()) if deadline is not None else 0
    if seconds <= 0 or _is_in_sight(user_id, now, table=table_id):
        return []
    return [
        (device, _write_turn(device.language, table_id, name), seconds)
        for device in calls.list_devices(user_id, now)
        if device.is_for_turns and _claim(device, table_id, turn)
    ]


def claim_offer_calls(table_id: int, seat: int, now: dt.datetime | None = None) -> Claimed:
    """The devices to call for the offer of a seat, each once for an offer. Empty if it is over, or a
    page of the player is in sight at the table.
    """
    now = now or server_clock.now()
    offers = QueueEntry.objects.filter(table=table_id, seat=seat, until__gt=now)
    offer = offers.select_related("table").defer("table__state").first()
    if offer is None or offer.until is None:
        return []
    seconds = int((offer.until - now).total_seconds())
    if seconds <= 0 or _is_in_sight(offer.user_id, now, table=table_id):
        return []
    name = offer.table.name
    return [
        (device, _write_offer(device.language, table_id, name, seconds), seconds)
        for device in calls.list_devices(offer.user_id, now)
        if device.is_for_seats and _claim_offer(device, offer)
    ]


def claim_news_calls(notice_id: int, now: dt.datetime | None = None) -> Claimed:
    """The devices to call for a friend's new table, or an invite of a friend: once for a notice, and
    once in an hour for a friend. Empty if a page of the player is in sight, at any table.
    """
    now = now or server_clock.now()
    new = notices.filter_new(Notice.objects.filter(pk=notice_id, table__isnull=False))
    notice = new.select_related("sender", "table").defer("table__state").first()
    if notice is None or notice.sender_id not in friends.list_friend_ids(notice.user_id):
        return []
    devices = [one for one in calls.list_devices(notice.user_id, now) if one.is_for_friends]
    if not devices or _is_in_sight(notice.user_id, now):
        return []
    of_friend = Notice.objects.filter(user=notice.user_id, sender=notice.sender_id)
    is_first = ~Exists(of_friend.filter(called_at__gt=now - invites_by_name.ONE_IN))
    if not Notice.objects.filter(is_first, pk=notice_id, called_at=None).update(called_at=now):
        return []
    return [(one, _write_news(one.language, notice), NEWS_SECONDS) for one in devices]


def _is_in_sight(user_id: int, now: dt.datetime, **where: int) -> bool:
    """Whether a page of the user at a table, or at the one ``where``, is in sight."""
    visits = Visit.objects.filter(user=user_id, seen_at__gt=now - watchers.STALE, **where)
    return visits.filter(is_in_sight=True).exists()


def _claim_offer(device: PushSubscription, offer: QueueEntry) -> bool:
    """Whether the device has not been called for this offer."""
    end = offer.until.isoformat() if offer.until else ""
    offer_key = f"{offer.pk}/{end}"
    fresh = PushSubscription.objects.filter(pk=device.pk).exclude(called_offer=offer_key)
    return bool(fresh.update(called_offer=offer_key))


def _claim(device: PushSubscription, table_id: int, turn: int) -> bool:
    """Whether the device has not been called for this turn."""
    is_another = ~Q(called_table=table_id, called_turn=turn) | Q(called_turn=None)
    fresh = PushSubscription.objects.filter(is_another, pk=device.pk)
    return bool(fresh.update(called_table=table_id, called_turn=turn))


def _write_turn(language: str, table_id: int, name: str) -> bytes:
    with override(language or None):
        return _write(name, _("It's your turn."), reverse("table", args=[table_id]))


def _write_offer(language: str, table_id: int, name: str, seconds: int) -> bytes:
    with override(language or None):
        text = _("A seat is free for you for %(seconds)s seconds.") % {"seconds": seconds}
        return _write(name, text, reverse("table", args=[table_id]))


def _write_news(language: str, notice: Notice) -> bytes:
    assert notice.table is not None
    assert notice.sender is not None
    with override(language or None):
        is_invite = notice.kind == Notice.Kind.INVITED
        sentence = _("%(name)s invites you.") if is_invite else _("%(name)s has opened this table.")
        text = sentence % {"name": isolated(notice.sender.username)}
        return _write(notice.table.name, text, notices.build_url(notice) or "")


def _write(title: str, body: str, url: str) -> bytes:
    title = f"{title} – {site_settings.get().name}"
    return codec.encode({"title": title, "body": body, "url": url}).encode()


def _send_all(waiting: queue.Queue[_Call | None]) -> None:
    """A thread that sends messages."""
    while (call := waiting.get()) is not None:
        _send(call)


def _send(call: _Call) -> None:
    device, ttl = call.device, int(call.ends - time.monotonic())
    if ttl <= 0:
        log.warning("call_lost", why="too_late")
        return
    try:
        status = push_service.send(
            device.endpoint, device.public_key, device.secret, call.message, ttl=ttl
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
