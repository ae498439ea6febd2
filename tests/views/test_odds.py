"""The value of the rules and the chart, on the pages that show them."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from tables.advice import game_odds
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset
from tables.game import lifecycle
from tables.odds.games import Game
from tables.texts.odds import build_odds, describe_edge

pytestmark = pytest.mark.django_db

EDGES = {
    "casino": "Player's edge 0.30 %",
    "vegas": "Dealer's edge 0.33 %",
    "pot": "Dealer's edge 13.08 %",
    "classic": "Dealer wins 4.2 more rounds of 100",
    "heads-up": "Dealer wins 4.2 more rounds of 100",
    "piles": "Dealer wins 4.6 more hands of 100",
}


def get_game(rules: Ruleset) -> Game:
    game = game_odds.get(rules)
    assert game is not None
    return game


def words(text: str) -> str:
    """The text of a page, without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


@pytest.mark.parametrize("key", PRESETS)
def test_a_rules_page_has_the_edge_and_the_chart_of_its_rules(client: Client, key: str) -> None:
    page = client.get(f"/rules/{key}/").content.decode()
    text = words(page)
    assert EDGES[key].replace("\N{NO-BREAK SPACE}", " ") in text
    game = get_game(PRESETS[key])
    for number, word in ((game.win, "won"), (game.tie, "tied"), (game.lose, "lost")):
        assert (f"{100 * number:.1f} {word}" in text) == (number > 0)
    assert page.count("<caption>") == 3
    assert ("“Otherwise” is for" in text) == (key in ("casino", "vegas"))
    assert ("approximate where hands are split" in text) == (key in ("casino", "vegas"))
    assert ("These values are exact" in text) == (key != "piles")
    [row] = re.findall(r"<tr>\s*<th scope=\"row\">[^\n]*pair of 8<.*?</tr>", page)
    cells = re.findall(r'<td class="is-(\w+)"><code aria-hidden="true">(\w+)</code>', row)
    assert [code for _, code in cells] == list(game.chart.pairs["88"].values())


def test_the_chart_is_in_words_for_those_who_do_not_see_it() -> None:
    odds = build_odds(PRESETS["vegas"], get_game(PRESETS["vegas"]))
    hard, soft, pairs = odds.parts
    assert [row.heading for row in hard.rows] == [
        "5–8", "9", "10", "11", "12", "13–14", "15", "16", "17–20",
    ]  # fmt: skip
    assert (hard.rows[0].words, hard.rows[-2].words) == ("hard 5 to 8", "hard 16")
    assert (soft.rows[5].heading, soft.rows[5].words) == ("A 7", "soft 18")
    assert (pairs.rows[-1].heading, pairs.rows[-2].words) == ("A A", "pair of 10")
    assert odds.up_cards[-2:] == (("10", "against 10"), ("A", "against an ace"))
    faces = [face for face, _ in odds.up_cards]
    cells = dict(zip(faces, hard.rows[-2].cells, strict=True))
    assert (cells["10"].code, cells["10"].words) == ("Rs", "surrender, otherwise stand")
    assert (cells["10"].action, cells["2"].action) == ("surrender", "stand")
    assert [cell.code for cell in odds.legend] == ["H", "S", "Dh", "Ds", "P", "Rh", "Rs"]


def test_a_tables_own_page_is_about_its_own_options(client: Client) -> None:
    options = {"natural_pays": "6:5", "double_down": False}
    table = lifecycle.open_table(name="Mine", rules_key="casino", rules_options=options)
    edge = describe_edge(table.rules, get_game(table.rules))
    assert edge not in EDGES.values()
    page = client.get(f"/tables/{table.pk}/rules/").content.decode()
    assert edge.replace("\N{NO-BREAK SPACE}", " ") in words(page)
    assert "double, otherwise" not in page
    for path in (f"/tables/{table.pk}/", "/"):
        text = words(client.get(path).content.decode())
        assert edge.replace("\N{NO-BREAK SPACE}", " ") in text


def test_lobby_and_table_compute_nothing_and_stay_without_an_unknown_edge(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_odds, "evaluate_game", lambda _: pytest.fail("computed"))
    table = lifecycle.open_table(name="Mine", rules_key="pot", rules_options={"decks": 2})
    for path in (f"/tables/{table.pk}/", "/"):
        assert "'s edge" not in html.unescape(client.get(path).content.decode())


def test_a_page_that_waits_too_long_for_others_is_shown_without_odds(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_odds, "get", lambda _: None)
    page = client.get("/rules/pot/").content.decode()
    assert "being computed" in page
    assert "<caption>" not in page
