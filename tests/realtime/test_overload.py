"""A house that is too busy for what somebody wants says so kindly, and nothing has happened."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client

from accounts.models import OwnLimit, User
from tables.game import account_deletion, rebuys, seats
from tests.accounts.users.test_sign_up import PASSWORD, log_in
from tests.helpers.table_client import TableClient

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("stopped_writer"),
]

SORRY = "The site is busy. Try again in a few seconds."


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def anns(client: Client, ann: User) -> Client:
    assert log_in(client, "ann")
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def locked(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
    """What the database answers when others write for too long."""
    if sql.startswith(("INSERT", "UPDATE", "DELETE")):
        raise OperationalError("database is locked")
    return execute(sql, params, many, context)


def refuse(*_: Any, **__: Any) -> None:
    raise OperationalError("database is locked")


def is_told(client: Client, page: str) -> bool:
    return SORRY in html.unescape(client.get(page).content.decode())


@pytest.mark.parametrize(
    ("path", "form", "page"),
    [
        ("/account/name/", {"username": "Annabel"}, "/account/"),
        ("/account/listed/", {}, "/account/"),
        ("/account/sessions/end/", {"everywhere": ""}, "/account/"),
        ("/account/limits/reminder/", {"every": "30"}, "/account/limits/"),
        ("/history/reset/", {"name": "ann"}, "/history/reset/"),
    ],
)
def test_a_database_that_is_locked_is_told_kindly(
    anns: Client, ann: User, path: str, form: dict[str, str], page: str
) -> None:
    with connection.execute_wrapper(locked):
        answer = anns.post(path, form)
    assert answer.headers["Location"] == page
    assert is_told(anns, page)
    user = User.objects.get(pk=ann.pk)
    assert (user.username, user.is_listed, user.history_since) == ("ann", True, None)
    assert OwnLimit.objects.count() == 0


@pytest.mark.parametrize(
    ("module", "name", "path", "form", "page"),
    [
        (
            account_deletion,
            "delete_account",
            "/account/delete/",
            {"name": "ann", "password": PASSWORD},
            None,
        ),
        (rebuys, "rebuy", "/rebuy/", {}, "/statement/"),
        (seats, "leave", "/tables/{}/leave/", {}, "/home/"),
        (seats, "sit_down", "/tables/{}/seats/2/", {}, "/tables/{}/"),
    ],
)
def test_a_writer_that_fails_is_told_kindly(
    anns: Client, ann: User, casino: TableClient, monkeypatch: pytest.MonkeyPatch,
    module: Any, name: str, path: str, form: dict[str, str], page: str | None,
) -> None:  # fmt: skip
    casino.sit(ann, 1)
    monkeypatch.setattr(module, name, refuse)
    answer = anns.post(path.format(casino.table_id), form)
    assert answer.headers["Location"] == (page or path).format(casino.table_id)
    assert is_told(anns, answer.headers["Location"])
    assert User.objects.get(pk=ann.pk).is_active
    assert casino.row.seats.get().number == 1


def test_who_does_not_wait_for_the_end_is_told_to_look_first(
    anns: Client, ann: User, casino: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer still has the job: it may be done later."""

    def wait_too_long(*_: Any, **__: Any) -> None:
        raise TimeoutError

    casino.sit(ann, 1)
    monkeypatch.setattr(seats, "leave", wait_too_long)
    answer = anns.post(f"/tables/{casino.table_id}/leave/")
    page = html.unescape(anns.get(answer.headers["Location"]).content.decode())
    assert "The site is busy. Check whether it was done before you try again." in page


def test_a_page_that_cannot_be_read_is_not_led_to_itself(anns: Client) -> None:
    def unread(execute: Any, sql: str, *rest: Any) -> Any:
        if "tables_seat" in sql:
            raise OperationalError("database is locked")
        return execute(sql, *rest)

    with connection.execute_wrapper(unread), pytest.raises(OperationalError):
        anns.get("/tables/1/leave/")
