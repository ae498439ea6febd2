"""Hands that were played, as pages show them."""

from __future__ import annotations

from dataclasses import dataclass

from tables.engine.cards import RANKS, parse_cards
from tables.models import Hand, Round

_RANK_WORDS = "ace two three four five six seven eight nine ten jack queen king"
_RANK_NAMES = dict(zip(RANKS, _RANK_WORDS.split(" "), strict=True))
_SUIT_NAMES = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}


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
    insurance_stake: int
    insurance_payout: int

    @property
    def all_staked(self) -> int:
        return self.stake + self.insurance_stake

    @property
    def all_paid(self) -> int:
        return self.payout + self.insurance_payout


def played_hand(hand: Hand, *, shows_cards: bool) -> PlayedHand:
    """A hand for a page; without cards while they lie in a pile that nobody may look into."""
    return PlayedHand(
        cards=played_cards(hand.cards) if shows_cards else (),
        total=hand.total,
        outcome=hand.outcome,
        is_doubled=hand.is_doubled,
        stake=hand.stake,
        payout=hand.payout,
        insurance_stake=hand.insurance_stake,
        insurance_payout=hand.insurance_payout,
    )


def shows_cards(round_: Round) -> bool:
    """Whether the cards of a finished round may be looked at: not while a game of piles goes on,
    because "you can not see which cards are in this stack" (seed 002).
    """
    is_in_pile = round_.rules.has_piles and round_.shoe is not None
    return not is_in_pile or (round_.shoe is not None and round_.shoe.retired_at is not None)


def played_cards(text: str) -> tuple[PlayedCard, ...]:
    """The cards of a stored hand."""
    return tuple(
        PlayedCard(card.rank, card.suit, f"{_RANK_NAMES[card.rank]} of {_SUIT_NAMES[card.suit]}")
        for card in parse_cards(text)
    )
