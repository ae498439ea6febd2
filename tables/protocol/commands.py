"""Commands: the messages from browsers."""

from __future__ import annotations

from typing import Annotated, ClassVar
from uuid import UUID

from msgspec import Meta, Struct

from tables.engine.actions import Action
from tables.engine.events import snake_case

SeatNumber = Annotated[int, Meta(ge=1, le=3)]
Name = Annotated[str, Meta(min_length=1, max_length=20)]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}\\Z")]
"""A SHA-256, in hexadecimal."""


class Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag=snake_case):
    """Something a player wants done. ``id`` is made by the browser and is used once."""

    id: UUID


class Sit(Command, frozen=True):
    """Take a free seat. ``commitment`` is to the words for the next shuffle."""

    seat: SeatNumber
    commitment: Hash | None = None


class Commit(Command, frozen=True):
    """Commit to the words for the next shuffle: SHA-256 of ``seat:words``."""

    commitment: Hash


class Leave(Command, frozen=True):
    """Give the seat back: at once between rounds, after the round otherwise."""


class Decision(Command, frozen=True):
    """A command that answers what the table asks now: ``turn`` is the table's turn token."""

    turn: Annotated[int, Meta(ge=1, le=2**53)]


class Bet(Decision, frozen=True):
    """Stake ``stake`` hundredths on the next round; 0 where nothing is staked ("deal me in").

    Until the cards fall, another bet takes the place of the one before.
    """

    stake: Annotated[int, Meta(ge=0, le=10**12)]
    words: Annotated[str, Meta(max_length=64)] = ""
    """The player's part in the shuffle, if this bet is on the first round of a shoe: the words that
    were committed to."""
    commitment: Hash | None = None
    """To the words for the shuffle after that."""


class TakeBack(Decision, frozen=True):
    """Take the bet back before the cards fall."""


class Choice(Decision, frozen=True):
    """A decision about a hand, or about insurance."""

    action: ClassVar[Action]


class Hit(Choice, frozen=True):
    """Take a card."""

    action = Action.HIT


class Stand(Choice, frozen=True):
    """Take no more cards."""

    action = Action.STAND


class Double(Choice, frozen=True):
    """Match the stake and take exactly one card more."""

    action = Action.DOUBLE_DOWN


class Split(Choice, frozen=True):
    """Make two hands of a pair, matching the stake."""

    action = Action.SPLIT


class Surrender(Choice, frozen=True):
    """Give the hand up for half the stake."""

    action = Action.SURRENDER


class Insure(Choice, frozen=True):
    """Take insurance for half the stake."""

    action = Action.INSURE


class Decline(Choice, frozen=True):
    """Take no insurance."""

    action = Action.DECLINE


class Lock(Command, frozen=True):
    """Have nobody new sit down, or have them again. For who runs the table, like the next five."""

    on: bool


class Chat(Command, frozen=True):
    """Switch the chat on or off."""

    on: bool


class Renew(Command, frozen=True):
    """Make a new invite; the old one lets nobody in any more."""


class HandOn(Command, frozen=True):
    """Let another player at the table run it."""

    player: Name


class Free(Command, frozen=True):
    """Between rounds: free somebody's seat."""

    seat: SeatNumber


class Close(Command, frozen=True):
    """Put the table away for good, after the round that is being played."""


class Say(Command, frozen=True):
    """A line of chat."""

    text: Annotated[str, Meta(max_length=1000)]


class Unsay(Command, frozen=True):
    """Remove a line: one's own, or anybody's for who runs the table."""

    line: Annotated[int, Meta(ge=1, le=2**53)]


class Silence(Command, frozen=True):
    """Let a person talk at this table no more, or again. For who runs the table."""

    player: Name
    on: bool


class Resync(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag="resync"):
    """Send me the table as it is: a frame was missed."""


Choices = Hit | Stand | Double | Split | Surrender | Insure | Decline
Hosting = Lock | Chat | Renew | HandOn | Free | Close
TableCommand = Sit | Commit | Leave | Bet | TakeBack | Choices | Hosting
"""What changes the table."""
ChatCommand = Say | Unsay | Silence
"""What is said beside it."""
AnyCommand = TableCommand | ChatCommand
Incoming = AnyCommand | Resync
