"""The value of a hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from tables.engine.cards import Card, format_cards, parse_cards


class Hand(NamedTuple):
    """The cards of one hand, in the order in which they were dealt. Made by :meth:`from_cards`.

    >>> Hand.parse("As 6h").total, Hand.parse("As 6h").is_soft
    (17, True)
    """

    cards: tuple[Card, ...]
    from_split: bool
    hard_total: int
    """With every ace counted as 1."""
    total: int
    """The best one: an ace counts 11 unless that takes the hand over 21 (docs/rules.md)."""

    @classmethod
    def from_cards(cls, cards: Iterable[Card], *, from_split: bool = False) -> Hand:
        """The hand of these cards."""
        hand = Hand((), from_split, 0, 0)
        for card in cards:
            hand = hand.with_card(card)
        return hand

    @classmethod
    def parse(cls, text: str, *, from_split: bool = False) -> Hand:
        """The hand of the cards that ``text`` names. Raises ``CardError``."""
        return cls.from_cards(parse_cards(text), from_split=from_split)

    def __str__(self) -> str:
        return format_cards(self.cards)

    def with_card(self, card: Card) -> Hand:
        """This hand with one card more.

        >>> Hand.parse("As 6h 5c").total, Hand.parse("As 6h 5c Ad").total
        (12, 13)
        """
        hard = self.hard_total + card.hard_points
        # Once no ace fits as 11, none ever will: totals only grow.
        is_soft = hard <= 11 and (card.hard_points == 1 or self.total != self.hard_total)
        return Hand((*self.cards, card), self.from_split, hard, hard + 10 if is_soft else hard)

    @property
    def is_soft(self) -> bool:
        """Whether an ace of this hand counts 11."""
        return self.total != self.hard_total

    @property
    def is_bust(self) -> bool:
        """Whether the hand is over 21 even with every ace at 1."""
        return self.hard_total > 21

    @property
    def is_natural(self) -> bool:
        """Whether the first two cards make 21. A split hand never is one (seed 004)."""
        return self.total == 21 and len(self.cards) == 2 and not self.from_split


NO_CARDS: Final = Hand.from_cards(())
"""An empty hand."""
