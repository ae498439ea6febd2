"""The rounds that a player has played, a page at a time."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from itertools import groupby

from tables.engine.cards import RANKS, parse_cards
from tables.engine.presets import PRESETS
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
    """One settled hand. Amounts in hundredths."""

    cards: tuple[PlayedCard, ...]
    total: int
    outcome: str
    is_doubled: bool
    stake: int
    payout: int


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """What one round was for one player: every hand of theirs, and what it came to."""

    id: int
    table: str
    finished_at: dt.datetime | None
    dealer_cards: tuple[PlayedCard, ...]
    hands: tuple[PlayedHand, ...]
    has_stakes: bool

    @property
    def stake(self) -> int:
        return sum(hand.stake for hand in self.hands)

    @property
    def payout(self) -> int:
        return sum(hand.payout for hand in self.hands)

    @property
    def net(self) -> int:
        return self.payout - self.stake


@dataclass(frozen=True, slots=True)
class Page:
    rounds: list[PlayedRound]
    before: int | None
    """Where the next page goes on; ``None`` on the last."""


def page_of_rounds(user_id: int, *, before: str | None) -> Page:
    """:data:`PAGE` rounds of this player, newest first, older than the one ``before`` names."""
    hands = Hand.objects.filter(user=user_id).order_by("-round_id")
    if before is not None and before.isascii() and before.isdigit() and len(before) < 19:
        hands = hands.filter(round__lt=int(before))
    round_ids = list(hands.values_list("round_id", flat=True).distinct()[: PAGE + 1])
    shown = round_ids[:PAGE]
    rows = Hand.objects.filter(user=user_id, round__in=shown).order_by("-round_id", "number")
    rows = rows.select_related("round__table").defer("round__table__state")
    rounds = [_played(list(own)) for _, own in groupby(rows, key=lambda hand: hand.round_id)]
    return Page(rounds, shown[-1] if len(round_ids) > PAGE else None)


def _played(hands: list[Hand]) -> PlayedRound:
    round_ = hands[0].round
    return PlayedRound(
        id=round_.pk,
        table=round_.table.name,
        finished_at=round_.finished_at,
        dealer_cards=_cards(round_.dealer_cards),
        hands=tuple(
            PlayedHand(
                _cards(hand.cards),
                hand.total,
                hand.outcome,
                hand.is_doubled,
                hand.stake,
                hand.payout,
            )
            for hand in hands
        ),
        has_stakes=PRESETS[round_.rules_key].stakes is not None,
    )


_RANK_WORDS = "ace two three four five six seven eight nine ten jack queen king"
_RANK_NAMES = dict(zip(RANKS, _RANK_WORDS.split(" "), strict=True))
_SUIT_NAMES = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}


def _cards(text: str) -> tuple[PlayedCard, ...]:
    return tuple(
        PlayedCard(card.rank, card.suit, f"{_RANK_NAMES[card.rank]} of {_SUIT_NAMES[card.suit]}")
        for card in parse_cards(text)
    )
