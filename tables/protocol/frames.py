"""Frames: the messages to browsers, and the close codes."""

from __future__ import annotations

from enum import IntEnum
from typing import Any
from uuid import UUID

from msgspec import Struct

from tables.engine.events import snake_case
from tables.protocol.plans import Plan
from tables.protocol.public import PublicTable


class CloseCode(IntEnum):
    """Why the server closed a socket."""

    PROTOCOL = 4400
    """Too many unreadable frames."""
    SESSION_ENDED = 4401
    """The session has ended, or the name changed: reload the page."""
    NO_SUCH_TABLE = 4404
    TOO_MANY_PAGES = 4409
    """The player opened a page over the limit, and this is the oldest: do not reconnect."""
    RATE = 4429
    """Too many frames in a short time, or too many sockets from one address."""
    RESTART = 4012
    """The server stops or restarts: reconnect. (daphne cannot send the standard 1012.)"""
    TRY_LATER = 4013
    """The client reads too slowly, or the server is busy: reconnect. (Likewise 1013.)"""


class You(Struct, frozen=True):
    """The private data of the user of a socket."""

    player: str | None = None
    balance: int | None = None
    balance_seq: int = 0
    """Corresponds to the ``seq`` of :class:`Wallet`."""
    guest: bool = False
    invite: str | None = None
    """The code of the table's invite link."""
    runs: bool = False
    """Whether the user may run the table."""
    silenced: tuple[str, ...] = ()
    """The silenced users, for the host only."""
    banned: tuple[str, ...] = ()
    """The banned users, for the host only."""
    insurance: str | None = None
    """The user's own answer about insurance, while others are still asked."""
    plan: Plan | None = None
    """What the user has decided ahead."""


class Line(Struct, frozen=True):
    """A line of chat."""

    line: int
    at: int
    player: str
    text: str
    colour: str
    """The colour of the player's name."""


class Announcement(Struct, frozen=True):
    """An announcement to all tables or one. Pages opened soon after it show it too."""

    text: str
    at: int


class PublicMaintenance(Struct, frozen=True):
    """Planned maintenance: from ``at`` on no round begins at any table."""

    at: int
    says: str
    """Its text; may be empty."""


class PublicHouse(Struct, frozen=True):
    """The state of the whole site."""

    announcement: Announcement | None = None
    maintenance: PublicMaintenance | None = None


class Frame(Struct, frozen=True, tag_field="t", tag=snake_case):
    """A message to a browser."""


class MissedChange(Struct, frozen=True):
    """A change between the last one that a page has and a snapshot."""

    round: int | None
    """The number of the round at the table."""
    events: tuple[dict[str, Any], ...]


class Snapshot(Frame, frozen=True):
    """The current table, sent on joining and after a resync."""

    epoch: str
    """A new epoch follows a restore: the page discards its state."""
    seq: int
    now: int
    table: PublicTable
    you: You
    chat: tuple[Line, ...]
    """The last lines, oldest first."""
    house: PublicHouse
    announcement: Announcement | None
    """The last announcement to this table."""
    present: tuple[str, ...] = ()
    """The users with an open page at the table, as in :class:`Watching`."""
    missed: tuple[MissedChange, ...] = ()
    """What the page has missed, for its log; empty if that is too much. In the page itself: the last
    round.
    """


class Changed(Frame, frozen=True):
    """The events of a change, and the whole table after it. ``seq`` increases by one."""

    seq: int
    now: int
    events: tuple[dict[str, Any], ...]
    table: PublicTable


class Done(Frame, frozen=True):
    """The command ``id`` is committed as change ``seq``."""

    id: UUID
    seq: int


class Err(Frame, frozen=True):
    """The command changed nothing: ``code`` for programs, ``message`` for the player."""

    id: UUID | None
    code: str
    message: str
    seq: int


class Wallet(Frame, frozen=True):
    """The player's balance changed. The highest ``seq``, not that of the table, is valid."""

    balance: int
    seq: int


class Planned(Frame, frozen=True):
    """What the player has decided ahead for the hand in a round; null: nothing, or it is over."""

    table: int
    round: int
    plan: Plan | None


class Heartbeat(Frame, frozen=True):
    """The current epoch and seq, sent every few seconds."""

    epoch: str
    seq: int
    now: int


class Watching(Frame, frozen=True):
    """The watchers changed."""

    watchers: int
    present: tuple[str, ...]
    """The users with an open page at the table, seated or not, in the order of their coming; of many
    the first ones."""


class Reacted(Frame, frozen=True):
    """A seated player reacted. It is stored nowhere, and is no change of the game."""

    seat: int
    player: str
    reaction: str


class PublicNotice(Struct, frozen=True):
    """A notice for its recipient."""

    kind: str
    """asked, accepted, invited, or opened; answered, voided, or upheld by an operator."""
    player: str | None
    """The player who did it; none for operators."""
    table: str | None
    """The name of the table."""
    url: str
    """Where it leads."""
    at: int


class Noticed(Frame, frozen=True):
    """The number of the player's new notices, and the newest one if it has just come."""

    count: int
    notice: PublicNotice | None = None


class Said(Frame, frozen=True):
    """A new line of chat. ``before`` is the id of the previous one, or 0."""

    line: Line
    before: int


class Unsaid(Frame, frozen=True):
    """A line of chat was removed."""

    line: int


class Muted(Frame, frozen=True):
    """A player's chat was blocked at this table, or allowed again."""

    player: str
    on: bool
    """False: allowed again."""
    host: bool
    """Whether the host did it; else an operator."""


class Reminder(Frame, frozen=True):
    """The reminder that the player has set: the minutes at this table."""

    table: int
    minutes: int
    net: int
    """The net result of the hands since sitting down."""


class Announced(Frame, frozen=True):
    """An announcement to this table. Null: the last one was taken back."""

    announcement: Announcement | None


class HouseNews(Frame, frozen=True):
    """The state of the site changed, or the page has just opened the lobby."""

    now: int
    house: PublicHouse


class Chances(Struct, frozen=True):
    """The chances of the results of a hand; together 1."""

    win: float
    tie: float
    lose: float


class HintValue(Struct, frozen=True):
    """What an action is worth."""

    action: str
    value: float
    """In bets: stakes of the hand. Where nothing is staked, in hands; at a table of piles, the
    cards by which the piles will differ."""
    money: int | None
    """The same in hundredths; null where nothing is staked."""
    chances: Chances | None
    """At a table of piles; null elsewhere."""


class Hint(Frame, frozen=True):
    """What the actions of the player's open decision are worth, by the cards that the player can see.

    It may come late, or not at all: nothing waits for it.
    """

    turn: int
    """The table's turn token: with another one, the hint is over."""
    seat: int
    hand: int
    values: tuple[HintValue, ...]
    """The legal actions, the best one first."""


class LobbyChanged(Frame, frozen=True):
    """The page may have missed changes of the list of tables: fetch it once."""


class LobbyCard(Struct, frozen=True):
    """A table of the lobby."""

    id: int
    html: str | None
    """Its card; ``None``: the table is no longer in the list."""


class LobbyTables(Frame, frozen=True):
    """The tables of the list that changed, at most once a second."""

    now: int
    tables: tuple[LobbyCard, ...]


Outgoing = (
    Snapshot
    | Changed
    | Done
    | Err
    | Wallet
    | Planned
    | Heartbeat
    | Watching
    | Reacted
    | Noticed
    | Said
    | Unsaid
    | Muted
    | Reminder
    | Announced
    | HouseNews
    | Hint
    | LobbyChanged
    | LobbyTables
)
