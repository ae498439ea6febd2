"""The messages from and to browsers, as types.

``docs/protocol.md`` describes every one; a test holds the two together. Amounts are integer
hundredths, times are milliseconds since 1970.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct


class CloseCode(IntEnum):
    """Why the server closed a socket."""

    PROTOCOL = 4400
    """Too many unreadable frames."""
    SESSION_ENDED = 4401
    """Logged out, in this browser or elsewhere."""
    NO_SUCH_TABLE = 4404
    RATE = 4429
    """Too many frames in a short time."""
    RESTART = 4012
    """The server stops or restarts; come back. (daphne cannot send the standard 1012.)"""
    TRY_LATER = 4013
    """The reader was too slow, or the server is busy; come back. (Likewise 1013.)"""


# From the browser


class Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag=str.lower):
    """Something a player wants done. ``id`` is made by the browser and is used once."""

    id: UUID


class Sit(Command, frozen=True):
    """Take a free seat."""

    seat: Annotated[int, Meta(ge=1, le=3)]


class Leave(Command, frozen=True):
    """Give the seat back: at once between rounds, after the round otherwise."""


class Decision(Command, frozen=True):
    """A command that answers what the table asks now: ``turn`` is the table's turn token."""

    turn: Annotated[int, Meta(ge=1, le=2**53)]


class Bet(Decision, frozen=True):
    """Stake ``stake`` hundredths on the next round; 0 where nothing is staked ("deal me in")."""

    stake: Annotated[int, Meta(ge=0, le=10**12)]
    words: Annotated[str, Meta(max_length=64)] = ""
    """The player's part in the shuffle, if this bet is on the first round of a shoe."""


class Hit(Decision, frozen=True):
    """Take a card."""


class Stand(Decision, frozen=True):
    """Take no more cards."""


class Double(Decision, frozen=True):
    """Match the stake and take exactly one card more."""


class Split(Decision, frozen=True):
    """Make two hands of a pair, matching the stake."""


class Surrender(Decision, frozen=True):
    """Give the hand up for half the stake."""


class Insure(Decision, frozen=True):
    """Take insurance for half the stake."""


class Decline(Decision, frozen=True):
    """Take no insurance."""


class Resync(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag="resync"):
    """Send me the table as it is: a frame was missed."""


AnyCommand = Sit | Leave | Bet | Hit | Stand | Double | Split | Surrender | Insure | Decline
Incoming = AnyCommand | Resync


# To the browser


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


class Tally(Struct, frozen=True):
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
    tally: Tally | None = None


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


class You(Struct, frozen=True):
    """What only the owner of a socket is told about themselves."""

    player: str | None
    balance: int | None


class Frame(Struct, frozen=True, tag_field="t", tag=str.lower):
    """A message to a browser."""


class Snapshot(Frame, frozen=True):
    """The table as it is: on joining and after a resync."""

    seq: int
    now: int
    table: PublicTable
    you: You


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


class LobbyChanged(Frame, frozen=True, tag="lobby_changed"):
    """Some table in the lobby looks different now: fetch the list again."""


Outgoing = Snapshot | Changed | Done | Err | Wallet | Heartbeat | LobbyChanged
