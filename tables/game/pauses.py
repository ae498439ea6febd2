"""Pauses: no round begins, and no clock runs between rounds."""

from __future__ import annotations

import datetime as dt
from typing import Final

from tables.engine.errors import RuleViolation, Text
from tables.game import rounds, seats
from tables.protocol.events import (
    TablePaused,
    TableResumed,
)
from tables.state.live_table import LiveTable

LONGEST_OF_HOST: Final = dt.timedelta(hours=2)
"""When a pause that the host has forgotten ends by itself."""
BY_HOST: Final = str(Text("The host takes a break, for two hours at most."))
"""Stored in English, like :data:`BY_OPERATOR`."""
BY_OPERATOR: Final = str(Text("An operator is checking something."))


def pause(live: LiveTable, because: str, *, host: str | None = None) -> None:
    """Pause the table after the round in play; no effect if it is paused.

    Bets on the next round are returned, no clock runs between rounds, and players keep their
    seats. ``because`` is shown to all at the table. ``host`` is the name of the host who does it; a
    pause of an operator or of the site takes the place of the host's.
    """
    row = live.row
    if row.paused_at is not None and (host is not None or not row.is_paused_by_host):
        return
    row.paused_at, row.paused_because = live.now, because
    row.is_paused_by_host = host is not None
    live.events.append(TablePaused(because, host))
    hold_if_paused(live)


def resume(live: LiveTable, *, host: str | None = None) -> None:
    """Accept bets again; no effect if the table is not paused.

    The clocks of "play again?" and of absent players restart. ``host`` is the name of the host who
    does it, and who may end no other pause than the host's: :class:`RuleViolation` ``table_paused``.
    """
    row = live.row
    if row.paused_at is None:
        return
    if host is not None and not row.is_paused_by_host:
        raise RuleViolation(
            "table_paused", "The site has paused this table. Only an operator can resume it."
        )
    if not row.is_paused_by_host:
        row.auto_filled = 0
    row.paused_at, row.paused_because, row.is_paused_by_host = None, "", False
    live.events.append(TableResumed(host))
    seats.restart_absence_timers(live)
    if not live.game.is_playing:
        rounds.reopen_betting(live)


def is_forgotten(live: LiveTable) -> bool:
    """Whether the host's pause has lasted for :data:`LONGEST_OF_HOST`."""
    paused_at = live.row.paused_at
    is_over = paused_at is not None and paused_at <= live.now - LONGEST_OF_HOST
    return is_over and live.row.is_paused_by_host


def hold_if_paused(live: LiveTable) -> None:
    """At a paused table, between rounds, return bets and stop the clock."""
    if live.row.paused_at is None or live.game.is_playing:
        return
    rounds.refund_all_bets(live)
    live.set_clock(None)
