"""Builds the steps of a replay from the stored changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tables.engine.cards import Card
from tables.engine.hand import NO_CARDS, Hand
from tables.models import Change
from tables.models import Hand as HandRow
from tables.protocol import codec
from tables.protocol.commands import Choice, Hit
from tables.records.hand_view import PlayedCard
from tables.records.replay import (
    By,
    HeldHand,
    Money,
    Replay,
    ReplayedHand,
    Shown,
    Step,
    follow_on,
    hand_as_ended,
    played_card,
)
from tables.state.round_bets import RoundBets
from tables.texts.totals import Total

Event = Mapping[str, Any]


def replayed(
    changes: Iterable[Change], rows: Sequence[HandRow], dealer_cards: str
) -> Replay | None:
    """The round of these changes; ``None`` if they do not lead to what was stored of it.

    A row that no change speaks of is there from the start.
    """
    table = _Table()
    try:
        for change in changes:
            table.follow(change)
    except (LookupError, ValueError):
        return None  # written down when events were not yet as they are now
    if not table.agrees_with(rows, dealer_cards):
        return None
    return Replay(
        tuple(table.dealer_cards), tuple(table.dealer_totals), _seats(table, rows), (*table.steps,)
    )


def _seats(table: _Table, rows: Iterable[HandRow]) -> dict[int, tuple[ReplayedHand, ...]]:
    seats: dict[int, tuple[ReplayedHand, ...]] = {}
    for row in rows:
        held = table.hand_of(row)
        hand = held.replayed() if held else hand_as_ended(row)
        seats[row.seat] = (*seats.get(row.seat, ()), hand)
    return seats


@dataclass(slots=True)
class _Table:
    """What lies on the table while the changes are followed."""

    bets: RoundBets = field(default_factory=RoundBets)
    is_closed_by_clock: bool = False
    seats: dict[int, list[HeldHand]] = field(default_factory=dict)
    dealer: list[Card | None] = field(default_factory=list)
    dealer_cards: list[Shown[PlayedCard | None]] = field(default_factory=list)
    dealer_totals: list[Shown[int]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    change: Change = field(init=False)
    command: object = None
    """What the player of this change decided, until it is done."""
    by: By = By.HOUSE
    """Who makes the next decision of this change."""
    answered: dict[int, By] = field(default_factory=dict)
    """Who has answered about insurance before this is shown, by seat."""

    # Changes

    def follow(self, change: Change) -> None:
        self.change, self.command, self.by = change, _decision(change), By.HOUSE
        if self.command is not None:
            self.by = By.PLAYER
        for event in codec.decode_events(change.events):
            self.bets.apply(event)
            handler = _HANDLERS.get(event["type"])
            if handler is not None:
                handler(self, event)

    @property
    def is_over(self) -> bool:
        return bool(self.steps) and all(held.outcome for held in self._all())

    def hand_of(self, row: HandRow) -> HeldHand | None:
        hands = self.seats.get(row.seat, [])
        return hands[row.number - 1] if row.number <= len(hands) else None

    def agrees_with(self, rows: Sequence[HandRow], dealer_cards: str) -> bool:
        """Whether it all ended as it was stored."""
        pairs = [(held, row) for row in rows if (held := self.hand_of(row)) is not None]
        return (
            self.is_over
            and len(pairs) == len(self._all())
            and all(held.is_stored_as(row) for held, row in pairs)
            and " ".join(map(str, self.dealer)) == dealer_cards
        )

    def _all(self) -> list[HeldHand]:
        return [held for hands in self.seats.values() for held in hands]

    def _held(self, event: Event) -> HeldHand:
        number: int = event["hand"]
        return self.seats[event["seat"]][number - 1]

    @property
    def _now(self) -> int:
        """The number of the step that is being made."""
        return len(self.steps)

    def _note(self, event: Event, kind: str = "", **more: Any) -> None:
        seat = event.get("seat")
        number = event.get("hand") if seat and len(self.seats[seat]) > 1 else None
        total = self.dealer_totals[-1].value if self.dealer_totals else 0
        step = Step(
            kind or event["type"], self.change.at, event, hand=number, dealer_total=total, **more
        )
        self.steps.append(step)

    def _decided(self) -> By:
        """Whose decision this is; what else is decided in the same change, the house decides."""
        by, self.by, self.command = self.by, By.HOUSE, None
        return by

    # Before the cards

    def clock_ran_out(self, event: Event) -> None:
        if self.steps:
            self.by = By.CLOCK
        else:
            self.is_closed_by_clock = True

    def _begin_if_first(self) -> None:
        if self.steps:
            return
        bets = sorted(self.bets.stakes.items())
        for seat, stake in bets:
            self.seats[seat] = [HeldHand(0, NO_CARDS, money=[Shown(Money(stake))])]
        self._note(
            {"type": "bets", "bets": bets}, by=By.CLOCK if self.is_closed_by_clock else By.PLAYER
        )

    # Cards

    def card_dealt(self, event: Event) -> None:
        self._begin_if_first()
        held = self._held(event)
        held.take(Card.parse(event["card"]), self._now)
        if isinstance(self.command, Hit):
            self._note(event, "hit", by=self._decided(), total=Total.of(held.hand))
        else:
            self._note(event, total=Total.of(held.hand))

    def dealer_card_dealt(self, event: Event) -> None:
        self._begin_if_first()
        card = Card.parse(event["card"]) if event["card"] else None
        self.dealer.append(card)
        self.dealer_cards.append(Shown(played_card(card) if card else None, self._now))
        self._note_dealer(event)

    def hole_card_revealed(self, event: Event) -> None:
        card, place = Card.parse(event["card"]), self.dealer.index(None)
        self.dealer[place] = card
        lain = self.dealer_cards[place]
        self.dealer_cards[place : place + 1] = [
            replace(lain, until=self._now),
            Shown(played_card(card), self._now),
        ]
        self._note_dealer(event)

    def _note_dealer(self, event: Event) -> None:
        hand = Hand.of(card for card in self.dealer if card is not None)
        # From 17 on the dealer stands, at most tables on a soft one too.
        total = Total(hand.total, is_soft=hand.is_soft and hand.total < 17)
        if total:
            follow_on(self.dealer_totals, total, self._now)
        self._note(event, total=total)

    # Decisions

    def hand_stood(self, event: Event) -> None:
        self._held(event).end_draw(self._now)
        self._note(event, by=self._decided(), total=self._held(event).hand.total)

    def hand_doubled(self, event: Event) -> None:
        held = self._held(event)
        held.doubled = self._now
        held.pay(self._now, stake=held.money[-1].value.stake + event["stake"])
        self._note(event, by=self._decided(), total=held.hand.total)

    def hand_split(self, event: Event) -> None:
        held, step = self._held(event), self._now
        card = held.give_away_second(step)
        split = HeldHand(
            step, Hand.of((), from_split=True), money=[Shown(Money(event["stake"]), step)]
        )
        split.take(card, step)
        self._note(event, by=self._decided(), total=held.hand.total)
        self.seats[event["seat"]].insert(event["hand"], split)

    def insurance_answered(self, event: Event) -> None:
        """The answer itself is shown with all others, in the change of the last one."""
        self.answered[event["seat"]] = self._decided()

    def insurance_taken(self, event: Event) -> None:
        self.seats[event["seat"]][0].pay(self._now, insurance_stake=event["stake"])
        self._note(event, by=self._answered(event))

    def insurance_declined(self, event: Event) -> None:
        self._note(event, by=self._answered(event))

    def _answered(self, event: Event) -> By:
        earlier = self.answered.pop(event["seat"], None)
        return self._decided() if earlier is None else earlier

    # What comes of them

    def insurance_settled(self, event: Event) -> None:
        self.seats[event["seat"]][0].pay(self._now, insurance_payout=event["payout"])
        self._note(event)

    def hand_settled(self, event: Event) -> None:
        held = self._held(event)
        held.settled, held.outcome = self._now, event["outcome"]
        held.pay(self._now, payout=event["payout"])
        held.end_draw(self._now)
        if event["outcome"] == "surrender":
            self._note(event, "surrender", by=self._decided(), total=held.hand.total)
        else:
            self._note(event, total=held.hand.total)


def _decision(change: Change) -> object:
    """The command of this change, if it answered what the table asked."""
    try:
        command = codec.decode_command(change.command)
    except codec.Unreadable:
        return None
    return command if isinstance(command, Choice) else None


_HANDLERS: Final[dict[str, Callable[[_Table, Event], None]]] = {
    "clock_ran_out": _Table.clock_ran_out,
    "card_dealt": _Table.card_dealt,
    "dealer_card_dealt": _Table.dealer_card_dealt,
    "hole_card_revealed": _Table.hole_card_revealed,
    "hole_card_peeked": _Table._note,
    "hand_stood": _Table.hand_stood,
    "hand_doubled": _Table.hand_doubled,
    "hand_split": _Table.hand_split,
    "insurance_answered": _Table.insurance_answered,
    "insurance_taken": _Table.insurance_taken,
    "insurance_declined": _Table.insurance_declined,
    "insurance_settled": _Table.insurance_settled,
    "hand_settled": _Table.hand_settled,
    "cards_collected": _Table._note,
    "game_ended": _Table._note,
}
