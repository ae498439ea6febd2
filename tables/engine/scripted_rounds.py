"""Rounds played by a script from a stacked shoe, with plain values as results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tables.engine.actions import Action
from tables.engine.cards import parse_cards
from tables.engine.errors import CardError, RuleViolation
from tables.engine.events import Event, event_to_dict
from tables.engine.hand import Hand
from tables.engine.legal_actions import PLENTY
from tables.engine.piles import Piles, is_game_over
from tables.engine.player_hand import PlayerHand, Turn
from tables.engine.presets import PRESETS
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe

FACE_DOWN: Final = "??"
_STEP: Final = re.compile(r"(?P<seat>\d{1,2})(?:\.(?P<hand>\d{1,2}))?:(?P<action>[a-z]+)", re.ASCII)


class ScriptError(Exception):
    """A script could not be played.

    ``at`` is the index of the refused action from 0; ``None`` for other errors.
    """

    def __init__(self, code: str, message: str, at: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.at = at


@dataclass(slots=True)
class Script:
    """A script. :meth:`read` parses one from text, :meth:`play` plays it."""

    rules: Ruleset
    shoe: Shoe
    stakes: dict[int, int]
    """In hundredths by seat."""
    rounds: int
    actions: list[str]
    piles: Piles = field(default_factory=Piles)
    position: int = 0
    """The number of played actions."""

    @classmethod
    def read(
        cls, *, rules: str, shoe: str, seats: int, stakes: str | None, rounds: int, actions: str
    ) -> Script:
        """Parse the arguments of the command line. Raises :class:`ScriptError`."""
        if rules not in PRESETS:
            names = " ".join(PRESETS)
            raise ScriptError("no_such_rules", f"There are no rules {rules!r}; there are {names}.")
        ruleset = PRESETS[rules]
        if not 1 <= seats <= ruleset.seats:
            raise ScriptError("no_such_seat", f"{ruleset.title} has 1 to {ruleset.seats} seats.")
        if rounds < 1:
            raise ScriptError("bad_rounds", "At least one round has to be played.")
        amounts = _parse_stakes(ruleset, seats, stakes)
        return cls(ruleset, _parse_shoe(ruleset, shoe), amounts, rounds, actions.split())

    def play(self) -> dict[str, Any]:
        """Play the script; return the results as plain values. Raises :class:`ScriptError`."""
        results: list[dict[str, Any]] = []
        while len(results) < self.rounds and not self._is_game_over():
            round_, events = self._play_round()
            results.append(_describe_round(round_, events))
            if not round_.is_finished:
                break
        if self.position < len(self.actions):
            raise ScriptError("round_over", "There is no round to play any more.", self.position)
        piles = None
        if self.rules.has_piles:
            is_waiting = bool(results) and not results[-1]["finished"]
            piles = self._describe_piles(is_over=not is_waiting and self._is_game_over())
        return {"rules": self.rules.key, "rounds": results, "piles": piles}

    def _play_round(self) -> tuple[Round, list[Event]]:
        try:
            round_, dealt = Round.deal(self.rules, self.stakes, self.shoe)
        except RuleViolation as violation:
            raise ScriptError(violation.code, violation.message) from violation
        events = list(dealt)
        while round_.turn is not None and self.position < len(self.actions):
            try:
                events += round_.act(*_parse_decision(round_, self.actions[self.position]), PLENTY)
            except RuleViolation as violation:
                raise ScriptError(violation.code, violation.message, self.position) from violation
            except ValueError as error:
                raise ScriptError("bad_action", str(error), self.position) from error
            self.position += 1
        if self.rules.has_piles and round_.is_finished:
            self.piles.collect(round_)
        return round_, events

    def _is_game_over(self) -> bool:
        return self.rules.has_piles and is_game_over(self.shoe)

    def _describe_piles(self, *, is_over: bool) -> dict[str, Any]:
        """The score; with an open decision the game is not over."""
        return {
            **self.piles.to_state(),
            "deck": self.shoe.left,
            "game_over": is_over,
            "winner": str(self.piles.winner) if is_over else None,
        }


def _parse_stakes(rules: Ruleset, seats: int, text: str | None) -> dict[int, int]:
    if text is None:
        least = rules.stakes.minimum if rules.stakes else 0
        return dict.fromkeys(range(1, seats + 1), least)
    amounts = text.split(",")
    if len(amounts) != seats:
        raise ScriptError("bad_bet", f"{len(amounts)} stakes are given for {seats} seats.")
    stakes = {}
    for seat, amount in enumerate(amounts, start=1):
        if not re.fullmatch(r"\d{1,12}", amount, re.ASCII):
            raise ScriptError("bad_bet", f"{amount!r} is not an amount in whole units.")
        stakes[seat] = int(amount) * 100
        try:
            rules.verify_stake(stakes[seat])
        except RuleViolation as violation:
            raise ScriptError(violation.code, violation.message) from violation
    return stakes


def _parse_shoe(rules: Ruleset, text: str) -> Shoe:
    try:
        cards = parse_cards(text)
    except CardError as error:
        raise ScriptError("bad_card", f"In the shoe: {error}.") from error
    for card in cards:
        if cards.count(card) > rules.decks:
            packs = "one deck" if rules.decks == 1 else f"{rules.decks} decks"
            raise ScriptError("duplicate_card", f"{card} cannot be so often in {packs}.")
    return Shoe(cards)


def _parse_decision(round_: Round, text: str) -> tuple[Action, Turn]:
    """Parse a text such as ``1.2:hit``; without a hand it is the current one."""
    match = _STEP.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not an action such as 1:hit or 1.2:stand.")
    seat = int(match["seat"])
    try:
        action = Action(match["action"])
    except ValueError as error:
        raise ValueError(f"{match['action']!r} is none of {' '.join(Action)}.") from error
    turn = round_.turn
    if match["hand"] is not None:
        return action, Turn(seat, int(match["hand"]))
    return action, Turn(seat, turn.hand if turn is not None and turn.seat == seat else 1)


def _describe_round(round_: Round, events: Sequence[Event]) -> dict[str, Any]:
    visible = round_.visible_dealer_cards
    dealer = Hand.from_cards(card for card in visible if card is not None)
    turn = round_.turn
    return {
        "finished": round_.is_finished,
        "seats": [_describe_seat(round_, seat) for seat in round_.seats],
        "dealer": {
            "cards": " ".join(FACE_DOWN if card is None else str(card) for card in visible),
            "total": dealer.total,
            "soft": dealer.is_soft,
        },
        "turn": None
        if turn is None
        else {
            "seat": turn.seat,
            "hand": turn.hand,
            "legal": [str(action) for action in round_.legal_actions(PLENTY)],
        },
        "events": [event_to_dict(event) for event in events],
    }


def _describe_seat(round_: Round, seat: int) -> dict[str, Any]:
    insurance = round_.insurance.get(seat)
    return {
        "seat": seat,
        "insurance": {
            "stake": insurance.stake if insurance else 0,
            "payout": insurance.payout if insurance else 0,
        },
        "hands": [
            _describe_hand(hand, number, is_settled=round_.is_finished)
            for number, hand in enumerate(round_.seats[seat], start=1)
        ],
    }


def _describe_hand(hand: PlayerHand, number: int, *, is_settled: bool) -> dict[str, Any]:
    """A hand as plain values; its outcome is included at the end of the round."""
    return {
        "hand": number,
        "cards": str(hand.hand),
        "total": hand.hand.total,
        "soft": hand.hand.is_soft,
        "outcome": str(hand.outcome) if is_settled and hand.outcome else None,
        "stake": hand.stake,
        "payout": hand.payout if is_settled else 0,
    }
