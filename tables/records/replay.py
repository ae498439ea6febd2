"""The replay of a finished round: what is visible at each step.

A step is one visible fact. Step 0 shows the bets as they were when the cards fell. Each item has
its final value and the step that shows it; an item that disappears also has the step that removes
it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from tables.engine.cards import Card
from tables.engine.hand import Hand
from tables.models import Hand as SettledHand
from tables.models.grades import DecidedBy
from tables.records.hand_view import PlayedCard, parse_played_cards
from tables.texts.totals import Total, total_words

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Span(Generic[T]):
    """A value that is visible from one step on, perhaps until another."""

    value: T
    since: int = 0
    until: int | None = None


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One fact. ``kind`` is the type of its event, or ``bets``, ``hit``, ``surrender``."""

    kind: str
    at: dt.datetime
    event: Mapping[str, Any]
    by: DecidedBy | None = None
    """Empty for what had to follow."""
    hand: int | None = None
    """Which of the seat's hands, where it has several then."""
    total: int = 0
    """Of the hand that it is about, after it; for the dealer's cards, of those to be seen."""
    dealer_total: int = 0


@dataclass(frozen=True, slots=True)
class HandMoney:
    """Stake and payout of a hand, in hundredths; the payout is empty until it is settled."""

    stake: int
    payout: int | None = None
    insurance_stake: int = 0
    insurance_payout: int | None = None


@dataclass(frozen=True, slots=True)
class ReplayedHand:
    """A player's hand: its visible values by step."""

    since: int
    cards: tuple[Span[PlayedCard], ...]
    """In the order dealt; a card that a split moved is in both hands."""
    totals: tuple[Span[int], ...]
    money: tuple[Span[HandMoney], ...]
    doubled: int | None
    """The step that doubled it."""
    settled: int
    """The step that settled it."""
    outcome: str


@dataclass(frozen=True, slots=True)
class Replay:
    """The replay of a round. Without steps it has only the final state."""

    dealer_cards: tuple[Span[PlayedCard | None], ...] = ()
    """``None`` for a face-down card."""
    dealer_totals: tuple[Span[int], ...] = ()
    seats: Mapping[int, tuple[ReplayedHand, ...]] = field(default_factory=dict)
    steps: tuple[ReplayStep, ...] = ()

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.steps) - 1


def build_final_replay(
    rows: Iterable[SettledHand], dealer_cards: str, *, shows_cards: bool
) -> Replay:
    """A replay without steps: they are unknown or hidden."""
    seats: dict[int, tuple[ReplayedHand, ...]] = {}
    for row in rows:
        hand = build_final_hand(row, shows_cards=shows_cards)
        seats[row.seat] = (*seats.get(row.seat, ()), hand)
    if not shows_cards:
        return Replay(seats=seats)
    cards: tuple[Span[PlayedCard | None], ...] = tuple(map(Span, parse_played_cards(dealer_cards)))
    totals = (Span(Hand.parse(dealer_cards).total),) if cards else ()
    return Replay(cards, totals, seats)


def build_final_hand(row: SettledHand, *, shows_cards: bool = True) -> ReplayedHand:
    """A stored hand; without cards while they are hidden."""
    money = HandMoney(row.stake, row.payout, row.insurance_stake, row.insurance_payout)
    return ReplayedHand(
        since=0,
        cards=tuple(map(Span, parse_played_cards(row.cards))) if shows_cards else (),
        totals=(Span(row.total),),
        money=(Span(money),),
        doubled=0 if row.is_doubled else None,
        settled=0,
        outcome=row.outcome,
    )


def show_from(spans: list[Span[T]], value: T, step: int) -> None:
    """Show ``value`` from this step on, instead of the last one."""
    if spans:
        spans[-1] = replace(spans[-1], until=step)
    spans.append(Span(value, step))


def build_played_card(card: Card) -> PlayedCard:
    """A card for a page."""
    return parse_played_cards(str(card))[0]


@dataclass(slots=True)
class ReplayHandBuilder:
    """Builds a hand step by step."""

    since: int
    hand: Hand
    cards: list[Span[PlayedCard]] = field(default_factory=list)
    totals: list[Span[int]] = field(default_factory=list)
    money: list[Span[HandMoney]] = field(default_factory=list)
    doubled: int | None = None
    settled: int | None = None
    outcome: str = ""

    def add_card(self, card: Card, step: int) -> None:
        """Add a card."""
        self.hand = self.hand.with_card(card)
        self.cards.append(Span(build_played_card(card), step))
        show_from(self.totals, Total.of(self.hand), step)

    def end_draw(self, step: int) -> None:
        """No card follows: a soft total is a plain one now."""
        if self.totals and str(self.totals[-1].value) != total_words(self.totals[-1].value):
            show_from(self.totals, self.hand.total, step)

    def remove_second(self, step: int) -> Card:
        """Remove and return the second card, for a split."""
        first, second = self.hand.cards
        place = max(place for place, card in enumerate(self.cards) if card.until is None)
        self.cards[place] = replace(self.cards[place], until=step)
        self.hand = Hand.from_cards((first,), from_split=True)
        show_from(self.totals, self.hand.total, step)
        return second

    def set_money(self, step: int, **amounts: int) -> None:
        """Show the money of the hand with these of its amounts changed."""
        show_from(self.money, replace(self.money[-1].value, **amounts), step)

    def matches_row(self, row: SettledHand) -> bool:
        """Whether its steps lead to the stored hand."""
        money = HandMoney(row.stake, row.payout)
        if row.insurance_stake:
            money = replace(
                money, insurance_stake=row.insurance_stake, insurance_payout=row.insurance_payout
            )
        is_same = (str(self.hand), self.outcome) == (row.cards, row.outcome)
        return is_same and self.money[-1].value == money

    def build(self) -> ReplayedHand:
        """Build the settled hand from its steps."""
        assert self.settled is not None
        return ReplayedHand(
            since=self.since,
            cards=tuple(self.cards),
            totals=tuple(self.totals),
            money=tuple(self.money),
            doubled=self.doubled,
            settled=self.settled,
            outcome=self.outcome,
        )
