"""What a set of cards is worth."""

from __future__ import annotations

from dataclasses import dataclass

from tables.engine.cards import Card, format_cards, parse_cards


@dataclass(frozen=True, slots=True)
class Hand:
    """The cards of one hand, in the order in which they were dealt.

    >>> Hand.parse("As 6h").total, Hand.parse("As 6h").is_soft
    (17, True)
    """

    cards: tuple[Card, ...] = ()
    from_split: bool = False

    @classmethod
    def parse(cls, text: str, *, from_split: bool = False) -> Hand:
        """The hand of the cards that ``text`` names. Raises ``CardError``."""
        return cls(parse_cards(text), from_split)

    def __str__(self) -> str:
        return format_cards(self.cards)

    def plus(self, card: Card) -> Hand:
        """This hand with one card more."""
        return Hand((*self.cards, card), self.from_split)

    @property
    def hard_total(self) -> int:
        """The total with every ace counted as 1."""
        total = 0
        for card in self.cards:
            total += card.hard_points
        return total

    @property
    def total(self) -> int:
        """The best total: one ace counts 11 unless that takes the hand over 21 (RULES, shared).

        >>> Hand.parse("As 6h 5c").total, Hand.parse("As 6h 5c Ad").total
        (12, 13)
        """
        total, has_ace = 0, False
        for card in self.cards:
            points = card.hard_points
            total += points
            has_ace = has_ace or points == 1
        return total + 10 if has_ace and total <= 11 else total

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
        return len(self.cards) == 2 and not self.from_split and self.total == 21
