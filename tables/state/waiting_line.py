"""The line for a seat at a full table: offers of free seats, and leaving the line.

A free seat is offered to the first player in line who has a page open at the table. Only that
player can take it until the offer ends; then the next one is asked. A seat that nobody in line can
take is free for all.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from accounts.lib.times import to_milliseconds
from tables.models import QueueEntry
from tables.protocol.events import OfferLapsed, QueueLeft, QueueReason, SeatOffered
from tables.state import watchers
from tables.state.live_table import LiveTable

OFFER: Final = dt.timedelta(seconds=30)
"""How long a free seat is offered to one player."""
LEAST_AFTER_OUTAGE: Final = dt.timedelta(seconds=20)
"""How long an offer lasts at least after an outage; otherwise it begins anew."""


def leave(live: LiveTable, user_id: int) -> bool:
    """Take the user out of the line. A seat that is offered to the user goes to the next one.

    Returns whether the user was in line.
    """
    entry = live.queue_entry_of(user_id)
    if entry is not None:
        is_offered = entry.seat is not None
        _take_out(live, entry, QueueReason.DECLINED if is_offered else QueueReason.LEFT)
    return entry is not None


def empty_after_new_invite(live: LiveTable) -> None:
    """At a private table, take out all whose access has ended with the old invite."""
    if live.row.is_private:
        for entry in [entry for entry in live.queue if entry.user_id != live.row.maker_id]:
            _take_out(live, entry, QueueReason.NEW_INVITE)


def empty_for_match(live: LiveTable) -> None:
    """Take out all: a match begins, and nobody can join it any more."""
    for entry in list(live.queue):
        _take_out(live, entry, QueueReason.MATCH)


def offer_free_seats(live: LiveTable) -> None:
    """Withdraw offers that are void, and offer each free seat to the next player who is here.

    At a closing table it empties the line.
    """
    if not live.queue:
        return
    if live.row.is_closing or live.row.closed_at is not None:
        for entry in list(live.queue):
            _take_out(live, entry, QueueReason.CLOSED)
        return
    for entry in live.queue:
        is_free = entry.seat in _list_free(live)
        if entry.seat is not None and not (is_free and _may_take_seat(live, entry)):
            _set_offer(live, entry, None)
    free = list_free_for_all(live)
    waiting = [one for one in live.queue if one.seat is None and _may_take_seat(live, one)]
    if not free or not waiting:
        return
    present = watchers.list_present_users(live.row, live.now)
    for number, entry in zip(free, [e for e in waiting if e.user_id in present], strict=False):
        _set_offer(live, entry, number)


def end_offers(live: LiveTable, by: dt.datetime) -> None:
    """End the offers until this time: their players leave the line."""
    for entry in list(live.queue):
        if entry.seat is not None and entry.until is not None and entry.until <= by:
            live.events.append(OfferLapsed(entry.seat, entry.user.username))
            live.leave_queue(entry)


def extend_offers(live: LiveTable) -> bool:
    """Begin the offers anew that an outage or a clock change has cut. Returns whether there is one."""
    is_changed = False
    for entry in live.queue:
        if entry.seat is None or entry.until is None:
            continue
        if not LEAST_AFTER_OUTAGE <= entry.until - live.now <= OFFER + dt.timedelta(seconds=1):
            _set_offer(live, entry, entry.seat)
            is_changed = True
    return is_changed


def update_presence(live: LiveTable, present: set[int], longest: dt.timedelta) -> None:
    """Store who in line has a page open, which is not published, and take out who had none for the
    ``longest`` absence.
    """
    for entry in list(live.queue):
        if entry.away_since is not None and entry.user_id in present:
            entry.away_since = None
            entry.save(update_fields=["away_since"])
        elif entry.away_since is None and entry.user_id not in present:
            entry.away_since = live.now
            entry.save(update_fields=["away_since"])
        elif entry.away_since is not None and entry.away_since + longest <= live.now:
            _take_out(live, entry, QueueReason.ABSENT)


def _list_free(live: LiveTable) -> list[int]:
    return [number for number in range(1, live.rules.seats + 1) if number not in live.seats]


def list_free_for_all(live: LiveTable) -> list[int]:
    """The free seats that are offered to nobody."""
    return [number for number in _list_free(live) if live.offer_of(number) is None]


def _may_take_seat(live: LiveTable, entry: QueueEntry) -> bool:
    """Whether a seat may be offered to this player: at a locked table, to its host alone."""
    return not live.row.is_locked or entry.user_id == live.row.maker_id


def _take_out(live: LiveTable, entry: QueueEntry, reason: QueueReason) -> None:
    live.leave_queue(entry)
    live.events.append(QueueLeft(entry.user.username, reason))


def _set_offer(live: LiveTable, entry: QueueEntry, number: int | None) -> None:
    """Offer a seat from now on, or withdraw the offer."""
    entry.seat, entry.until = number, None if number is None else live.now + OFFER
    if entry not in live.queue_changed:
        live.queue_changed.append(entry)
    if number is not None and entry.until is not None:
        until = to_milliseconds(entry.until)
        live.events.append(SeatOffered(number, entry.user.username, until))
