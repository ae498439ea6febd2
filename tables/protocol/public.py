"""The public view of a table, as types."""

from __future__ import annotations

from msgspec import Struct


class PublicHand(Struct, frozen=True, omit_defaults=True):
    """The public view of a hand."""

    cards: tuple[str, ...]
    total: int
    stake: int
    soft: bool = False
    doubled: bool = False
    outcome: str | None = None
    payout: int = 0


class PublicInsurance(Struct, frozen=True):
    """A seat's insurance; ``stake`` 0: declined."""

    stake: int
    payout: int
    settled: bool


class PublicBacker(Struct, frozen=True, omit_defaults=True):
    """A bet behind a seat, on the next round or on the hands of this or the last one."""

    player: str
    stakes: tuple[int, ...]
    """For each hand of the seat, in hundredths; before the deal the one bet."""
    along: bool = False
    """Whether the stake is raised on a double and on a split."""
    payout: int = 0
    """The payouts so far, with the stakes."""


class Score(Struct, frozen=True):
    """Hands since sitting down, without stakes."""

    won: int
    lost: int
    pushed: int


class PublicSeat(Struct, frozen=True, omit_defaults=True):
    """A seat. ``hands`` are of this round, or of the last one between rounds."""

    seat: int
    player: str | None = None
    colour: str | None = None
    """The colour of the player's name."""
    stake: int | None = None
    """The bet on the next round, once placed."""
    missed: int = 0
    """The number of consecutive rounds without a bet; the second frees the seat."""
    leaving: bool = False
    hints: bool = False
    """Whether the player has turned hints on."""
    sitting_out: bool = False
    """Whether the player sits out: no bet is asked."""
    rounds_out: int = 0
    """The rounds that the player sat out while others waited in line; the fifth frees the seat."""
    bank: int | None = None
    """What is left in the time bank in milliseconds: while it runs, what was left at its start."""
    hands: tuple[PublicHand, ...] = ()
    insurance: PublicInsurance | None = None
    answered: bool = False
    """Whether the player has answered about insurance while others are still asked."""
    tally: Score | None = None
    since: int | None = None
    """When the player sat down."""
    net: int = 0
    """The net result of the hands since then."""
    chips: int | None = None
    """The stack in hundredths, without the bets, at a table with chips of its own."""
    top_ups: int = 0
    """There: the number of stacks after the first one."""
    asks: bool = False
    """There: whether the player has asked the host for another stack."""
    commitment: str | None = None
    """For the words to show with the bet on the first round of the next shoe."""
    away: int | None = None
    """When the player's last page at this table was closed."""
    idle: int | None = None
    """When the seat is freed without a bet."""
    behind: tuple[PublicBacker, ...] = ()
    """The bets behind on the next round."""
    backed: tuple[PublicBacker, ...] = ()
    """Those on ``hands``."""


class PublicQueueEntry(Struct, frozen=True, omit_defaults=True):
    """A player in line for a seat."""

    player: str
    seat: int | None = None
    """The free seat that is offered to this player."""
    until: int | None = None
    """The end of the offer."""


class PublicDealer(Struct, frozen=True, omit_defaults=True):
    """The dealer's cards, ``??`` for one that is face down; ``total`` of the visible ones."""

    cards: tuple[str, ...] = ()
    total: int = 0
    soft: bool = False


class PublicShoe(Struct, frozen=True):
    """The shoe of the next card; ``left`` is the number of undealt cards."""

    id: int
    number: int
    """Its number at the table, as people see it."""
    commitment: str
    size: int
    left: int
    cut: int | None
    """The number of dealt cards at which the cut card comes out; the round is finished."""


class PublicPiles(Struct, frozen=True):
    """The numbers of cards in a game of piles."""

    player: int
    house: int
    discard: int
    deck: int
    game_over: bool
    winner: str | None


class Asked(Struct, frozen=True):
    """An open decision: seat, hand and legal actions."""

    seat: int
    hand: int
    legal: tuple[str, ...]


class MatchStanding(Struct, frozen=True, omit_defaults=True):
    """A player of a match, in the order of the places."""

    player: str
    place: int
    stack: int
    """After the last round, in hundredths."""
    change: int = 0
    """By the last round."""
    out: int | None = None
    """After which round the player was out."""
    left: bool = False
    """Whether the player is out because of leaving."""


class PublicMatch(Struct, frozen=True):
    """The match at a table."""

    id: int
    kind: str
    """``table`` or ``duplicate``."""
    state: str
    """``waiting``, ``running``, ``over`` or ``broken_off``."""
    rounds: int | None
    """The number of rounds; null: until one player is left."""
    played: int
    """The number of rounds that are over."""
    stack: int
    """Of each player at the start, in hundredths."""
    standings: tuple[MatchStanding, ...]
    """Empty before the start."""
    rematch: int | None
    """The id of the table of the match that follows."""


class PublicTable(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The public view of a table. What few tables have is left out where it is not so."""

    phase: str
    turn: int
    deadline: int | None
    clock: int
    """The full length of the clock in seconds, to draw the remaining time."""
    on_bank: bool = False
    """Whether the deadline is the end of a time bank."""
    round: int | None
    """The id of the current or last round."""
    number: int | None
    """Its number at the table, as people see it."""
    seats: tuple[PublicSeat, ...]
    dealer: PublicDealer
    asked: Asked | None
    """While insurance is asked, the first seat of ``insurance``."""
    insurance: tuple[Asked, ...]
    """The seats that are still asked about insurance, all at once; otherwise empty."""
    shoe: PublicShoe | None
    rack: int | None
    """The balance of the rack in hundredths, if it matches the stakes."""
    piles: PublicPiles | None
    stack: int | None = None
    """The stack that everyone gets, in hundredths, at a table with chips of its own."""
    top_ups: int = 0
    """There: the number of further stacks that players may take themselves."""
    maker: str | None
    """The host; null for the site's own tables."""
    private: bool
    locked: bool
    chat: bool
    hints_allowed: bool
    """Whether players may turn hints on."""
    behind: bool = False
    """Whether watchers may bet behind a seat."""
    closing: bool
    """Whether the round in play is the last one."""
    paused: str | None
    """The reason of a pause."""
    paused_by_host: bool = False
    """Whether it is the host's, who may end it."""
    queue: tuple[PublicQueueEntry, ...]
    """The players in line for a seat; the first one is next."""
    watchers: int
    """The number of watchers."""
    match: PublicMatch | None = None
    """The match that is played here, or was."""
    edition: str
    """A hash of name and rules: a page with another one is outdated."""
