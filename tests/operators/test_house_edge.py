"""The books know the exact edge of what was played, and compute it beside the game."""

from __future__ import annotations

import pytest

from tables.advice import game_odds
from tables.engine.presets import PRESETS
from tables.models import GameOdds
from tables.operators.books import house_edge
from tables.operators.books.house_edge import RuleVariant

TWO_DECKS = RuleVariant("pot", '{"decks":2}')
GONE = [RuleVariant("gone"), RuleVariant("casino", '{"jokers":2}')]


def test_limits_and_seats_are_left_out_of_a_way_to_play() -> None:
    options = '{"decks":2,"maximum":5000,"minimum":1000,"seats":2}'
    assert RuleVariant.from_stored("pot", options) == TWO_DECKS


def test_ways_without_stakes_have_no_edge() -> None:
    ways = [RuleVariant(key) for key in ("casino", "classic", "piles", "gone")]
    assert [house_edge.is_staked(way) for way in ways] == [True, False, False, False]


@pytest.mark.django_db
def test_the_presets_are_known_at_once_and_what_is_gone_is_named() -> None:
    ways = [RuleVariant(key) for key in PRESETS]
    staked = [RuleVariant(key) for key, rules in PRESETS.items() if rules.stakes is not None]
    assert list(house_edge.load_games([*ways, TWO_DECKS, *GONE])) == staked
    assert house_edge.list_unplayable([*ways, TWO_DECKS, *GONE]) == set(GONE)


@pytest.mark.usefixtures("transactional_db")
def test_what_is_missing_is_computed_in_the_background_once_and_stored() -> None:
    background = house_edge._Computations()
    background.queue([*GONE, TWO_DECKS])
    background.queue([TWO_DECKS])
    background.wait()
    [row] = GameOdds.objects.all()
    assert house_edge.load_games([TWO_DECKS])[TWO_DECKS].ev == row.figures["ev"]
    row.delete()
    game_odds.forget()
    background.queue([TWO_DECKS])
    background.wait()
    assert not GameOdds.objects.exists()
