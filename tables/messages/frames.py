"""What browsers are sent, and why they are hung up on."""

from __future__ import annotations

from enum import IntEnum
from typing import Any
from uuid import UUID

from msgspec import Struct

from tables.engine.events import snake_case


class CloseCode(IntEnum):
    """Why the server closed a socket."""

    PROTOCOL = 4400
    """Too many unreadable frames."""
    SESSION_ENDED = 4401
    """Logged out, in this browser or elsewhere, or under another name now: load the page again."""
    NO_SUCH_TABLE = 4404
    RATE = 4429
    """Too many frames in a short time."""
    RESTART = 4012
    """The server stops or restarts; come back. (daphne cannot send the standard 1012.)"""
    TRY_LATER = 4013
    """The reader was too slow, or the server is busy; come back. (Likewise 1013.)"""


class PublicHand(Struct, frozen=True, omit_defaults=True):
    """A hand as everybody sees it."""

    cards: tuple[str, ...]
    total: int
    stake: int
    soft: bool = False
    doubled: bool = False
    outcome: str | None = None
    payout: int = 0


class PublicInsurance(Struct, frozen=True):
    """A seat's answer when insurance was asked; ``stake`` 0: declined."""

    stake: int
    payout: int
    settled: bool


class Score(Struct, frozen=True):
    """Hands since sitting down, where nothing is staked."""

    won: int
    lost: int
    pushed: int


class PublicSeat(Struct, frozen=True, omit_defaults=True):
    """One place at the table. ``hands`` are of this round, or of the last one between rounds."""

    seat: int
    player: str | None = None
    stake: int | None = None
    """The bet for the coming round, once it is placed."""
    missed: int = 0
    """Rounds in a row that were dealt without a bet from here; the second frees the seat."""
    leaving: bool = False
    hands: tuple[PublicHand, ...] = ()
    insurance: PublicInsurance | None = None
    tally: Score | None = None
    since: int | None = None
    """When the player sat down."""
    net: int = 0
    """What the hands since then have won or lost."""
    away: int | None = None
    """Since when no page of the player is open at this table."""


class PublicDealer(Struct, frozen=True, omit_defaults=True):
    """The dealer's cards, ``??`` for one that is face down; ``total`` of the visible ones."""

    cards: tuple[str, ...] = ()
    total: int = 0
    soft: bool = False


class PublicShoe(Struct, frozen=True):
    """The shoe from which the next card comes; ``left`` counts what was not dealt yet."""

    id: int
    commitment: str
    size: int
    left: int
    cut: int | None
    """How many cards are dealt when the cut card comes out; the round is played to its end."""


class PublicPiles(Struct, frozen=True):
    """How many cards lie where, in the game of piles; nobody sees which."""

    player: int
    house: int
    discard: int
    deck: int
    game_over: bool
    winner: str | None


class Asked(Struct, frozen=True):
    """Whose decision the table waits for, and what is legal."""

    seat: int
    hand: int
    legal: tuple[str, ...]


class PublicTable(Struct, frozen=True):
    """Everything that anybody may know about a table."""

    phase: str
    turn: int
    deadline: int | None
    clock: int
    """Seconds of the clock that ``deadline`` ends, for drawing how much is left."""
    round: int | None
    seats: tuple[PublicSeat, ...]
    dealer: PublicDealer
    asked: Asked | None
    shoe: PublicShoe | None
    rack: int | None
    """The dealer's account, where it matches the stakes; in hundredths."""
    piles: PublicPiles | None
    maker: str | None
    """Who runs it; null for a table of the house."""
    private: bool
    locked: bool
    chat: bool
    closing: bool
    """Whether the round that is played is the last one."""
    watchers: int
    """How many people look on without a seat."""


class You(Struct, frozen=True):
    """What only the owner of a socket is told about themselves."""

    player: str | None = None
    balance: int | None = None
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


class Frame(Struct, frozen=True, tag_field="t", tag=snake_case):
    """A message to a browser."""


class Snapshot(Frame, frozen=True):
    """The table as it is: on joining and after a resync."""

    seq: int
    now: int
    table: PublicTable
    you: You
    chat: tuple[Line, ...]
    """What was said last, oldest first."""


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
    """The player's own balance changed."""

    balance: int


class Heartbeat(Frame, frozen=True):
    """Every few seconds: the seq the viewer should be at."""

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
    | LobbyChanged
)
