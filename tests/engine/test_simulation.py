"""Simulated rounds: what is counted, and what is played."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from random import Random

import pytest

from tables.engine.actions import Action
from tables.engine.cards import DECK
from tables.engine.options import customize
from tables.engine.player_hand import Turn
from tables.engine.presets import CASINO, CLASSIC, PILES, PRESETS, VEGAS
from tables.engine.round import Round
from tables.engine.simulation import SimulationResult, simulate
from tables.engine.strategies import STRATEGIES, Strategy, basic_strategy, mimic_dealer, never_bust
from tests.engine.statistics_of_shuffles import IMPROBABLE, p_value, sum_of_squares

# Counting


def test_rounds_are_counted_as_won_lost_and_pushed():
    result = SimulationResult()
    for net in (1.5, -1.0, 0.0, 2.0, -0.5):
        result.count(net)
    assert result == SimulationResult(rounds=5, win=2, lose=2, push=1, total=2.0, squares=7.5)
    assert result.edge == pytest.approx(0.4)


def test_the_standard_error_is_that_of_the_mean():
    result = SimulationResult()
    nets = (1.5, -1.0, 0.0, 2.0, -0.5)
    for net in nets:
        result.count(net)
    variance = sum((net - 0.4) ** 2 for net in nets) / 4
    assert result.standard_error == pytest.approx(sqrt(variance / 5))


@pytest.mark.parametrize("nets", [(), (1.0,)])
def test_the_spread_of_less_than_two_rounds_is_nothing(nets: tuple[float, ...]):
    result = SimulationResult()
    for net in nets:
        result.count(net)
    assert (result.edge, result.standard_error) == (sum(nets), 0.0)


def test_rounds_that_all_end_alike_have_no_spread():
    result = SimulationResult()
    for _ in range(7):
        result.count(0.1)
    assert result.standard_error == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("key", PRESETS)
def test_every_round_is_won_lost_or_pushed(key: str, name: str):
    result = simulate(PRESETS[key], STRATEGIES[name], 500, Random(1))
    assert result.win + result.lose + result.push == result.rounds == 500
    assert min(result.win, result.lose) > 100
    assert (result.push > 0) is (key != "pot")


def test_nothing_is_played_when_nothing_is_asked_for():
    assert simulate(CASINO, basic_strategy, 0, Random(1)) == SimulationResult()


def test_the_same_randomness_plays_the_same_rounds():
    assert simulate(VEGAS, basic_strategy, 300, Random(5)) == simulate(
        VEGAS, basic_strategy, 300, Random(5)
    )
    assert simulate(VEGAS, basic_strategy, 300, Random(5)) != simulate(
        VEGAS, basic_strategy, 300, Random(6)
    )


def test_progress_is_told_now_and_then():
    progress: list[int] = []
    simulate(CLASSIC, mimic_dealer, 3000, Random(1), progress.append)
    assert progress == [0, 1024, 2048]


# What is played


class Spy:
    """A strategy that remembers what it saw."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy
        self.rounds: list[Round] = []

    def __call__(self, round_: Round, turn: Turn) -> Action:
        if not self.rounds or self.rounds[-1] is not round_:
            self.rounds.append(round_)
        return self.strategy(round_, turn)


def test_one_seat_plays_for_the_smallest_stake():
    spy = Spy(mimic_dealer)
    simulate(CASINO, spy, 50, Random(1))
    assert {tuple(round_.seats) for round_ in spy.rounds} == {(1,)}
    assert {round_.seats[1][0].stake for round_ in spy.rounds} == {1000}


def test_never_bust_never_busts():
    spy = Spy(never_bust)
    simulate(VEGAS, spy, 3000, Random(1))
    outcomes = Counter(str(hand.outcome) for round_ in spy.rounds for hand in round_.seats[1])
    assert outcomes["bust"] == 0
    assert min(outcomes["win"], outcomes["lose"], outcomes["push"]) > 100


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_every_card_is_dealt_to_every_place_equally_often(place: int):
    """The cards are shuffled as they are drawn: chi-square over 52 cards, of every fresh deck."""
    spy = Spy(mimic_dealer)
    simulate(CLASSIC, spy, 5200, Random(place))
    dealt = [(*r.seats[1][0].hand.cards[:2], *r.dealer.cards[:2])[place] for r in spy.rounds]
    counts = Counter(dealt)
    assert len(dealt) == 5200
    assert p_value(sum_of_squares((counts[card] for card in DECK), 100), 51) > IMPROBABLE


@pytest.mark.parametrize("decks", [1, 2, 6])
def test_no_card_is_dealt_more_often_than_there_are_decks(decks: int):
    """From a fresh shoe to the cut card, or to the end of a single deck's round."""
    spy = Spy(mimic_dealer)
    rules = customize("classic", {"decks": decks})
    simulate(rules, spy, 500, Random(1))
    for round_ in spy.rounds:
        dealt = Counter([*round_.seats[1][0].hand.cards, *round_.dealer.cards])
        assert max(dealt.values()) <= decks


def test_vegas_deals_on_to_the_cut_card():
    """Rounds share a shoe, so that within 234 cards none comes a seventh time."""
    spy = Spy(mimic_dealer)
    simulate(VEGAS, spy, 400, Random(2))
    shoe = spy.rounds[0].shoe
    assert all(round_.shoe is shoe for round_ in spy.rounds)
    cards = [card for round_ in spy.rounds[:25] for card in round_.dealer.cards]
    assert max(Counter(cards).values()) <= 6


def test_hands_of_piles_are_first_hands_of_a_game():
    spy = Spy(mimic_dealer)
    simulate(PILES, spy, 40, Random(4))
    dealt = [card for r in spy.rounds for card in (*r.seats[1][0].hand.cards, *r.dealer.cards)]
    assert max(Counter(dealt).values()) > 1
