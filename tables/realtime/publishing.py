"""Publish committed changes to the open pages of all processes.

:func:`publish` is for code on the event loop, :func:`publish_threadsafe` for all other code.
Frames that only this process missed are sent by ``hub.publish_local``.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from accounts.ledger import transfers
from accounts.lib import server_clock
from tables.lib import loop_queue
from tables.protocol import codec
from tables.protocol.frames import Planned, Wallet
from tables.protocol.topics import (
    EVICTIONS,
    LOBBY,
    hidden_table,
    reload_message,
    session_eviction,
    table_topic,
    user_topic,
)
from tables.realtime import heartbeats, hints, last_published, presence
from tables.realtime.best_play import thread as best_play
from tables.realtime.hub import hub
from tables.social import call_sender
from tables.state import locking
from tables.state.effects import ChangeNotice, Effects


class _ServedLoop:
    """The event loop of the running server."""

    loop: asyncio.AbstractEventLoop | None = None
    expect: Callable[[int, dt.datetime | None], None] | None = None


def start(
    loop: asyncio.AbstractEventLoop, expect: Callable[[int, dt.datetime | None], None]
) -> None:
    """Publish on this loop, and call ``expect`` with each new deadline."""
    _ServedLoop.loop, _ServedLoop.expect = loop, expect


def stop() -> None:
    """Unset the loop; later calls run in the calling thread."""
    _ServedLoop.loop = _ServedLoop.expect = None


def run_on_loop(call: Callable[[], None]) -> None:
    """Run ``call`` on the server's loop, or in this thread if there is none."""
    loop = _ServedLoop.loop
    if loop is None or loop.is_closed():
        call()
    else:
        loop_queue.get_queue(loop).post(call)


def publish(effects: Effects[Any]) -> None:
    """Publish changes and frames on the event loop, without ``effects.wallets``."""
    last_published.of_process.record(effects.changes)
    hub.publish([*encode_changes(effects.changes), *_encode_messages(effects)])
    for change in effects.changes:
        heartbeats.of_process.note_seq(change.table_id, change.changed.seq)
        hints.of_process.note_change(change.table_id, change.changed.table)
        best_play.of_process.note_change(change.table_id, change.best_turn)
        call_sender.of_process.note_change(change.table_id, change.changed.table)
        if _ServedLoop.expect is not None:
            _ServedLoop.expect(change.table_id, change.deadline_at)
    for notice_id in effects.calls:
        call_sender.of_process.note_notice(notice_id)


def publish_threadsafe(effects: Effects[Any]) -> None:
    """:func:`publish` from any thread, and the balances of ``effects.wallets``. After the commit.

    The balances are read last, so that an error of the database stops nothing else.
    """
    run_on_loop(partial(publish, effects))
    recipients = {user_id for change in effects.changes for user_id in change.wallets}
    if wallets := load_wallet_frames(set(effects.wallets) - recipients):
        run_on_loop(partial(hub.publish, wallets))


def encode_changes(changes: Iterable[ChangeNotice]) -> list[tuple[str, str]]:
    """The encoded frames of these changes. Called on the loop, to save time of the writer thread."""
    frames: list[tuple[str, str]] = []
    for change in changes:
        frames.append((table_topic(change.table_id), codec.encode(change.changed)))
        for user_id, balance in change.wallets.items():
            frames.append((user_topic(user_id), codec.encode(Wallet(*balance))))
        for user_id, plan in change.plans.items():
            planned = Planned(change.table_id, change.changed.table.round or 0, plan)
            frames.append((user_topic(user_id), codec.encode(planned)))
        if change.became_private:
            frames.append((LOBBY, hidden_table(change.table_id)))
        elif change.is_lobby_news:
            frames.append((LOBBY, table_topic(change.table_id)))
        frames += [(LOBBY, user_topic(user_id)) for user_id in change.shut_out]
        frames += [(LOBBY, table_topic(table_id)) for table_id in change.other_cards]
        if change.ends_visits:
            frames.append((EVICTIONS, table_topic(change.table_id)))
    return frames


def load_wallet_frames(user_ids: Iterable[int]) -> list[tuple[str, str]]:
    """The current balances of these users, as frames for their own pages."""
    return [
        (user_topic(user_id), codec.encode(Wallet(*balance)))
        for user_id, balance in transfers.get_wallet_balances(user_ids).items()
    ]


def _encode_messages(effects: Effects[Any]) -> Iterable[tuple[str, str]]:
    yield from ((topic, codec.encode(frame)) for topic, frame in effects.frames)
    yield from ((LOBBY, table_topic(table_id)) for table_id in effects.lobby)
    yield from ((LOBBY, user_topic(user_id)) for user_id in effects.lobby_of)
    yield from ((EVICTIONS, who) for who in effects.evictions)


def publish_lobby(table_id: int) -> None:
    """Publish that a table's card in the lobby changes, such as that of a new table."""
    publish_threadsafe(Effects(None, lobby=(table_id,)))


def close_ended_sessions(user_id: int, *, but: str | None = None) -> None:
    """Close the pages of this user whose session has ended, in all processes.

    Pages of the session ``but`` are left to the next periodic check.
    """
    publish_threadsafe(Effects(None, evictions=(session_eviction(user_id, but),)))


def reload_pages(user_id: int) -> None:
    """Make all pages of this user reload, after a change of name or permissions."""
    tables = tuple(locking.tables_of(user_id))
    publish_threadsafe(Effects(None, lobby=tables, evictions=(reload_message(user_id),)))
    publish_threadsafe(presence.name_again(user_id, server_clock.now()))
