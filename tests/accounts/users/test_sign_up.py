"""Sign-up, login, logout, passwords: what a newcomer does first."""

from __future__ import annotations

import re

import pytest
from django.core import mail
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.test import Client

from accounts.models import Account, User

pytestmark = pytest.mark.django_db

PASSWORD = "blackjack-21!"


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


def sign_up(client: Client, name: str, **fields: str) -> object:
    form = {"username": name, "email": "", "password1": PASSWORD}
    return client.post("/accounts/signup/", form | fields)


def log_in(client: Client, name: str, password: str = PASSWORD) -> bool:
    client.post("/accounts/login/", {"login": name, "password": password})
    return "_auth_user_id" in client.session


def test_a_name_and_a_password_are_enough(client: Client) -> None:
    sign_up(client, "ann")
    assert Account.objects.get(user__username="ann").balance == 50_000
    assert "ann" in client.get("/").content.decode()


def test_the_lobby_is_where_a_new_player_arrives(client: Client) -> None:
    form = {"username": "ann", "email": "", "password1": PASSWORD}
    assert client.post("/accounts/signup/", form, follow=True).redirect_chain == [("/", 302)]


def test_sign_up_leads_back_to_where_somebody_came_from(client: Client) -> None:
    form = {"username": "ann", "email": "", "password1": PASSWORD}
    response = client.post("/accounts/signup/?next=/history/", form | {"next": "/history/"})
    assert response.headers["Location"] == "/history/"


def test_it_does_not_lead_to_another_site(client: Client) -> None:
    sign_up(client, "ann")
    client.logout()
    form = {"login": "ann", "password": PASSWORD, "next": "https://evil.example/"}
    assert client.post("/accounts/login/", form).headers["Location"] == "/home/"


@pytest.mark.parametrize("other", ["ann", "ANN", "Ann"])
def test_a_name_is_taken_whatever_its_case(client: Client, other: str) -> None:
    sign_up(Client(), "ann")
    page = sign_up(client, other).content.decode()
    assert "That name is taken." in page
    assert User.objects.count() == 1


def test_the_database_knows_that_too(db: None) -> None:
    User.objects.create_user("ann")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("ANN")


@pytest.mark.parametrize(
    "name", ["", "a" * 21, "<script>", "ann ben", "ann\u202e", "\u0430nn", "ann\u0000", "../admin"]
)
def test_it_refuses_a_name_that_could_fool_others(client: Client, name: str) -> None:
    sign_up(client, name)
    assert User.objects.count() == 0
    assert Account.objects.filter(kind="wallet").count() == 0


def test_it_refuses_a_weak_password(client: Client) -> None:
    sign_up(client, "ann", password1="12345678")
    assert User.objects.count() == 0


@pytest.mark.parametrize("password", [" " * 12, "\u2003" * 12])
def test_it_refuses_a_password_of_spaces_in_plain_words(client: Client, password: str) -> None:
    form = {"username": "ann", "email": "", "password1": password}
    page = client.post("/accounts/signup/", form).content.decode()
    assert "A password can&#x27;t be spaces alone." in page
    assert User.objects.count() == 0


def test_login_works_whatever_the_case_of_the_name(client: Client) -> None:
    sign_up(Client(), "Ann")
    assert log_in(client, "aNN")


def test_case_32_a_wrong_password_and_an_unknown_name_look_the_same(client: Client) -> None:
    sign_up(Client(), "ann")
    wrong = client.post("/accounts/login/", {"login": "ann", "password": "no"}).content.decode()
    unknown = client.post("/accounts/login/", {"login": "bob", "password": "no"}).content.decode()
    without_token = re.compile(r'value="[^"]*"')
    assert without_token.sub("", wrong) == without_token.sub("", unknown)


def test_guessing_passwords_is_slowed_down(client: Client) -> None:
    sign_up(Client(), "ann")
    for _ in range(12):
        log_in(client, "ann", "wrong")
    assert not log_in(client, "ann", PASSWORD)


def test_logout_asks_first_and_ends_the_session(client: Client) -> None:
    sign_up(client, "ann")
    client.get("/accounts/logout/")
    assert "_auth_user_id" in client.session
    client.post("/accounts/logout/")
    assert "_auth_user_id" not in client.session


def test_a_password_is_changed(client: Client) -> None:
    sign_up(client, "ann")
    new = "another-good-1!"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    client.post("/accounts/password/change/", form)
    assert not log_in(Client(), "ann", PASSWORD)
    assert log_in(Client(), "ann", new)


def test_a_forgotten_password_is_reset_by_mail(client: Client) -> None:
    sign_up(Client(), "ann", email="ann@example.com")
    client.post("/accounts/password/reset/", {"email": "ann@example.com"})
    letter = mail.outbox[-1]
    link = re.search(r"http://[^/]+(/accounts/password/reset/key/\S+)", letter.body)
    assert link, letter.body
    page = client.get(link[1], follow=True)
    new = "another-good-1!"
    path = page.redirect_chain[-1][0]
    client.post(path, {"password1": new, "password2": new})
    assert log_in(Client(), "ann", new)


def test_case_32_a_reset_for_an_unknown_address_says_the_same(client: Client) -> None:
    sign_up(Client(), "ann", email="ann@example.com")
    member = client.post("/accounts/password/reset/", {"email": "ann@example.com"}, follow=True)
    stranger = client.post("/accounts/password/reset/", {"email": "bob@example.com"}, follow=True)
    without_token = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"')
    assert without_token.sub(b"", member.content) == without_token.sub(b"", stranger.content)
