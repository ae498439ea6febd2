"""The state of a round: cards, visible part, storage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from tables.engine.actions import Action
from tables.engine.cards import Card
from tables.engine.hand import NO_CARDS, Hand
from tables.engine.player_hand import Insurance, PlayerHand, Turn
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe

DEALER_STANDS_ON: Final = 17


@dataclass(slots=True)
class RoundState:
    """The state of a round. :class:`tables.engine.round.Round` adds the actions."""

    rules: Ruleset
    shoe: Shoe = field(repr=False)  # a traceback that prints a round must not print its cards
    seats: dict[int, list[PlayerHand]]
    insurance: dict[int, Insurance] = field(default_factory=dict)
    """The decisions about insurance, by seat."""
    dealer: Hand = field(default=NO_CARDS, repr=False)
    is_hole_revealed: bool = False
    is_insurance_asked: bool = False
    """Whether the current decision is about insurance."""
    turn: Turn | None = None

    # The visible state

    @property
    def upcard(self) -> Card:
        """The dealer's face-up card."""
        return self.dealer.cards[1 - self.rules.hole_position]

    @property
    def hole_card(self) -> Card:
        """The dealer's face-down card."""
        return self.dealer.cards[self.rules.hole_position]

    @property
    def visible_dealer_cards(self) -> tuple[Card | None, ...]:
        """The dealer's visible cards; ``None`` for a face-down one."""
        hidden = None if self.is_hole_revealed else self.rules.hole_position
        return tuple(
            None if place == hidden else card for place, card in enumerate(self.dealer.cards)
        )

    @property
    def is_finished(self) -> bool:
        """Whether every hand is settled."""
        return self.turn is None

    @property
    def cards_on_table(self) -> int:
        """The number of cards of all hands and the dealer."""
        hands = [hand for hands in self.seats.values() for hand in hands]
        return len(self.dealer.cards) + sum(len(hand.hand.cards) for hand in hands)

    @property
    def passive_action(self) -> Action:
        """The automatic action at a deadline; it never raises a stake."""
        return Action.DECLINE if self.is_insurance_asked else Action.STAND

    def hand_at(self, turn: Turn) -> PlayerHand:
        """The hand that ``turn`` names."""
        return self.seats[turn.seat][turn.hand - 1]

    def is_deck_played_through(self) -> bool:
        """Whether a game's last card is dealt, which ends the hand (docs/rules.md)."""
        return self.rules.has_piles and not self.shoe.left

    def has_choice(self, hand: PlayerHand) -> bool:
        """Whether ``hand`` has a decision to make (docs/rules.md)."""
        if hand.outcome is not None or hand.has_stood or hand.is_doubled:
            return False
        rules, cards = self.rules, hand.hand
        if cards.from_split and rules.split_aces_once and cards.cards[0].rank == "A":
            return False
        if rules.natural_pays is not None and cards.is_natural:
            return False
        return not (rules.twenty_one_stands and cards.total == 21)

    def dealer_draws(self) -> bool:
        """Whether the dealer takes a card now (docs/rules.md)."""
        if self.is_deck_played_through():
            return False
        if self.dealer.total == DEALER_STANDS_ON and self.rules.hits_soft_17:
            return self.dealer.is_soft
        return self.dealer.total < DEALER_STANDS_ON

    # Storing

    def to_state(self) -> dict[str, Any]:
        """The round without its shoe, as plain JSON values; what is false or empty is left out.

        Never for a viewer.
        """
        state: dict[str, Any] = {
            "seats": {
                str(seat): [PlayerHand.to_state(h) for h in hands]
                for seat, hands in self.seats.items()
            },
            "dealer": str(self.dealer),
        }
        if self.insurance:
            state["insurance"] = {
                str(seat): [bought.stake, bought.payout] for seat, bought in self.insurance.items()
            }
        if self.is_hole_revealed:
            state["hole_revealed"] = True
        if self.is_insurance_asked:
            state["insurance_asked"] = True
        if self.turn is not None:
            state["turn"] = [self.turn.seat, self.turn.hand]
        return state

    @classmethod
    def from_state(cls, rules: Ruleset, shoe: Shoe, state: Mapping[str, Any]) -> Self:
        """The round that :meth:`to_state` stored, with the shoe that it was dealt from."""
        return cls(
            rules=rules,
            shoe=shoe,
            seats={
                int(seat): [PlayerHand.from_state(hand) for hand in hands]
                for seat, hands in state["seats"].items()
            },
            insurance={
                int(seat): Insurance(*bought) for seat, bought in state.get("insurance", {}).items()
            },
            dealer=Hand.parse(state["dealer"]),
            is_hole_revealed=state.get("hole_revealed", False),
            is_insurance_asked=state.get("insurance_asked", False),
            turn=Turn(*state["turn"]) if state.get("turn") else None,
        )
