"""The cards in play, in the order in which they will be dealt."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Self

from tables.engine.cards import DECK, Card, parse_cards
from tables.engine.errors import RuleViolation


@dataclass(slots=True)
class Shoe:
    """Cards in a fixed order, of which the first ``dealt`` are on the table already."""

    cards: tuple[Card, ...]
    dealt: int = 0

    @classmethod
    def shuffled(cls, decks: int, random: Random) -> Self:
        """A fresh shoe of ``decks`` packs of 52 in an order drawn from ``random``.

        Whoever deals for real passes ``secrets.SystemRandom()``; ``Random.shuffle`` is a
        Fisher-Yates shuffle without modulo bias.
        """
        cards = list(DECK * decks)
        random.shuffle(cards)
        return cls(tuple(cards))

    @classmethod
    def parse(cls, text: str) -> Self:
        """A stacked shoe, its cards in the order in which they are dealt. Raises ``CardError``."""
        return cls(parse_cards(text))

    @property
    def left(self) -> int:
        """How many cards have not been dealt."""
        return len(self.cards) - self.dealt

    def draw(self) -> Card:
        """The next card. Raises :class:`RuleViolation` ``shoe_exhausted`` when none is left."""
        if self.dealt == len(self.cards):
            raise RuleViolation("shoe_exhausted", "The shoe has no cards left.")
        card = self.cards[self.dealt]
        self.dealt += 1
        return card
