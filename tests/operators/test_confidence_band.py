"""The band holds what honest rounds make, and flags what is not honest."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import sqrt
from random import Random
from statistics import NormalDist

import pytest

from tables.advice import game_odds
from tables.engine.legal_actions import PLENTY
from tables.engine.player_hand import PlayerHand
from tables.engine.presets import PRESETS
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tables.engine.simulation import DrawnShoe
from tables.engine.strategies import basic_strategy
from tables.operators.books import confidence_band as bands
from tables.operators.books.confidence_band import (
    ConfidenceBand,
    PlayTotals,
    compute_band,
)

BEST = {key: game_odds.find(PRESETS[key]) for key in ("casino", "vegas", "pot")}


def alone(bets: list[int], edge: float = -0.01, deviation: float = 1.15) -> PlayTotals:
    """Rounds of one player, a bet each."""
    squares = sum(bet * bet for bet in bets)
    return PlayTotals(edge, deviation, len(bets), len(bets), sum(bets), squares)


def test_the_house_expects_its_edge_of_every_first_bet() -> None:
    band = compute_band([alone([1000, 2500, 500], edge=-0.02)])
    assert band.expected == pytest.approx(80)


def test_a_band_is_as_wide_as_95_of_100_sums_of_such_bets() -> None:
    bets = [1000, 2500, 500, 40_000]
    band = compute_band([alone(bets)])
    of_sum = NormalDist(10 * sum(bets) / 1000, sqrt(sum((1.15 * bet) ** 2 for bet in bets)))
    assert (band.low, band.high) == pytest.approx(
        (of_sum.inv_cdf(0.025), of_sum.inv_cdf(0.975)), rel=1e-5
    )


@pytest.mark.parametrize("players", [1, 2, 3])
def test_those_who_play_one_round_win_and_lose_together(players: int) -> None:
    rounds, bet, deviation = 50, 700, 1.1
    one_round = sum(
        (bet * deviation) ** 2 * (1 if one == other else bands.TOGETHER)
        for one, other in product(range(players), repeat=2)
    )
    plays = rounds * players
    band = compute_band(
        [PlayTotals(-0.01, deviation, rounds, plays, plays * bet, plays * bet**2)]
    )  # the most uneven company is the only one that makes these sums with 1 or 3 players
    if players == 2:
        assert band.half >= bands.Z95 * sqrt(rounds * one_round)
    else:
        assert band.half == pytest.approx(bands.Z95 * sqrt(rounds * one_round))


def test_full_and_empty_rounds_are_what_two_players_a_round_may_have_been() -> None:
    """Half the rounds with one player, half with three."""
    variance = [1 * (1.0 + 0 * bands.TOGETHER), 3 * (1.0 + 2 * bands.TOGETHER)]
    band = compute_band([PlayTotals(-0.01, 1.0, 100, 200, 200, 200)])
    assert band.half == pytest.approx(bands.Z95 * sqrt(50 * sum(variance)))


def test_rule_sets_add_up_like_independent_sums() -> None:
    one, other = alone([1000] * 400), alone([500] * 900, edge=-0.1, deviation=0.9)
    together, apart = compute_band([one, other]), [compute_band([one]), compute_band([other])]
    assert together.expected == pytest.approx(sum(each.expected for each in apart))
    assert together.half**2 == pytest.approx(sum(each.half**2 for each in apart))


def test_without_any_bet_there_is_nothing_to_say() -> None:
    band = compute_band([])
    assert (band.expected, band.half, band.has_enough_plays) == (0, 0, False)
    assert not band.is_outside(1)


def test_of_few_plays_nothing_is_said() -> None:
    assert not compute_band([alone([1000] * 99)]).is_outside(10**9)
    assert compute_band([alone([1000] * 100)]).is_outside(10**9)


def test_one_huge_bet_among_small_ones_is_as_good_as_one() -> None:
    assert not compute_band([alone([100] * 5_000 + [1_000_000])]).has_enough_plays


def test_both_ends_belong_to_the_band() -> None:
    band = ConfidenceBand(expected=0, half=10, plays=1000)
    assert [band.is_outside(result) for result in (-11, -10, 10, 11)] == [True, False, False, True]


# Against rounds that were really played


@cache
def batches(
    key: str, seats: int, number: int, rounds: int, seed: int
) -> list[tuple[PlayTotals, int]]:
    """What so many evenings of basic strategy with uneven bets came to for the house."""
    rules, chance, game = PRESETS[key], Random(seed), BEST[key]
    assert game is not None
    shoe = DrawnShoe(rules.decks, chance)
    evenings = []
    for _ in range(number):
        result = bets = squares = 0
        for _ in range(rounds):
            stakes = {seat: 1000 * chance.choice((1, 1, 2, 5)) for seat in range(1, seats + 1)}
            result -= sum(_nets(rules, stakes, shoe))
            bets += sum(stakes.values())
            squares += sum(stake * stake for stake in stakes.values())
        evenings.append(
            (PlayTotals(game.ev, game.sd, rounds, rounds * seats, bets, squares), result)
        )
    return evenings


def _nets(rules: Ruleset, stakes: dict[int, int], shoe: Shoe) -> list[int]:
    """Of each seat, from a shoe that is shuffled anew for the round."""
    shoe.dealt = 0
    round_, _ = Round.deal(rules, stakes, shoe)
    while (turn := round_.turn) is not None:
        round_.act(basic_strategy(round_, turn), turn, PLENTY)
    return [_net(round_.seats[seat]) for seat in stakes]


def _net(hands: list[PlayerHand]) -> int:
    return sum(hand.payout - hand.stake for hand in hands)


@pytest.mark.long
@pytest.mark.parametrize(("key", "seats"), [("casino", 1), ("vegas", 1), ("pot", 1), ("casino", 3)])
def test_some_95_of_100_honest_evenings_are_inside(key: str, seats: int) -> None:
    """With 240 of them, four standard deviations from 95 % are at 89 % and above all of them."""
    played = batches(key, seats, number=240, rounds=200, seed=21)
    inside = sum(not compute_band([of]).is_outside(result) for of, result in played)
    assert 0.89 * len(played) <= inside < len(played)


@pytest.mark.long
def test_three_at_a_table_need_the_wider_band() -> None:
    """As if they played alone, far too many honest evenings would be flagged."""
    played = batches("casino", 3, number=240, rounds=200, seed=21)
    as_if_alone = [
        (PlayTotals(of.edge, of.deviation, of.plays, of.plays, of.bets, of.bets_squared), result)
        for of, result in played
    ]
    assert sum(
        not compute_band([of]).is_outside(result) for of, result in as_if_alone
    ) < 0.89 * len(played)


@pytest.mark.parametrize("rigged", [-0.06, +0.06], ids=["pays too little", "pays too much"])
def test_a_payout_that_is_off_by_a_sixteenth_of_the_bet_is_flagged(rigged: float) -> None:
    """As when every third natural is paid twice, or not at all."""
    [(of, result)] = batches("vegas", 1, number=1, rounds=12_000, seed=23)
    assert not compute_band([of]).is_outside(result)
    assert compute_band([of]).is_outside(result - rigged * of.bets)


def test_what_plays_of_a_round_share_is_what_is_reckoned_with() -> None:
    """The dealer's cards are the same for all: measured at two seats, for basic strategy."""
    for key in ("casino", "pot"):
        rules, rounds = PRESETS[key], 12_000
        shoe = DrawnShoe(rules.decks, Random(24))
        pairs = [_nets(rules, {1: 1000, 2: 1000}, shoe) for _ in range(rounds)]
        means = [sum(pair[seat] for pair in pairs) / rounds for seat in (0, 1)]
        together = sum((a - means[0]) * (b - means[1]) for a, b in pairs) / rounds
        variances = [sum((p[seat] - means[seat]) ** 2 for p in pairs) / rounds for seat in (0, 1)]
        assert 0.3 < together / sqrt(variances[0] * variances[1]) < bands.TOGETHER + 0.02
