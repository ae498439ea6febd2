"""The result of a piece of work, and what is published about it after the commit."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass
from typing import Generic, TypeVar

from accounts.ledger.transfers import Balance
from tables.protocol.frames import (
    Announced,
    Changed,
    HouseNews,
    LobbyChanged,
    Said,
    Unsaid,
    Watching,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ChangeNotice:
    """A change of a table that is in the database, and whom to tell what."""

    table_id: int
    changed: Changed
    wallets: dict[int, Balance]
    """New balances by user id, each for that user alone."""
    is_lobby_news: bool
    ends_visits: bool
    """Whether somebody who looks on may not be allowed to any more."""
    deadline_at: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Effects(Generic[T]):
    """The result for the caller (``value``), and what is published."""

    value: T
    changes: tuple[ChangeNotice, ...] = ()
    wallets: Collection[int] = ()
    """The ids of users whose balance may have changed, beside those that a change names."""
    frames: tuple[
        tuple[str, Announced | HouseNews | LobbyChanged | Said | Unsaid | Watching], ...
    ] = ()
    """Each on its topic."""
    evictions: tuple[str, ...] = ()
    """Messages on the topic ``EVICTIONS``: pages to close or to load again."""
