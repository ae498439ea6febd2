"""Grading: the value of each decision of a settled round, from what its player could see.

The round is replayed by the engine, from its own stored events: the cards that they tell in the
order of the deal are its shoe, and each next event tells the next action. So the state at each
decision is exactly that of the table, also while the rest of the shoe is still secret.

A player could see the cards of the own hands, the up card, all other hands on the table, and the
cards of earlier rounds of the same shoe. A raise or an insurance that would have been better, but
that the player could not pay for, is not among the actions.

A decision by timeout counts as the player's own. So does a decision after the player left or was
banned: otherwise leaving every hard hand would give a perfect record. The server declines insurance
for a player who cannot pay for it, which counts as nobody's decision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tables.advice import game_odds
from tables.advice.known_cards import find_known_cards
from tables.engine.actions import Action
from tables.engine.cards import Card
from tables.engine.errors import RuleViolation
from tables.engine.events import event_to_dict
from tables.engine.legal_actions import PLENTY, insurance_stake
from tables.engine.player_hand import Turn
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tables.models.grades import MILLIONTHS, DecidedBy, GradedDecision, encode_decisions
from tables.odds.decisions import Decision
from tables.odds.games import Game
from tables.odds.unseen_cards import CannotHappenError

Event = Mapping[str, Any]
Funds = Callable[[int, int], int]
"""``funds(seat, change)``: what the player could stake before this change, in hundredths."""


_ACTIONS: Final = {
    "card_dealt": Action.HIT,
    "hand_stood": Action.STAND,
    "hand_doubled": Action.DOUBLE_DOWN,
    "hand_split": Action.SPLIT,
    "hand_settled": Action.SURRENDER,
    "insurance_taken": Action.INSURE,
    "insurance_declined": Action.DECLINE,
}
"""The action that the next stored event tells."""
_RAISES: Final = (Action.DOUBLE_DOWN, Action.SPLIT)
_OF_ROUND: Final = {
    *_ACTIONS, "dealer_card_dealt", "hole_card_peeked", "hole_card_revealed", "insurance_settled",
}  # fmt: skip
"""The types of the engine's events."""


class UngradableRound(ValueError):
    """What is stored of the round does not lead through it."""


@dataclass(frozen=True, slots=True)
class StoredChange:
    """What a change says of the round."""

    events: Sequence[Event]
    action: Action | None = None
    """The decision of its command."""
    seat: int | None = None
    """The seat of the player whose command it was."""


@dataclass(frozen=True, slots=True)
class GradedSeat:
    """The graded decisions of a seat, and the parts of its net, in hundredths."""

    decisions: tuple[GradedDecision, ...]
    stake: int
    expectation: int
    luck: int
    money_cost: int
    variance: float

    @property
    def own(self) -> list[GradedDecision]:
        """The decisions that count as the player's."""
        return [one for one in self.decisions if one.is_own]

    @property
    def mistakes(self) -> int:
        """The number of own decisions that cost something."""
        return sum(one.cost > 0 for one in self.own)

    @property
    def cost(self) -> int:
        """What the own decisions cost, in millionths of the stakes of their hands."""
        return sum(one.cost for one in self.own)

    def as_fields(self) -> dict[str, Any]:
        """The values of the fields of a :class:`~tables.models.Grade`."""
        return {
            "details": encode_decisions(list(self.decisions)),
            "decisions": len(self.own),
            "mistakes": self.mistakes,
            "cost": self.cost,
            "stake": self.stake,
            "expectation": self.expectation,
            "luck": self.luck,
            "money_cost": self.money_cost,
            "variance": self.variance,
        }


def load_game(rules: Ruleset) -> Game:
    """The stored value of the game of ``rules``, which is computed if nobody has needed it yet."""
    game = game_odds.get(rules, patience=game_odds.NO_LIMIT)
    assert game is not None
    return game


def grade_round(
    rules: Ruleset,
    changes: Sequence[StoredChange],
    *,
    first_card: int = 0,
    earlier_cards: Iterable[Card] = (),
    funds: Funds = lambda _seat, _change: PLENTY,
) -> dict[int, GradedSeat]:
    """Grade all seats of a settled round.

    ``first_card`` is the place of its first card in the shoe, and ``earlier_cards`` are the cards
    before it that were seen. Raises :class:`UngradableRound`.
    """
    try:
        replay = _Replay(rules, changes, first_card, tuple(earlier_cards), funds)
        replay.run()
    except (LookupError, ValueError, RuleViolation) as error:
        raise UngradableRound(str(error)) from error
    return {seat: _grade_seat(replay, seat) for seat in replay.round.seats}


def _grade_seat(replay: _Replay, seat: int) -> GradedSeat:
    decisions, stake = tuple(replay.decided[seat]), replay.stakes[seat]
    if replay.rules.stakes is None:
        return GradedSeat(decisions, stake, 0, 0, 0, 0.0)
    hands, bought = replay.round.seats[seat], replay.round.insurance.get(seat)
    net = sum(hand.payout - hand.stake for hand in hands)
    if bought is not None:
        net += bought.payout - bought.stake
    game = load_game(replay.rules)
    expectation = round(stake * game.ev)
    money_cost = sum(one.money_cost for one in decisions)
    return GradedSeat(
        decisions=decisions,
        stake=stake,
        expectation=expectation,
        luck=net - expectation + money_cost,
        money_cost=money_cost,
        variance=(game.sd * stake) ** 2,
    )


@dataclass(slots=True)
class _Replay:
    """The round, decision by decision."""

    rules: Ruleset
    changes: Sequence[StoredChange]
    first_card: int
    earlier_cards: tuple[Card, ...]
    funds: Funds
    round: Round = field(init=False)
    stakes: dict[int, int] = field(init=False)
    """The first bets, by seat."""
    decided: dict[int, list[GradedDecision]] = field(init=False)

    def run(self) -> None:
        self.stakes = _find_bets(self.changes)
        if not self.stakes:
            raise UngradableRound("its bets are not stored")
        self.decided = {seat: [] for seat in self.stakes}
        insured = {change.seat for change in self.changes if _is_about_insurance(change)}
        self.round, events = Round.deal(self.rules, self.stakes, self._find_shoe())
        expected = list(map(event_to_dict, events))
        for number, change in enumerate(self.changes):
            by_player = change.action is not None and not change.action.is_about_insurance
            late: Turn | None = None
            ahead: Turn | None = None
            for event in change.events:
                if event["type"] == "clock_ran_out" and event["seat"] is not None:
                    late = Turn(event["seat"], event["hand"])
                if event["type"] == "plan_played":
                    ahead = Turn(event["seat"], event["hand"])
                if event["type"] not in _OF_ROUND:
                    continue
                if not expected:
                    is_own = by_player or (ahead is not None and ahead == self.round.turn)
                    expected = self._decide(event, number, insured, late, by_player=is_own)
                    by_player, late, ahead = False, None, None
                if not expected or expected.pop(0) != event:
                    raise UngradableRound(f"the event {event['type']} does not follow")
        if expected or not self.round.is_finished:
            raise UngradableRound("its end is not stored")

    def _find_shoe(self) -> Shoe:
        """The cards of the round, then any others: none of those is dealt, but their number tells
        when a deck is played through.
        """
        cards = list(_list_dealt(self.changes))
        others = self.rules.cards - self.first_card - len(cards)
        return Shoe((*cards, *[Card("2", "s")] * others))

    def _decide(
        self,
        event: Event,
        number: int,
        insured: set[int | None],
        late: Turn | None,
        *,
        by_player: bool,
    ) -> list[dict[str, Any]]:
        """Grade the decision that this event tells, play it, and return the events to expect."""
        turn, action = self.round.turn, _ACTIONS.get(event["type"])
        if turn is None or action is None or action.is_about_insurance != self._asks_insurance:
            raise UngradableRound(f"nobody decides at {event['type']}")
        is_own = turn.seat in insured if self._asks_insurance else by_player
        if is_own:
            by = DecidedBy.PLAYER
        elif turn == late:
            by = DecidedBy.CLOCK
        else:
            by = DecidedBy.LEFT
        self.decided[turn.seat].append(self._grade(turn, action, by, number))
        return list(map(event_to_dict, self.round.act(action, turn, PLENTY)))

    @property
    def _asks_insurance(self) -> bool:
        return self.round.is_insurance_asked

    def _grade(self, turn: Turn, action: Action, by: DecidedBy, number: int) -> GradedDecision:
        hand = self.round.hand_at(turn)
        values = self._evaluate(turn)
        if action.is_about_insurance:
            insurance = values.insurance if values else None
            action_values = (
                {} if insurance is None else {Action.INSURE: insurance, Action.DECLINE: 0.0}
            )
            funds = self.funds(turn.seat, number) if action is Action.DECLINE else PLENTY
            if funds < insurance_stake(hand):
                action_values.pop(Action.INSURE, None)
                by = DecidedBy.SERVER if by is DecidedBy.LEFT else by
        else:
            action_values = dict(values.values) if values else {}
            self._remove_unaffordable(action_values, action, turn, number)
        if action not in action_values:
            action_values = {}
        ordered = sorted(action_values.items(), key=lambda item: -item[1])
        rounded = {one.value: round(value * MILLIONTHS) for one, value in ordered}
        return GradedDecision(turn.hand, action.value, by, str(hand.hand), hand.stake, rounded)

    def _evaluate(self, turn: Turn) -> Decision | None:
        """The values for this hand; ``None`` where the shoe may run out."""
        try:
            return find_known_cards(self.round, turn, self.earlier_cards).evaluate()
        except CannotHappenError:
            return None

    def _remove_unaffordable(
        self, action_values: dict[Action, float], action: Action, turn: Turn, number: int
    ) -> None:
        """Remove doubling and splitting if that was better and the player could not pay for it."""
        if action in _RAISES or action not in action_values or self.rules.stakes is None:
            return
        raises = [one for one in _RAISES if action_values.get(one, -PLENTY) > action_values[action]]
        if raises and self.funds(turn.seat, number) < self.round.hand_at(turn).stake:
            for one in raises:
                del action_values[one]


def _is_about_insurance(change: StoredChange) -> bool:
    return change.action is not None and change.action.is_about_insurance


def _find_bets(changes: Iterable[StoredChange]) -> dict[int, int]:
    """The bets with which the round was dealt, by seat."""
    bets: dict[int, int] = {}
    for event in (event for change in changes for event in change.events):
        if event["type"] == "bet_placed":
            bets[event["seat"]] = event["stake"]
        elif event["type"] == "bet_returned":
            bets.pop(event["seat"], None)
        elif event["type"] in _OF_ROUND:
            break
    return bets


def _list_dealt(changes: Iterable[StoredChange]) -> list[Card]:
    """All cards of a settled round in the order of the deal."""
    texts: list[str | None] = []
    for change in changes:
        for event in change.events:
            if event["type"] in ("card_dealt", "dealer_card_dealt"):
                texts.append(event["card"])
            elif event["type"] == "hole_card_revealed":
                texts[texts.index(None)] = event["card"]
    return [Card.parse(text or "") for text in texts]
