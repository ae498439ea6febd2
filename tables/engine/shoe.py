"""The cards in play, in the order in which they will be dealt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Self

from tables.engine.cards import DECK, Card, format_cards, parse_cards
from tables.engine.errors import RuleViolation


@dataclass(slots=True)
class Shoe:
    """Cards in a fixed order, of which the first ``dealt`` are on the table already."""

    cards: Sequence[Card]
    dealt: int = 0
    _text: str = field(default="", init=False, repr=False, compare=False)
    """The cards as text, once somebody asked for it: their order never changes."""

    @classmethod
    def shuffled(cls, decks: int, random: Random) -> Self:
        """A fresh shoe of ``decks`` packs of 52 in an order drawn from ``random``.

        For simulations and tests. What is dealt at a table is shuffled by
        :mod:`tables.engine.provably_fair.shuffle`, so that everybody can check it.
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
        dealt = self.dealt
        if dealt == len(self.cards):
            raise RuleViolation("shoe_exhausted", "The shoe has no cards left.")
        self.dealt = dealt + 1
        return self.cards[dealt]

    def to_state(self) -> dict[str, Any]:
        """The shoe as plain JSON values, undealt cards included. Never for a viewer."""
        self._text = self._text or format_cards(self.cards)
        return {"cards": self._text, "dealt": self.dealt}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """The shoe that :meth:`to_state` stored."""
        return cls(parse_cards(state["cards"]), state["dealt"])
