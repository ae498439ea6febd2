"""Rounds from stacked shoes, told back as text, for the tests of the engine.

A shoe is written in the order in which it is dealt; ``|`` is a blank for the reader. An action
is ``seat:action`` for the hand of that seat that is asked, or ``seat.hand:action``.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass

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
)
from tables.engine.round import PlayerHand, Round, Turn
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe

PLENTY = 1_000_000_00
"""More hundredths than any test stakes."""


@dataclass(frozen=True)
class Played:
    """A round, as far as its actions took it, and what happened on the way."""

    round: Round
    events: tuple[Event, ...]

    @property
    def story(self) -> list[str]:
        """What happened, one sentence an event."""
        return [tell(event) for event in self.events]

    @property
    def hands(self) -> list[str]:
        """Every hand by seat and number: ``1.1 As Kh blackjack 1500 -> 3750``."""
        return [
            f"{seat}.{number} {tell_hand(hand)}"
            for seat, hands in self.round.seats.items()
            for number, hand in enumerate(hands, start=1)
        ]

    @property
    def dealer(self) -> str:
        """The dealer's cards as everybody sees them."""
        return " ".join(str(card or "??") for card in self.round.visible_dealer_cards)

    def asked(self, *, funds: int = PLENTY) -> str:
        """Who is asked and what for: ``1.1 hit stand``; ``nobody`` when the round is over."""
        turn = self.round.turn
        if turn is None:
            return "nobody"
        return " ".join([f"{turn.seat}.{turn.hand}", *self.round.legal_actions(funds)])

    def refusal(self, action: str, *, funds: int = PLENTY) -> str:
        """The code with which ``action`` is refused; an accepted one fails the test."""
        try:
            events = deepcopy(self.round).act(*_decision(self.round, action), funds)
        except RuleViolation as violation:
            return violation.code
        raise AssertionError(f"{action} was accepted: {[tell(event) for event in events]}")


def play(
    rules: Ruleset,
    *,
    shoe: str,
    stakes: Mapping[int, int] | None = None,
    actions: str = "",
    funds: int = PLENTY,
) -> Played:
    """The round that is dealt from ``shoe`` and played by ``actions``.

    Without ``stakes`` seat 1 plays alone, for 1500 hundredths where money is staked.
    """
    if stakes is None:
        stakes = {1: 0 if rules.stakes is None else 1500}
    round_, events = Round.deal(rules, stakes, Shoe.parse(shoe.replace("|", " ")))
    for action in actions.split():
        events += round_.act(*_decision(round_, action), funds)
    return Played(round_, events)


def _decision(round_: Round, text: str) -> tuple[Action, Turn]:
    place, _, action = text.partition(":")
    seat, _, number = place.partition(".")
    is_asked = round_.turn is not None and round_.turn.seat == int(seat)
    asked_hand = round_.turn.hand if round_.turn is not None and is_asked else 1
    return Action(action), Turn(int(seat), int(number) if number else asked_hand)


def tell_hand(hand: PlayerHand) -> str:
    """A hand and how it ended, with its money where there is any."""
    words = [str(hand.hand), hand.outcome or "open"]
    if hand.stake or hand.payout:
        words.append(f"{hand.stake} -> {hand.payout}" if hand.outcome else f"{hand.stake}")
    return " ".join(words)


def tell(event: Event) -> str:
    """An event as a short sentence."""
    match event:
        case CardDealt(seat, hand, card):
            return f"{seat}.{hand} gets {card}"
        case DealerCardDealt(card):
            return f"dealer gets {card or '??'}"
        case HoleCardPeeked():
            return "dealer peeks"
        case HoleCardRevealed(card):
            return f"dealer turns over {card}"
        case HandStood(seat, hand):
            return f"{seat}.{hand} stands"
        case HandDoubled(seat, hand, stake):
            return f"{seat}.{hand} doubles with {stake} more"
        case HandSplit(seat, hand, stake):
            return f"{seat}.{hand} splits with {stake} more"
        case HandSettled(seat, hand, outcome, stake, payout):
            return f"{seat}.{hand} {outcome}: {stake} pays {payout}"
