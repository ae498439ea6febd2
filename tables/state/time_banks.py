"""Time banks: what a player has in reserve at a table for decisions about a hand.

A bank runs only after the ordinary clock of such a decision, never for bets or insurance. It grows
by one second with each round. It belongs to a player and a table, so nobody refills it by leaving
the seat.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from accounts.lib.times import to_milliseconds
from tables.protocol.events import TimeBankStarted
from tables.state.live_table import LiveTable

GROWTH: Final = 1_000
"""What a round adds, in milliseconds."""
FORGOTTEN_AFTER: Final = dt.timedelta(hours=1)
"""How long the bank of a player without a seat is kept."""


def get_bank(live: LiveTable, user_id: int) -> int | None:
    """What the user has left, in milliseconds; ``None`` where there are no time banks."""
    begins = live.row.time_bank_seconds * 1_000
    if not begins:
        return None
    stored = live.game.time_banks.get(user_id)
    return begins if stored is None else min(stored[0], get_most(live))


def get_most(live: LiveTable) -> int:
    """What a time bank may grow to, in milliseconds: twice what it begins with."""
    return live.row.time_bank_seconds * 2_000


def grow_banks(live: LiveTable) -> None:
    """Add :data:`GROWTH` for a round that was dealt, and forget the banks of players long gone."""
    game = live.game
    if not live.row.time_bank_seconds:
        game.time_banks = {}
        return
    seated = {seat.user_id for seat in live.seats.values()}
    oldest = _to_seconds(live.now - FORGOTTEN_AFTER)
    game.time_banks = {
        user_id: stored
        for user_id, stored in game.time_banks.items()
        if user_id in seated or stored[1] >= oldest
    }
    for user_id in game.players.values():
        remaining = get_bank(live, user_id)
        assert remaining is not None
        _store(live, user_id, min(remaining + GROWTH, get_most(live)))


def start_bank(live: LiveTable) -> bool:
    """Go on with the time bank of the player whose clock is out. Returns whether there is one left."""
    round_ = live.game.round
    assert round_ is not None
    assert round_.turn is not None
    if live.game.bank_since is not None:
        return False
    remaining = get_bank(live, live.game.players[round_.turn.seat])
    if not remaining:
        return False
    live.game.bank_since = to_milliseconds(live.now)
    live.set_clock(remaining / 1_000)
    live.events.append(TimeBankStarted(round_.turn.seat, round_.turn.hand, remaining))
    return True


def stop_bank(live: LiveTable, number: int) -> None:
    """Take what was used out of the bank of this seat, if it runs: a decision is made."""
    since, live.game.bank_since = live.game.bank_since, None
    if since is None:
        return
    user_id = live.game.players[number]
    remaining = get_bank(live, user_id)
    if remaining is not None:
        _store(live, user_id, max(0, remaining - max(0, to_milliseconds(live.now) - since)))


def restart_bank(live: LiveTable) -> None:
    """Count what the current run has used as unused: the server was away."""
    if live.game.bank_since is not None:
        live.game.bank_since = to_milliseconds(live.now)


def _to_seconds(moment: dt.datetime) -> int:
    return int(moment.timestamp())


def _store(live: LiveTable, user_id: int, remaining: int) -> None:
    live.game.time_banks[user_id] = [remaining, _to_seconds(live.now)]
