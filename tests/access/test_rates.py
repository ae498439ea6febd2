"""How often something may be done, by one player and from one address; then a page asks to wait."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from tables.writer import Writer
from tests.at_table import new_player
from tests.operators.test_matrix import at_once

HERE, THERE = "192.0.2.1", "192.0.2.2"


@pytest.fixture(autouse=True)
def _fresh_rates() -> Iterator[None]:
    cache.clear()
    with patch.object(Writer, "_put", at_once):
        yield


def browser(user: User | None = None, address: str = HERE) -> Client:
    client = Client(REMOTE_ADDR=address)
    if user is not None:
        client.force_login(user)
    return client


def in_words(answer: Any) -> bool:
    """A page of the site, with a way out of it."""
    page = answer.content.decode()
    return "</h1>" in page and "<a " in page.split("<main")[1]


FROM_AN_ADDRESS = {
    "/accounts/login/": 30,
    "/accounts/signup/": 20,
    "/accounts/guest/": 10,
}
"""How many forms of somebody who is not logged in."""


@pytest.mark.django_db
@pytest.mark.parametrize("path", FROM_AN_ADDRESS)
def test_one_address_sends_so_many_forms_and_then_waits(path: str) -> None:
    most = FROM_AN_ADDRESS[path]
    answers = [browser().post(path) for _ in range(most + 1)]
    assert [answer.status_code == 429 for answer in answers] == [False] * most + [True]
    assert in_words(answers[-1])
    assert browser(address=THERE).post(path).status_code != 429


@pytest.mark.django_db
def test_more_letters_for_forgotten_passwords_than_twenty_a_minute_are_not_sent() -> None:
    path = "/accounts/password/reset/"
    answers = [browser().post(path, {"email": f"a{n}@example.com"}) for n in range(21)]
    assert [answer.status_code for answer in answers] == [302] * 20 + [429]
    assert in_words(answers[-1])


OF_A_PLAYER = {
    "/rebuy/": 10,
    "/accounts/password/change/": 5,
    "/account/sessions/end/": 10,
    "/account/delete/": 5,
}


@pytest.mark.django_db
@pytest.mark.parametrize("path", OF_A_PLAYER)
def test_one_player_sends_so_many_forms_from_wherever_and_then_waits(path: str, ann: User) -> None:
    most = OF_A_PLAYER[path]
    with patch("accounts.sessions.end"):
        answers = [browser(ann, f"192.0.2.{number}").post(path) for number in range(most + 1)]
    assert [answer.status_code == 429 for answer in answers] == [False] * most + [True]
    assert in_words(answers[-1])
    assert browser(new_player("ben")).post(path).status_code != 429


@pytest.mark.django_db
def test_one_address_takes_play_money_sixty_times_an_hour() -> None:
    players = [new_player(f"player{number}") for number in range(7)]
    answers = [browser(player).post("/rebuy/") for player in players[:6] for _ in range(10)]
    assert {answer.status_code for answer in answers} == {302}
    refused = browser(players[6]).post("/rebuy/")
    assert refused.status_code == 429
    assert in_words(refused)
    assert browser(players[6], THERE).post("/rebuy/").status_code == 302


@pytest.mark.django_db
def test_files_are_counted_as_they_are_fetched(ann: User) -> None:
    client = browser(ann)
    answers = [client.get("/statement.csv") for _ in range(21)]
    assert [answer.status_code for answer in answers] == [200] * 20 + [429]
    assert in_words(answers[-1])
