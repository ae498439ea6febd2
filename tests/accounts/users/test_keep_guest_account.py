"""Keeping a guest's account: a name and a password more, and nothing less."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.messages import get_messages
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.ledger import audit, transfers
from accounts.models import Account, Transfer, User
from accounts.users import sessions, signup_forms
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db

KEEP = "/accounts/keep/"
PASSWORD = "blackjack-21!"


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


@pytest.fixture
def guest(client: Client) -> User:
    """Somebody who began to play as a guest, in the browser ``client``."""
    client.post("/accounts/guest/")
    return User.objects.get(pk=client.session["_auth_user_id"])


def keep(client: Client, name: str, **fields: str) -> Any:
    form = {"username": name, "email": "", "password1": PASSWORD}
    return client.post(KEEP, form | fields)


def errors(response: Any) -> list[str]:
    return re.findall(r'<div class="field-errors"[^>]*>(.*?)</div>', response.content.decode())


def is_in(client: Client) -> bool:
    return client.get("/history/").status_code == 200


# Kept.


def test_a_guest_keeps_the_account_under_a_name_of_their_own(client: Client, guest: User) -> None:
    response = keep(client, "Ann")
    user = User.objects.get(pk=guest.pk)
    assert response.headers["Location"] == "/"
    assert (user.username, user.is_guest) == ("Ann", False)
    assert user.check_password(PASSWORD)
    (message,) = get_messages(response.wsgi_request)
    assert str(message) == "Your account is saved. From now on, log in as Ann with your password."


def test_the_made_up_name_stands_there_and_may_stay(client: Client, guest: User) -> None:
    page = client.get(KEEP).content.decode()
    assert re.search(f'<input [^>]*name="username" value="{guest.username}"', page)
    keep(client, guest.username)
    user = User.objects.get(pk=guest.pk)
    assert (user.username, user.is_guest) == (guest.username, False)


def test_the_made_up_name_may_change_its_case(client: Client, guest: User) -> None:
    keep(client, guest.username.upper())
    assert User.objects.get(pk=guest.pk).username == guest.username.upper()


def test_the_browser_stays_logged_in_and_gets_a_new_key(client: Client, guest: User) -> None:
    old = client.session.session_key
    assert old
    keep(client, "Ann")
    new = client.session.session_key
    assert new
    assert is_in(client)
    assert sessions.find_ended({old, new}, timezone.now()) == {old}


def test_a_kept_session_lasts_as_long_as_everybodys(client: Client, guest: User) -> None:
    keep(client, "Ann")
    client.get("/")
    other = Client()
    other.post("/accounts/login/", {"login": "Ann", "password": PASSWORD})
    assert abs(client.session.get_expiry_age() - other.session.get_expiry_age()) < 60


def test_another_browser_gets_in_with_the_new_password(client: Client, guest: User) -> None:
    keep(client, "Ann")
    other = Client()
    other.post("/accounts/login/", {"login": "ann", "password": PASSWORD})
    assert other.session["_auth_user_id"] == str(guest.pk)


def test_whoever_copied_the_guests_session_is_out(client: Client, guest: User) -> None:
    copied = Client()
    copied.cookies["sessionid"] = client.cookies["sessionid"].value
    assert is_in(copied)
    keep(client, "Ann")
    assert not is_in(copied)


def test_an_address_resets_a_forgotten_password(client: Client, guest: User) -> None:
    keep(client, "Ann", email="Ann@example.com")
    assert EmailAddress.objects.get(user=guest, primary=True).email == "ann@example.com"
    Client().post("/accounts/password/reset/", {"email": "ann@example.com"})
    letter = mail.outbox[-1]
    assert "/accounts/password/reset/key/" in letter.body
    assert letter.to == ["ann@example.com"]
    assert User.objects.get(pk=guest.pk).email == "ann@example.com"


def test_the_pages_for_passwords_open(client: Client, guest: User) -> None:
    keep(client, "Ann")
    assert client.get("/accounts/password/change/").status_code == 200
    assert client.get("/accounts/email/").status_code == 200


# Nothing is lost.


def test_seat_and_money_stay(client: Client, guest: User, ben: User, casino: TableClient) -> None:
    casino.sit(ben, 1)  # and thinks about his bet, so that no card falls yet
    casino.sit(guest, 2)
    casino.bet(guest, 2_000)
    before = list(Transfer.objects.order_by("pk").values())
    wallet = Account.objects.get(user=guest)
    keep(client, "Ann")
    assert list(Transfer.objects.order_by("pk").values()) == before
    assert Account.objects.get(user=guest) == wallet
    assert Account.objects.get(user=guest).balance == 48_000
    assert [seat.player for seat in casino.view.seats] == ["ben", "Ann", None]
    assert list(audit.find_faults()) == []


def test_nothing_is_granted_a_second_time(
    client: Client, guest: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("keeping an account moves no money")

    monkeypatch.setattr(transfers, "post", refuse)
    monkeypatch.setattr(transfers, "get_or_open_wallet", refuse)
    keep(client, "Ann")
    assert not User.objects.get(pk=guest.pk).is_guest
    assert Transfer.objects.filter(kind=Transfer.Kind.GRANT).count() == 1


def test_a_button_pressed_twice_keeps_once(client: Client, guest: User) -> None:
    keep(client, "Ann")
    response = keep(client, "Ben", next="/history/")
    assert response.headers["Location"] == "/history/"
    assert User.objects.get(pk=guest.pk).username == "Ann"


def test_of_two_requests_at_once_the_later_changes_nothing(
    client: Client, guest: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = signup_forms.KeepForm

    class Late(form):
        """Kept by another request between its reading and its writing."""

        def save(self, request: Any) -> Any:
            User.objects.filter(pk=guest.pk).update(username="Ann", is_guest=False)
            return super().save(request)

    monkeypatch.setattr("accounts.views.KeepForm", Late)
    response = keep(client, "Ben")
    assert response.headers["Location"] == "/"
    assert User.objects.get(pk=guest.pk).username == "Ann"
    assert not User.objects.get(pk=guest.pk).has_usable_password()


# Refused: said in words, and nothing was changed.


@pytest.fixture
def _unchanged(client: Client, guest: User) -> Any:
    yield
    now = User.objects.get(pk=guest.pk)
    assert (now.username, now.is_guest, now.email) == (guest.username, True, "")
    assert not now.has_usable_password()
    assert is_in(client)


@pytest.mark.usefixtures("_unchanged")
@pytest.mark.parametrize("other", ["ben", "BEN", "Ben"])
def test_a_taken_name_is_refused_whatever_its_case(client: Client, ben: User, other: str) -> None:
    response = keep(client, other)
    assert errors(response) == ["<p>That name is taken. Choose another one.</p>"]
    assert f'value="{other}"' in response.content.decode()


@pytest.mark.usefixtures("_unchanged")
def test_a_name_that_is_taken_in_the_same_moment_is_refused(
    client: Client, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signup_forms.KeepForm, "clean_username", lambda form: "BEN")
    response = keep(client, "BEN", email="ann@example.com")
    assert response.status_code == 200
    assert errors(response) == ["<p>That name is taken. Choose another one.</p>"]


@pytest.mark.usefixtures("_unchanged")
@pytest.mark.parametrize("name", ["", "a" * 21, "ann ben", "<script>", "аnn", "../admin"])
def test_a_name_that_could_fool_others_is_refused(client: Client, name: str) -> None:
    assert errors(keep(client, name))


@pytest.mark.usefixtures("_unchanged")
@pytest.mark.parametrize(
    ("password", "word"),
    [
        ("12345678", "numeric"),
        ("password", "common"),
        ("short-1", "at least 8"),
        ("Marguerite", "similar"),
        ("", "required"),
    ],
)
def test_a_weak_password_is_refused(client: Client, password: str, word: str) -> None:
    response = keep(client, "Marguerite1", password1=password)
    assert any(word in error for error in errors(response)), errors(response)


def test_somebody_elses_address_is_told_to_nobody(client: Client, guest: User) -> None:
    other = Client()
    form = {"username": "ben", "password1": PASSWORD}
    other.post("/accounts/signup/", form | {"email": "ben@example.com"})
    keep(client, "Ann", email="Ben@example.com")
    assert User.objects.get(pk=guest.pk).username == "Ann"
    assert not EmailAddress.objects.filter(verified=True).exists()


@pytest.mark.usefixtures("_unchanged")
def test_another_site_cannot_keep_an_account(client: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies["sessionid"] = client.cookies["sessionid"].value
    assert keep(strict, "Ann").status_code == 403


@pytest.mark.usefixtures("_unchanged")
def test_trying_names_is_slowed_down(client: Client) -> None:
    codes = {keep(client, "no good").status_code for _ in range(21)}
    assert codes == {200, 429}


# Who else comes.


def test_who_is_not_logged_in_logs_in_first(client: Client) -> None:
    response = keep(client, "Ann", next="/history/")
    assert response.headers["Location"] == (
        "/accounts/login/?next=/accounts/keep/%3Fnext%3D%252Fhistory%252F"
    )
    assert User.objects.count() == 0


def test_who_is_no_guest_has_nothing_to_keep(client: Client, ann: User) -> None:
    client.force_login(ann)
    assert client.get(KEEP).headers["Location"] == "/"
    assert keep(client, "Ben").headers["Location"] == "/"
    assert User.objects.get(pk=ann.pk).username == "ann"


# Where it leads.


@pytest.mark.parametrize(
    ("onward", "then"),
    [("/tables/7/", "/tables/7/"), ("//evil.example/", "/"), ("javascript:alert(1)", "/")],
)
def test_it_leads_back_to_this_site_alone(
    client: Client, guest: User, onward: str, then: str
) -> None:
    page = client.get(KEEP, {"next": onward}).content.decode()
    form = page.split("<main", 1)[1].split("</main>", 1)[0]
    assert re.findall(r'<a href="([^"]*)">Not now</a>', form) == [then]
    assert re.findall(r'name="next" value="([^"]*)"', form) == ([then] if then != "/" else [])
    assert keep(client, "Ann", next=onward).headers["Location"] == then


def test_the_way_back_survives_a_mistake(client: Client, guest: User) -> None:
    page = keep(client, "", next="/tables/7/").content.decode()
    assert 'name="next" value="/tables/7/"' in page
