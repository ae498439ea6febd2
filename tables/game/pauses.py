"""Pauses: no round begins, and no clock runs between rounds."""

from __future__ import annotations

from tables.game import rounds, seats
from tables.protocol.events import (
    TablePaused,
    TableResumed,
)
from tables.state.live_table import LiveTable


def pause(live: LiveTable, because: str) -> None:
    """Let no round begin after the one that is played; harmless when that is so already.

    Bets on the coming round go back, no clock runs between rounds, and nobody loses a seat
    meanwhile. ``because`` is what everybody at the table is told.
    """
    if live.row.paused_at is not None:
        return
    live.row.paused_at, live.row.paused_because = live.now, because
    live.events.append(TablePaused(because))
    hold_if_paused(live)


def resume(live: LiveTable) -> None:
    """Take bets again; harmless when the table is not paused.

    Who was asked whether to play again has the whole time to answer, and who is away to come back.
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
    """Between the rounds of a paused table no bet lies there and no clock runs."""
    if live.row.paused_at is None or live.game.is_playing:
        return
    rounds.refund_all_bets(live)
    live.set_clock(None)
