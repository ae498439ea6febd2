"""Cards on pages: as pictures, and as text."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

from django import template
from django.template.loader import render_to_string

from tables.texts.cards import format_cards

register = template.Library()
register.filter("cards", format_cards)


class FaceUp(Protocol):
    """A card for a page: rank, suit, and its name in the language of the page."""

    @property
    def rank(self) -> str: ...

    @property
    def suit(self) -> str: ...

    @property
    def name(self) -> str: ...


@register.simple_tag
def card_face(card: FaceUp) -> str:
    """Render a card face up. A page has hundreds of cards, so the 52 results are cached."""
    return _render_card(card.rank, card.suit, card.name)


@lru_cache(maxsize=1_000)
def _render_card(rank: str, suit: str, name: str) -> str:
    """Render a card in one language."""
    return render_to_string("_card.html", {"card": {"rank": rank, "suit": suit, "name": name}})
