"""How often something may be done, by one player and from one address; then a page asks to wait."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from allauth.core.internal import ratelimit
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache, caches
from django.test import Client, RequestFactory

from accounts.models import User
from blackjack_site.conf import local_cache
from tables.realtime.writers.writer import Writer
from tests.helpers.table_client import new_player
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
    "/accounts/guest/": 30,
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
def test_more_letters_for_forgotten_passwords_than_five_are_not_sent() -> None:
    path = "/accounts/password/reset/"
    answers = [browser().post(path, {"email": f"a{n}@example.com"}) for n in range(21)]
    assert [answer.status_code for answer in answers] == [302] * 5 + [429] * 16
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
    with patch("accounts.users.sessions.end_sessions"):
        answers = [browser(ann, f"192.0.2.{number}").post(path) for number in range(most + 1)]
    assert [answer.status_code == 429 for answer in answers] == [False] * most + [True]
    assert in_words(answers[-1])
    assert browser(new_player("ben")).post(path).status_code != 429


@pytest.mark.django_db
def test_one_address_takes_play_money_sixty_times_an_hour() -> None:
    players = [new_player(f"player{number}") for number in range(7)]
    browsers = [browser(player) for player in players[:6]]
    answers = [client.post("/rebuy/") for client in browsers for _ in range(10)]
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


def addresses(many: int) -> Iterator[str]:
    return (f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}" for number in range(many))


def log_in(name: str, address: str) -> int:
    form = {"login": name, "password": "wrong"}
    status: int = browser(address=address).post("/accounts/login/", form).status_code
    return status


@pytest.mark.django_db
def test_case_54_wrong_passwords_are_remembered_while_others_try() -> None:
    new_player("ann")
    assert [log_in("ann", HERE) for _ in range(11)] == [200] * 10 + [429]
    for address in addresses(200):
        assert log_in("ann", address) == 200
    assert len(caches["default"]._cache) > 300  # of which Django's own cache forgets some
    assert log_in("ann", HERE) == 429


@pytest.mark.django_db
def test_case_54_nor_do_ten_thousand_who_try_anything_else_make_it_forgotten() -> None:
    assert [log_in("ann", HERE) for _ in range(11)] == [200] * 10 + [429]
    assert [browser().get(f"/join/{'A' * 8}/").status_code for _ in range(21)][-1] == 429
    kinds = ["wrong_code", "signup", "guest", "login_failed", "reset_password"]
    request = RequestFactory().post("/")
    request.user = AnonymousUser()
    request.META["REMOTE_ADDR"] = THERE
    counts = caches["default"]
    before = set(counts._cache)
    for kind in kinds:
        assert ratelimit.consume(request, app="allauth.account", action=kind, key=THERE)
    counted = [key.removeprefix(":1:").rsplit(":", 1)[0] for key in {*counts._cache} - before]
    assert len(counted) >= len(kinds)
    for address in addresses(10_000):  # the same as if each of them came
        for count in counted:
            counts.set(f"{count}:{address}", [time.time()], 3600)
    assert log_in("ann", HERE) == 429
    assert browser().get(f"/join/{'A' * 8}/").status_code == 429


def test_case_54_counts_are_kept_up_to_a_bound_and_until_they_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local_cache, "ROOM", 90)
    counts = local_cache.LocalCache("test", {})
    counts.clear()
    login, code = (f"allauth:rl:allauth.account:{kind}:20/600/ip:ip:" for kind in ("login", "code"))
    counts.set(f"{login}over", [1.0], 0)
    for number in range(5):
        counts.set(f"{login}{number}", [1.0], 60)
    for number in range(1000):
        counts.set(f"{code}{number}", [1.0], 60)
    numbers = [number for number in range(1000) if counts.get(f"{code}{number}")]
    assert numbers == list(range(1000 - len(numbers), 1000))  # the latest
    assert 30 < len(numbers) < 90
    assert [counts.get(f"{login}{number}") for number in range(5)] == [[1.0]] * 5
    assert counts.get(f"{login}over") is None
