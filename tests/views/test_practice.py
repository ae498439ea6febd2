"""The views of practice: hands and values for everybody, by any rules, at a bounded rate."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from django.core.cache import cache
from django.test import Client

from tables.engine.cards import Card
from tables.engine.hand import Hand
from tables.engine.options import customize
from tables.engine.presets import PRESETS
from tables.models import Table
from tables.odds.decisions import evaluate
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.mark.parametrize("key", PRESETS)
def test_a_hand_comes_without_its_values_and_they_come_after_it(client: Client, key: str) -> None:
    question: dict[str, Any] = client.get(f"/practice/hand/?rules={key}").json()
    assert set(question) == {"hand", "up", "total", "soft", "asks_insurance", "actions", "spot"}
    cards = quote(" ".join(question["hand"]))
    if question["asks_insurance"]:
        assert question["actions"] == ["insure", "decline"]
        return
    answer = client.get(f"/practice/values/?rules={key}&hand={cards}&up={question['up']}").json()
    hand, up = Hand.parse(" ".join(question["hand"])), Card.parse(question["up"])
    assert answer["values"] == evaluate(PRESETS[key], hand.cards, up).values
    assert sorted(answer["values"]) == sorted(question["actions"])
    assert bool(answer["chances"]) == (key == "piles")


def test_insurance_has_its_cost(client: Client) -> None:
    """Of six decks without these three cards: 95 tens among 309 cards, and half a bet."""
    query = "rules=vegas&hand=Ts+6h&up=Ac&asks=insurance"
    answer = client.get(f"/practice/values/?{query}").json()
    assert list(answer["values"]) == ["decline", "insure"]
    assert answer["values"]["decline"] == 0
    assert answer["values"]["insure"] == pytest.approx((3 * 95 / 309 - 1) / 2)
    assert answer["insurance"] is None


def test_options_of_a_table_are_in_the_query(client: Client) -> None:
    rules = customize("casino", {"seats": 1, "decks": 2, "hits_soft_17": True})
    query = "rules=casino&decks=2&hits_soft_17=True&minimum=500"
    answer = client.get(f"/practice/values/?{query}&hand=As+7h&up=Ac").json()
    assert answer["values"] == evaluate(rules, Hand.parse("As 7h").cards, Card.parse("Ac")).values
    page = client.get(f"/practice/?{query}").content.decode()
    assert "the dealer hits soft 17" in page
    assert "rules=casino\\u0026decks=2\\u0026hits_soft_17=True" in page
    assert "minimum" not in page


def test_the_rules_of_a_table_lead_to_its_practice(client: Client, casino: TableClient) -> None:
    options = {"seats": 2, "hits_soft_17": True, "natural_pays": "6:5"}
    Table.objects.filter(pk=casino.table_id).update(rules_options=options)
    page = client.get(f"/tables/{casino.table_id}/rules/").content.decode()
    link = "/practice/?rules=casino&amp;hits_soft_17=True&amp;natural_pays=6%3A5"
    assert link in page
    answer = client.get(link.replace("&amp;", "&"))
    assert "blackjack pays 6 to 5, the dealer hits soft 17" in answer.content.decode()


def test_the_rules_of_a_table_stay_in_the_list(client: Client) -> None:
    own = "rules=casino&natural_pays=6%3A5"
    chosen = '<option value="own" selected>Casino, as at the table</option>'
    offered = '<option value="own">Casino, as at the table</option>'
    page = client.get(f"/practice/?{own}").content.decode()
    assert chosen in page
    assert f'name="own" value="{own.replace("&", "&amp;")}"' in page
    page = client.get(f"/practice/?rules=casino&own={quote(own)}").content.decode()
    assert offered in page
    assert '<option value="casino" selected>' in page
    assert "At this table" not in page
    page = client.get(f"/practice/?rules=own&own={quote(own)}").content.decode()
    assert chosen in page
    assert "At this table: blackjack pays 6 to 5." in page
    assert "hand/?rules=casino\\u0026natural_pays=6%3A5" in page
    assert 'value="own"' not in client.get("/practice/?rules=casino").content.decode()


def test_fewer_decks_are_enough_for_one_player(client: Client) -> None:
    """A table with one seat may have five decks; practice does not know its seats."""
    assert client.get("/practice/?rules=vegas&decks=5").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/practice/?rules=none",
        "/practice/?rules=casino&decks=99",
        "/practice/?rules=pot&surrender=True",
        "/practice/?rules=casino&own=rules%3Dnone%26decks%3D2",
        "/practice/?rules=casino&own=rules%3Dcasino%26decks%3D99",
        "/practice/?rules=own&own=rules%3Down",
        "/practice/hand/?hands=none",
        "/practice/hand/?rules=vegas&decks=%F0%9F%82%A1",
    ],
)
def test_rules_that_cannot_be_are_not_there(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "No such hand."),
        ("?hand=Ts+6h&up=x", "No such hand."),
        ("?hand=Ts&up=9h", "No such hand."),
        ("?hand=Ts+6h&up=Ts", "There are 2 times Ts, and 1 in the shoe."),
        ("?hand=Ts+9h+8s&up=9c", "This hand is over 21."),
        ("?hand=Ts+6h&up=9c&asks=insurance", "Insurance is not offered here."),
        ("?rules=casino&hand=Ts+6h&up=Ac&asks=insurance", "Insurance is not offered here."),
        ("?hand=As+2s+3s+4s+5s+6s&up=9c", "No such hand."),
    ],
)
def test_a_hand_that_cannot_be_is_refused_with_a_sentence(
    client: Client, query: str, message: str
) -> None:
    answer = client.get(f"/practice/values/{query}")
    assert (answer.status_code, answer.json()) == (400, {"error": message})


def test_missed_spots_may_be_anything(client: Client) -> None:
    missed = quote("hard-16-T:2,,x,:9,soft-18-9:-1,pairs-88-A:99999999," + "y:1," * 99)
    assert client.get(f"/practice/hand/?missed={missed}").status_code == 200


def test_an_address_has_its_rate(client: Client) -> None:
    path = "/practice/values/?hand=Ts+6h&up=9c"
    answers = [client.get(path) for _ in range(241)]
    assert [answer.status_code for answer in answers] == [200] * 240 + [429]
    assert answers[-1].json() == {"error": "Too many hands at once. Wait a moment."}
    assert client.get(path, REMOTE_ADDR="192.0.2.9").status_code == 200
