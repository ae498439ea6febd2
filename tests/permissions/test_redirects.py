"""Wherever ``next`` says, nobody is led to another site."""

from __future__ import annotations

from itertools import product
from typing import Any
from urllib.parse import urlencode, urljoin

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from tests.permissions.actors import World
from tests.permissions.matrix_rows import ROWS
from tests.permissions.probe import ask, clients, path_of, world

__all__ = ["clients", "world"]

pytestmark = pytest.mark.django_db

PASSWORD = "blackjack-21!"
AWAY = [
    "https://evil.example/", "//evil.example/", "/\\evil.example/", "\\\\evil.example/",
    "http:///evil.example", "https:evil.example", "///evil.example", "javascript:alert(1)",
    "data:text/html,hello", "https://localhost:8000@evil.example/", "https://evil.example\\@localhost:8000/",
    "/\t/evil.example/", "%2F%2Fevil.example/", "ftp://localhost:8000/",
    "http://localhost:81/", "http://localhost/", "http://testserver/",
]  # fmt: skip


def leads_here(answer: Any) -> bool:
    """As browsers read it: with backslashes for slashes, and without blanks in it."""
    to = str(answer.headers.get("Location", "/")).translate(str.maketrans("\\", "/", "\t\r\n"))
    return urljoin("http://localhost:8000/a/b/", to).startswith("http://localhost:8000/")


@pytest.mark.long
def test_no_address_leads_away(world: World, clients: dict[str, Client]) -> None:
    led = []
    evil = AWAY[1]
    for row, role in product(ROWS, ("stranger", "outsider", "superuser")):
        path = f"{path_of(row, world)}?{urlencode({'next': evil})}"
        answer = ask(clients[role], row.method, path, {**row.data, "next": evil})
        if not leads_here(answer):
            led.append(f"{role}: {row.method} {path}: {answer.headers['Location']}")
        if not answer.streaming and f'="{evil}' in answer.content.decode().replace("value=", ""):
            led.append(f"{role}: {row.method} {path} links to it")
    assert led == []


@pytest.mark.parametrize("onward", AWAY)
def test_nobody_is_led_away_by_coming_or_going(onward: str, ann: User) -> None:
    cache.clear()
    query, form = urlencode({"next": onward}), {"next": onward}
    new = {"username": "ben", "email": "", "password1": PASSWORD}
    forms = {
        "/accounts/login/": {"login": "ann", "password": PASSWORD},
        "/accounts/signup/": new,
        "/accounts/guest/": {},
    }
    for path, values in forms.items():
        answer = Client().post(f"{path}?{query}", {**values, **form})
        assert answer.status_code == 302, path
        assert leads_here(answer), path
    inside = {
        "/accounts/logout/": {},
        "/accounts/reauthenticate/": {"password": PASSWORD},
        "/accounts/password/change/": {
            "oldpassword": PASSWORD, "password1": "another-1-good", "password2": "another-1-good",
        },
        "/accounts/login/": {},
        "/admin/login/": {},
    }  # fmt: skip
    for path, values in inside.items():
        client = Client()
        client.force_login(ann)
        answer = client.post(f"{path}?{query}", {**values, **form})
        assert leads_here(answer), path
