"""What would have happened in a round with another decision: the same shoe, dealt again.

Only of a shoe whose secret is published. After the other decision

- the player's hands are played by the best action for all cards that the player sees,
- other players decide as they did, in their order, as long as the rules allow it; hands that they
  had not to decide on are played in the same best way,
- the dealer follows the rules.

Money is no limit: who could not pay for a double or a split then, can here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tables.advice.stored_rounds import MOST_CHANGES
from tables.engine.actions import Action
from tables.engine.cards import Card
from tables.engine.errors import RuleViolation
from tables.engine.events import event_to_dict
from tables.engine.legal_actions import PLENTY
from tables.engine.player_hand import PlayerHand, Turn
from tables.engine.provably_fair.shuffle import FIRST_METHOD, shuffle_shoe
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tables.models import Change
from tables.models import Round as RoundRow
from tables.models import Shoe as ShoeRow
from tables.odds.decisions import Decision, evaluate
from tables.odds.unseen_cards import CannotHappenError
from tables.state.round_bets import RoundBets

INSURANCE: Final = ("insurance_taken", "insurance_declined", "insurance_settled")
KINDS: Final = (
    "card_dealt", "dealer_card_dealt", "hole_card_peeked", "hole_card_revealed", "hand_stood",
    "hand_doubled", "hand_split", "hand_settled",
)  # fmt: skip
"""The events that are compared. Answers about insurance are published together, out of order."""

Event = Mapping[str, Any]


class NotDealtAgain(Exception):
    """The stored round does not follow from the shoe and the stored decisions."""


@dataclass(frozen=True, slots=True)
class TurnAction:
    """A decision of the round."""

    turn: Turn
    action: Action


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision of the player, with what else was legal."""

    number: int
    """Its place in the decisions of the round, from 0."""
    made: TurnAction
    hand: PlayerHand
    up: Card
    others: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class DealtRound:
    """A finished round with its shoe, as it was dealt."""

    rules: Ruleset
    cards: Sequence[Card]
    """The whole shoe."""
    first: int
    """The place of the round's first card."""
    stakes: Mapping[int, int]
    decisions: tuple[TurnAction, ...]
    final: Round

    def begin(self) -> Round:
        """The round after the deal."""
        return Round.deal(self.rules, self.stakes, Shoe(self.cards, self.first))[0]

    def net(self, seat: int) -> int:
        """The net of a seat in hundredths, with insurance."""
        return net_of(self.final, seat)


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The round with another decision."""

    choice: Choice
    action: Action
    final: Round
    decision: Decision | None
    """What was to be expected; ``None`` where it cannot be said."""
    later: tuple[TurnAction, ...] = field(default=())
    """The decisions of the player's hands after it."""


def net_of(round_: Round, seat: int) -> int:
    """The net of a seat in a finished round, in hundredths, with insurance."""
    net = sum(hand.payout - hand.stake for hand in round_.seats[seat])
    insurance = round_.insurance.get(seat)
    return net + (insurance.payout - insurance.stake if insurance else 0)


def deal_again(row: RoundRow) -> DealtRound | None:
    """The round as it was dealt; ``None`` while its shoe is in use, or if it cannot be told."""
    shoe = row.shoe
    if shoe is None or not shoe.secret or shoe.retired_at is None or row.first_card is None:
        return None
    if row.finished_at is None or row.voided_at is not None:
        return None
    changes = Change.objects.filter(round=row).only("command_id", "body").order_by("pk")
    try:
        events = [event for change in changes[:MOST_CHANGES] for event in change.events]
        return replay(row.rules, shuffle_again(shoe), row.first_card, events)
    except (NotDealtAgain, RuleViolation, LookupError, ValueError):
        return None  # of an older version, or of a shoe that was not shuffled from its secret


def shuffle_again(shoe: ShoeRow) -> tuple[Card, ...]:
    """The cards of a retired shoe, from its published secret and words."""
    words = [
        (one["seat"], one["words"])
        for one in shoe.mixed_in
        if one["words"] is not None
        and (one["commitment"] is not None or shoe.method == FIRST_METHOD)
    ]
    secret = bytes.fromhex(shoe.secret)
    return shuffle_shoe(secret, shoe.label, words, shoe.decks, shoe.method)


def replay(
    rules: Ruleset, cards: Sequence[Card], first: int, events: Sequence[Event]
) -> DealtRound:
    """Deal a round again and follow its events. Raises :class:`NotDealtAgain`."""
    bets = RoundBets()
    for event in events:
        bets.apply(event)
    insured = {
        e["seat"]: e["type"] == "insurance_taken" for e in events if e["type"] in INSURANCE[:2]
    }
    script = [event for event in events if event["type"] in KINDS]
    round_, dealt = Round.deal(rules, bets.stakes, Shoe(cards, first))
    place, decisions = 0, []
    while True:
        for event in map(event_to_dict, dealt):
            if event["type"] in KINDS:
                if place >= len(script) or dict(script[place]) != event:
                    raise NotDealtAgain(event)
                place += 1
        if round_.turn is None:
            break
        if place >= len(script) and not round_.is_insurance_asked:
            raise NotDealtAgain(round_.turn)
        action = _find_action(round_, script[place] if place < len(script) else {}, insured)
        decisions.append(TurnAction(round_.turn, action))
        dealt = round_.act(action, round_.turn, PLENTY)
    return DealtRound(rules, cards, first, dict(bets.stakes), tuple(decisions), round_)


def _find_action(round_: Round, event: Event, insured: Mapping[int, bool]) -> Action:
    """The decision that led to the next event."""
    assert round_.turn is not None
    if round_.is_insurance_asked:
        return Action.INSURE if insured.get(round_.turn.seat) else Action.DECLINE
    match event["type"], event.get("outcome"):
        case "hand_doubled", _:
            return Action.DOUBLE_DOWN
        case "hand_split", _:
            return Action.SPLIT
        case "hand_stood", _:
            return Action.STAND
        case "hand_settled", "surrender":
            return Action.SURRENDER
        case "card_dealt", _:
            return Action.HIT
        case _:
            raise NotDealtAgain(event)


def list_choices(dealt: DealtRound, seat: int) -> Iterator[Choice]:
    """The decisions of this seat with another legal action."""
    round_ = dealt.begin()
    for number, decision in enumerate(dealt.decisions):
        if decision.turn.seat == seat:
            others = tuple(
                action for action in round_.legal_actions(PLENTY) if action is not decision.action
            )
            hand = round_.hand_at(decision.turn)
            snapshot = PlayerHand(hand.hand, hand.stake, hand.is_doubled)
            if others:
                yield Choice(number, decision, snapshot, round_.upcard, others)
        round_.act(decision.action, decision.turn, PLENTY)


def play_otherwise(dealt: DealtRound, choice: Choice, action: Action) -> WhatIf:
    """Play the round with ``action`` in the place of ``choice``.

    Raises :class:`RuleViolation` ``shoe_exhausted`` if there would not have been enough cards.
    """
    round_ = dealt.begin()
    for decision in dealt.decisions[: choice.number]:
        round_.act(decision.action, decision.turn, PLENTY)
    seat = choice.made.turn.seat
    evaluation = _evaluate(dealt, round_, choice.made.turn)
    round_.act(action, choice.made.turn, PLENTY)
    waiting: dict[int, list[Action]] = {}
    for decision in dealt.decisions[choice.number + 1 :]:
        if decision.turn.seat != seat or decision.action.is_about_insurance:
            waiting.setdefault(decision.turn.seat, []).append(decision.action)
    later = []
    while (turn := round_.turn) is not None:
        next_action = _decide(dealt, round_, turn, waiting.get(turn.seat, []))
        if turn.seat == seat:
            later.append(TurnAction(turn, next_action))
        round_.act(next_action, turn, PLENTY)
    return WhatIf(choice, action, round_, evaluation, tuple(later))


def _decide(dealt: DealtRound, round_: Round, turn: Turn, waiting: list[Action]) -> Action:
    """The next recorded decision of the seat, if it is legal, else the best one."""
    while waiting:
        action = waiting.pop(0)
        if round_.can(action, turn, PLENTY):
            return action
    if round_.is_insurance_asked:
        return Action.DECLINE
    decision = _evaluate(dealt, round_, turn)
    best = decision.values if decision else ()
    return next((each for each in best if round_.can(each, turn, PLENTY)), Action.STAND)


def _evaluate(dealt: DealtRound, round_: Round, turn: Turn) -> Decision | None:
    """The values by all cards that the player sees: of the round, and of those before it."""
    hand = round_.hand_at(turn)
    own = round_.seats[turn.seat]
    visible_cards = [
        card
        for hands in round_.seats.values()
        for other in hands
        if other is not hand
        for card in other.hand.cards
    ]
    visible_cards += dealt.cards[: dealt.first]
    try:
        return evaluate(
            dealt.rules,
            hand.hand.cards,
            round_.upcard,
            visible_cards,
            from_split=hand.hand.from_split,
            split_hands=len(own),
        )
    except CannotHappenError:
        return None  # too few cards are left for the calculation
