"""Numbers that no database takes, in every address, query and form: a sentence, and no error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib import admin
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import get_resolver, reverse

from tables.operators.urls import urlpatterns as of_operators
from tests.permissions.actors import SEATED, SUPERUSER, World
from tests.permissions.matrix_rows import ROWS
from tests.permissions.probe import clients, path_of, world
from tests.permissions.test_matrix import all_routes

__all__ = ["clients", "world"]

TOO_LARGE = 2**63
"""One more than a database takes."""
NUMBERS = (TOO_LARGE, "9" * 5000, "٣")
"""Of 5,000 digits Python itself makes no number."""
OF_LISTS = ("p", "page", "o", "all", "q", "e", "before", "after", "id", "pk", "_facets", "groups")
"""What lists are asked for beside what their forms have."""
EXPECTED = {200, 302, 400, 403, 404, 405, 410, 429}


class Fields(HTMLParser):
    """The forms of a page: method, action, and what each of their fields holds."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, str, dict[str, str]]] = []
        self._is_open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._is_open = True
            self.forms.append((has.get("method", "get").lower(), has.get("action", ""), {}))
        elif self._is_open and tag in ("input", "select", "textarea", "button") and "name" in has:
            fields = self.forms[-1][2]
            if has.get("type") not in ("radio", "checkbox") or "checked" in has:
                fields[has["name"]] = has.get("value", "")
            else:
                fields.setdefault(has["name"], has.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        self._is_open = self._is_open and tag != "form"


def forms_of(text: str) -> list[tuple[str, str, dict[str, str]]]:
    parser = Fields()
    parser.feed(text)
    return parser.forms


def attempt(client: Client, method: str, path: str, data: Mapping[str, Any]) -> str | None:
    """What went wrong; what it did is undone."""
    cache.clear()
    cookies = client.cookies.copy()
    request = f"{method} {path[:60]} { ({k: str(v)[:24] for k, v in data.items()}) }"
    try:
        with transaction.atomic():
            answer = getattr(client, method)(path, data)
            if answer.streaming:
                b"".join(answer)
            transaction.set_rollback(True)
    except Exception as error:
        return f"{request}: {error!r}"[:300]
    finally:
        client.cookies = cookies
    return None if answer.status_code in EXPECTED else f"{request}: {answer.status_code}"


def pages(world: World) -> dict[str, str]:
    """Every address that can be looked at, with who looks."""
    addresses = {path_of(row, world): SEATED for row in ROWS if row.method == "GET"}
    ids = {
        "table_id": world.ids["public"],
        "round_id": world.ids["public_round"],
        "user_id": world.users["outsider"].pk,
        "line_id": world.ids["line"],
    }
    for pattern in of_operators:
        names = pattern.pattern.converters
        if set(names) <= set(ids):
            at = {name: ids[name] for name in names}
            addresses[reverse(f"admin:{pattern.name}", kwargs=at)] = SUPERUSER
    for model in admin.site._registry:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        addresses[reverse(f"admin:{name}_changelist")] = SUPERUSER
        row = model._default_manager.order_by("-pk").first()
        if row is not None:
            addresses[reverse(f"admin:{name}_change", args=[row.pk])] = SUPERUSER
    return {path: who for path, who in addresses.items() if "logout" not in path}


@pytest.mark.long(seconds=15)
@pytest.mark.django_db
def test_case_57_a_number_that_no_database_takes_is_no_error_in_an_address(
    world: World, clients: dict[str, Client]
) -> None:
    wrong = []
    for route in sorted({*all_routes(get_resolver())}):
        parts = re.findall(r"<(?:\w+:)?(\w+)>", route)
        if not parts or "(?P" in route:
            continue
        for number in NUMBERS:
            path = "/" + re.sub(r"<(?:\w+:)?\w+>", str(number), route).replace("$", "").replace(
                "\\", ""
            )
            who = SUPERUSER if route.startswith("admin/") else SEATED
            wrong += [attempt(clients[who], method, path, {}) for method in ("get", "post")]
    assert [one for one in wrong if one] == []


@pytest.mark.long(seconds=35)
@pytest.mark.django_db
def test_case_57_nor_in_a_query_nor_in_a_field_of_a_form(
    world: World, clients: dict[str, Client]
) -> None:
    wrong, sent_forms = [], set()
    for path, who in pages(world).items():
        client = clients[who]
        answer = client.get(path)
        if answer.status_code != 200 or answer.streaming:
            names: set[str] = set()
            forms = []
        else:
            forms = forms_of(answer.content.decode())
            names = {name for method, _, fields in forms if method == "get" for name in fields}
        wrong += [attempt(client, "get", path, {name: TOO_LARGE}) for name in sorted(names)]
        for number in NUMBERS:
            wrong.append(attempt(client, "get", path, dict.fromkeys((*OF_LISTS, *names), number)))
        for method, action, fields in forms:
            to = action.split("?")[0] or path
            if method == "post" and "logout" not in to and (to, *fields) not in sent_forms:
                sent_forms.add((to, *fields))
                for name in fields:
                    wrong.append(attempt(client, "post", to, fields | {name: TOO_LARGE}))
                for number in NUMBERS:
                    wrong.append(attempt(client, "post", to, dict.fromkeys(fields, number)))
    assert [one for one in wrong if one] == []


@pytest.mark.django_db
def test_a_role_that_cannot_be_is_said_to_be_none(world: World, clients: dict[str, Client]) -> None:
    user = world.users["outsider"]
    path = reverse("admin:player_role", args=[user.pk])
    answer = clients[SUPERUSER].post(path, {"roles": [str(2**63)]})
    assert "Select a valid choice. 9223372036854775808 is not one" in answer.content.decode()
    assert not user.groups.exists()
