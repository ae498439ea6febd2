"""Played hands, as pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tables.engine.cards import RANKS, Card, parse_cards
from tables.models import Change, Hand, Round
from tables.state.public_view import FACE_DOWN

_RANK_WORDS = (
    _("ace"), _("two"), _("three"), _("four"), _("five"), _("six"), _("seven"), _("eight"),
    _("nine"), _("ten"), _("jack"), _("queen"), _("king"),
)  # fmt: skip
_RANK_NAMES = dict(zip(RANKS, _RANK_WORDS, strict=True))
_SUIT_NAMES = {"s": _("spades"), "h": _("hearts"), "d": _("diamonds"), "c": _("clubs")}


@dataclass(frozen=True, slots=True)
class PlayedCard:
    """A card for a page: rank and suit, and its name for screen readers."""

    rank: str
    suit: str
    name: str


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """One settled hand. Amounts in hundredths."""

    cards: tuple[PlayedCard, ...]
    total: int
    outcome: str
    is_doubled: bool
    stake: int
    payout: int
    insurance_stake: int
    insurance_payout: int


def build_played_hand(hand: Hand, *, shows_cards: bool) -> PlayedHand:
    """A hand for a page; without cards while they are hidden in a pile."""
    return PlayedHand(
        cards=parse_played_cards(hand.cards) if shows_cards else (),
        total=hand.total,
        outcome=hand.outcome,
        is_doubled=hand.is_doubled,
        stake=hand.stake,
        payout=hand.payout,
        insurance_stake=hand.insurance_stake,
        insurance_payout=hand.insurance_payout,
    )


def may_show_cards(round_: Round) -> bool:
    """Whether the cards of a finished round are public: not during its game of piles (seed 002)."""
    is_in_pile = round_.rules.has_piles and round_.shoe is not None
    return not is_in_pile or (round_.shoe is not None and round_.shoe.retired_at is not None)


def list_visible_events(change: Change) -> list[dict[str, Any]]:
    """The events of a change; hidden cards are face down."""
    events = change.events
    if change.round is None or may_show_cards(change.round):
        return events
    return [{**event, "card": FACE_DOWN} if event.get("card") else event for event in events]


def is_answer_secret(change: Change) -> bool:
    """Whether the change is an answer about insurance, and other seats have not answered yet."""
    if change.round is None or change.round.finished_at is not None:
        return False
    if not _has_event(change, "insurance_answered"):
        return False
    later = Change.objects.filter(round=change.round, seq__gt=change.seq)
    return not any(_has_event(row, "insurance_taken", "insurance_declined") for row in later)


def _has_event(change: Change, *types: str) -> bool:
    return any(event["type"] in types for event in change.events)


def parse_played_cards(text: str) -> tuple[PlayedCard, ...]:
    """The cards of a stored hand."""
    return tuple(_build_played_card(card) for card in parse_cards(text))


def _build_played_card(card: Card) -> PlayedCard:
    named = {"rank": _RANK_NAMES[card.rank], "suit": _SUIT_NAMES[card.suit]}
    return PlayedCard(card.rank, card.suit, gettext("%(rank)s of %(suit)s") % named)
