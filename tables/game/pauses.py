"""Pauses: no round begins, and no clock runs between rounds."""

from __future__ import annotations

from tables.game import rounds, seats
from tables.protocol.events import (
    TablePaused,
    TableResumed,
)
from tables.state.live_table import LiveTable


def pause(live: LiveTable, because: str) -> None:
    """Pause the table after the round in play; no effect if it is paused.

    Bets on the next round are returned, no clock runs between rounds, and players keep their
    seats. ``because`` is shown to all at the table.
    """
    if live.row.paused_at is not None:
        return
    live.row.paused_at, live.row.paused_because = live.now, because
    live.events.append(TablePaused(because))
    hold_if_paused(live)


def resume(live: LiveTable) -> None:
    """Accept bets again; no effect if the table is not paused.

    The clocks of "play again?" and of absent players restart.
    """
    if live.row.paused_at is None:
        return
    live.row.paused_at, live.row.paused_because = None, ""
    live.row.auto_filled = 0
    live.events.append(TableResumed())
    seats.restart_absence_timers(live)
    if not live.game.is_playing:
        rounds.reopen_betting(live)


def hold_if_paused(live: LiveTable) -> None:
    """At a paused table, between rounds, return bets and stop the clock."""
    if live.row.paused_at is None or live.game.is_playing:
        return
    rounds.refund_all_bets(live)
    live.set_clock(None)
