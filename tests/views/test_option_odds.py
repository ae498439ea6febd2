"""What options cost, for the form that opens a table."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.lib.errors import TRY_AGAIN
from accounts.models import User
from tables.advice import game_odds
from tables.engine.options import customize
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset
from tables.lobby.option_costs import compared_rules
from tables.odds.games import Game, evaluate_game
from tables.views import odds

pytestmark = pytest.mark.django_db

PATH = "/tables/new/odds/"


@pytest.fixture
def page(client: Client, ann: User) -> Client:
    cache.clear()  # the requests of other tests
    client.force_login(ann)
    return client


def get_odds(page: Client, **query: str) -> dict[str, Any]:
    answer = page.get(PATH, query)
    assert answer.status_code == 200
    data: dict[str, Any] = answer.json()
    for name in ("edge", "compared"):
        if name in data:
            data[name] = data[name].replace("\N{NO-BREAK SPACE}", " ")
    return data


def test_a_preset_has_its_edge_and_costs_nothing(page: Client) -> None:
    data = get_odds(page, rules_key="vegas", seats="2", minimum="5", maximum="50")
    assert data == {"errors": {}, "edge": "Dealer's edge 0.33 %", "compared": "", "costs": {}}


def test_a_switched_option_has_its_cost(page: Client) -> None:
    data = get_odds(page, rules_key="casino", natural_pays="6:5")
    cost = "1.39\N{NO-BREAK SPACE}% more for the dealer"
    assert data == {
        "errors": {},
        "edge": "Dealer's edge 1.10 %",
        "compared": "1.39 % more for the dealer than with the rules of Casino",
        "costs": {"natural_pays": f"6 to 5 instead of 3 to 2: {cost}"},
    }


def test_without_bets_it_counts_rounds_and_no_difference_is_said(page: Client) -> None:
    data = get_odds(page, rules_key="classic", decks="2", twenty_one_stands="yes")
    assert set(data["costs"]) == {"decks", "twenty_one_stands"}
    assert data["costs"]["decks"].startswith("2 instead of 1: 0.")
    assert "more rounds of 100 for" in data["costs"]["decks"]
    assert data["costs"]["twenty_one_stands"] == "yes instead of no: no difference"


def test_what_does_not_go_together_is_said_at_its_field(page: Client) -> None:
    message = "Late surrender needs the dealer's check for blackjack. Turn that on too."
    for query, error in (
        ({"surrender": "yes", "peek": "no"}, {"surrender": [message]}),
        ({"decks": "9"}, {"decks": ["Decks can't be 9. 1 to 8."]}),
        ({"minimum": "-100"}, {"minimum": ["Ensure this value is greater than or equal to 1."]}),
        (
            {"maximum": "1000001"},
            {"maximum": ["Ensure this value is less than or equal to 1000000."]},
        ),
        ({"decks": "many"}, {"decks": ["Enter a whole number."]}),
    ):
        assert get_odds(page, rules_key="casino", **query) == {"errors": error}
    assert list(get_odds(page)["errors"]) == ["rules_key"]


def test_an_option_that_cannot_be_alone_is_compared_at_its_table() -> None:
    """Vegas has surrender, which needs the dealer's check: only without it the check can go."""
    preset = PRESETS["vegas"]
    options = {"peek": False, "surrender": False, "insurance": False, "decks": 8}
    rules = customize("vegas", options)
    assert compared_rules("peek", preset, rules) == (rules, replace(rules, peek=True))
    assert compared_rules("decks", preset, rules) == (replace(preset, decks=8), preset)


def test_a_busy_site_says_so(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_odds, "get", lambda *_: None)
    answer = page.get(PATH, {"rules_key": "pot"})
    assert (answer.status_code, answer.json()["error"]) == (503, str(TRY_AGAIN))


def test_nobody_computes_without_end(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_odds, "evaluate_game", lambda _: pytest.fail("computed"))
    answers = [page.get(PATH, {"rules_key": "pot"}).status_code for _ in range(61)]
    assert answers == [200] * 60 + [429]


@pytest.mark.django_db(transaction=True)
def test_the_newest_request_of_a_player_alone_goes_on(
    page: Client, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page has given up the older one. Others wait for one computation of a player at most."""
    begun, may_end = threading.Event(), threading.Event()
    computed: list[str] = []

    def evaluate(rules: Ruleset) -> Game:
        computed.append(f"{rules.decks}")
        begun.set()
        assert may_end.wait(10)
        return game

    game = evaluate_game(PRESETS["pot"])
    monkeypatch.setattr(game_odds, "evaluate_game", evaluate)
    user, other = page.session["_auth_user_id"], Client()
    other.force_login(ben)

    def ask(client: Client, decks: str) -> int:
        return client.get(PATH, {"rules_key": "pot", "decks": decks}).status_code

    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(ask, page, "2")]
        assert begun.wait(10)
        for decks in ("3", "4"):
            number = odds._newest[int(user)]
            answers.append(pool.submit(ask, page, decks))
            while odds._newest[int(user)] == number:
                time.sleep(0.01)
        answers.append(pool.submit(ask, other, "5"))
        time.sleep(0.2)  # until the last one waits for the lock: nothing shows that
        may_end.set()
    assert [answer.result() for answer in answers[1:]] == [503, 200, 200]
    assert sorted(computed) == ["2", "4", "5"]
    assert not odds._newest


def test_the_value_is_that_of_the_calculator(page: Client) -> None:
    get_odds(page, rules_key="pot", decks="2")
    rules = customize("pot", {"decks": 2})
    assert game_odds.find(rules) == evaluate_game(rules)
