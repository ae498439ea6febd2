"""A stored round replayed from its commands and compared with its events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, get_args

from django.utils.translation import gettext as _

from tables.engine.actions import Action
from tables.engine.errors import RuleViolation
from tables.engine.events import Event, event_to_dict, snake_case
from tables.engine.legal_actions import PLENTY, insurance_stake
from tables.engine.round import Round as EngineRound
from tables.engine.shoe import Shoe
from tables.models import Change, Round
from tables.operators.rounds.replayed_behind import ReplayedBehind
from tables.operators.rounds.replayed_money import ExpectedMoney
from tables.protocol import codec
from tables.protocol.commands import Bet, Choice, Leave
from tables.protocol.plans import Plan
from tables.state import plans
from tables.state.round_bets import RoundBets

_OF_CARDS: Final = {snake_case(kind.__name__) for kind in get_args(Event)}


class Mismatch(Exception):
    """The stored round differs from its replay."""


class RoundReplay:
    """One round, change by change."""

    def __init__(self, round_: Round, cards: Shoe, money: ExpectedMoney, frozen: set[int]) -> None:
        self.rules = round_.rules
        self.cards = cards
        self.money = money
        self.engine: EngineRound | None = None
        self.bets = RoundBets()
        self.behind = ReplayedBehind(money, round_.rules)
        self.words: dict[int, set[str]] = {}
        """The words shown for the shuffle, by seat."""
        self.leaving: set[int] = set()
        """Seats whose players have quit in mid-round."""
        self.answers: dict[int, Action] = {}
        """Answers about insurance that are not played yet, by seat."""
        self.frozen = frozen
        """Users frozen by an operator during the round."""

    def apply_change(self, change: Change) -> None:
        """Replay a change. Raises :class:`Mismatch` if its events differ."""
        command = _decode_command(change)
        events = change.events
        if why := self.behind.apply(change, command):
            raise _difference_error(change, why)
        cards = [event for event in events if event["type"] in _OF_CARDS]
        if self.engine is None:
            for event in events:
                self._apply_bet(change, command, event)
            if cards:
                self.engine, dealt = EngineRound.deal(self.rules, self.bets.stakes, self.cards)
                self._compare(change, cards, dealt)
        elif isinstance(command, Choice) and self.engine.is_insurance_asked:
            self._answer(change, command, events, is_last=bool(cards))
        elif isinstance(command, Choice):
            self._apply_action(change, command, cards)
        if self.engine is None:
            return
        if not isinstance(command, Choice):
            self._note_declining(change, events)
        self._note_leaving(change, command)
        clocks = {(e["seat"], e["hand"]) for e in events if e["type"] == "clock_ran_out"}
        ahead = [event for event in events if event["type"] == "plan_played"]
        while cards:
            self._apply_automatic_decisions(change, clocks, ahead, cards)
        if ahead:
            raise _difference_error(change, _("what was decided ahead was not played"))

    def add_open_insurance(self) -> None:
        """Collect the insurance stakes of a round that was cancelled before all had answered."""
        for seat, action in self.answers.items():
            assert self.engine is not None
            if action is Action.INSURE:
                stake = insurance_stake(self.engine.seats[seat][0])
                event = {"type": "insurance_taken", "seat": seat, "stake": stake}
                self.money.add_event(self.bets.players[seat], event, hands=1)

    def _apply_bet(self, change: Change, command: object, event: dict[str, Any]) -> None:
        if event["type"] == "bet_returned":
            seat = event["seat"]
            if self.bets.stakes.get(seat) != event["stake"]:
                raise _difference_error(change, _("the returned bet differs from the placed bet"))
            self.money.add_returned_bet(self.bets.players[seat], event, change.seq)
        elif event["type"] == "bet_placed":
            if not isinstance(command, Bet) or command.stake != event["stake"]:
                raise _difference_error(change, _("the command is not the bet that was placed"))
            assert change.user_id is not None
            self.words.setdefault(event["seat"], set()).add(command.words)
            self.money.add_bet(change.user_id, event, change.seq)
        self.bets.apply(event, change.user_id)

    def _apply_action(self, change: Change, command: Choice, cards: list[dict[str, Any]]) -> None:
        assert self.engine is not None
        turn = self.engine.turn
        if turn is None or self.bets.players[turn.seat] != change.user_id:
            raise _difference_error(change, _("it was not this player's turn"))
        try:
            events = self.engine.act(command.action, turn, PLENTY)
        except RuleViolation as violation:
            raise _difference_error(change, str(violation)) from violation
        self._compare(change, cards, events)

    def _answer(
        self, change: Change, command: Choice, events: list[dict[str, Any]], *, is_last: bool
    ) -> None:
        """An answer about insurance: it is played with the last one, in the order of the seats."""
        assert self.engine is not None
        seat = next((n for n, user in self.bets.players.items() if user == change.user_id), None)
        is_new = seat not in self.answers and seat not in self.engine.insurance
        if seat is None or not is_new or not command.action.is_about_insurance:
            raise _difference_error(change, _("it was not this player's turn"))
        if _list_answered_seats(events) != ([] if is_last else [seat]):
            raise _difference_error(change, _("the stored answer belongs to another player"))
        self.answers[seat] = command.action

    def _note_declining(self, change: Change, events: list[dict[str, Any]]) -> None:
        """Who has left, or cannot pay an insurance, declines before the others have answered."""
        assert self.engine is not None
        for seat in _list_answered_seats(events):
            if seat in self.answers or seat not in self.bets.players:
                raise _difference_error(change, _("nobody decided what was done"))
            self.answers[seat] = Action.DECLINE

    def _note_leaving(self, change: Change, command: object) -> None:
        if isinstance(command, Leave):
            self.leaving |= {
                seat for seat, user in self.bets.players.items() if user == change.user_id
            }

    def _apply_automatic_decisions(
        self,
        change: Change,
        clocks: set[tuple[int, int]],
        ahead: list[dict[str, Any]],
        cards: list[dict[str, Any]],
    ) -> None:
        """Apply the decisions that the server makes for absent players, for players who leave, and for
        players without the money for insurance; then stored insurance answers and plans.
        """
        assert self.engine is not None
        turn = self.engine.turn
        if turn is None:
            raise _difference_error(change, _("the round was over"))
        if ahead and (ahead[0]["seat"], ahead[0]["hand"]) == (turn.seat, turn.hand):
            self._apply_plan(change, ahead.pop(0), cards)
            return
        is_due = (turn.seat, turn.hand) in clocks or turn.seat in self.leaving
        is_due |= self.bets.players[turn.seat] in self.frozen
        if not is_due and not self.engine.is_insurance_asked:
            raise _difference_error(change, _("nobody decided what was done"))
        clocks.discard((turn.seat, turn.hand))
        action = self.engine.passive_action
        if self.engine.is_insurance_asked:
            action = self.answers.pop(turn.seat, action)
        self._compare(change, cards, self.engine.act(action, turn, PLENTY))

    def _apply_plan(
        self, change: Change, event: dict[str, Any], cards: list[dict[str, Any]]
    ) -> None:
        """Play an action of a plan. That it belongs to the plan is known for cards alone."""
        assert self.engine is not None
        turn = self.engine.turn
        assert turn is not None
        plan, action = Plan(event["plan"]), Action(event["action"])
        if plans.find_action(plan, self.engine.hand_at(turn).hand) not in (None, action):
            raise _difference_error(change, _("another action was decided ahead"))
        try:
            events = self.engine.act(action, turn, PLENTY)
        except RuleViolation as violation:
            raise _difference_error(change, str(violation)) from violation
        self._compare(change, cards, events)

    def _compare(
        self, change: Change, cards: list[dict[str, Any]], events: Iterable[Event]
    ) -> None:
        """Compare the replayed events with the stored ones, and collect their transfers."""
        assert self.engine is not None
        for event in map(event_to_dict, events):
            stored = cards.pop(0) if cards else None
            if event != stored:
                words = _("recomputed %(given)s, stored %(stored)s")
                raise _difference_error(
                    change, words % {"given": _format_event(event), "stored": _format_event(stored)}
                )
            if seat := event.get("seat"):
                hands = len(self.engine.seats[seat])
                self.money.add_event(self.bets.players[seat], event, hands)


def _list_answered_seats(events: list[dict[str, Any]]) -> list[int]:
    """The seats whose answers about insurance are stored with this change."""
    return [event["seat"] for event in events if event["type"] == "insurance_answered"]


def _decode_command(change: Change) -> object:
    if not change.command:
        return None
    try:
        return codec.decode_command(change.command)
    except codec.FrameError as error:
        raise _difference_error(change, _("its command is unreadable")) from error


def _difference_error(change: Change, words: str) -> Mismatch:
    return Mismatch(_("Change %(seq)s: %(words)s.") % {"seq": change.seq, "words": words})


def _format_event(event: dict[str, Any] | None) -> str:
    if event is None:
        return _("nothing")
    return " ".join([event["type"], *(f"{k}={v}" for k, v in event.items() if k != "type")])
