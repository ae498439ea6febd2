"""Every role, every address, every thing it is about: who is let in, and who is told nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve, reverse

from tables.operators.urls import urlpatterns as of_operators
from tests.operators.test_matrix import is_kept_nowhere
from tests.permissions.actors import ROLES, World
from tests.permissions.matrix_rows import GONE, LED, LOGIN, NEVER, NO, NONE, PAGE, ROWS, Row
from tests.permissions.probe import ask, clients, path_of, world, writing

__all__ = ["clients", "world"]


FOR_EVERYBODY = {"words"}
"""Addresses whose answers are the same for everybody."""


def word_for(answer: Any) -> str:
    if answer.status_code == 302:
        to = str(answer.headers["Location"]).split("?")[0]
        return LOGIN if to in (reverse("account_login"), reverse("admin:login")) else LED
    words = {200: PAGE, 404: NONE, 410: GONE, 403: NO, 405: NEVER}
    return words.get(answer.status_code, str(answer.status_code))


@dataclass(frozen=True)
class Findings:
    """What is wrong with the answers, and which of them a browser may keep."""

    wrong: list[str]
    cacheable_pages: list[str]


_FINDINGS: list[Findings] = []


@pytest.fixture
def found(request: pytest.FixtureRequest) -> Findings:
    """Everything is asked once for the tests that look at the answers."""
    if not _FINDINGS:
        world, clients = map(request.getfixturevalue, ("world", "clients"))
        _FINDINGS.append(ask_for_everything(world, clients))
    return _FINDINGS[0]


def ask_for_everything(world: World, clients: dict[str, Client]) -> Findings:
    wrong, cacheable_pages = [], []
    for role, row in product(ROLES, ROWS):
        path = path_of(row, world)
        with writing() as written:
            answer = ask(clients[role], row.method, path, row.data)
        word = word_for(answer)
        if word != row.answers[role]:
            wrong.append(f"{role}: {row.method} {path}: {word}, not {row.answers[role]}")
        may_change = row.changes if row.method == "GET" else word in (PAGE, LED)
        if written and not may_change:
            wrong.append(f"{role}: {row.method} {path} wrote to {written}")
        if row.name not in FOR_EVERYBODY and not is_kept_nowhere(answer):
            cacheable_pages.append(f"{role}: {row.method} {path}: {answer.status_code}")
    return Findings(wrong, cacheable_pages)


def test_each_role_is_answered_as_the_matrix_says_and_changes_nothing_it_may_not(
    found: Findings,
) -> None:
    assert found.wrong == []


def test_case_54_nobody_elses_browser_keeps_a_page(found: Findings) -> None:
    assert found.cacheable_pages == []


def test_case_54_nor_what_is_not_there(clients: dict[str, Client]) -> None:
    for role, path in product(ROLES, ("/nothing/", "/tables/x/", "/static/nothing.css")):
        assert is_kept_nowhere(ask(clients[role], "GET", path)), path


def all_routes(urls: Any, before: str = "") -> Iterator[str]:
    """Every address of the site, as the patterns write them."""
    for pattern in urls.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from all_routes(pattern, route)
        else:
            assert isinstance(pattern, URLPattern)
            yield route.replace("^", "")


def of_the_operators_matrix() -> set[str]:
    """The addresses that tests/operators/test_matrix.py has every role ask for."""
    lists = {route for route in all_routes(get_resolver()) if re.match(r"admin/\w+/\w+/", route)}
    lists -= {"admin/accounts/user/<id>/password/"}
    own = {f"admin/{pattern.pattern}" for pattern in of_operators}
    return {"admin/", *own, *lists}


def route_of(row: Row, world: World) -> str:
    return resolve(path_of(row, world)).route.replace("^", "")


def test_every_address_of_the_site_has_a_row(world: World) -> None:
    """A page that is forgotten here may be open to anybody."""
    routes = {route_of(row, world) for row in ROWS} | of_the_operators_matrix()
    assert set(all_routes(get_resolver())) - routes == set()


def test_what_has_no_row_is_not_answered(world: World, clients: dict[str, Client]) -> None:
    routes = {(route_of(row, world), row.method) for row in ROWS}
    answered = []
    for row, role in product(ROWS, ("stranger", "outsider", "superuser")):
        method = "POST" if row.method == "GET" else "GET"
        if (route_of(row, world), method) in routes or row.name.startswith("admin:"):
            continue
        answer = ask(clients[role], method, path_of(row, world))
        if answer.status_code != 405:
            answered.append(f"{role}: {method} {path_of(row, world)}: {answer.status_code}")
    assert answered == []


def test_every_role_has_an_answer_in_every_row() -> None:
    for row in ROWS:
        assert set(row.answers) == set(ROLES), row
