"""Commands: the messages from browsers."""

from __future__ import annotations

from enum import StrEnum, unique
from typing import Annotated, ClassVar
from uuid import UUID

from msgspec import Meta, Struct

from tables.engine.actions import Action
from tables.engine.events import snake_case
from tables.protocol.plans import Plan

SeatNumber = Annotated[int, Meta(ge=1, le=3)]
Name = Annotated[str, Meta(min_length=1, max_length=80)]
"""In code points, of which a letter with marks has several."""
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}\\Z")]
"""A SHA-256, in hexadecimal."""


@unique
class Reaction(StrEnum):
    """A reaction of a seated player to the game."""

    NICE_HAND = "nice_hand"
    WELL_PLAYED = "well_played"
    GOOD_LUCK = "good_luck"
    THANKS = "thanks"
    OUCH = "ouch"
    CHEERS = "cheers"


class Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag=snake_case):
    """A command of a player. The browser creates ``id`` and uses it once."""

    id: UUID


class Sit(Command, frozen=True):
    """Take a free seat. ``commitment`` is to the words for the next shuffle."""

    seat: SeatNumber
    commitment: Hash | None = None


class Commit(Command, frozen=True):
    """Commit to the words for the next shuffle: SHA-256 of ``seat:words``."""

    commitment: Hash


class Leave(Command, frozen=True):
    """Leave the seat: at once between rounds, otherwise after the round."""


class QueueUp(Command, frozen=True):
    """Get in line for a seat at a full table."""


class LeaveQueue(Command, frozen=True):
    """Leave the line; a seat that is offered goes to the next one."""


class Hints(Command, frozen=True):
    """Turn hints on or off for the own seat."""

    on: bool


class TopUp(Command, frozen=True):
    """Take another stack, at a table with chips of its own."""


class AskTopUp(Command, frozen=True):
    """Ask the host for another stack."""


class SitOut(Command, frozen=True):
    """Keep the own seat without being asked for bets, or be back in."""

    on: bool


class TurnCommand(Command, frozen=True):
    """A bet or decision of a player in a seat: ``turn`` is the table's turn token.

    Such a command may be decided with a remembered table, is refused before anything is written, and
    on SQLite runs in the event loop. Those of watchers have a token as well, and none of this.
    """

    turn: Annotated[int, Meta(ge=1, le=2**53)]


class Bet(TurnCommand, frozen=True):
    """Stake ``stake`` hundredths on the next round; 0 where nothing is staked ("deal me in").

    Until the deal, another bet replaces the one before.
    """

    stake: Annotated[int, Meta(ge=0, le=10**12)]
    words: Annotated[str, Meta(max_length=64)] = ""
    """The committed words, if this bet is on the first round of a shoe."""
    commitment: Hash | None = None
    """For the shuffle after that."""


class TakeBack(TurnCommand, frozen=True):
    """Take the bet back before the deal."""


class BetBehind(Command, frozen=True):
    """Back the player of a seat with a stake on the next round, as a watcher.

    Until the deal, another one replaces it, also at another seat.
    """

    seat: SeatNumber
    turn: Annotated[int, Meta(ge=1, le=2**53)]
    stake: Annotated[int, Meta(ge=1, le=10**12)]
    along: bool = False
    """Whether the stake is raised with the player's on a double and on a split."""


class TakeBackBehind(Command, frozen=True):
    """Take the bet behind back before the deal."""

    turn: Annotated[int, Meta(ge=1, le=2**53)]


class DecideAhead(TurnCommand, frozen=True):
    """Decide what to do with the own hand when its turn comes; null takes that back."""

    plan: Plan | None


class Choice(TurnCommand, frozen=True):
    """A decision about a hand, or about insurance."""

    action: ClassVar[Action]


class Hit(Choice, frozen=True):
    """Take a card."""

    action = Action.HIT


class Stand(Choice, frozen=True):
    """Take no more cards."""

    action = Action.STAND


class Double(Choice, frozen=True):
    """Double the stake and take exactly one card."""

    action = Action.DOUBLE_DOWN


class Split(Choice, frozen=True):
    """Split a pair into two hands, with a second stake."""

    action = Action.SPLIT


class Surrender(Choice, frozen=True):
    """Surrender the hand for half the stake."""

    action = Action.SURRENDER


class Insure(Choice, frozen=True):
    """Take insurance for half the stake."""

    action = Action.INSURE


class Decline(Choice, frozen=True):
    """Decline insurance."""

    action = Action.DECLINE


class Lock(Command, frozen=True):
    """Lock the seats, or unlock them. For the host, like the others of :data:`Hosting`."""

    on: bool


class Chat(Command, frozen=True):
    """Turn the chat on or off."""

    on: bool


class AllowHints(Command, frozen=True):
    """Allow hints at the table or not. Not allowed, they are turned off at all seats."""

    on: bool


class Pause(Command, frozen=True):
    """Pause the table after the round in play, or resume it."""

    on: bool


class Renew(Command, frozen=True):
    """Create a new invite; the old one becomes invalid."""


class HandOn(Command, frozen=True):
    """Make another seated player the host."""

    player: Name


class Free(Command, frozen=True):
    """Free a seat between rounds."""

    seat: SeatNumber


class GiveStack(Command, frozen=True):
    """Give the player of a seat another stack, at a table with chips of its own."""

    seat: SeatNumber


class Ban(Command, frozen=True):
    """Ban a user from the table, or take that back."""

    player: Name
    on: bool


class Close(Command, frozen=True):
    """Close the table permanently, after the round in play; or keep it open after all."""

    on: bool = True
    """False: a closing that waits for its round is taken back."""


class StartMatch(Command, frozen=True):
    """Begin the match with the players who are seated."""


class Say(Command, frozen=True):
    """A line of chat."""

    text: Annotated[str, Meta(max_length=1000)]


class Unsay(Command, frozen=True):
    """Remove a line: the sender's own, or any line as the host."""

    line: Annotated[int, Meta(ge=1, le=2**53)]


class Silence(Command, frozen=True):
    """Block a user's chat at this table, or allow it again. For the host."""

    player: Name
    on: bool


class React(Command, frozen=True):
    """React to the game, at the own seat."""

    reaction: Reaction


class Resync(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag="resync"):
    """Request a snapshot, after a missed frame."""

    seq: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    """The last change that the page has: the snapshot tells the events of later ones."""


class Sight(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag="sight"):
    """Whether the page is in sight. A new page is, until it says otherwise."""

    on: bool


Choices = Hit | Stand | Double | Split | Surrender | Insure | Decline
Hosting = (
    Lock | Chat | AllowHints | Pause | Renew | HandOn | Free | GiveStack | Ban | Close | StartMatch
)
"""Commands of the host."""
Playing = (
    Sit
    | Commit
    | Leave
    | QueueUp
    | LeaveQueue
    | Hints
    | SitOut
    | TopUp
    | AskTopUp
    | Bet
    | TakeBack
    | BetBehind
    | TakeBackBehind
    | DecideAhead
    | Choices
)
"""Commands of a player."""
TableCommand = Playing | Hosting
"""Commands that change the table."""
ChatCommand = Say | Unsay | Silence
"""Commands of the chat."""
AnyCommand = TableCommand | ChatCommand | React
PageMessage = Resync | Sight
"""Messages of a page. They change nothing at the table and get no reply."""
Incoming = AnyCommand | PageMessage
