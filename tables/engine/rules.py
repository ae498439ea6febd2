"""Rule sets as data. The engine asks a rule, never which preset is being played."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Final

from tables.engine.errors import RuleViolation, Words

CARDS_FOR_A_HAND: Final = 6
"""So many cards a round finds for each hand that it can have, the dealer's included: more than
the cards of a real shoe ever come to where there are many hands."""
CARDS_THAT_SUFFICE: Final = 13 * CARDS_FOR_A_HAND
"""Where a round can have thirteen hands it does not get the cards of the worst order as well: so
many small ones for every hand at once do not come."""
DEALER: Final = Words("dealer")


class DealOrder(StrEnum):
    """Who gets which card first."""

    PLAYER_BY_PLAYER = "player_by_player"
    """Both cards of each player in turn, then the dealer's two."""
    ONE_TO_EACH = "one_to_each"
    """One to each player and one to the dealer; and again."""


class Tie(StrEnum):
    """Whose a hand is that equals the dealer's."""

    PUSH = "push"
    """Nobody's: the stake comes back."""
    DEALER_WINS = "dealer_wins"
    """The dealer's (seed 003: "if tie then dealer wins")."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """What may be staked on a hand before the cards, in hundredths of a unit."""

    minimum: int
    maximum: int | None
    """``None``: no limit but the bankroll."""
    unit: int = 100
    """Every stake is a multiple of it."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """One way to play. The six presets are in :mod:`tables.engine.presets`."""

    key: str
    title: Words
    summary: Words
    """One sentence for the lobby."""
    source: str
    """Where the rules come from."""
    seats: int
    deal_order: DealOrder
    hole_card_first: bool = False
    """Whether the dealer's face-down card is dealt before the one that lies face up."""
    dealer_name: Words = DEALER
    """What the source calls who deals: ``dealer`` or ``house``."""
    decks: int = 1
    """Packs of 52 in the shoe."""
    cut_card: Fraction | None = None
    """The share of the shoe that lies before the cut card, after which a new shoe is shuffled;
    ``None``: a fresh shoe for every round."""
    has_piles: bool = False
    """Whether cards are the score: one deck is played through, and who wins a hand takes all of
    its cards (seed 002)."""
    stakes: Stakes | None = None
    """``None``: nothing is staked; what is kept is won, lost and pushed."""
    is_matched: bool = False
    """Whether the dealer's account puts the same amount into the pot as soon as a stake is bet
    (seed 003); otherwise the house pays when it has lost."""
    natural_pays: Fraction | None = None
    """Odds on a natural; ``None``: a natural is just 21."""
    twenty_one_wins: bool = False
    """Whether exactly 21 wins the hand at once (seed 002)."""
    twenty_one_stands: bool = False
    """Whether a hand of 21 is not asked for a decision."""
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
    """Whether split aces get one card each and are not asked any more."""
    insurance: bool = False
    """Against an ace, half the stake, at 2:1."""
    surrender: bool = False
    """Late: on the first two cards, after the dealer's check, half the stake comes back."""

    @property
    def hole_position(self) -> int:
        """Which of the dealer's cards lies face down, counted from 0."""
        return 0 if self.hole_card_first else 1

    @property
    def asks_to_play_again(self) -> bool:
        """Whether the group decides after each round if it goes on (seeds 000 and 001)."""
        return self.stakes is None and not self.has_piles

    @property
    def keeps_its_shoe(self) -> bool:
        """Whether a shoe serves more than one round."""
        return self.has_piles or self.cut_card is not None

    @property
    def cards(self) -> int:
        """How many cards a full shoe holds."""
        return 52 * self.decks

    @property
    def most_cards_of_a_round(self) -> int:
        """How many cards a round finds at least, so that it does not run out of them.

        What the worst order of the cards takes, but :data:`CARDS_THAT_SUFFICE` at most, and
        :data:`CARDS_FOR_A_HAND` for every hand.
        """
        hands = self.seats * self.max_hands
        worst = cards_in_the_worst_order(hands, self.decks, stands=self.twenty_one_stands)
        return max((hands + 1) * CARDS_FOR_A_HAND, min(worst, CARDS_THAT_SUFFICE))

    @property
    def cut_position(self) -> int | None:
        """How many cards are dealt when the cut card comes out; ``None`` without one."""
        return None if self.cut_card is None else int(self.cards * self.cut_card)

    def verify_stake(self, stake: int) -> None:
        """Raise :class:`RuleViolation` ``bad_bet`` unless ``stake`` hundredths may be bet."""
        if self.stakes is None:
            if stake:
                raise RuleViolation("bad_bet", "Nothing is staked at this table.")
            return
        if stake < self.stakes.minimum:
            least = self.stakes.minimum // 100
            raise RuleViolation(
                "bad_bet", "The smallest bet at this table is %(least)s.", least=least
            )
        if self.stakes.maximum is not None and stake > self.stakes.maximum:
            most = self.stakes.maximum // 100
            raise RuleViolation("bad_bet", "The largest bet at this table is %(most)s.", most=most)
        if stake % self.stakes.unit:
            raise RuleViolation("bad_bet", "Bets are made in whole units.")


@lru_cache
def cards_in_the_worst_order(hands: int, decks: int, *, stands: bool) -> int:
    """How many cards a round of so many ``hands`` of players takes at most, whatever their order.

    A hand that takes one more has 20 at most, aces counting 1, or 21 where that does not stand by
    itself (``stands``); the dealer has 16. No hands hold more cards within these totals than if all
    of them are the smallest that there are; then each takes its last.

    >>> cards_in_the_worst_order(1, 1, stands=True)
    17
    """
    left = hands * (20 if stands else 21) + 16
    taken = 0
    for points in range(1, 11):
        number = min(left // points, decks * (16 if points == 10 else 4))
        taken, left = taken + number, left - number * points
    return min(taken + hands + 1, 52 * decks)
