"""The result of a job, and the messages to publish after its commit."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from accounts.ledger.transfers import Balance
from tables.protocol.frames import (
    Announced,
    Changed,
    HouseNews,
    Muted,
    Noticed,
    Reacted,
    Said,
    Unsaid,
    Watching,
)
from tables.protocol.plans import Plan

T = TypeVar("T")

Message = Announced | HouseNews | Muted | Noticed | Reacted | Said | Unsaid | Watching
"""The frames besides the changes of a table."""


@dataclass(frozen=True, slots=True)
class ChangeNotice:
    """A written change of a table, and what to publish about it."""

    table_id: int
    changed: Changed
    wallets: dict[int, Balance]
    """New balances by user id, each for that user alone."""
    is_lobby_news: bool
    """Whether its card in the lobby changes."""
    became_private: bool
    ends_visits: bool
    """Whether some watchers may have lost access."""
    deadline_at: dt.datetime | None
    """The next one: of the current decision, or of an offer of a seat."""
    plans: dict[int, Plan | None] = field(default_factory=dict)
    """What players have decided ahead by user id, each for that user alone, where it changed."""
    shut_out: tuple[int, ...] = ()
    """The ids of users whose access to this private table ends: their lists of tables change."""
    other_cards: tuple[int, ...] = ()
    """The ids of other tables whose cards in the lobby change, such as those of one match."""
    best_turn: int | None = None
    """The turn token, if the best play of the current decision is to be computed and played."""


@dataclass(frozen=True, slots=True)
class Effects(Generic[T]):
    """The result for the caller (``value``), and what is published."""

    value: T
    changes: tuple[ChangeNotice, ...] = ()
    wallets: Collection[int] = ()
    """The ids of users whose balance may have changed, in addition to those of ``changes``."""
    frames: tuple[tuple[str, Message], ...] = ()
    """Topic and frame of each message."""
    lobby: tuple[int, ...] = ()
    """The ids of tables whose cards in the lobby change, in addition to those of ``changes``."""
    lobby_of: tuple[int, ...] = ()
    """The ids of users whose own list of tables changes."""
    calls: tuple[int, ...] = ()
    """The ids of notices for which devices may be called."""
    evictions: tuple[str, ...] = ()
    """Messages on the topic ``EVICTIONS``: pages to close or to reload."""
