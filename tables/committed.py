"""What a change of a table was, once it is in the database: whom to tell what."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Final

from accounts.bank import Balance
from tables.live_table import LiveTable
from tables.messages import Changed
from tables.public import milliseconds, public_table
from tables.table_events import (
    InviteRenewed,
    PlayerLeft,
    PlayerSat,
    TableChanged,
    TableClosed,
    TableHandedOn,
    TableLocked,
    TablePaused,
    TableResumed,
    TableUnlocked,
)

LOBBY_NEWS: Final = (
    PlayerSat, PlayerLeft, TableLocked, TableUnlocked, TableHandedOn, TablePaused, TableResumed,
    TableChanged, TableClosed,
)  # fmt: skip
ENDS_VISITS: Final = (InviteRenewed, TableChanged, TableClosed)


@dataclass(frozen=True, slots=True)
class Committed:
    """A change that is in the database, and whom to tell what."""

    table_id: int
    changed: Changed
    wallets: dict[int, Balance]
    """New balances by user id, each for that user alone."""
    is_lobby_news: bool
    ends_visits: bool
    """Whether somebody who looks on may not be allowed to any more."""
    deadline_at: dt.datetime | None


def committed(live: LiveTable) -> Committed:
    """What to tell of the change that was just written."""
    return Committed(
        table_id=live.row.pk,
        changed=Changed(
            seq=live.row.seq,
            now=milliseconds(live.now),
            events=live.told,
            table=public_table(live),
        ),
        wallets=live.wallets,
        is_lobby_news=live.was_playing != live.game.is_playing
        or any(isinstance(event, LOBBY_NEWS) for event in live.events),
        ends_visits=any(isinstance(event, ENDS_VISITS) for event in live.events),
        deadline_at=live.row.deadline_at,
    )
