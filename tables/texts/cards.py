"""Cards as text: a rank and the sign of a suit."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext

from tables.engine.provably_fair.published import FACE_DOWN

_SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}


def format_card(card: str) -> str:
    """Format a card such as ``Ts``; a face-down card stays unknown."""
    if card == FACE_DOWN:
        return gettext("[face down]")
    return card[0].replace("T", "10") + _SUITS[card[1]]


def format_cards(cards: str) -> str:
    """Format stored cards such as ``Ts 4h``."""
    return " ".join(map(format_card, cards.split()))
