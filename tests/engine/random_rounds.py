"""Random rounds, played by legal and illegal actions, for the properties of the engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tables.engine.actions import Action
from tables.engine.cards import DECK, Card
from tables.engine.errors import RuleViolation
from tables.engine.events import Event, HandDoubled, HandSplit, InsuranceTaken
from tables.engine.presets import CASINO, PRESETS, VEGAS
from tables.engine.round import PlayerHand, Round, Turn
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe

quick = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""How many rounds a property is tried on."""


MOST_QUESTIONS = 15
"""No table asks more: three seats of four hands each, and each seat about insurance."""


@dataclass(frozen=True)
class Attempt:
    """Something that somebody tries to do; ``turn`` is ``None`` for the hand that is asked."""

    action: Action
    turn: Turn | None

    def turn_in(self, round_: Round) -> Turn:
        """The hand that is meant; any hand, when none is asked."""
        return self.turn or round_.turn or Turn(1, 1)


@dataclass(frozen=True)
class Plan:
    """All that a round depends on: the shoe, the stakes and funds by seat, what is tried."""

    rules: Ruleset
    cards: tuple[Card, ...]
    stakes: dict[int, int]
    funds: dict[int, int]
    attempts: list[Attempt]

    def deal(self) -> tuple[Round, tuple[Event, ...]]:
        """The round as it is dealt, before anything is tried."""
        return Round.deal(self.rules, self.stakes, Shoe(self.cards))

    def steps(self) -> Iterator[Step]:
        """The round after the deal and after every accepted action, to its end.

        Every step has the same round, which changes. When nothing is left to try, hands stand.
        """
        round_, events = self.deal()
        funds = dict(self.funds)
        yield Step(round_, events)
        for attempt in self.attempts:
            if round_.turn is None:
                return
            turn = attempt.turn_in(round_)
            try:
                events = round_.act(attempt.action, turn, funds.get(turn.seat, 0))
            except RuleViolation:
                continue
            funds[turn.seat] -= sum(staked_by(event) for event in events)
            yield Step(round_, events)
        for _ in range(MOST_QUESTIONS):
            if round_.turn is None:
                return
            yield Step(round_, round_.act(round_.passive_action, round_.turn, 0))
        assert round_.is_finished, "nobody wants anything, and the round goes on"

    def finished(self) -> tuple[Round, list[Event]]:
        """The round at its end, and everything that happened in it."""
        steps = list(self.steps())
        return steps[-1].round, [event for step in steps for event in step.events]


@dataclass(frozen=True)
class Step:
    """A round, and what happened last in it."""

    round: Round
    events: tuple[Event, ...]


def hands_of(round_: Round) -> list[PlayerHand]:
    """All hands on the table, by seat."""
    return [hand for hands in round_.seats.values() for hand in hands]


def staked_by(event: Event) -> int:
    """What was staked in addition, in hundredths."""
    return event.stake if isinstance(event, HandDoubled | HandSplit | InsuranceTaken) else 0


def shuffled(rules: Ruleset, random: Random, *, is_rich: bool) -> tuple[Card, ...]:
    """A shoe; a rich one has the cards on top that make blackjacks, insurance and splits."""
    cards = list(DECK * rules.decks)
    random.shuffle(cards)
    if is_rich:
        cards.sort(key=lambda card: card.rank not in "A8TJQK")
    return tuple(cards)


@st.composite
def shoes(draw: st.DrawFn, rules: Ruleset) -> tuple[Card, ...]:
    """A shoe for ``rules``; the deck of a game of piles is often played down to a few cards."""
    cards = shuffled(rules, Random(draw(st.integers(0, 10**6))), is_rich=draw(st.booleans()))
    dealt = draw(st.sampled_from([0, 0, *range(1, 49)])) if rules.has_piles else 0
    return cards[dealt:]


turns = st.builds(Turn, st.integers(0, 4), st.integers(0, 5))
attempts = st.builds(
    Attempt,
    st.sampled_from([*Action, Action.HIT, Action.SPLIT, Action.SPLIT]),
    st.one_of(st.none(), st.none(), st.none(), turns),
)


@st.composite
def plans(draw: st.DrawFn, *some_rules: Ruleset) -> Plan:
    """Any round of ``some_rules``, or of any rule set, that the engine can be asked to play."""
    rules = draw(st.sampled_from(some_rules or list(PRESETS.values())))
    seats = draw(st.sets(st.integers(1, rules.seats), min_size=1))
    any_stake = st.just(0) if rules.stakes is None else st.integers(10, 500).map(lambda n: n * 100)
    return Plan(
        rules=rules,
        cards=draw(shoes(rules)),
        stakes={seat: draw(any_stake) for seat in seats},
        funds={seat: draw(st.sampled_from([0, 1000, 60_000, 10**9])) for seat in seats},
        attempts=draw(st.lists(attempts, max_size=25)),
    )


casino_plans = plans(CASINO, VEGAS)
"""Where hands are doubled and split, and stakes are raised."""
