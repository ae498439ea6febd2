"""One round, from the first card to the last payout.

Each action has three methods: ``verify`` raises :class:`RuleViolation`, ``can`` returns a bool,
``act`` verifies, changes the round and returns events. A refused action changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Self

from tables.engine import legal_actions as engine_legal_actions
from tables.engine.actions import Action
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
    InsuranceDeclined,
    InsuranceSettled,
    InsuranceTaken,
    Outcome,
)
from tables.engine.hand import NO_CARDS, Hand
from tables.engine.payouts import compare, insurance_payout, payout
from tables.engine.player_hand import Insurance, PlayerHand, Turn
from tables.engine.round_state import RoundState
from tables.engine.rules import DealOrder, Ruleset
from tables.engine.shoe import Shoe

PLENTY_OF_CARDS: Final = 24
"""More cards than a decision and the dealer's play after it can take."""
_ABOUT_INSURANCE: Final = (Action.INSURE, Action.DECLINE)
_WITH_MORE_CARDS: Final = (Action.HIT, Action.STAND)
_WITH_TWO_CARDS: Final = (*_WITH_MORE_CARDS, Action.DOUBLE_DOWN, Action.SPLIT, Action.SURRENDER)
"""The actions that may be legal."""


class Round(RoundState):
    """The live state of one round. Start one with :meth:`deal`."""

    __slots__ = ()

    # Dealing

    @classmethod
    def deal(
        cls, rules: Ruleset, stakes: Mapping[int, int], shoe: Shoe
    ) -> tuple[Self, tuple[Event, ...]]:
        """Deal a round for the seats in ``stakes`` (hundredths by seat) from ``shoe``.

        Raises :class:`RuleViolation` ``no_such_seat``, ``bad_bet``, ``shoe_exhausted``, before
        a card has left the shoe.
        """
        for seat, stake in stakes.items():
            if not 1 <= seat <= rules.seats:
                raise RuleViolation("no_such_seat", "This table has no such seat.")
            rules.verify_stake(stake)
        seats = {seat: [PlayerHand(NO_CARDS, stakes[seat])] for seat in sorted(stakes)}
        round_ = cls(rules, shoe, seats)
        events: list[Event] = []
        dealt = shoe.dealt
        try:
            round_._deal_two_each(events)
            round_._open(events)
        except RuleViolation:
            shoe.dealt = dealt
            raise
        return round_, tuple(events)

    def _deal_two_each(self, events: list[Event]) -> None:
        if self.rules.deal_order is DealOrder.ONE_TO_EACH:
            for _ in range(2):
                for seat in self.seats:
                    self._deal_to(seat, 1, events)
                self._deal_to_dealer(events)
            return
        for seat in self.seats:
            self._deal_to(seat, 1, events)
            self._deal_to(seat, 1, events)
        self._deal_to_dealer(events)
        self._deal_to_dealer(events)

    def _open(self, events: list[Event]) -> None:
        if self.rules.insurance and self.upcard.rank == "A":
            self.is_insurance_asked = True
            self.turn = Turn(next(iter(self.seats)), 1)
        else:
            self._peek(events)

    def _peek(self, events: list[Event]) -> None:
        """The dealer's check, then immediate wins, then the first decision."""
        if self.rules.peek:
            if self.upcard.points >= 10:
                if self.dealer.is_natural:
                    self._play_dealer(events)
                    return
                events.append(HoleCardPeeked())
                self._settle_insurance(events)
            for seat, hands in self.seats.items():
                if hands[0].hand.is_natural:
                    self._settle_instant_win(seat, events)
        self._advance(events)

    def _settle_instant_win(self, seat: int, events: list[Event]) -> None:
        if self.rules.natural_pays is not None:
            self._settle(seat, 1, Outcome.BLACKJACK, events)
        elif self.rules.twenty_one_wins:
            self._settle(seat, 1, Outcome.WIN, events)

    # Asking

    def legal_actions(self, funds: int) -> tuple[Action, ...]:
        """The legal actions of the current hand; its player has ``funds`` hundredths."""
        if self.turn is None:
            return ()
        turn = self.turn
        if self.is_insurance_asked:
            actions: tuple[Action, ...] = _ABOUT_INSURANCE
        elif len(self.hand_at(turn).hand.cards) == 2:
            actions = _WITH_TWO_CARDS
        else:
            actions = _WITH_MORE_CARDS
        return tuple([action for action in actions if self.can(action, turn, funds)])

    def can(self, action: Action, turn: Turn, funds: int) -> bool:
        """Whether :meth:`act` would accept this, as long as there are cards."""
        return engine_legal_actions.find_refusal(self, action, turn, funds) is None

    def verify(self, action: Action, turn: Turn, funds: int) -> None:
        """Raise what :func:`tables.engine.legal_actions.verify` raises."""
        engine_legal_actions.verify(self, action, turn, funds)

    # Playing

    def act(self, action: Action, turn: Turn, funds: int) -> tuple[Event, ...]:
        """Do ``action`` for the hand ``turn`` names, and all automatic steps after it.

        Raises what :meth:`verify` raises, and ``shoe_exhausted``; then nothing has changed.
        """
        engine_legal_actions.verify(self, action, turn, funds)
        events: list[Event] = []
        if self.shoe.left >= PLENTY_OF_CARDS:
            _DO[action](self, turn, events)
            return tuple(events)
        before, dealt = self._copy(), self.shoe.dealt
        try:
            _DO[action](self, turn, events)
        except RuleViolation:
            for name in RoundState.__slots__:
                setattr(self, name, getattr(before, name))
            self.shoe.dealt = dealt
            raise
        return tuple(events)

    def _copy(self) -> Round:
        seats = {seat: [replace(hand) for hand in hands] for seat, hands in self.seats.items()}
        insurance = {seat: replace(bought) for seat, bought in self.insurance.items()}
        return replace(self, seats=seats, insurance=insurance)

    def _hit(self, turn: Turn, events: list[Event]) -> None:
        self._deal_to(turn.seat, turn.hand, events)
        self._settle_if_over(turn, events)

    def _stand(self, turn: Turn, events: list[Event]) -> None:
        self.hand_at(turn).has_stood = True
        events.append(HandStood(turn.seat, turn.hand))
        self._advance(events)

    def _double_down(self, turn: Turn, events: list[Event]) -> None:
        """Double the stake and deal exactly one card."""
        hand = self.hand_at(turn)
        events.append(HandDoubled(turn.seat, turn.hand, hand.stake))
        hand.stake *= 2
        hand.is_doubled = True
        self._deal_to(turn.seat, turn.hand, events)
        self._settle_if_over(turn, events)

    def _split(self, turn: Turn, events: list[Event]) -> None:
        """Split the hand; deal a card to the first hand, then to the second."""
        hands = self.seats[turn.seat]
        hand = self.hand_at(turn)
        first, second = hand.hand.cards
        hand.hand = Hand.from_cards((first,), from_split=True)
        hands.insert(turn.hand, PlayerHand(Hand.from_cards((second,), from_split=True), hand.stake))
        events.append(HandSplit(turn.seat, turn.hand, hand.stake))
        self._deal_to(turn.seat, turn.hand, events)
        self._deal_to(turn.seat, turn.hand + 1, events)
        self._advance(events)

    def _surrender(self, turn: Turn, events: list[Event]) -> None:
        self._settle(turn.seat, turn.hand, Outcome.SURRENDER, events)
        self._advance(events)

    def _insure(self, turn: Turn, events: list[Event]) -> None:
        stake = engine_legal_actions.insurance_stake(self.hand_at(turn))
        self.insurance[turn.seat] = Insurance(stake)
        events.append(InsuranceTaken(turn.seat, stake))
        self._ask_next_about_insurance(events)

    def _decline(self, turn: Turn, events: list[Event]) -> None:
        self.insurance[turn.seat] = Insurance(0)
        events.append(InsuranceDeclined(turn.seat))
        self._ask_next_about_insurance(events)

    def _ask_next_about_insurance(self, events: list[Event]) -> None:
        for seat in self.seats:
            if seat not in self.insurance:
                self.turn = Turn(seat, 1)
                return
        self.is_insurance_asked = False
        self._peek(events)

    def _settle_insurance(self, events: list[Event]) -> None:
        """Pay or collect insurance, after the dealer's check."""
        for seat, insurance in self.insurance.items():
            if insurance.stake:
                insurance.payout = insurance_payout(
                    insurance.stake, has_natural=self.dealer.is_natural
                )
                events.append(InsuranceSettled(seat, insurance.stake, insurance.payout))

    def _settle_if_over(self, turn: Turn, events: list[Event]) -> None:
        """Settle a hand after a card: over 21 it loses, with 21 it may win."""
        total = self.hand_at(turn).hand.total
        if total > 21:
            self._settle(turn.seat, turn.hand, Outcome.BUST, events)
        elif total == 21 and self.rules.twenty_one_wins:
            self._settle(turn.seat, turn.hand, Outcome.WIN, events)
        self._advance(events)

    def _advance(self, events: list[Event]) -> None:
        """Move to the next hand with a decision; without one the dealer plays."""
        if not self.is_deck_played_through():
            for seat, hands in self.seats.items():
                for number, hand in enumerate(hands, start=1):
                    if self.has_choice(hand):
                        self.turn = Turn(seat, number)
                        return
        self._play_dealer(events)

    def _play_dealer(self, events: list[Event]) -> None:
        """Turn the hole card over, draw while a hand is open, and settle (docs/rules.md)."""
        self.turn = None
        self.is_hole_revealed = True
        events.append(HoleCardRevealed(self.hole_card))
        if self.dealer.is_natural:
            self._settle_insurance(events)
        open_hands = [
            (seat, number, hand.hand)
            for seat, hands in self.seats.items()
            for number, hand in enumerate(hands, start=1)
            if hand.is_open
        ]
        if open_hands:
            while self.dealer_draws():
                self._deal_to_dealer(events)
        for seat, number, hand in open_hands:
            self._settle(seat, number, compare(self.rules, hand, self.dealer), events)

    def _settle(self, seat: int, number: int, outcome: Outcome, events: list[Event]) -> None:
        hand = self.seats[seat][number - 1]
        hand.outcome = outcome
        hand.payout = payout(self.rules, outcome, hand.stake)
        events.append(HandSettled(seat, number, outcome, hand.stake, hand.payout))

    def _deal_to(self, seat: int, number: int, events: list[Event]) -> None:
        hand = self.seats[seat][number - 1]
        card = self.shoe.draw()
        hand.hand = hand.hand.with_card(card)
        events.append(CardDealt(seat, number, card))

    def _deal_to_dealer(self, events: list[Event]) -> None:
        is_hole_card = (
            len(self.dealer.cards) == self.rules.hole_position and not self.is_hole_revealed
        )
        card = self.shoe.draw()
        self.dealer = self.dealer.with_card(card)
        events.append(DealerCardDealt(None if is_hole_card else card))


_DO: Final = {
    Action.HIT: Round._hit,
    Action.STAND: Round._stand,
    Action.DOUBLE_DOWN: Round._double_down,
    Action.SPLIT: Round._split,
    Action.SURRENDER: Round._surrender,
    Action.INSURE: Round._insure,
    Action.DECLINE: Round._decline,
}
