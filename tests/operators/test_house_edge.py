"""What a rule set leaves the player with is simulated once, beside the game, and kept."""

from __future__ import annotations

from functools import cache
from math import sqrt
from random import Random

import pytest

from tables.engine.presets import PRESETS
from tables.engine.simulation import SimulationResult, simulate
from tables.engine.strategies import STRATEGIES, mimic_dealer
from tables.models import Edge
from tables.operators.books import house_edge
from tables.operators.books.confidence_band import SimulatedEdge
from tables.operators.books.house_edge import SHIPPED, RuleVariant

SIX_TO_FIVE = RuleVariant("casino", '{"natural_pays":"6:5"}')


ROUNDS = 30_000
"""An edge that is off by 3 % of the bets is 4 standard errors off, and a deviation that is off by
3 % is 6.
"""


@cache
def simulated(key: str, strategy: str) -> SimulationResult:
    """The rounds that several tests look at."""
    return simulate(PRESETS[key], STRATEGIES[strategy], ROUNDS, Random(32))


@pytest.fixture
def background(
    transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> house_edge._SimulationThread:
    monkeypatch.setattr(house_edge, "ROUNDS", 300)
    monkeypatch.setattr(house_edge, "_TRIAL", 300)
    monkeypatch.setattr(house_edge, "_PAUSE", 0)
    return house_edge._SimulationThread()


@pytest.mark.parametrize("key", list(SHIPPED))
def test_what_is_shipped_is_what_a_simulation_finds(key: str) -> None:
    shipped = SHIPPED[key]
    found = simulated(key, shipped.strategy)
    assert abs(found.edge - shipped.edge) < 4 * found.standard_error
    assert found.standard_error * sqrt(ROUNDS) == pytest.approx(shipped.deviation, rel=0.03)


def test_every_preset_with_stakes_is_shipped() -> None:
    assert set(SHIPPED) == {key for key, rules in PRESETS.items() if rules.stakes is not None}


@pytest.mark.parametrize("key", list(SHIPPED))
def test_the_shipped_strategy_is_the_best_there_is(key: str) -> None:
    found = {name: simulated(key, name).edge for name in STRATEGIES}
    assert max(found, key=found.__getitem__) == SHIPPED[key].strategy


def test_the_best_strategy_is_found_and_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STRATEGIES, "mimic", STRATEGIES["basic"])
    monkeypatch.setitem(STRATEGIES, "basic", mimic_dealer)
    found = house_edge.simulate_edge(SIX_TO_FIVE, 3_000)
    assert (found.strategy, found.rounds) == ("mimic", 3_000)


def test_the_same_way_is_worked_out_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house_edge, "_TRIAL", 500)
    assert house_edge.simulate_edge(SIX_TO_FIVE, 500) == house_edge.simulate_edge(SIX_TO_FIVE, 500)


def test_limits_and_seats_are_left_out_of_a_way_to_play() -> None:
    told = '{"natural_pays":"6:5","maximum":5000,"minimum":1000,"seats":2}'
    assert RuleVariant.from_stored("casino", told) == SIX_TO_FIVE


def test_ways_without_stakes_have_no_edge() -> None:
    ways = [
        RuleVariant("casino"),
        RuleVariant("classic"),
        RuleVariant("piles"),
        RuleVariant("gone"),
    ]
    assert [house_edge.is_staked(way) for way in ways] == [True, False, False, False]


@pytest.mark.django_db
def test_a_longer_simulation_takes_the_place_of_what_is_shipped() -> None:
    for rounds, expected in ((7, SHIPPED["casino"].rounds), (10**8, 10**8)):
        house_edge.store_edge(RuleVariant("casino"), SimulatedEdge(-0.5, 1.0, rounds, "basic"))
        assert (
            house_edge.load_edges([RuleVariant("casino")])[RuleVariant("casino")].rounds == expected
        )
    assert Edge.objects.count() == 1


def test_it_is_worked_out_in_the_background_and_kept(
    background: house_edge._SimulationThread,
) -> None:
    background.queue([SIX_TO_FIVE])
    background.queue([SIX_TO_FIVE, RuleVariant("vegas", '{"decks":8}')])
    background.wait()
    kept = Edge.objects.order_by("rules_key").values_list("rules_key", "options", "rounds")
    assert list(kept) == [
        (SIX_TO_FIVE.key, SIX_TO_FIVE.options, 300), ("vegas", '{"decks":8}', 300)
    ]  # fmt: skip
    assert house_edge.load_edges([SIX_TO_FIVE])[SIX_TO_FIVE].rounds == 300


def test_rules_that_are_not_played_any_more_hold_up_nothing(
    background: house_edge._SimulationThread,
) -> None:
    background.queue([RuleVariant("gone"), RuleVariant("casino", '{"jokers":2}'), SIX_TO_FIVE])
    background.wait()
    assert Edge.objects.get().options == SIX_TO_FIVE.options
    assert background.failed == {RuleVariant("gone"), RuleVariant("casino", '{"jokers":2}')}


def test_what_was_tried_is_not_tried_again(background: house_edge._SimulationThread) -> None:
    background.queue([SIX_TO_FIVE])
    background.wait()
    Edge.objects.all().delete()
    background.queue([SIX_TO_FIVE])
    background.wait()
    assert not Edge.objects.exists()
