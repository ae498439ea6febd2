"""What operators read where a page is not for them, is not there, or failed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from tables.models import Round
from tables.operators import error_pages
from tables.operators.permission_labels import WORDS, list_roles_with
from tables.operators.rounds import views
from tables.operators.urls import urlpatterns
from tests.helpers.table_client import TableClient
from tests.operators.test_rounds import as_, read_page

pytestmark = pytest.mark.django_db

Role = Callable[..., User]
WAY_BACK = '<a class="button" href="/admin/">Go to the start page</a>'


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.mark.parametrize(
    ("path", "lacks", "roles"),
    [
        ("/admin/trail/", "see the audit log", "These roles have it: floor, manager."),
        ("/admin/floor/", "see live tables", "These roles have it: floor, manager."),
        (
            "/admin/tables/chatline/",
            "see stored rows (chat lines)",
            "These roles have it: floor, manager.",
        ),
        ("/admin/floor/maintenance/", "schedule maintenance", "This role has it: manager."),
    ],
)
def test_a_role_is_told_what_it_lacks_and_which_has_it(
    path: str, lacks: str, roles: str, operator: Role
) -> None:
    text = read_page(as_(operator("cashier")), path, 403)
    assert f"Your role lacks this permission: {lacks}. {roles}" in text
    assert WAY_BACK in text
    assert '<a href="/admin/players/">Players</a>' in text, "the places are there as ever"
    assert "lobby" not in text


def test_what_django_refuses_is_said_in_the_same_place(operator: Role, ann: User) -> None:
    text = read_page(as_(operator("floor")), "/admin/accounts/user/add/", 403)
    assert "Your role does not have access to this." in text
    assert WAY_BACK in text


@pytest.mark.parametrize(
    "path",
    ["rounds/999999/", "players/999999/", "floor/tables/999999/", "nowhere/", "voids/x/"],
)
def test_what_is_not_there_leads_operators_back_to_their_first_page(
    path: str, operator: Role
) -> None:
    text = read_page(as_(operator("manager")), f"/admin/{path}", 404)
    assert "Page not found" in text
    assert WAY_BACK in text
    assert "Back to the lobby" not in text


def test_the_other_pages_have_the_players_words(operator: Role, ann: User) -> None:
    text = read_page(as_(operator("manager")), "/rounds/999999/", 404)
    assert "Back to the lobby" in text
    answer = as_(ann).get("/admin/rounds/999999/")
    assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, "/admin/login/")
    request = RequestFactory().get("/admin/rounds/1/")
    assert b"Back to the lobby" in error_pages.not_found(request, Exception()).content
    assert (
        b"Back to the lobby" in error_pages.permission_denied(request, PermissionDenied()).content
    )


@pytest.mark.parametrize(
    ("path", "words"), [("/admin/players/1/note/", "Go to the start page"), ("/rebuy/", "lobby")]
)
def test_a_form_that_is_too_old_is_refused_where_it_was_sent(
    path: str, words: str, operator: Role
) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator("floor"))
    answer = client.post(path, {"text": "x"})
    assert answer.status_code == 403
    assert "That took too long" in answer.content.decode()
    assert words in answer.content.decode()


def test_what_fails_says_so_without_asking_the_database(
    operator: Role, casino: TableClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with CaptureQueriesContext(connection) as captured:
        answer = error_pages.server_error(RequestFactory().get("/admin/rounds/"))
    assert answer.status_code == 500
    assert WAY_BACK in answer.content.decode()
    assert "Check whether your action was done" in answer.content.decode()
    assert not captured.captured_queries

    def broken(*_args: object, **_options: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(views.round_list, "list_rounds", broken)
    client = as_(operator("manager"))
    client.raise_request_exception = False
    assert WAY_BACK in read_page(client, "/admin/rounds/", 500)
    answer = error_pages.server_error(RequestFactory().get("/"))
    assert b"Back to the lobby" in answer.content


def test_every_permission_that_a_page_asks_for_has_words_and_a_role() -> None:
    permissions = {getattr(pattern.callback, "permission", "") for pattern in urlpatterns}
    assert permissions == set(WORDS)
    assert all(list_roles_with(permission) for permission in permissions)


# What is typed into the search for rounds


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("number=999999", "No round has this number."),
        ("table=999999", "No table has this number."),
        ("player=nobody", "No player has or had that name."),
        ("number=x", "Enter a whole number."),
        ("before=x", "Enter a whole number."),
        ("rules=x", "Select a valid choice."),
    ],
)
def test_a_search_that_cannot_be_answered_says_so_and_shows_nothing(
    query: str, words: str, operator: Role, casino: TableClient, ann: User
) -> None:
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    client, row = as_(operator("manager")), Round.objects.get()
    assert f'<a href="/admin/rounds/{row.pk}/">' in read_page(client, "/admin/rounds/")
    text = read_page(client, f"/admin/rounds/?{query}")
    assert words in text
    assert f'<a href="/admin/rounds/{row.pk}/">' not in text
    assert "No rounds match." not in text
    assert 'href="/admin/rounds/">Newest rounds</a>' in text


def test_the_name_of_a_player_is_found_in_any_case(operator: Role, ann: User) -> None:
    text = read_page(as_(operator("manager")), "/admin/rounds/?player=ANN")
    assert "No rounds match." in text
    assert "No player has that name." not in text
