"""The cards in play, in the order in which they will be dealt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Self

from tables.engine.cards import DECK, Card, pack_cards, parse_cards, unpack_cards
from tables.engine.errors import RuleViolation


@dataclass(slots=True)
class Shoe:
    """Cards in a fixed order; the first ``dealt`` are already dealt."""

    cards: Sequence[Card]
    dealt: int = 0
    _text: str = field(default="", init=False, repr=False, compare=False)
    """The packed cards, computed once: their order never changes."""

    @classmethod
    def shuffled(cls, decks: int, random: Random) -> Self:
        """A new shoe of ``decks`` decks, shuffled by ``random``.

        For simulations and tests. Shoes of tables are shuffled by
        :mod:`tables.engine.provably_fair.shuffle`.
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
        """The number of undealt cards."""
        return len(self.cards) - self.dealt

    def draw(self) -> Card:
        """Deal the next card. Raises :class:`RuleViolation` ``shoe_exhausted`` if none is left."""
        dealt = self.dealt
        if dealt == len(self.cards):
            raise RuleViolation("shoe_exhausted", "The shoe has no cards left.")
        self.dealt = dealt + 1
        return self.cards[dealt]

    def to_state(self) -> dict[str, Any]:
        """The shoe as plain JSON values, undealt cards included. Never for a viewer."""
        self._text = self._text or pack_cards(self.cards)
        return {"dealt": self.dealt, "order": self._text}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """The shoe that :meth:`to_state` stored."""
        if "cards" in state:  # an older state
            return cls(parse_cards(state["cards"]), state["dealt"])
        return cls(unpack_cards(state["order"]), state["dealt"])
