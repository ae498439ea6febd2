"""The one-time link of the terminal that makes the first operator in a browser."""

from __future__ import annotations

from io import StringIO
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.doors import first_links
from accounts.models import Act, HouseSettings, User
from tables.game import account_deletion
from tests.helpers.table_client import new_player

pytestmark = pytest.mark.django_db

PASSWORD = "blackjack-21!"
FORM = {"username": "admin", "password1": PASSWORD}


def make(printer: str = "port 8000", *, is_only: bool = True) -> str:
    """The path of a new link."""
    link = first_links.make_link(printer, is_only=is_only)
    assert link is not None
    assert link.startswith("http://localhost")
    return urlsplit(link).path


def test_the_first_operator_is_made_and_lands_on_the_operators_pages(client: Client) -> None:
    path = make()
    assert "The first operator" in client.get(path).content.decode()
    answer = client.post(path, FORM, follow=True)
    # The role needs a second factor, which is set up on the way.
    assert answer.redirect_chain == [("/admin/", 302), ("/accounts/2fa/", 302)]
    assert "Your role needs a second factor." in answer.content.decode()
    assert answer.status_code == 200
    user = User.objects.get(username="admin")
    assert (user.is_superuser, user.is_staff, user.is_active) == (True, True, True)
    assert user.check_password(PASSWORD)
    act = Act.objects.get(what=Act.What.FIRST_OPERATOR)
    assert (act.by, act.subject, act.address) == (user, f"user:{user.pk}", "127.0.0.1")
    assert user.role_since == act.at, "so the first 24 hours in the role are the same for all"


def test_the_link_is_dead_as_soon_as_there_is_a_superuser(client: Client) -> None:
    path = make()
    User.objects.create_superuser("olga")
    for answer in (client.get(path), client.post(path, FORM)):
        assert answer.status_code == 404
        assert "This link is no longer valid" in answer.content.decode()
    assert not User.objects.filter(username="admin").exists()
    assert first_links.make_link("port 8000", is_only=True) is None


def test_a_link_from_before_never_makes_a_second_first_operator(client: Client) -> None:
    paths = [make("port 8000", is_only=False), make("port 8001", is_only=False)]
    olga = User.objects.create_superuser("olga")
    first_links.make_link("port 8000", is_only=False)  # the next start of one of them
    olga.delete()
    assert [client.get(path).status_code for path in paths] == [404, 404]


def test_nor_when_the_account_of_the_only_superuser_is_deleted(client: Client) -> None:
    path = make()
    olga = User.objects.create_superuser("olga")
    account_deletion.delete_account(olga.pk, timezone.now())
    assert client.get(path).status_code == 404


def test_it_works_once(client: Client) -> None:
    path = make()
    assert Client().post(path, FORM).status_code == 302
    User.objects.update(is_superuser=False)
    assert client.post(path, {**FORM, "username": "other"}).status_code == 404


def test_an_operator_who_is_no_superuser_does_not_end_it(client: Client) -> None:
    user = new_player("ben")
    user.is_staff = True
    user.save()
    assert client.get(make()).status_code == 200


def test_a_start_replaces_the_link_of_the_last_one(client: Client) -> None:
    old, new = make(), make("port 9000")
    assert client.get(old).status_code == 404
    assert client.get(new).status_code == 200


def test_of_several_processes_each_prints_a_link_that_works(client: Client) -> None:
    first, second = make("port 8001", is_only=False), make("port 8002", is_only=False)
    assert [client.get(path).status_code for path in (first, second)] == [200, 200]
    again = make("port 8001", is_only=False)
    statuses = [client.get(path).status_code for path in (first, second, again)]
    assert statuses == [404, 200, 200]


def test_the_secret_is_not_stored() -> None:
    token = make().split("/")[2]
    assert len(token) >= 32
    stored = HouseSettings.objects.values_list().get()
    assert token not in str(stored)


@pytest.mark.parametrize("wrong", ["nonsense", "x" * 200, "%00"])
def test_a_made_up_link_is_not_valid(client: Client, wrong: str) -> None:
    make()
    assert client.post(f"/first/{wrong}/", FORM).status_code == 404
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [("username", ""), ("username", "b b"), ("username", "x" * 40), ("password1", ""),
     ("password1", "short"), ("password1", "        "), ("password1", "12345678")],
)  # fmt: skip
def test_bad_input_changes_nothing_and_is_explained(client: Client, field: str, value: str) -> None:
    path = make()
    page = client.post(path, {**FORM, field: value})
    assert [*page.context["form"].errors] == [field]
    assert not User.objects.exists()
    assert client.post(path, FORM).status_code == 302


def test_the_name_of_a_player_is_taken(client: Client) -> None:
    new_player("Admin")
    page = client.post(make(), FORM)
    assert "That name is taken." in page.content.decode()


def test_the_command_prints_a_link_until_there_is_an_operator(client: Client) -> None:
    out = StringIO()
    call_command("first_link", stdout=out)
    assert client.get(urlsplit(out.getvalue().strip()).path).status_code == 200
    User.objects.create_superuser("olga")
    with pytest.raises(CommandError, match="There is an operator already"):
        call_command("first_link")
