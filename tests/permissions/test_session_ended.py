"""The session ended while a form was open: who sends it is told, and comes back to a page."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from tables.operators.urls import urlpatterns as of_operators
from tests.operators.test_matrix import ROWS as OPERATORS_ROWS
from tests.permissions.actors import SEATED, SUPERUSER, World
from tests.permissions.matrix_rows import ROWS
from tests.permissions.probe import ask, clients, path_of, world

__all__ = ["clients", "world"]

pytestmark = pytest.mark.django_db

TOLD = "You're not logged in, so nothing was changed"
LOGINS = (reverse("account_login"), reverse("admin:login"))


def places(world: World) -> dict[str, str]:
    """Every address that takes a form, with who sends it."""
    addresses = {path_of(row, world): SEATED for row in ROWS if row.method == "POST"}
    nothing = world.ids["nothing"]
    ids = {
        "table_id": world.ids["public"], "round_id": world.ids["public_round"],
        "user_id": world.users["outsider"].pk, "line_id": world.ids["line"],
    }  # fmt: skip
    named = {row.name for row in OPERATORS_ROWS if row.method == "POST"}
    for pattern in of_operators:
        if pattern.name in named:
            at = {name: ids.get(name, nothing) for name in pattern.pattern.converters}
            addresses[reverse(f"admin:{pattern.name}", kwargs=at)] = SUPERUSER
    for model in admin.site._registry:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        row = model._default_manager.order_by("-pk").first()
        if row is not None:
            addresses[reverse(f"admin:{name}_change", args=[row.pk])] = SUPERUSER
    addresses[reverse("admin:logout")] = addresses[reverse("admin:password_change")] = SUPERUSER
    return addresses


@pytest.mark.long
def test_case_50_who_sends_a_form_after_the_session_is_told_and_comes_back_to_a_page(
    world: World, clients: dict[str, Client]
) -> None:
    wrong, led = [], 0
    for path, who in places(world).items():
        stranger = Client()
        answer = stranger.post(path)
        to = str(answer.headers.get("Location", ""))
        if to.split("?")[0] not in LOGINS or "next=" not in to:
            continue
        led += 1
        if TOLD not in unescape(stranger.get(to, follow=True).content.decode()):
            wrong.append(f"{path}: nobody is told that it was not done")
        who = SUPERUSER if path.startswith("/admin/") else who
        onward = clients[who].get(to, follow=True)  # logged in again, and so led on
        if onward.status_code not in (200, 404) or not onward.content:
            wrong.append(f"{path}: then {onward.status_code} at {onward.redirect_chain}")
    assert not wrong, "\n".join(wrong)
    assert led > 30


@pytest.mark.long
def test_no_405_is_a_blank_page(world: World, clients: dict[str, Client]) -> None:
    blank, refused = [], 0
    for path, who in {**places(world), "/figures/": SEATED, "/livez": SEATED}.items():
        for method in ("GET", "POST", "PUT"):
            answer: Any = ask(clients[who], method, path)
            if answer.status_code == 405:
                refused += 1
                if "<h1>" not in answer.content.decode():
                    blank.append(f"{method} {path}")
    assert blank == []
    assert refused


def test_who_only_looks_is_told_nothing(client: Client) -> None:
    answer = client.get(reverse("account"))
    assert list(get_messages(answer.wsgi_request)) == []
    assert TOLD not in client.get(answer.headers["Location"]).content.decode()
