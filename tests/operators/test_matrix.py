"""Every role, page and action: who may is let in, who may not is sent away and changes nothing."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any
from unittest.mock import patch

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import connection, transaction
from django.db.models import Model
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, reverse

import tests.operators
from tables.operators.urls import urlpatterns
from tables.realtime.writers.writer import Job, Writer, _run_alone
from tests.operators import populated_site as worlds
from tests.operators.matrix import EVERY_ROLE, ROLES, Row
from tests.operators.populated_site import ACTORS, NOBODY, PLAYER, SUPERUSER, WITHOUT_ROLE, World

FLOOR_AND_MANAGER, MANAGER, NO_ROLE = (
    frozenset({"floor", "manager"}), frozenset({"manager"}), frozenset[str](),
)  # fmt: skip
VIEWS = {
    "accounts.account": EVERY_ROLE,
    "accounts.act": FLOOR_AND_MANAGER,
    "accounts.bookday": NO_ROLE,
    "accounts.housesettings": FLOOR_AND_MANAGER,
    "accounts.transfer": EVERY_ROLE,
    "accounts.walletentry": EVERY_ROLE,
    "accounts.user": EVERY_ROLE,
    "tables.auditrun": NO_ROLE,
    "tables.change": FLOOR_AND_MANAGER,
    "tables.chatline": FLOOR_AND_MANAGER,
    "tables.pilegame": FLOOR_AND_MANAGER,
    "tables.report": FLOOR_AND_MANAGER,
    "tables.round": EVERY_ROLE,
    "tables.serverprocess": NO_ROLE,
    "tables.shoe": FLOOR_AND_MANAGER,
    "tables.table": FLOOR_AND_MANAGER,
    "tables.takings": NO_ROLE,
    "tables.void": NO_ROLE,
}
"""Who sees the list of these, and each of its rows. A superuser sees them all."""
FORMS = {
    ("accounts.housesettings", "change"): MANAGER,
}
"""The forms of the admin with which something is changed; a superuser may them, too."""


def area_rows() -> Iterator[Row]:
    for module in pkgutil.iter_modules(tests.operators.__path__):
        if module.name.startswith("matrix_"):
            yield from import_module(f"tests.operators.{module.name}").ROWS


ROWS = [*area_rows(), Row("trail", FLOOR_AND_MANAGER), Row("index", EVERY_ROLE)]
SENT = {"GET": {}, "POST": {"action": "delete_selected", "_selected_action": "1", "post": "yes"}}
MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label_lower)

KEPT = [
    (
        model._meta.db_table,
        ", ".join(f'"{field.column}"' for field in model._meta.concrete_fields
                  if field.column != "last_login"),
    )
    for label in ("accounts", "tables", "auth")
    for model in apps.get_app_config(label).get_models(include_auto_created=True)
]  # fmt: skip
"""Each table, and its columns from the id on."""


def at_once(writer: Writer, job: Job) -> None:
    """At work on the connection of the test, whose rows nobody else sees."""
    _run_alone(job)


@pytest.fixture
def world(db: None) -> Iterator[World]:
    with patch.object(Writer, "_put", at_once):
        yield worlds.build()


@pytest.fixture
def clients(world: World) -> dict[str, Client]:
    """A browser of each; whose it is stays logged in, whatever the others do."""
    opened = {actor: Client() for actor in ACTORS}
    for actor, user in world.actors.items():
        opened[actor].force_login(user)
    return opened


def address_of(row: Row, world: World) -> str:
    """Where the row is about; raises ``KeyError`` for what is not in the world."""
    return reverse(f"admin:{row.name}", kwargs={n: world.ids[of] for n, of in row.at.items()})


def everything() -> list[object]:
    """All that is stored about the house, but for sessions and when who was here."""
    stored: list[object] = []
    with connection.cursor() as cursor:
        for table, columns in KEPT:
            cursor.execute(f'SELECT {columns} FROM "{table}" ORDER BY 1')
            stored.append((table, cursor.fetchall()))
    return stored


def is_kept_nowhere(answer: Any) -> bool:
    """Whether no browser and no proxy may keep the answer for others."""
    parts = {part.strip() for part in answer.headers.get("Cache-Control", "").split(",")}
    return bool(parts & {"no-store", "private"}) and "public" not in parts


def let_in(answer: Any) -> bool:
    """Whether this is a page of the house, or leads to one."""
    if answer.status_code == 302:
        return str(answer.headers["Location"]).split("?")[0] != reverse("admin:login")
    return bool(answer.status_code == 200)


def sent_away(answer: Any, actor: str) -> bool:
    """As the site does it: who is not an operator is asked to log in as one."""
    if actor in (NOBODY, PLAYER):
        return answer.status_code == 403 or not let_in(answer)
    return bool(answer.status_code == 403)


def may(row: Row, actor: str) -> bool:
    return (
        actor == SUPERUSER
        or actor in row.allowed
        or (row.name == "index" and actor == WITHOUT_ROLE)
    )


def ask_for_rows(
    actor: str, world: World, client: Client, cacheable_pages: list[str]
) -> Iterator[str]:
    before = everything()
    for row in ROWS:
        path = address_of(row, world)
        with transaction.atomic():
            answer = getattr(client, row.method.lower())(path, row.data)
            if not may(row, actor) and row.method == "POST" and everything() != before:
                yield f"{actor} was refused {path}, which changed something all the same"
            transaction.set_rollback(True)
        if may(row, actor) and not let_in(answer):
            yield f"{actor} may {row.method} {path}, and got {answer.status_code}"
        if not may(row, actor) and not sent_away(answer, actor):
            yield f"{actor} may not {row.method} {path}, and got {answer.status_code}"
        if not is_kept_nowhere(answer):
            cacheable_pages.append(f"{row.method} {path}")


def pages_of(model: type[Model]) -> Iterator[tuple[str, str, str]]:
    """Method, page and address of everything that the admin offers for a model."""
    name = f"{model._meta.app_label}_{model._meta.model_name}"
    row = model._default_manager.order_by("pk").first()
    assert row is not None, f"the world has no {model._meta.model_name}"
    one = [str(row.pk)]
    yield "GET", "list", reverse(f"admin:{name}_changelist")
    yield "POST", "action", reverse(f"admin:{name}_changelist")
    for method in ("GET", "POST"):
        yield method, "add", reverse(f"admin:{name}_add")
        yield method, "change", reverse(f"admin:{name}_change", args=one)
        yield method, "delete", reverse(f"admin:{name}_delete", args=one)
    yield "GET", "history", reverse(f"admin:{name}_history", args=one)


def may_model(label: str, method: str, page: str, actor: str) -> bool:
    views = actor == SUPERUSER or actor in VIEWS[label]
    changes = (label, "change") in FORMS and (actor == SUPERUSER or actor in FORMS[label, "change"])
    if page == "history":
        return views and (actor == SUPERUSER or actor in VIEWS["accounts.act"])
    if page in ("list", "action"):
        return views
    if page == "change":
        return changes if method == "POST" else views
    return (label, page) in FORMS and (actor == SUPERUSER or actor in FORMS[label, page])


def ask_for_lists(actor: str, client: Client, cacheable_pages: list[str]) -> Iterator[str]:
    before = everything()
    for model in MODELS:
        label = model._meta.label_lower
        for method, page, path in pages_of(model):
            allowed = may_model(label, method, page, actor)
            with transaction.atomic():
                answer = getattr(client, method.lower())(path, SENT[method])
                is_same = method == "GET" or everything() == before
                transaction.set_rollback(True)
            if allowed and not let_in(answer) and page != "action":
                yield f"{actor} may {method} {path}, and got {answer.status_code}"
            if not allowed and not sent_away(answer, actor):
                yield f"{actor} may not {method} {path}, and got {answer.status_code}"
            if not is_same and not (allowed and (label, page) in FORMS):
                yield f"{actor} changed something by {method} {path}"
            if not is_kept_nowhere(answer):
                cacheable_pages.append(f"{method} {path}")


@pytest.mark.parametrize("actor", ACTORS)
def test_each_role_may_what_the_matrix_says_and_nothing_else(
    actor: str, world: World, clients: dict[str, Client]
) -> None:
    """Pages, actions and lists; and no browser keeps an answer, or a refusal, for others (case 54)."""
    cacheable_pages: list[str] = []
    client = clients[actor]
    wrong = [
        *ask_for_rows(actor, world, client, cacheable_pages),
        *ask_for_lists(actor, client, cacheable_pages),
    ]
    assert wrong == []
    assert cacheable_pages == []


def test_every_address_of_the_operators_is_in_the_matrix() -> None:
    """With each method that it answers: a page that is forgotten here may be open to anybody."""
    named = {(row.name, row.method) for row in ROWS}
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        methods = {"GET", "POST"} & set(answered(pattern))
        assert methods, pattern
        missing = methods - {method for name, method in named if name == pattern.name}
        assert not missing, f"{pattern.name}: no row for {missing}"


def test_no_two_pages_have_one_name() -> None:
    """A link by that name would lead to the other page."""
    names = [pattern.name for pattern in urlpatterns if isinstance(pattern, URLPattern)]
    assert len(names) > 50
    assert sorted(names) == sorted(set(names))


def test_the_matrix_names_no_address_that_does_not_exist(world: World) -> None:
    for row in ROWS:
        try:
            address_of(row, world)
        except (NoReverseMatch, KeyError) as error:
            pytest.fail(f"{row.name}: {error!r}")


def test_every_page_of_the_operators_asks_for_a_permission() -> None:
    for pattern in urlpatterns:
        assert getattr(pattern.callback, "permission", ""), pattern


def test_every_model_of_the_admin_is_in_the_matrix() -> None:
    assert {model._meta.label_lower for model in MODELS} == set(VIEWS)


def test_every_row_is_about_roles_that_there_are() -> None:
    for row in ROWS:
        assert row.allowed <= set(ROLES), row
        assert row.method in ("GET", "POST"), row


def answered(pattern: URLPattern) -> tuple[str, ...]:
    methods: tuple[str, ...] = pattern.callback.methods
    return methods
