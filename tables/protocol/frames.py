"""Frames: the messages to browsers, and the close codes."""

from __future__ import annotations

from enum import IntEnum
from typing import Any
from uuid import UUID

from msgspec import Struct

from tables.engine.events import snake_case
from tables.protocol.public import PublicTable


class CloseCode(IntEnum):
    """Why the server closed a socket."""

    PROTOCOL = 4400
    """Too many unreadable frames."""
    SESSION_ENDED = 4401
    """Logged out, in this browser or elsewhere, or under another name now: load the page again."""
    NO_SUCH_TABLE = 4404
    TOO_MANY_PAGES = 4409
    """The player opened another page with a table, and had enough of them; do not come back."""
    RATE = 4429
    """Too many frames in a short time, or too many sockets from one address."""
    RESTART = 4012
    """The server stops or restarts; come back. (daphne cannot send the standard 1012.)"""
    TRY_LATER = 4013
    """The reader was too slow, or the server is busy; come back. (Likewise 1013.)"""


class You(Struct, frozen=True):
    """What only the owner of a socket is told about themselves."""

    player: str | None = None
    balance: int | None = None
    balance_seq: int = 0
    """To be held against the ``seq`` of :class:`Wallet`."""
    guest: bool = False
    invite: str | None = None
    """The code of the table's invite link."""
    runs: bool = False
    """Whether they may run the table."""
    silenced: tuple[str, ...] = ()
    """Who may not talk here; told to who runs the table."""


class Line(Struct, frozen=True):
    """Something that was said."""

    line: int
    at: int
    player: str
    text: str


class Announcement(Struct, frozen=True):
    """What the house told everybody, or one table. It is shown to who comes soon after, too."""

    text: str
    at: int


class PublicMaintenance(Struct, frozen=True):
    """From ``at`` on no round begins in the whole house."""

    at: int
    says: str
    """What the house says about it; may be empty."""


class PublicHouse(Struct, frozen=True):
    """What holds for the whole house."""

    announcement: Announcement | None = None
    maintenance: PublicMaintenance | None = None


class Frame(Struct, frozen=True, tag_field="t", tag=snake_case):
    """A message to a browser."""


class Snapshot(Frame, frozen=True):
    """The table as it is: on joining and after a resync."""

    epoch: str
    """Another one than before: a backup was restored, and nothing counts that was heard before."""
    seq: int
    now: int
    table: PublicTable
    you: You
    chat: tuple[Line, ...]
    """What was said last, oldest first."""
    house: PublicHouse
    announcement: Announcement | None
    """What the house told this table lately."""


class Changed(Frame, frozen=True):
    """What just happened, and the whole table after it. ``seq`` is one more than before."""

    seq: int
    now: int
    events: tuple[dict[str, Any], ...]
    table: PublicTable


class Done(Frame, frozen=True):
    """The command ``id`` is committed; ``seq`` is the change it made."""

    id: UUID
    seq: int


class Err(Frame, frozen=True):
    """The command changed nothing: ``code`` for programs, ``message`` for the player."""

    id: UUID | None
    code: str
    message: str
    seq: int


class Wallet(Frame, frozen=True):
    """The player's own balance changed. Of two the one with the higher ``seq`` holds: they may
    come from several processes. It is not the table's.
    """

    balance: int
    seq: int


class Heartbeat(Frame, frozen=True):
    """Every few seconds: the epoch and the seq the viewer should be at."""

    epoch: str
    seq: int
    now: int


class Watching(Frame, frozen=True):
    """How many people look on without a seat has changed."""

    watchers: int


class Said(Frame, frozen=True):
    """A new line of chat. ``before`` is the one before it; 0: it is the first."""

    line: Line
    before: int


class Unsaid(Frame, frozen=True):
    """A line of chat was removed."""

    line: int


class Reminder(Frame, frozen=True):
    """The player has sat at this table for so many minutes, and wished to be told."""

    table: int
    minutes: int
    net: int
    """What the hands since sitting down have won or lost."""


class Announced(Frame, frozen=True):
    """The house tells this table something."""

    announcement: Announcement


class HouseNews(Frame, frozen=True):
    """What holds for the whole house has changed, or the page is new in the lobby."""

    now: int
    house: PublicHouse


class LobbyChanged(Frame, frozen=True):
    """Some table in the lobby looks different now: fetch the list again."""


Outgoing = (
    Snapshot
    | Changed
    | Done
    | Err
    | Wallet
    | Heartbeat
    | Watching
    | Said
    | Unsaid
    | Reminder
    | Announced
    | HouseNews
    | LobbyChanged
)
