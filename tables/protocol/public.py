"""The public view of a table, as types."""

from __future__ import annotations

from msgspec import Struct


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
    commitment: str | None = None
    """To the words that are to be shown with the bet on the first round of the next shoe."""
    away: int | None = None
    """Since when no page of the player is open at this table."""
    idle: int | None = None
    """When the seat is freed if no bet is placed at the table until then."""


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
    paused: str | None
    """Why the house lets no round begin, once it has paused the table."""
    watchers: int
    """How many people look on without a seat."""
    edition: str
    """A mark of its name and its rules: with another one, a page that was made of them is old."""
