"""The values of games are stored under what they depend on, and each is computed once."""

from __future__ import annotations

import re
import threading
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

import tables.odds
from tables.advice import game_odds
from tables.engine.options import customize
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset
from tables.game import lifecycle
from tables.models import GameOdds, Table
from tables.odds.games import Game, evaluate_game

POT = PRESETS["pot"]
TWO_DECKS = customize("pot", {"decks": 2})
OF_GAMES = {"decisions", "__main__"}
"""The modules of the calculator that have no part in the value of a game: all others have."""


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[Ruleset]:
    """The rules that were computed."""
    rulesets: list[Ruleset] = []

    def evaluate(rules: Ruleset) -> Game:
        rulesets.append(rules)
        return evaluate_game(rules)

    monkeypatch.setattr(game_odds, "evaluate_game", evaluate)
    return rulesets


@pytest.mark.long
@pytest.mark.parametrize("key", PRESETS)
def test_what_is_shipped_is_what_is_computed(key: str) -> None:
    shipped_game = game_odds.find(PRESETS[key])
    game = evaluate_game(PRESETS[key])
    assert shipped_game is not None
    assert shipped_game.chart == game.chart
    for name in game_odds.FIGURES:
        assert getattr(shipped_game, name) == pytest.approx(getattr(game, name), abs=1e-12)


def test_each_field_that_the_calculator_reads_is_in_the_digest() -> None:
    folder = Path(tables.odds.__path__[0])
    texts = [path.read_text() for path in folder.glob("*.py") if path.stem not in OF_GAMES]
    assert len(texts) > 5
    read = {name for text in texts for name in re.findall(r"\brules\.([a-z]\w*)", text)}
    assert read & {field.name for field in fields(Ruleset)} <= set(game_odds.FIELDS)


@pytest.mark.parametrize("name", game_odds.FIELDS)
def test_a_field_that_matters_makes_another_digest(name: str) -> None:
    rules = PRESETS["vegas"]
    values: dict[str, Any] = {
        "tie": "dealer_wins",
        "natural_pays": None,
        "decks": 5,
        "max_hands": 2,
    }
    other = values[name] if name in values else not getattr(rules, name)
    assert game_odds.digest(replace(rules, **{name: other})) != game_odds.digest(rules)


def test_rules_that_are_worth_the_same_share_a_digest() -> None:
    limits = {"seats": 1, "minimum": 10_000, "maximum": "none"}
    assert game_odds.digest(customize("casino", limits)) == game_odds.digest(PRESETS["casino"])
    assert game_odds.digest(PRESETS["classic"]) == game_odds.digest(PRESETS["heads-up"])
    unsplit = {"max_hands": 1}
    assert game_odds.digest(
        customize("vegas", unsplit | {"double_after_split": False, "split_aces_once": False})
    ) == game_odds.digest(customize("vegas", unsplit))


@pytest.mark.django_db
def test_it_computes_once_and_remembers_and_stores(
    computed: list[Ruleset], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    assert game_odds.find(TWO_DECKS) is None
    game = game_odds.get(TWO_DECKS)
    with django_assert_num_queries(0):
        assert game_odds.get(TWO_DECKS) is game
    game_odds.forget()  # as in another process
    assert game_odds.get(customize("pot", {"decks": 2, "seats": 1})) == game
    assert computed == [TWO_DECKS]


@pytest.mark.django_db
def test_values_of_another_version_are_replaced(
    computed: list[Ruleset], monkeypatch: pytest.MonkeyPatch
) -> None:
    game_odds.get(TWO_DECKS)
    game_odds.forget()
    monkeypatch.setattr(game_odds, "VERSION", game_odds.VERSION + 1)
    game_odds.get(TWO_DECKS)
    assert computed == [TWO_DECKS, TWO_DECKS]
    assert GameOdds.objects.get().version == game_odds.VERSION


@pytest.mark.django_db
def test_many_are_read_by_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    three_decks = customize("pot", {"decks": 3})
    for rules in (TWO_DECKS, three_decks):
        game_odds.get(rules)
    game_odds.forget()
    with django_assert_num_queries(1):
        games = game_odds.find_all([POT, TWO_DECKS, three_decks, customize("pot", {"decks": 4})])
    assert set(games) == {POT, TWO_DECKS, three_decks}


@pytest.mark.django_db
def test_a_busy_database_keeps_no_value_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise DatabaseError("database is locked")

    monkeypatch.setattr(GameOdds.objects, "update_or_create", refuse)
    assert game_odds.get(TWO_DECKS) == evaluate_game(TWO_DECKS)


@pytest.mark.django_db
def test_one_computes_and_who_cannot_wait_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def evaluate(_: Ruleset) -> None:
        begun.set()
        may_end.wait(10)
        raise ValueError("broken off")

    monkeypatch.setattr(game_odds, "evaluate_game", evaluate)
    monkeypatch.setattr(game_odds, "find", lambda _: None)

    def fail() -> None:
        with pytest.raises(ValueError, match="broken off"):
            game_odds.get(TWO_DECKS)

    thread = threading.Thread(target=fail)
    thread.start()
    assert begun.wait(10)
    assert game_odds.get(customize("pot", {"decks": 3}), patience=0.0) is None
    may_end.set()
    thread.join()
    assert not game_odds._computing.locked()


@pytest.mark.django_db
def test_open_tables_are_computed_without_a_visitor(computed: list[Ruleset]) -> None:
    options = {"decks": 2, "seats": 1}
    for name, table_options in (("One", {}), ("Two", options), ("Three", options)):
        lifecycle.open_table(name=name, rules_key="pot", rules_options=table_options)
    closed_table = lifecycle.open_table(name="Gone", rules_key="pot", rules_options={"decks": 3})
    Table.objects.filter(pk=closed_table.pk).update(closed_at=timezone.now())
    assert [game_odds.compute_for_open_tables() for _ in range(2)] == [True, False]
    assert [rules.decks for rules in computed] == [2]
    assert game_odds.find(TWO_DECKS) is not None


@pytest.mark.django_db
def test_what_cannot_be_computed_holds_up_no_other_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def evaluate(rules: Ruleset) -> Game:
        if rules.decks == 3:
            raise ArithmeticError
        return evaluate_game(rules)

    monkeypatch.setattr(game_odds, "evaluate_game", evaluate)
    for decks in (2, 3):
        lifecycle.open_table(name=str(decks), rules_key="pot", rules_options={"decks": decks})
    assert [game_odds.compute_for_open_tables() for _ in range(3)] == [True, True, False]
    assert game_odds.find(TWO_DECKS) is not None
