"""Random rounds, played by legal and illegal actions, for the properties of the engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tables.engine.actions import Action
from tables.engine.cards import DECK, Card
from tables.engine.errors import RuleViolation
from tables.engine.events import Event, HandDoubled, HandSplit
from tables.engine.presets import CASINO, PRESETS
from tables.engine.round import Round, Turn
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe

quick = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""How many rounds a property is tried on."""


MOST_HANDS = 12
"""No table has more hands than this."""


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
        everybody_stands = [Attempt(Action.STAND, None)] * MOST_HANDS
        for attempt in [*self.attempts, *everybody_stands]:
            if round_.turn is None:
                return
            turn = attempt.turn_in(round_)
            try:
                events = round_.act(attempt.action, turn, funds.get(turn.seat, 0))
            except RuleViolation:
                continue
            funds[turn.seat] -= sum(staked_by(event) for event in events)
            yield Step(round_, events)
        assert round_.is_finished, "all hands stood, and the round goes on"

    def finished(self) -> tuple[Round, list[Event]]:
        """The round at its end, and everything that happened in it."""
        steps = list(self.steps())
        return steps[-1].round, [event for step in steps for event in step.events]


@dataclass(frozen=True)
class Step:
    """A round, and what happened last in it."""

    round: Round
    events: tuple[Event, ...]


def staked_by(event: Event) -> int:
    """What was staked in addition, in hundredths."""
    return event.stake if isinstance(event, HandDoubled | HandSplit) else 0


PAIRS_AND_TENS = tuple(card for card in DECK if card.rank in "A8TJQK")
"""Cards that make blackjacks and splits likely when they lie on top."""

any_shoe = st.permutations(DECK).map(tuple)
rich_shoe = st.permutations(PAIRS_AND_TENS).map(
    lambda top: (*top, *(card for card in DECK if card not in PAIRS_AND_TENS))
)
turns = st.builds(Turn, st.integers(0, 4), st.integers(0, 3))
attempts = st.builds(
    Attempt,
    st.sampled_from([*Action, Action.HIT, Action.SPLIT, Action.SPLIT]),
    st.one_of(st.none(), st.none(), st.none(), turns),
)


@st.composite
def plans(draw: st.DrawFn, rules: Ruleset | None = None) -> Plan:
    """Any round of ``rules``, or of any rule set, that the engine can be asked to play."""
    rules = rules or draw(st.sampled_from(list(PRESETS.values())))
    seats = draw(st.sets(st.integers(1, rules.seats), min_size=1))
    any_stake = st.just(0) if rules.stakes is None else st.integers(10, 500).map(lambda n: n * 100)
    return Plan(
        rules=rules,
        cards=draw(st.one_of(any_shoe, rich_shoe)),
        stakes={seat: draw(any_stake) for seat in seats},
        funds={seat: draw(st.sampled_from([0, 1000, 60_000, 10**9])) for seat in seats},
        attempts=draw(st.lists(attempts, max_size=25)),
    )


casino_plans = plans(CASINO)
