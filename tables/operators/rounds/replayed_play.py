"""A stored round replayed from its commands and compared with its events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, get_args

from django.utils.translation import gettext as _

from tables.engine.errors import RuleViolation
from tables.engine.events import Event, plain_event, snake_case
from tables.engine.round import Round as EngineRound
from tables.engine.shoe import Shoe
from tables.models import Change, Round
from tables.operators.rounds.replayed_money import Money
from tables.protocol import codec
from tables.protocol.commands import Bet, Choice, Leave
from tables.state.round_bets import RoundBets

PLENTY: Final = 10**15
"""Funds for any stake: that it could be afforded is told by the transfer."""

_OF_CARDS: Final = {snake_case(kind.__name__) for kind in get_args(Event)}


class Differs(Exception):
    """What is stored is not what comes out."""


class Play:
    """One round, change by change."""

    def __init__(self, round_: Round, cards: Shoe, money: Money, frozen: set[int]) -> None:
        self.rules = round_.rules
        self.cards = cards
        self.money = money
        self.engine: EngineRound | None = None
        self.bets = RoundBets()
        self.words: dict[int, set[str]] = {}
        """What was shown for the shuffle, by seat."""
        self.leaving: set[int] = set()
        """Seats whose players have quit in mid-round."""
        self.frozen = frozen
        """Users whom an operator kept out while it was played."""

    def follow(self, change: Change) -> None:
        """Do what the change says. Raises :class:`Differs` where something else comes of it."""
        command = _command(change)
        told = codec.decode_events(change.events)
        cards = [event for event in told if event["type"] in _OF_CARDS]
        if self.engine is None:
            for event in told:
                self._bet(change, command, event)
            if cards:
                self.engine, dealt = EngineRound.deal(self.rules, self.bets.stakes, self.cards)
                self._take(change, cards, dealt)
        elif isinstance(command, Choice):
            self._act(change, command, cards)
        if self.engine is None:
            return
        self._note_who_leaves(change, command)
        clocks = {(e["seat"], e["hand"]) for e in told if e["type"] == "clock_ran_out"}
        while cards:
            self._decide_for_who_does_not(change, clocks, cards)

    def _bet(self, change: Change, command: object, event: dict[str, Any]) -> None:
        if event["type"] == "bet_returned":
            seat = event["seat"]
            if self.bets.stakes.get(seat) != event["stake"]:
                raise _differs(change, _("the returned bet differs from the placed bet"))
            self.money.bet_back(self.rules, self.bets.players[seat], event, change.seq)
        elif event["type"] == "bet_placed":
            if not isinstance(command, Bet) or command.stake != event["stake"]:
                raise _differs(change, _("the command is not the bet that was placed"))
            assert change.user_id is not None
            self.words.setdefault(event["seat"], set()).add(command.words)
            self.money.bet(self.rules, change.user_id, event, change.seq)
        self.bets.apply(event, change.user_id)

    def _act(self, change: Change, command: Choice, cards: list[dict[str, Any]]) -> None:
        assert self.engine is not None
        turn = self.engine.turn
        if turn is None or self.bets.players[turn.seat] != change.user_id:
            raise _differs(change, _("it was not this player's turn"))
        try:
            done = self.engine.act(command.action, turn, PLENTY)
        except RuleViolation as violation:
            raise _differs(change, str(violation)) from violation
        self._take(change, cards, done)

    def _note_who_leaves(self, change: Change, command: object) -> None:
        if isinstance(command, Leave):
            self.leaving |= {
                seat for seat, user in self.bets.players.items() if user == change.user_id
            }

    def _decide_for_who_does_not(
        self, change: Change, clocks: set[tuple[int, int]], cards: list[dict[str, Any]]
    ) -> None:
        """What the house does for who is away, who has left, or who cannot pay an insurance."""
        assert self.engine is not None
        turn = self.engine.turn
        if turn is None:
            raise _differs(change, _("the round was over"))
        is_due = (turn.seat, turn.hand) in clocks or turn.seat in self.leaving
        is_due |= self.bets.players[turn.seat] in self.frozen
        if not is_due and not self.engine.is_insurance_asked:
            raise _differs(change, _("nobody decided what was done"))
        clocks.discard((turn.seat, turn.hand))
        self._take(change, cards, self.engine.act(self.engine.passive_action, turn, 0))

    def _take(self, change: Change, cards: list[dict[str, Any]], done: Iterable[Event]) -> None:
        """Hold what has happened against what was written down, and take it from there."""
        assert self.engine is not None
        for event in map(plain_event, done):
            stored = cards.pop(0) if cards else None
            if event != stored:
                words = _("recomputed %(given)s, stored %(stored)s")
                raise _differs(change, words % {"given": _told(event), "stored": _told(stored)})
            if seat := event.get("seat"):
                hands = len(self.engine.seats[seat])
                self.money.played(self.rules, self.bets.players[seat], event, hands)


def _command(change: Change) -> object:
    if not change.command:
        return None
    try:
        return codec.decode_command(change.command)
    except codec.Unreadable as error:
        raise _differs(change, _("its command is unreadable")) from error


def _differs(change: Change, words: str) -> Differs:
    return Differs(_("Change %(seq)s: %(words)s.") % {"seq": change.seq, "words": words})


def _told(event: dict[str, Any] | None) -> str:
    if event is None:
        return _("nothing")
    return " ".join([event["type"], *(f"{k}={v}" for k, v in event.items() if k != "type")])
