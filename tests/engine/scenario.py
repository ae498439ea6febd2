"""Rounds from stacked shoes, told back as text, for the tests of the engine.

A shoe is written in the order in which it is dealt; ``|`` is a blank for the reader. An action
is ``seat:action`` for the hand of that seat that is asked, or ``seat.hand:action``.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field

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
)
from tables.engine.piles import Piles, is_game_over
from tables.engine.presets import PILES
from tables.engine.round import PlayerHand, Round, Turn
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe

PLENTY = 1_000_000_00
"""More hundredths than any test stakes."""


@dataclass(frozen=True)
class ScenarioResult:
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
    def insurance(self) -> list[str]:
        """Every answer about insurance by seat: ``1: 750 -> 2250``."""
        bought = self.round.insurance.items()
        return [f"{seat}: {insurance.stake} -> {insurance.payout}" for seat, insurance in bought]

    @property
    def dealer(self) -> str:
        """The dealer's cards as everybody sees them."""
        return " ".join(str(card or "??") for card in self.round.visible_dealer_cards)

    def question(self, *, funds: int = PLENTY) -> str:
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
) -> ScenarioResult:
    """The round that is dealt from ``shoe`` and played by ``actions``.

    Without ``stakes`` seat 1 plays alone, for 1500 hundredths where money is staked.
    """
    if stakes is None:
        stakes = {1: 0 if rules.stakes is None else 1500}
    return _play_on(rules, stakes, _shoe(shoe), actions.split(), funds)


def _play_on(
    rules: Ruleset, stakes: Mapping[int, int], shoe: Shoe, actions: list[str], funds: int = PLENTY
) -> ScenarioResult:
    round_, events = Round.deal(rules, stakes, shoe)
    for action in actions:
        events += round_.act(*_decision(round_, action), funds)
    return ScenarioResult(round_, events)


def _shoe(text: str) -> Shoe:
    return Shoe.parse(text.replace("|", " "))


def _decision(round_: Round, text: str) -> tuple[Action, Turn]:
    place, _, action = text.partition(":")
    seat, _, number = place.partition(".")
    is_asked = round_.turn is not None and round_.turn.seat == int(seat)
    default_hand = round_.turn.hand if round_.turn is not None and is_asked else 1
    return Action(action), Turn(int(seat), int(number) if number else default_hand)


@dataclass
class PileGame:
    """A game of piles from a stacked deck, played hand by hand."""

    deck: Shoe
    piles: Piles = field(default_factory=Piles)

    @classmethod
    def of(cls, deck: str) -> PileGame:
        """A game that has not begun, with the cards of ``deck`` and no others."""
        return cls(_shoe(deck))

    def hand(self, *decisions: str) -> ScenarioResult:
        """The next hand, played by ``decisions`` and collected."""
        played = _play_on(PILES, {1: 0}, self.deck, [f"1:{decision}" for decision in decisions])
        assert played.round.is_finished, f"the hand waits: {played.question()}"
        self.piles.collect(played.round)
        return played

    @property
    def score(self) -> str:
        """``player 5, house 4, discard 0, deck 43``."""
        counts = {**self.piles.to_state(), "deck": self.deck.left}
        return ", ".join(f"{where} {cards}" for where, cards in counts.items())

    @property
    def winner(self) -> str | None:
        """Who has won, once the game is over."""
        return str(self.piles.winner) if is_game_over(self.deck) else None


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
        case InsuranceTaken(seat, stake):
            return f"{seat} insures for {stake}"
        case InsuranceDeclined(seat):
            return f"{seat} takes no insurance"
        case InsuranceSettled(seat, stake, payout):
            return f"{seat} insurance: {stake} pays {payout}"
