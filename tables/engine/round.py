"""One round, from the first card to the last payout.

Every action comes as three: ``verify`` raises :class:`RuleViolation`, ``can`` asks, ``act``
verifies, changes the round and returns what happened. A refused action has changed nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from tables.engine.actions import Action
from tables.engine.cards import Card, format_cards, parse_cards
from tables.engine.errors import RuleViolation
from tables.engine.events import (
    CardDealt,
    DealerCardDealt,
    Event,
    HandDoubled,
    HandSettled,
    HandSplit,
    HandStood,
    HoleCardPeeked,
    HoleCardRevealed,
    Outcome,
)
from tables.engine.hand import Hand
from tables.engine.payouts import compare, payout
from tables.engine.player_hand import PlayerHand, Turn
from tables.engine.rules import DealOrder, Ruleset
from tables.engine.shoe import Shoe

DEALER_STANDS_ON = 17


@dataclass(slots=True)
class Round:
    """The live state of one round. Start one with :meth:`deal`."""

    rules: Ruleset
    shoe: Shoe = field(repr=False)  # a traceback that prints a round must not print its cards
    seats: dict[int, list[PlayerHand]]
    dealer: Hand = field(default_factory=Hand, repr=False)
    hole_position: int = 1
    """Which of the dealer's cards was dealt face down, counted from 0."""
    is_hole_revealed: bool = False
    turn: Turn | None = None

    # Dealing

    @classmethod
    def deal(
        cls, rules: Ruleset, stakes: Mapping[int, int], shoe: Shoe
    ) -> tuple[Self, tuple[Event, ...]]:
        """A round for the seats in ``stakes`` (hundredths by seat), dealt from ``shoe``.

        Raises :class:`RuleViolation` ``shoe_exhausted``.
        """
        seats = {seat: [PlayerHand(Hand(), stakes[seat])] for seat in sorted(stakes)}
        round_ = cls(rules, shoe, seats)
        events: list[Event] = []
        if rules.deal_order is DealOrder.PLAYER_BY_PLAYER:
            round_.hole_position = 0
            for seat in seats:
                round_._deal_to(seat, 1, events)
                round_._deal_to(seat, 1, events)
            round_._deal_to_dealer(events)
            round_._deal_to_dealer(events)
        else:
            for _ in range(2):
                for seat in seats:
                    round_._deal_to(seat, 1, events)
                round_._deal_to_dealer(events)
        round_._open(events)
        return round_, tuple(events)

    def _open(self, events: list[Event]) -> None:
        """Peek, pay naturals, and ask the first hand (seed 004)."""
        if self.rules.peek and self.upcard.points >= 10:
            if self.dealer.is_natural:
                self._play_dealer(events)
                return
            events.append(HoleCardPeeked())
        if self.rules.natural_pays is not None and self.rules.peek:
            for seat, hands in self.seats.items():
                if hands[0].hand.is_natural:
                    self._settle(seat, 1, Outcome.BLACKJACK, events)
        self._advance(events)

    # What is to be seen and asked

    @property
    def upcard(self) -> Card:
        """The dealer's card that lies face up from the start."""
        return self.dealer.cards[1 - self.hole_position]

    @property
    def hole_card(self) -> Card:
        """The dealer's card that lies face down until it is revealed."""
        return self.dealer.cards[self.hole_position]

    @property
    def visible_dealer_cards(self) -> tuple[Card | None, ...]:
        """The dealer's cards as everybody sees them, ``None`` for one that is face down."""
        return tuple(
            None if place == self.hole_position and not self.is_hole_revealed else card
            for place, card in enumerate(self.dealer.cards)
        )

    @property
    def is_finished(self) -> bool:
        """Whether every hand is settled."""
        return self.turn is None

    def legal_actions(self, funds: int) -> tuple[Action, ...]:
        """What the hand whose turn it is may do, its player having ``funds`` hundredths left."""
        if self.turn is None:
            return ()
        return tuple(action for action in Action if self.can(action, self.turn, funds))

    def can(self, action: Action, turn: Turn, funds: int) -> bool:
        """Whether :meth:`act` would accept this."""
        try:
            self.verify(action, turn, funds)
        except RuleViolation:
            return False
        return True

    def verify(self, action: Action, turn: Turn, funds: int) -> None:
        """Raise :class:`RuleViolation` unless ``action`` is legal for the hand ``turn`` names.

        Codes: ``round_over``, ``not_your_turn``, ``cannot_double``, ``cannot_split``,
        ``cannot_afford``.
        """
        if self.turn is None:
            raise RuleViolation("round_over", "This round is over.")
        if turn != self.turn:
            raise RuleViolation("not_your_turn", "It is not this hand's turn.")
        if action == Action.DOUBLE_DOWN:
            self._verify_double_down(self._hand_at(turn), funds)
        elif action == Action.SPLIT:
            self._verify_split(self._hand_at(turn), funds)

    def _verify_double_down(self, hand: PlayerHand, funds: int) -> None:
        if not self.rules.double_down:
            raise RuleViolation("cannot_double", "Doubling is not played at this table.")
        if len(hand.hand.cards) != 2:
            raise RuleViolation("cannot_double", "Only the first two cards can be doubled.")
        if funds < hand.stake:
            raise RuleViolation("cannot_afford", "There is not enough money to double.")

    def _verify_split(self, hand: PlayerHand, funds: int) -> None:
        assert self.turn is not None
        cards = hand.hand.cards
        if self.rules.max_hands == 1:
            raise RuleViolation("cannot_split", "Splitting is not played at this table.")
        if len(cards) != 2 or cards[0].points != cards[1].points:
            raise RuleViolation("cannot_split", "Only two cards of equal value can be split.")
        if len(self.seats[self.turn.seat]) >= self.rules.max_hands:
            raise RuleViolation("cannot_split", "These cards cannot be split any further.")
        if funds < hand.stake:
            raise RuleViolation("cannot_afford", "There is not enough money to split.")

    # Playing

    def act(self, action: Action, turn: Turn, funds: int) -> tuple[Event, ...]:
        """Do ``action`` for the hand ``turn`` names, and all that follows without a decision.

        Raises what :meth:`verify` raises, and ``shoe_exhausted``, before anything has changed.
        """
        self.verify(action, turn, funds)
        if self.shoe.left < _CARDS_TAKEN[action]:
            raise RuleViolation("shoe_exhausted", "The shoe has no cards left.")
        hand = self._hand_at(turn)
        events: list[Event] = []
        _DO[action](self, turn, events)
        if hand.hand.is_bust:
            self._settle(turn.seat, turn.hand, Outcome.BUST, events)
        self._advance(events)
        return tuple(events)

    def _hit(self, turn: Turn, events: list[Event]) -> None:
        self._deal_to(turn.seat, turn.hand, events)

    def _stand(self, turn: Turn, events: list[Event]) -> None:
        self._hand_at(turn).has_stood = True
        events.append(HandStood(turn.seat, turn.hand))

    def _double_down(self, turn: Turn, events: list[Event]) -> None:
        """Match the stake for exactly one card more."""
        hand = self._hand_at(turn)
        events.append(HandDoubled(turn.seat, turn.hand, hand.stake))
        hand.stake *= 2
        hand.is_doubled = True
        self._deal_to(turn.seat, turn.hand, events)

    def _split(self, turn: Turn, events: list[Event]) -> None:
        """Match the stake on the second hand; a card to the first, then to the second."""
        hands = self.seats[turn.seat]
        hand = self._hand_at(turn)
        first, second = hand.hand.cards
        hand.hand = Hand((first,), from_split=True)
        hands.insert(turn.hand, PlayerHand(Hand((second,), from_split=True), hand.stake))
        events.append(HandSplit(turn.seat, turn.hand, hand.stake))
        self._deal_to(turn.seat, turn.hand, events)
        self._deal_to(turn.seat, turn.hand + 1, events)

    def _advance(self, events: list[Event]) -> None:
        """Ask the next hand that has a choice; without one the dealer plays."""
        for seat, hands in self.seats.items():
            for number, hand in enumerate(hands, start=1):
                if self._has_choice(hand):
                    self.turn = Turn(seat, number)
                    return
        self._play_dealer(events)

    def _has_choice(self, hand: PlayerHand) -> bool:
        if not hand.is_open or hand.has_stood or hand.is_doubled:
            return False
        return not (self.rules.twenty_one_stands and hand.hand.total == 21)

    def _play_dealer(self, events: list[Event]) -> None:
        """Turn the hole card over, draw while a hand is open, and settle (RULES, shared)."""
        self.turn = None
        self.is_hole_revealed = True
        events.append(HoleCardRevealed(self.hole_card))
        if any(hand.is_open for hands in self.seats.values() for hand in hands):
            while self.dealer.total < DEALER_STANDS_ON:
                self._deal_to_dealer(events)
        for seat, hands in self.seats.items():
            for number, hand in enumerate(hands, start=1):
                if hand.is_open:
                    outcome = compare(self.rules, hand.hand, self.dealer)
                    self._settle(seat, number, outcome, events)

    def _settle(self, seat: int, number: int, outcome: Outcome, events: list[Event]) -> None:
        hand = self.seats[seat][number - 1]
        hand.outcome = outcome
        hand.payout = payout(self.rules, outcome, hand.stake)
        events.append(HandSettled(seat, number, outcome, hand.stake, hand.payout))

    def _hand_at(self, turn: Turn) -> PlayerHand:
        return self.seats[turn.seat][turn.hand - 1]

    def _deal_to(self, seat: int, number: int, events: list[Event]) -> None:
        hand = self.seats[seat][number - 1]
        card = self.shoe.draw()
        hand.hand = hand.hand.plus(card)
        events.append(CardDealt(seat, number, card))

    def _deal_to_dealer(self, events: list[Event]) -> None:
        is_hole_card = len(self.dealer.cards) == self.hole_position and not self.is_hole_revealed
        card = self.shoe.draw()
        self.dealer = self.dealer.plus(card)
        events.append(DealerCardDealt(None if is_hole_card else card))

    # Storing

    def to_state(self) -> dict[str, Any]:
        """The whole round, undealt cards included, as plain JSON values. Never for a viewer."""
        return {
            "shoe": format_cards(self.shoe.cards),
            "dealt": self.shoe.dealt,
            "seats": {
                str(seat): [PlayerHand.to_state(h) for h in hands]
                for seat, hands in self.seats.items()
            },
            "dealer": str(self.dealer),
            "hole_position": self.hole_position,
            "hole_revealed": self.is_hole_revealed,
            "turn": [self.turn.seat, self.turn.hand] if self.turn else None,
        }

    @classmethod
    def from_state(cls, rules: Ruleset, state: Mapping[str, Any]) -> Self:
        """The round that :meth:`to_state` stored."""
        return cls(
            rules=rules,
            shoe=Shoe(parse_cards(state["shoe"]), state["dealt"]),
            seats={
                int(seat): [PlayerHand.from_state(hand) for hand in hands]
                for seat, hands in state["seats"].items()
            },
            dealer=Hand.parse(state["dealer"]),
            hole_position=state["hole_position"],
            is_hole_revealed=state["hole_revealed"],
            turn=Turn(*state["turn"]) if state["turn"] else None,
        )


_DO: Final = {
    Action.HIT: Round._hit,
    Action.STAND: Round._stand,
    Action.DOUBLE_DOWN: Round._double_down,
    Action.SPLIT: Round._split,
}
_CARDS_TAKEN: Final = {Action.HIT: 1, Action.STAND: 0, Action.DOUBLE_DOWN: 1, Action.SPLIT: 2}
