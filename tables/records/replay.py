"""The replay of a finished round: what is visible at each step.

A step is one visible fact. Step 0 shows the bets as they were when the cards fell. Each item has
its final value and the step that shows it; an item that disappears also has the step that removes
it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Generic, TypeVar

from tables.engine.cards import Card
from tables.engine.hand import Hand
from tables.models import Hand as HandRow
from tables.records.hand_view import PlayedCard, played_cards
from tables.texts.totals import Total, total_words

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shown(Generic[T]):
    """Something that is to be seen from one step on, and perhaps only until another."""

    value: T
    since: int = 0
    until: int | None = None


class By(StrEnum):
    """Who decided something."""

    PLAYER = "player"
    CLOCK = "clock"
    """Time was up."""
    HOUSE = "house"
    """For a player who had quit, or could not pay."""


@dataclass(frozen=True, slots=True)
class Step:
    """One fact. ``kind`` is the type of its event, or ``bets``, ``hit``, ``surrender``."""

    kind: str
    at: dt.datetime
    event: Mapping[str, Any]
    by: By | None = None
    """Empty for what had to follow."""
    hand: int | None = None
    """Which of the seat's hands, where it has several then."""
    total: int = 0
    """Of the hand that it is about, after it; for the dealer's cards, of those to be seen."""
    dealer_total: int = 0


@dataclass(frozen=True, slots=True)
class Money:
    """What lay on a hand, in hundredths; what was paid is empty until then."""

    stake: int
    payout: int | None = None
    insurance_stake: int = 0
    insurance_payout: int | None = None


@dataclass(frozen=True, slots=True)
class ReplayedHand:
    """A player's hand: what was to be seen of it, and from which step on."""

    since: int
    cards: tuple[Shown[PlayedCard], ...]
    """In the order dealt; a card that a split took to the next hand lies in both."""
    totals: tuple[Shown[int], ...]
    money: tuple[Shown[Money], ...]
    doubled: int | None
    """The step that doubled it."""
    settled: int
    """The step that settled it."""
    outcome: str


@dataclass(frozen=True, slots=True)
class Replay:
    """A round to be stepped through. Without steps it is only seen as it ended."""

    dealer_cards: tuple[Shown[PlayedCard | None], ...] = ()
    """``None`` where one lies face down."""
    dealer_totals: tuple[Shown[int], ...] = ()
    seats: Mapping[int, tuple[ReplayedHand, ...]] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.steps) - 1


def as_ended(rows: Iterable[HandRow], dealer_cards: str, *, shows_cards: bool) -> Replay:
    """A round whose steps are not known, or not to be looked at."""
    seats: dict[int, tuple[ReplayedHand, ...]] = {}
    for row in rows:
        hand = hand_as_ended(row, shows_cards=shows_cards)
        seats[row.seat] = (*seats.get(row.seat, ()), hand)
    if not shows_cards:
        return Replay(seats=seats)
    cards: tuple[Shown[PlayedCard | None], ...] = tuple(map(Shown, played_cards(dealer_cards)))
    totals = (Shown(Hand.parse(dealer_cards).total),) if cards else ()
    return Replay(cards, totals, seats)


def hand_as_ended(row: HandRow, *, shows_cards: bool = True) -> ReplayedHand:
    """A stored hand; without cards while nobody may look at them."""
    money = Money(row.stake, row.payout, row.insurance_stake, row.insurance_payout)
    return ReplayedHand(
        since=0,
        cards=tuple(map(Shown, played_cards(row.cards))) if shows_cards else (),
        totals=(Shown(row.total),),
        money=(Shown(money),),
        doubled=0 if row.is_doubled else None,
        settled=0,
        outcome=row.outcome,
    )


def follow_on(shown: list[Shown[T]], value: T, step: int) -> None:
    """Show ``value`` from this step on, in the place of what was shown last."""
    if shown:
        shown[-1] = replace(shown[-1], until=step)
    shown.append(Shown(value, step))


def played_card(card: Card) -> PlayedCard:
    """A card for a page."""
    return played_cards(str(card))[0]


@dataclass(slots=True)
class HeldHand:
    """A hand while its steps are followed."""

    since: int
    hand: Hand
    cards: list[Shown[PlayedCard]] = field(default_factory=list)
    totals: list[Shown[int]] = field(default_factory=list)
    money: list[Shown[Money]] = field(default_factory=list)
    doubled: int | None = None
    settled: int | None = None
    outcome: str = ""

    def take(self, card: Card, step: int) -> None:
        """One card more."""
        self.hand = self.hand.plus(card)
        self.cards.append(Shown(played_card(card), step))
        follow_on(self.totals, Total.of(self.hand), step)

    def end_draw(self, step: int) -> None:
        """No card follows: a soft total is a plain one now."""
        if self.totals and str(self.totals[-1].value) != total_words(self.totals[-1].value):
            follow_on(self.totals, self.hand.total, step)

    def give_away_second(self, step: int) -> Card:
        """The second of two cards, which a split takes."""
        first, second = self.hand.cards
        place = max(place for place, card in enumerate(self.cards) if card.until is None)
        self.cards[place] = replace(self.cards[place], until=step)
        self.hand = Hand.of((first,), from_split=True)
        follow_on(self.totals, self.hand.total, step)
        return second

    def pay(self, step: int, **changed: int) -> None:
        """Show the money of the hand with these of its amounts changed."""
        follow_on(self.money, replace(self.money[-1].value, **changed), step)

    def is_stored_as(self, row: HandRow) -> bool:
        """Whether its steps have led to what was stored of it."""
        money = Money(row.stake, row.payout)
        if row.insurance_stake:
            money = replace(
                money, insurance_stake=row.insurance_stake, insurance_payout=row.insurance_payout
            )
        is_same = (str(self.hand), self.outcome) == (row.cards, row.outcome)
        return is_same and self.money[-1].value == money

    def replayed(self) -> ReplayedHand:
        """The hand as its steps have made it, when it is settled."""
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
