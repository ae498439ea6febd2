"""The score of the game in which cards are the score: piles, discard, and who wins (seed 002)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

from tables.engine.events import Outcome
from tables.engine.round_state import RoundState
from tables.engine.shoe import Shoe

LEAST_TOTAL: Final = 21
"""The game ends when the cards left in the deck total less, an ace counting 11."""
CARDS_OF_A_DEAL: Final = 4


class Pile(StrEnum):
    """The destination of the cards of a hand."""

    PLAYER = "player"
    HOUSE = "house"
    DISCARD = "discard"
    """The cards of a tie, which do not count."""


class Winner(StrEnum):
    """The owner of the larger pile."""

    PLAYER = "player"
    HOUSE = "house"
    DRAW = "draw"


@dataclass(frozen=True, slots=True)
class CardsCollected:
    """All cards of a hand went face down onto a pile, or to the discard."""

    pile: Pile
    cards: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The deck is used up: the larger pile wins."""

    winner: Winner
    player: int
    house: int


@dataclass(slots=True)
class Piles:
    """The number of cards in each pile. The cards themselves are not public."""

    player: int = 0
    house: int = 0
    discard: int = 0

    def collect(self, round_: RoundState) -> CardsCollected:
        """Move all cards of a finished hand to their pile (docs/rules.md)."""
        outcome = round_.seats[1][0].outcome
        if outcome is Outcome.WIN:
            pile = Pile.PLAYER
        elif outcome is Outcome.PUSH:
            pile = Pile.DISCARD
        else:
            pile = Pile.HOUSE
        cards = round_.cards_on_table
        setattr(self, pile, getattr(self, pile) + cards)
        return CardsCollected(pile, cards)

    @property
    def winner(self) -> Winner:
        """The owner of the larger pile."""
        if self.player == self.house:
            return Winner.DRAW
        return Winner.PLAYER if self.player > self.house else Winner.HOUSE

    def to_state(self) -> dict[str, Any]:
        """The counts as plain values."""
        return asdict(self)


def is_game_over(deck: Shoe) -> bool:
    """Whether ``deck`` cannot serve another hand: under 21 points or four cards left (seed 002)."""
    rest = deck.cards[deck.dealt :]
    return len(rest) < CARDS_OF_A_DEAL or sum(card.points for card in rest) < LEAST_TOTAL
