"""Builds the steps of a replay from the stored changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tables.engine.actions import Action
from tables.engine.cards import Card
from tables.engine.hand import NO_CARDS, Hand
from tables.models import Change
from tables.models import Hand as SettledHand
from tables.models.grades import DecidedBy
from tables.protocol import codec
from tables.protocol.commands import Choice, Hit
from tables.records.hand_view import PlayedCard
from tables.records.replay import (
    HandMoney,
    Replay,
    ReplayedHand,
    ReplayHandBuilder,
    ReplayStep,
    Span,
    build_final_hand,
    build_played_card,
    show_from,
)
from tables.state.round_bets import RoundBets
from tables.texts.totals import Total

Event = Mapping[str, Any]


def build_replay(
    changes: Iterable[Change], rows: Sequence[SettledHand], dealer_cards: str
) -> Replay | None:
    """The round of these changes; ``None`` if they do not lead to what was stored of it.

    A row that no change speaks of is there from the start.
    """
    table = _Board()
    try:
        for change in changes:
            table.apply_change(change)
    except (LookupError, ValueError):
        return None  # written down when events were not yet as they are now
    if not table.agrees_with(rows, dealer_cards):
        return None
    return Replay(
        tuple(table.dealer_cards),
        tuple(table.dealer_totals),
        _group_by_seat(table, rows),
        (*table.steps,),
    )


def _group_by_seat(
    table: _Board, rows: Iterable[SettledHand]
) -> dict[int, tuple[ReplayedHand, ...]]:
    seats: dict[int, tuple[ReplayedHand, ...]] = {}
    for row in rows:
        builder = table.hand_of(row)
        hand = builder.build() if builder else build_final_hand(row)
        seats[row.seat] = (*seats.get(row.seat, ()), hand)
    return seats


@dataclass(slots=True)
class _Board:
    """The state of the table while the changes are applied."""

    bets: RoundBets = field(default_factory=RoundBets)
    is_closed_by_clock: bool = False
    seats: dict[int, list[ReplayHandBuilder]] = field(default_factory=dict)
    dealer: list[Card | None] = field(default_factory=list)
    dealer_cards: list[Span[PlayedCard | None]] = field(default_factory=list)
    dealer_totals: list[Span[int]] = field(default_factory=list)
    steps: list[ReplayStep] = field(default_factory=list)
    change: Change = field(init=False)
    command: object = None
    """The decision of this change's player, until it is applied."""
    by: DecidedBy = DecidedBy.SERVER
    """The author of the next decision of this change."""
    is_hit: bool = False
    """Whether the next card is that of a hit."""
    answered: dict[int, DecidedBy] = field(default_factory=dict)
    """Who has answered about insurance before this is shown, by seat."""

    # Changes

    def apply_change(self, change: Change) -> None:
        self.change, self.command, self.by = change, _decode_decision(change), DecidedBy.SERVER
        self.is_hit = isinstance(self.command, Hit)
        if self.command is not None:
            self.by = DecidedBy.PLAYER
        for event in change.events:
            self.bets.apply(event)
            handler = _HANDLERS.get(event["type"])
            if handler is not None:
                handler(self, event)

    @property
    def is_over(self) -> bool:
        return bool(self.steps) and all(builder.outcome for builder in self._all_hands())

    def hand_of(self, row: SettledHand) -> ReplayHandBuilder | None:
        hands = self.seats.get(row.seat, [])
        return hands[row.number - 1] if row.number <= len(hands) else None

    def agrees_with(self, rows: Sequence[SettledHand], dealer_cards: str) -> bool:
        """Whether the final state equals the stored one."""
        pairs = [(builder, row) for row in rows if (builder := self.hand_of(row)) is not None]
        return (
            self.is_over
            and len(pairs) == len(self._all_hands())
            and all(builder.matches_row(row) for builder, row in pairs)
            and " ".join(map(str, self.dealer)) == dealer_cards
        )

    def _all_hands(self) -> list[ReplayHandBuilder]:
        return [builder for hands in self.seats.values() for builder in hands]

    def _hand_builder(self, event: Event) -> ReplayHandBuilder:
        number: int = event["hand"]
        return self.seats[event["seat"]][number - 1]

    @property
    def _step(self) -> int:
        """The number of the current step."""
        return len(self.steps)

    def _add_step(self, event: Event, kind: str = "", **more: Any) -> None:
        seat = event.get("seat")
        number = event.get("hand") if seat and len(self.seats[seat]) > 1 else None
        total = self.dealer_totals[-1].value if self.dealer_totals else 0
        step = ReplayStep(
            kind or event["type"], self.change.at, event, hand=number, dealer_total=total, **more
        )
        self.steps.append(step)

    def _decided_by(self) -> DecidedBy:
        """The author of a decision; further ones in the same change are automatic."""
        by, self.by, self.command = self.by, DecidedBy.SERVER, None
        self.is_hit = False
        return by

    # Before the cards

    def clock_ran_out(self, event: Event) -> None:
        if self.steps:
            self.by = DecidedBy.CLOCK
        else:
            self.is_closed_by_clock = True

    def plan_played(self, event: Event) -> None:
        self.by, self.is_hit = DecidedBy.PLAYER, event["action"] == Action.HIT

    def _begin_if_first(self) -> None:
        if self.steps:
            return
        bets = sorted(self.bets.stakes.items())
        for seat, stake in bets:
            self.seats[seat] = [ReplayHandBuilder(0, NO_CARDS, money=[Span(HandMoney(stake))])]
        self._add_step(
            {"type": "bets", "bets": bets},
            by=DecidedBy.CLOCK if self.is_closed_by_clock else DecidedBy.PLAYER,
        )

    # Cards

    def card_dealt(self, event: Event) -> None:
        self._begin_if_first()
        builder = self._hand_builder(event)
        builder.add_card(Card.parse(event["card"]), self._step)
        if self.is_hit:
            self._add_step(event, "hit", by=self._decided_by(), total=Total.of(builder.hand))
        else:
            self._add_step(event, total=Total.of(builder.hand))

    def dealer_card_dealt(self, event: Event) -> None:
        self._begin_if_first()
        card = Card.parse(event["card"]) if event["card"] else None
        self.dealer.append(card)
        self.dealer_cards.append(Span(build_played_card(card) if card else None, self._step))
        self._note_dealer(event)

    def hole_card_revealed(self, event: Event) -> None:
        card, place = Card.parse(event["card"]), self.dealer.index(None)
        self.dealer[place] = card
        hidden_card = self.dealer_cards[place]
        self.dealer_cards[place : place + 1] = [
            replace(hidden_card, until=self._step),
            Span(build_played_card(card), self._step),
        ]
        self._note_dealer(event)

    def _note_dealer(self, event: Event) -> None:
        hand = Hand.from_cards(card for card in self.dealer if card is not None)
        # From 17 on the dealer stands, at most tables on a soft one too.
        total = Total(hand.total, is_soft=hand.is_soft and hand.total < 17)
        if total:
            show_from(self.dealer_totals, total, self._step)
        self._add_step(event, total=total)

    # Decisions

    def hand_stood(self, event: Event) -> None:
        self._hand_builder(event).end_draw(self._step)
        self._add_step(event, by=self._decided_by(), total=self._hand_builder(event).hand.total)

    def hand_doubled(self, event: Event) -> None:
        builder = self._hand_builder(event)
        builder.doubled = self._step
        builder.set_money(self._step, stake=builder.money[-1].value.stake + event["stake"])
        self._add_step(event, by=self._decided_by(), total=builder.hand.total)

    def hand_split(self, event: Event) -> None:
        builder, step = self._hand_builder(event), self._step
        card = builder.remove_second(step)
        split = ReplayHandBuilder(
            step,
            Hand.from_cards((), from_split=True),
            money=[Span(HandMoney(event["stake"]), step)],
        )
        split.add_card(card, step)
        self._add_step(event, by=self._decided_by(), total=builder.hand.total)
        self.seats[event["seat"]].insert(event["hand"], split)

    def insurance_answered(self, event: Event) -> None:
        """The answer itself is shown with all others, in the change of the last one."""
        self.answered[event["seat"]] = self._decided_by()

    def insurance_taken(self, event: Event) -> None:
        self.seats[event["seat"]][0].set_money(self._step, insurance_stake=event["stake"])
        self._add_step(event, by=self._answered(event))

    def insurance_declined(self, event: Event) -> None:
        self._add_step(event, by=self._answered(event))

    def _answered(self, event: Event) -> DecidedBy:
        earlier = self.answered.pop(event["seat"], None)
        return self._decided_by() if earlier is None else earlier

    # Their effects

    def insurance_settled(self, event: Event) -> None:
        self.seats[event["seat"]][0].set_money(self._step, insurance_payout=event["payout"])
        self._add_step(event)

    def hand_settled(self, event: Event) -> None:
        builder = self._hand_builder(event)
        builder.settled, builder.outcome = self._step, event["outcome"]
        builder.set_money(self._step, payout=event["payout"])
        builder.end_draw(self._step)
        if event["outcome"] == "surrender":
            self._add_step(event, "surrender", by=self._decided_by(), total=builder.hand.total)
        else:
            self._add_step(event, total=builder.hand.total)


def _decode_decision(change: Change) -> object:
    """The command of this change, if it was a decision."""
    try:
        command = codec.decode_command(change.command)
    except codec.FrameError:
        return None
    return command if isinstance(command, Choice) else None


_HANDLERS: Final[dict[str, Callable[[_Board, Event], None]]] = {
    "clock_ran_out": _Board.clock_ran_out,
    "plan_played": _Board.plan_played,
    "card_dealt": _Board.card_dealt,
    "dealer_card_dealt": _Board.dealer_card_dealt,
    "hole_card_revealed": _Board.hole_card_revealed,
    "hole_card_peeked": _Board._add_step,
    "hand_stood": _Board.hand_stood,
    "hand_doubled": _Board.hand_doubled,
    "hand_split": _Board.hand_split,
    "insurance_answered": _Board.insurance_answered,
    "insurance_taken": _Board.insurance_taken,
    "insurance_declined": _Board.insurance_declined,
    "insurance_settled": _Board.insurance_settled,
    "hand_settled": _Board.hand_settled,
    "cards_collected": _Board._add_step,
    "game_ended": _Board._add_step,
}
