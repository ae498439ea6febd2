"""Rule sets as data. The engine reads their fields, never the name of a preset."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Final

from tables.engine.errors import RuleViolation, Text

CARDS_FOR_A_HAND: Final = 6
"""The minimum number of cards per possible hand, including the dealer's: with many hands, more
than a real shoe ever needs."""
CARDS_THAT_SUFFICE: Final = 13 * CARDS_FOR_A_HAND
"""The cards that are enough for any number of hands: the worst order for so many hands does not
occur."""


class DealOrder(StrEnum):
    """The order of the first deal."""

    PLAYER_BY_PLAYER = "player_by_player"
    """Both cards of each player in turn, then the dealer's two."""
    ONE_TO_EACH = "one_to_each"
    """One to each player and one to the dealer; and again."""


class Tie(StrEnum):
    """The result of a tie."""

    PUSH = "push"
    """The stake is returned."""
    DEALER_WINS = "dealer_wins"
    """The dealer's (seed 003: "if tie then dealer wins")."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """The limits of a bet, in hundredths of a unit."""

    minimum: int
    maximum: int | None
    """``None``: no limit but the bankroll."""
    unit: int = 100
    """Every stake is a multiple of it."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A rule set. The six presets are in :mod:`tables.engine.presets`."""

    key: str
    title: Text
    summary: Text
    """One sentence for the lobby."""
    source: str
    """The source of the rules."""
    seats: int
    deal_order: DealOrder
    hole_card_first: bool = False
    """Whether the dealer's face-down card is dealt before the face-up one."""
    decks: int = 1
    """The number of decks in the shoe."""
    cut_card: Fraction | None = None
    """The share of the shoe before the cut card, after which a new shoe is shuffled; ``None``: a
    new shoe for every round."""
    has_piles: bool = False
    """Whether cards are the score: a game uses one deck, and the winner of a hand takes its cards
    (seed 002)."""
    stakes: Stakes | None = None
    """``None``: no stakes; the score is hands won, lost and pushed."""
    is_matched: bool = False
    """Whether the rack puts the same amount into the pot with each bet (seed 003); otherwise it
    pays at the settlement."""
    natural_pays: Fraction | None = None
    """Odds on a natural; ``None``: a natural is a plain 21."""
    twenty_one_wins: bool = False
    """Whether exactly 21 wins the hand at once (seed 002)."""
    twenty_one_stands: bool = False
    """Whether a hand of 21 stands automatically."""
    peek: bool = False
    """Whether the dealer checks the hole card under an ace or a ten-value card first."""
    hits_soft_17: bool = False
    """Whether the dealer draws to a 17 in which an ace counts 11."""
    tie: Tie = Tie.PUSH
    double_down: bool = False
    """On the first two cards of a hand."""
    double_after_split: bool = True
    """Whether the first two cards of a split hand can be doubled as well."""
    max_hands: int = 1
    """How many hands one seat's cards may become by splitting; 1: no split."""
    split_aces_once: bool = False
    """Whether split aces get one card each and then stand."""
    insurance: bool = False
    """Against an ace, half the stake, at 2:1."""
    surrender: bool = False
    """Late surrender: on the first two cards, after the dealer's check, for half the stake."""

    @property
    def hole_position(self) -> int:
        """The index of the dealer's face-down card, from 0."""
        return 0 if self.hole_card_first else 1

    @property
    def asks_to_play_again(self) -> bool:
        """Whether players are asked "play again?" after each round (seeds 000 and 001)."""
        return self.stakes is None and not self.has_piles

    @property
    def keeps_its_shoe(self) -> bool:
        """Whether a shoe is used for more than one round."""
        return self.has_piles or self.cut_card is not None

    @property
    def cards(self) -> int:
        """The number of cards of a full shoe."""
        return 52 * self.decks

    @property
    def most_cards_of_a_round(self) -> int:
        """The number of cards that must be left for a round.

        That is the number in the worst order of the cards, but at most
        :data:`CARDS_THAT_SUFFICE`, and at least :data:`CARDS_FOR_A_HAND` for every hand.
        """
        hands = self.seats * self.max_hands
        worst = count_worst_case_cards(hands, self.decks, stands=self.twenty_one_stands)
        return max((hands + 1) * CARDS_FOR_A_HAND, min(worst, CARDS_THAT_SUFFICE))

    @property
    def cut_position(self) -> int | None:
        """The number of dealt cards at which the cut card comes out; ``None`` without one."""
        return None if self.cut_card is None else int(self.cards * self.cut_card)

    def verify_stake(self, stake: int) -> None:
        """Raise :class:`RuleViolation` ``bad_bet`` unless ``stake`` hundredths may be bet."""
        if self.stakes is None:
            if stake:
                raise RuleViolation("bad_bet", "This table has no bets.")
            return
        if stake < self.stakes.minimum:
            least = self.stakes.minimum // 100
            raise RuleViolation(
                "bad_bet", "The minimum bet at this table is %(least)s.", least=least
            )
        if self.stakes.maximum is not None and stake > self.stakes.maximum:
            most = self.stakes.maximum // 100
            raise RuleViolation("bad_bet", "The maximum bet at this table is %(most)s.", most=most)
        if stake % self.stakes.unit:
            raise RuleViolation("bad_bet", "Bets must be whole numbers.")


@lru_cache
def count_worst_case_cards(hands: int, decks: int, *, stands: bool) -> int:
    """The maximum number of cards of a round with this many ``hands`` of players, in any order.

    A hand that draws has 20 at most with aces as 1, or 21 if a 21 does not stand automatically
    (``stands``); the dealer has 16. Hands hold the most cards within these totals if they are the
    smallest of the shoe; then each draws its last card.

    >>> count_worst_case_cards(1, 1, stands=True)
    17
    """
    remaining_points = hands * (20 if stands else 21) + 16
    count = 0
    for points in range(1, 11):
        number = min(remaining_points // points, decks * (16 if points == 10 else 4))
        count, remaining_points = count + number, remaining_points - number * points
    return min(count + hands + 1, 52 * decks)
