"""Players who sit out: they keep their seats for a while, and rounds do not wait for them.

The page of such a player stays open, or the seat is freed as that of any absent player. It is also
freed after :data:`LONGEST`, and where others wait in line after :data:`MOST_ROUNDS` rounds, or, if
nobody plays, as any seat without a bet. Who comes back must play a round before sitting out again.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from tables.models import Seat
from tables.protocol.events import Reason, SitOutSwitched
from tables.state.live_table import LiveTable

MOST_ROUNDS: Final = 5
"""How many rounds a player sits out while others wait in line; the last one frees the seat."""
LONGEST: Final = dt.timedelta(minutes=30)
"""How long a player sits out at a table that frees idle seats."""


def sit_out(live: LiveTable, seat: Seat) -> None:
    """Ask this seat for no more bets; no effect if that is so already."""
    if seat.is_sitting_out:
        return
    seat.is_sitting_out = True
    if seat.sat_out_since is None:
        seat.sat_out_since = live.now
    _note_switch(live, seat)


def come_back(live: LiveTable, seat: Seat) -> None:
    """Ask this seat for bets again; no effect if that is so already."""
    if not seat.is_sitting_out:
        return
    seat.is_sitting_out = False
    seat.missed_rounds, seat.idle_since = 0, live.now
    _note_switch(live, seat)


def _note_switch(live: LiveTable, seat: Seat) -> None:
    live.store_seat(seat)
    live.events.append(SitOutSwitched(seat.number, seat.user.username, seat.is_sitting_out))


def list_active(live: LiveTable) -> list[Seat]:
    """The seats that are asked for bets."""
    return [seat for seat in live.seats.values() if not seat.is_sitting_out]


def count_round(live: LiveTable, seat: Seat, *, is_limited: bool) -> None:
    """Count a round that begins without this player, and free the seat if it is one too many.

    ``is_limited``: the table frees idle seats.
    """
    if live.queue:
        seat.rounds_sat_out += 1
        live.store_seat(seat)
    is_over = is_limited and seat.sat_out_since and seat.sat_out_since + LONGEST <= live.now
    if seat.rounds_sat_out >= MOST_ROUNDS or is_over:
        live.free_seat(seat, Reason.SAT_OUT)


def note_dealt_in(live: LiveTable, seat: Seat) -> None:
    """Begin both limits anew: the seat is dealt in."""
    if seat.sat_out_since is None:
        return
    seat.sat_out_since, seat.rounds_sat_out = None, 0
    live.store_seat(seat)
