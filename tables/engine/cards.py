"""The 52 cards, written as rank and suit: ``As``, ``Td``, ``9h``, ``2c``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tables.engine.errors import CardError

RANKS: Final = "A23456789TJQK"
SUITS: Final = "shdc"


@dataclass(frozen=True, slots=True)
class Card:
    """One card. ``points`` is 11 for an ace; a hand counts it as 1 if necessary.

    >>> Card.parse("Kd").points, Card.parse("As").points, str(Card("9", "h"))
    (10, 11, '9h')
    """

    rank: str
    suit: str
    points: int = field(init=False, repr=False, compare=False)
    hard_points: int = field(init=False, repr=False, compare=False)
    """1 for an ace, else ``points``."""

    def __post_init__(self) -> None:
        if len(self.rank) != 1 or self.rank not in RANKS:
            raise CardError(f"no such rank: {self.rank!r}")
        if len(self.suit) != 1 or self.suit not in SUITS:
            raise CardError(f"no such suit: {self.suit!r}")
        points = 11 if self.rank == "A" else int(self.rank) if self.rank.isdigit() else 10
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "hard_points", 1 if self.rank == "A" else points)

    def __str__(self) -> str:
        return self.rank + self.suit

    @classmethod
    def parse(cls, text: str) -> Card:
        """The card that ``text`` names, such as ``As``. Raises :class:`CardError`."""
        card = _CARDS_BY_TEXT.get(text)
        if card is None:
            raise CardError(f"not a card: {text!r}")
        return card


DECK: Final = tuple(Card(rank, suit) for suit in SUITS for rank in RANKS)
_CARDS_BY_TEXT: Final = {str(card): card for card in DECK}
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""A letter for each card of :data:`DECK`, in its order. Stored shoes consist of them."""
_LETTER_BY_CARD: Final = dict(zip(DECK, _LETTERS, strict=True))
_CARD_BY_LETTER: Final = dict(zip(_LETTERS, DECK, strict=True))


def parse_cards(text: str) -> tuple[Card, ...]:
    """The cards that ``text`` names, separated by blanks. Raises :class:`CardError`.

    >>> format_cards(parse_cards("As  Kd 9h"))
    'As Kd 9h'
    """
    return tuple(map(Card.parse, text.split()))


def format_cards(cards: Iterable[Card]) -> str:
    """``cards`` as text, the inverse of :func:`parse_cards`."""
    return " ".join(map(str, cards))


def pack_cards(cards: Iterable[Card]) -> str:
    """``cards`` as one letter each.

    >>> pack_cards(parse_cards("As 2s Kc"))
    'ABz'
    """
    return "".join(map(_LETTER_BY_CARD.__getitem__, cards))


def unpack_cards(text: str) -> tuple[Card, ...]:
    """The cards that :func:`pack_cards` wrote. Raises :class:`CardError`."""
    try:
        return tuple(map(_CARD_BY_LETTER.__getitem__, text))
    except KeyError:
        raise CardError("not a card in a packed text") from None
