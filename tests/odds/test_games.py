"""The value of whole games, and the best chart of each."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

from tables.engine.actions import Action
from tables.engine.cards import Card
from tables.engine.hand import Hand
from tables.engine.options import customize
from tables.engine.presets import PRESETS
from tables.odds.charts import UP_CARDS
from tables.odds.column_search import CELLS, OPTIONS, Column, ColumnSearch
from tables.odds.decisions import CARDS_OF_A_DECK, evaluate
from tables.odds.first_cards import FirstCards
from tables.odds.games import Game, evaluate_game
from tables.odds.hands import KINDS, kind_of
from tests.engine.test_strategies import PUBLISHED

RANKS = "A23456789T"


@cache
def game(key: str, **options: Any) -> Game:
    return evaluate_game(customize(key, options))


@pytest.mark.parametrize("key", PRESETS)
def test_a_round_is_won_tied_or_lost(key: str) -> None:
    played = game(key)
    assert played.win + played.tie + played.lose == pytest.approx(1, abs=1e-12)
    if PRESETS[key].natural_pays is None:
        assert played.ev == pytest.approx(played.win - played.lose, abs=1e-12)
    if not PRESETS[key].has_piles:  # whose best play collects cards, and not hands
        assert played.ev >= played.ev_total_dependent


@pytest.mark.long
def test_the_game_is_the_sum_of_its_first_hands() -> None:
    """Each hand by itself, as the command ``hand`` evaluates it, and the dealer's naturals."""
    rules = customize("casino", {"max_hands": 1, "hits_soft_17": True})
    total = 0.0
    for up in RANKS:
        counts = CARDS_OF_A_DECK - (np.arange(KINDS) == RANKS.index(up))
        for first, second in combinations_with_replacement(RANKS, 2):
            one, two = RANKS.index(first), RANKS.index(second)
            ways = counts[one] * (counts[two] - (one == two)) * (1 if one == two else 2)
            chance = float(CARDS_OF_A_DECK[RANKS.index(up)] / 52 * ways / (51 * 50))
            hand = [Card(first, "s"), Card(second, "h")]
            decision = evaluate(rules, hand, Card(up, "d"))
            rest = counts - (np.arange(KINDS) == one) - (np.arange(KINDS) == two)
            natural = {"A": rest[9], "T": rest[0]}.get(up, 0) / 49
            lost = 0.0 if Hand.from_cards(hand).is_natural else -1.0
            best = decision.values[decision.best]
            total += chance * (natural * lost + (1 - natural) * best)
    assert evaluate_game(rules).ev == pytest.approx(total, abs=1e-12)


def test_the_chart_of_six_decks_is_the_published_one() -> None:
    """A chart in print says nothing of three cards where it says to surrender; this one stands
    with them on 16 against a ten.
    """
    chart = game("vegas").chart.to_json()
    published = {"S": "S", "H": "H", "Dh": "Dh", "Ds": "Ds", "SP": "P", "SU": "R"}
    for line in PUBLISHED.split("\n")[1:-1]:
        kind, name, *codes = line.split()
        rows = {"hard": chart["hard"], "soft": chart["soft"], "pair": chart["pairs"]}[kind]
        low, _, high = name.partition("-")
        names = (
            [low] if low in RANKS and not low.isdigit() else range(int(low), int(high or low) + 1)
        )
        for row in names:
            key = 2 * str(row) if kind == "pair" else str(row)
            for up, code in zip(UP_CARDS, codes, strict=True):
                cell = rows[key][up] if key in rows else "S"
                assert cell.startswith(published[code]), (kind, key, up)


def test_at_pot_one_hits_a_hard_17_against_an_ace() -> None:
    chart = game("pot").chart
    assert chart.hard["17"] == {up: "H" if up == "A" else "S" for up in UP_CARDS}
    hand, up = Hand.parse("Ts 4h 3d"), Card.parse("Ac")
    assert chart.action(hand, up, lambda action: False) is Action.HIT


def test_a_chart_falls_back_where_an_action_is_not_legal() -> None:
    chart = game("vegas").chart
    eights, up = Hand.parse("8s 8h"), Card.parse("6c")
    assert chart.action(eights, up, lambda action: True) is Action.SPLIT
    assert chart.action(eights, up, lambda action: False) is Action.STAND
    eleven = Hand.parse("8s 3h")
    assert chart.action(eleven, up, lambda action: True) is Action.DOUBLE_DOWN
    assert chart.action(eleven, up, lambda action: False) is Action.HIT
    sixteen, ten = Hand.parse("9s 7h"), Card.parse("Kc")
    assert chart.action(sixteen, ten, lambda action: True) is Action.SURRENDER
    assert chart.action(sixteen, ten, lambda action: False) is Action.STAND
    for hand in ("As Kh", "5s As 5h", "7s 7h 7d"):
        assert chart.action(Hand.parse(hand), up, lambda action: False) is Action.STAND
    assert chart.action(Hand.parse("As Ah"), up, lambda action: False) is Action.HIT


@pytest.mark.parametrize(("key", "up"), [("casino", "T"), ("pot", "A"), ("vegas", "6")])
def test_no_change_of_one_cell_makes_a_chart_better(key: str, up: str) -> None:
    search = ColumnSearch(FirstCards(PRESETS[key], kind_of(Card(up, "s"))))
    best = search.find()
    value = search.value(best)
    cells = np.unique(search.cell)
    for cell in cells[cells < CELLS]:
        for option in range(len(OPTIONS) - 2):
            options = best.options.copy()
            options[cell] = option
            assert search.value(Column.of_options(options)) <= value + 1e-14, (cell, option)


@pytest.mark.long
@pytest.mark.parametrize(
    ("key", "option", "worse", "better"),
    [
        ("casino", "natural_pays", "6:5", "3:2"),
        ("casino", "natural_pays", "3:2", "2:1"),
        ("casino", "hits_soft_17", True, False),
        ("casino", "double_after_split", False, True),
        ("casino", "double_down", False, True),
        ("casino", "split_aces_once", True, False),
        ("casino", "max_hands", 1, 2),
        ("casino", "surrender", False, True),
        ("casino", "peek", False, True),
        ("casino", "decks", 2, 1),
    ],
)
def test_what_an_option_costs_has_the_right_sign(
    key: str, option: str, worse: object, better: object
) -> None:
    assert game(key, **{option: worse}).ev < game(key, **{option: better}).ev
