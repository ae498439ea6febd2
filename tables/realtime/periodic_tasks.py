"""Periodic tasks: figures, reminders, notices, sessions, daily totals, unused tables, forgotten pauses, odds,
changes of operators, query statistics.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from django.db import connection

from accounts.ledger import daily_totals
from accounts.lib import server_clock
from accounts.staff import waiting_changes
from accounts.users import former_names, sessions
from tables.advice import game_odds
from tables.game import lifecycle
from tables.game.matches import duplicates
from tables.lib.database import query_statistics
from tables.protocol import codec
from tables.protocol.topics import reload_message, user_topic
from tables.realtime import dispatch, publishing
from tables.realtime.hub import hub
from tables.results import projector
from tables.social import calls, notices, reminders
from tables.state.effects import Effects

T = TypeVar("T")


async def count_settled_rounds() -> None:
    """Add settled rounds to tallies, standings and takings. Commands run between its transactions."""
    while await dispatch.run_without_publishing(lambda _now: projector.count_rounds()):
        pass


async def send_reminders() -> None:
    """Send the reminders that players have set."""
    for seat in await dispatch.run_without_publishing(reminders.list_due):
        if await dispatch.run_without_publishing(partial(reminders.claim, seat)):
            hub.publish([(user_topic(seat.user_id), codec.encode(seat.reminder))])


async def close_unused_tables() -> None:
    """Close tables that are unused for long, and end matches that nobody starts."""
    await dispatch.run_async(lambda now: Effects(None, lifecycle.close_unused_tables(now)))
    await dispatch.run_without_publishing(duplicates.end_unused)


async def end_forgotten_pauses() -> None:
    """End the pauses that hosts have forgotten."""
    await dispatch.run_async(lambda now: Effects(None, lifecycle.end_forgotten_pauses(now)))


async def apply_due_changes() -> None:
    """Store the operators' changes that have taken effect, with their entries in the audit log."""
    await dispatch.run_async(
        lambda now: Effects(
            None,
            evictions=tuple(reload_message(pk) for pk in waiting_changes.apply_due(now)),
        )
    )


async def delete_ended_sessions() -> None:
    """Delete the data of ended sessions, outside the writer thread."""
    await asyncio.to_thread(_run_on_own_connection, sessions.delete_ended)
    await asyncio.to_thread(_run_on_own_connection, calls.drop_ended)


async def drop_old_notices() -> None:
    """Delete old notices, and the names of deleted accounts, outside the writer thread."""
    await asyncio.to_thread(_run_on_own_connection, notices.drop_old)
    await asyncio.to_thread(_run_on_own_connection, former_names.drop_old)


async def sum_finished_days() -> None:
    """Sum the books of past days, outside the writer thread."""
    await asyncio.to_thread(_run_on_own_connection, daily_totals.sum_finished_days)


async def compute_odds() -> None:
    """Compute the odds of open tables that are not known, outside the writer thread.

    Open lobbies get the cards of these tables, and of those whose odds a page has computed.
    """
    is_done = False
    while not is_done:
        is_done, tables = await asyncio.to_thread(
            _run_on_own_connection,
            lambda _now: (
                not game_odds.compute_for_open_tables(),
                game_odds.take_tables_with_news(),
            ),
        )
        publishing.publish(Effects(None, lobby=tables))


async def refresh_query_statistics() -> None:
    """Update the database's statistics of its tables."""
    await asyncio.to_thread(_run_on_own_connection, lambda _now: query_statistics.analyze_tables())


def _run_on_own_connection(work: Callable[[dt.datetime], T]) -> T:
    try:
        return work(server_clock.now())
    finally:
        connection.close()
