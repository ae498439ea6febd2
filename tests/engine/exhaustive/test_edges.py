"""Edges of simulated games: those that are known, or computed exactly."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from tables.engine.options import customize
from tables.engine.presets import VEGAS
from tables.engine.simulation import simulate
from tables.engine.strategies import Strategy, basic_strategy, mimic_dealer, never_bust
from tests.engine.infinite_deck import BUST, Hits, dealer_hits, edge, totals


def never_bust_hits(total: int, is_soft: bool) -> bool:
    return total < (18 if is_soft else 12)


def test_the_dealer_busts_as_often_as_is_published():
    """28.2 % of all hands with endless cards; 28 % and 28.3 % are told of fewer decks."""
    natural, dealer = totals(dealer_hits)
    assert sum(dealer.values()) == 1
    assert float(natural) == pytest.approx(8 / 169)
    assert float(dealer[BUST] * (1 - natural)) == pytest.approx(0.2816, abs=0.0002)


ODDS = Fraction(3, 2)


@pytest.mark.parametrize(
    ("key", "options", "strategy", "hits", "terms"),
    [
        ("casino", {"decks": 8}, mimic_dealer, dealer_hits, {"natural_pays": ODDS}),
        ("casino", {"decks": 8}, never_bust, never_bust_hits, {"natural_pays": ODDS}),
        ("classic", {"decks": 8}, mimic_dealer, dealer_hits, {"natural_pays": None}),
        ("heads-up", {"decks": 8}, never_bust, never_bust_hits, {"natural_pays": None}),
        ("pot", {"decks": 8}, mimic_dealer, dealer_hits, {"natural_pays": None, "tie": -1}),
        (
            "casino",
            {"decks": 8, "natural_pays": "6:5"},
            mimic_dealer,
            dealer_hits,
            {"natural_pays": Fraction(6, 5)},
        ),
    ],
    ids=["casino mimic", "casino never-bust", "classic", "heads-up", "pot", "6 to 5"],
)
def test_the_edge_is_the_exact_one(
    key: str, options: dict[str, Any], strategy: Strategy, hits: Hits, terms: dict[str, Any]
):
    """Within four standard errors of that of endless cards, from which eight decks differ by less
    than 0.2 %.
    """
    result = simulate(customize(key, options), strategy, 20_000, Random(2026))
    assert abs(result.edge - edge(hits, **terms)) < 4 * result.standard_error + 0.002


def test_basic_strategy_loses_a_third_of_a_percent_at_vegas():
    """As published: 0.4 % with six decks, soft 17 stood on and split hands doubled, and a little
    less with late surrender.
    """
    result = simulate(VEGAS, basic_strategy, 40_000, Random(2026))
    assert abs(result.edge + 0.0035) < 4 * result.standard_error
    assert result.standard_error < 0.006
