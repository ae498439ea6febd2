"""Events of a table other than those of the cards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tables.engine.piles import CardsCollected, GameEnded
from tables.protocol.plans import Plan


@dataclass(frozen=True, slots=True)
class PlayerSat:
    """A player took a free seat."""

    seat: int
    player: str


class Reason(StrEnum):
    """Why a seat is free again."""

    LEFT = "left"
    """The player left."""
    MISSED_ROUNDS = "missed_rounds"
    """Two rounds in a row without a bet."""
    ABSENT = "absent"
    """No page of the player was open for a minute."""
    IDLE = "idle"
    """No bet for minutes, outside of other players' rounds."""
    SAT_OUT = "sat_out"
    """The player sat out for too long."""
    NO_ANSWER = "no_answer"
    """No answer to "play again?"."""
    FREED = "freed"
    """The host freed it."""
    BANNED = "banned"
    """The host banned the player."""
    CLOSED = "closed"
    """The table was closed."""
    FEWER_SEATS = "fewer_seats"
    """An operator reduced the number of seats."""
    OUT_OF_MATCH = "out_of_match"
    """Less than the smallest bet is left in a match."""


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    """A seat is free again."""

    seat: int
    player: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class PlayerAway:
    """No page of a seated player is open at this table any more."""

    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class PlayerBack:
    """A seated player who was away has a page open again."""

    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class QueueJoined:
    """A player got in line for a seat."""

    player: str


class QueueReason(StrEnum):
    """Why a player is no longer in line. Who takes a seat has ``player_sat`` instead."""

    LEFT = "left"
    """The player left the line."""
    DECLINED = "declined"
    """The player did not want the seat that was offered."""
    ABSENT = "absent"
    """No page of the player was open for a minute."""
    CLOSED = "closed"
    """The table closes."""
    NEW_INVITE = "new_invite"
    """The invite of a private table was renewed."""
    MATCH = "match"
    """A match began."""


@dataclass(frozen=True, slots=True)
class QueueLeft:
    """A player is no longer in line."""

    player: str
    reason: QueueReason


@dataclass(frozen=True, slots=True)
class SeatOffered:
    """A free seat was offered to a player in line, or the time to take it was extended."""

    seat: int
    player: str
    until: int
    """In milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class OfferLapsed:
    """The player did not take the seat in time, and is no longer in line."""

    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class TopUpAsked:
    """A player asked the host for another stack of table chips."""

    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class ToppedUp:
    """A player got another stack of table chips."""

    seat: int
    player: str
    number: int
    """The number of stacks after the first one."""
    by_host: bool


@dataclass(frozen=True, slots=True)
class BetPlaced:
    """A bet on the next round, in hundredths; 0 without stakes."""

    seat: int
    stake: int


@dataclass(frozen=True, slots=True)
class BetReturned:
    """A bet was returned before the deal: taken back, replaced, or the player left."""

    seat: int
    stake: int


@dataclass(frozen=True, slots=True)
class BetBehindPlaced:
    """A watcher backs the player of a seat, in hundredths."""

    seat: int
    player: str
    """The backer."""
    stake: int
    along: bool
    """Whether the stake is raised on a double and on a split."""


@dataclass(frozen=True, slots=True)
class BetBehindReturned:
    """A bet behind was returned before the deal: taken back, replaced, or nobody plays the seat."""

    seat: int
    player: str
    stake: int


@dataclass(frozen=True, slots=True)
class BetBehindRaised:
    """A backer's stake went along: on a double to the same hand, on a split to the new one."""

    seat: int
    hand: int
    player: str
    stake: int
    """What was added, in hundredths."""


@dataclass(frozen=True, slots=True)
class BetBehindSettled:
    """A backer's stake on a hand was paid or lost, by the hand's outcome; ``payout`` with the stake."""

    seat: int
    hand: int
    player: str
    stake: int
    payout: int


@dataclass(frozen=True, slots=True)
class ClockRanOut:
    """A deadline passed: betting closed, or the hand at ``seat`` stands."""

    seat: int | None = None
    hand: int | None = None


@dataclass(frozen=True, slots=True)
class TimeBankStarted:
    """The clock of a decision is out, and the time bank of its player runs."""

    seat: int
    hand: int
    left: int
    """In milliseconds."""


@dataclass(frozen=True, slots=True)
class PlanPlayed:
    """An action that its player has decided ahead; its own event follows."""

    seat: int
    hand: int
    plan: Plan
    action: str


@dataclass(frozen=True, slots=True)
class InsuranceAnswered:
    """A seat has answered about insurance, and others have not: its answer is still secret."""

    seat: int


@dataclass(frozen=True, slots=True)
class ClockExtended:
    """The deadline was extended after an outage."""


@dataclass(frozen=True, slots=True)
class ShoeSealed:
    """A new shoe is ready. Its secret is fixed, and only the seal is published."""

    shoe: int
    commitment: str
    """SHA-256 of the secret, in hexadecimal."""
    number: int | None = None
    """Its number at its table; missing in stored events from before it was counted."""


@dataclass(frozen=True, slots=True)
class WordsCommitted:
    """A player has committed to words for the next shuffle, or for the one after it."""

    seat: int
    commitment: str
    """SHA-256 of ``seat:words``, in hexadecimal."""


@dataclass(frozen=True, slots=True)
class ShoeShuffled:
    """A sealed shoe was shuffled with its secret and these words; the first card follows."""

    shoe: int
    words: list[dict[str, Any]]
    """``seat``, ``player``, ``commitment`` (or null) and ``words`` of each seat that has bet."""
    absent: list[dict[str, Any]]
    """``seat``, ``player`` and ``commitment`` of seats that have committed and not bet."""
    number: int | None = None
    """Its number at its table; missing in stored events from before it was counted."""


@dataclass(frozen=True, slots=True)
class ShoeOpened:
    """A shoe was retired and its secret published."""

    shoe: int
    secret: str
    """In hexadecimal."""
    number: int | None = None
    """Its number at its table; missing in stored events from before it was counted."""


@dataclass(frozen=True, slots=True)
class RoundBrokenOff:
    """The round in play was aborted, and all stakes were returned."""

    round: int
    because: str
    number: int | None = None
    """Its number at its table; missing in stored events from before it was counted."""


@dataclass(frozen=True, slots=True)
class RoundVoided:
    """An operator voided an earlier round: its transfers are reversed."""

    round: int
    number: int | None = None
    """Its number at its table; missing in stored events from before it was counted."""


@dataclass(frozen=True, slots=True)
class TableLocked:
    """Only the host may sit down."""


@dataclass(frozen=True, slots=True)
class TableUnlocked:
    """All viewers may sit down again."""


@dataclass(frozen=True, slots=True)
class ChatSwitched:
    """The chat was turned on or off."""

    on: bool


@dataclass(frozen=True, slots=True)
class HintsAllowed:
    """Hints were allowed at the table, or no longer: then they are off at all seats."""

    on: bool


@dataclass(frozen=True, slots=True)
class HintsSwitched:
    """A player turned hints on or off."""

    seat: int
    player: str
    on: bool


@dataclass(frozen=True, slots=True)
class SitOutSwitched:
    """A player sits out, or is back in."""

    seat: int
    player: str
    on: bool


@dataclass(frozen=True, slots=True)
class InviteRenewed:
    """The table has a new code, sent only in snapshots of users with access."""


@dataclass(frozen=True, slots=True)
class TableHandedOn:
    """The table has another host."""

    player: str


@dataclass(frozen=True, slots=True)
class PlayerBanned:
    """The host has banned a user from the table. A hand in play stands, and the seat is freed."""

    player: str


@dataclass(frozen=True, slots=True)
class BanLifted:
    """The host has taken a ban back."""

    player: str


@dataclass(frozen=True, slots=True)
class TablePaused:
    """The table was paused: no round begins after the one in play."""

    because: str
    player: str | None = None
    """The host who paused it; null for operators and the site."""


@dataclass(frozen=True, slots=True)
class TableResumed:
    """The table accepts bets again."""

    player: str | None = None
    """The host who resumed it; null for operators and the end of a forgotten pause."""


@dataclass(frozen=True, slots=True)
class TableChanging:
    """The host has chosen other settings, which apply after the round, or has taken that back."""

    player: str
    """The host."""
    on: bool
    """False: taken back."""


@dataclass(frozen=True, slots=True)
class TableChanged:
    """The table was changed: name, rules, limits, clocks or access."""

    player: str | None = None
    """The host who did it; null for operators."""


@dataclass(frozen=True, slots=True)
class TableClosing:
    """The table closes after the round in play."""


@dataclass(frozen=True, slots=True)
class TableKeptOpen:
    """The closing after the round in play was taken back."""

    player: str | None = None
    """The host who did it; null for operators."""


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table is closed permanently."""


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """The match at the table began: the seated players are in it."""

    rounds: int | None
    """The number of rounds; null: until one player is left."""


@dataclass(frozen=True, slots=True)
class MatchRoundEnded:
    """A round of the match is over."""

    number: int
    """Of the round, from 1."""
    rounds: int | None
    leaders: list[str]
    """The players with the largest stack."""
    stack: int
    """Theirs, in hundredths."""


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match at the table is over, or was broken off."""

    winners: list[str]
    """Several if they share the first place; empty if nobody has won here: the match was broken off, or
    others of a duplicate match still play."""
    because: str = ""
    """Why it was broken off; empty otherwise."""


TableEvent = (
    PlayerSat
    | PlayerLeft
    | PlayerAway
    | PlayerBack
    | QueueJoined
    | QueueLeft
    | SeatOffered
    | OfferLapsed
    | TableLocked
    | TableUnlocked
    | ChatSwitched
    | HintsAllowed
    | HintsSwitched
    | SitOutSwitched
    | InviteRenewed
    | TableHandedOn
    | PlayerBanned
    | BanLifted
    | TablePaused
    | TableResumed
    | TableChanging
    | TableChanged
    | TableClosing
    | TableKeptOpen
    | TableClosed
    | MatchStarted
    | MatchRoundEnded
    | MatchEnded
    | TopUpAsked
    | ToppedUp
    | BetPlaced
    | BetReturned
    | BetBehindPlaced
    | BetBehindReturned
    | BetBehindRaised
    | BetBehindSettled
    | ClockRanOut
    | TimeBankStarted
    | PlanPlayed
    | InsuranceAnswered
    | ClockExtended
    | ShoeSealed
    | WordsCommitted
    | ShoeShuffled
    | ShoeOpened
    | RoundBrokenOff
    | RoundVoided
    | CardsCollected
    | GameEnded
)
