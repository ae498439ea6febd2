"""The hands that a player has played, a page at a time."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from tables.engine.cards import RANKS, parse_cards
from tables.engine.rules import PRESETS
from tables.models import Hand

PAGE = 25


@dataclass(frozen=True, slots=True)
class PlayedCard:
    """A card for a page: rank and suit, and its name for who cannot see it."""

    rank: str
    suit: str
    name: str


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A settled hand with all that its line in the history says. Amounts in hundredths."""

    round_id: int
    table: str
    finished_at: dt.datetime | None
    cards: tuple[PlayedCard, ...]
    dealer_cards: tuple[PlayedCard, ...]
    total: int
    outcome: str
    is_doubled: bool
    stake: int
    payout: int
    net: int
    has_stakes: bool


@dataclass(frozen=True, slots=True)
class Page:
    hands: list[PlayedHand]
    before: int | None
    """Where the next page goes on; ``None`` on the last."""


def page_of_hands(user_id: int, *, before: str | None) -> Page:
    """:data:`PAGE` hands of this player, newest first, older than the one ``before`` names."""
    hands = (
        Hand.objects.filter(user=user_id)
        .select_related("round__table")
        .defer("round__table__state")
    )
    if before is not None and before.isascii() and before.isdigit() and len(before) < 19:
        hands = hands.filter(pk__lt=int(before))
    rows = list(hands[: PAGE + 1])
    has_more = len(rows) > PAGE
    rows = rows[:PAGE]
    return Page([_played(hand) for hand in rows], rows[-1].pk if has_more else None)


def _played(hand: Hand) -> PlayedHand:
    finished_at = hand.round.finished_at
    return PlayedHand(
        round_id=hand.round_id,
        table=hand.round.table.name,
        finished_at=finished_at,
        cards=_cards(hand.cards),
        dealer_cards=_cards(hand.round.dealer_cards),
        total=hand.total,
        outcome=hand.outcome,
        is_doubled=hand.is_doubled,
        stake=hand.stake,
        payout=hand.payout,
        net=hand.net,
        has_stakes=PRESETS[hand.round.rules_key].stakes is not None,
    )


_RANK_WORDS = "ace two three four five six seven eight nine ten jack queen king"
_RANK_NAMES = dict(zip(RANKS, _RANK_WORDS.split(" "), strict=True))
_SUIT_NAMES = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}


def _cards(text: str) -> tuple[PlayedCard, ...]:
    return tuple(
        PlayedCard(card.rank, card.suit, f"{_RANK_NAMES[card.rank]} of {_SUIT_NAMES[card.suit]}")
        for card in parse_cards(text)
    )
