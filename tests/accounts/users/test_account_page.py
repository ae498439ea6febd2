"""The account page: another name, the leaderboard, and what guests see there."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import NAME_TAKEN, User
from accounts.users.forms import NameForm
from tests.accounts.users.test_sign_up import PASSWORD, log_in

pytestmark = pytest.mark.django_db

PAGE = "/account/"
NAME = "/account/name/"


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def anns(client: Client, ann: User) -> Client:
    client.force_login(ann)
    return client


@pytest.fixture
def guests(client: Client) -> Client:
    client.post("/accounts/guest/")
    return client


def name_of(user: User) -> str:
    return User.objects.get(pk=user.pk).username


def rename(client: Client, name: str) -> str:
    return client.post(NAME, {"username": name}, follow=True).content.decode()


@pytest.mark.parametrize(
    "path", [PAGE, NAME, "/account/listed/", "/account/sessions/end/", "/account/delete/"]
)
def test_it_is_for_who_is_logged_in(client: Client, path: str) -> None:
    assert client.get(path).headers["Location"] == f"/accounts/login/?next={path}"
    if path != PAGE:
        assert client.post(path).headers["Location"] == f"/accounts/login/?next={path}"


@pytest.mark.parametrize(
    ("path", "page"),
    [
        (NAME, PAGE),
        ("/account/listed/", PAGE),
        ("/account/sessions/end/", PAGE),
        ("/account/limits/loss/", "/account/limits/"),
    ],
)
def test_who_is_back_from_the_login_finds_the_form(
    client: Client, ann: User, path: str, page: str
) -> None:
    login = client.post(path, {"username": "Annabel"}).headers["Location"]
    answer = client.post(login, {"login": "ann", "password": PASSWORD}, follow=True)
    assert answer.redirect_chain == [(path, 302), (page, 302)]
    assert answer.status_code == 200
    assert client.head(path).status_code == 302
    assert client.put(path).status_code == 405
    assert name_of(ann) == "ann"


# The name


def test_somebody_has_another_name_and_logs_in_with_it(anns: Client, ann: User) -> None:
    assert "Your name is now Annabel. Use it to log in." in rename(anns, "Annabel")
    assert name_of(ann) == "Annabel"
    assert log_in(Client(), "annabel")
    assert not log_in(Client(), "ann")


def test_ones_own_name_may_be_written_otherwise(anns: Client, ann: User) -> None:
    rename(anns, "ANN")
    assert name_of(ann) == "ANN"


def test_the_same_name_again_says_nothing(anns: Client, ann: User) -> None:
    assert ". Use it to log in" not in rename(anns, "ann")


@pytest.mark.parametrize("name", ["ben", "BEN", "Ben"])
def test_a_name_of_somebody_else_is_taken_whatever_its_case(
    anns: Client, ann: User, ben: User, name: str
) -> None:
    assert str(NAME_TAKEN) in rename(anns, name)
    assert name_of(ann) == "ann"


@pytest.mark.parametrize(
    "name", ["", "a" * 21, "<script>", "ann ben", "ann\u202e", "\u0430nn", "ann\u0000", "former #1"]
)
def test_it_refuses_a_name_that_could_fool_others(anns: Client, ann: User, name: str) -> None:
    rename(anns, name)
    assert name_of(ann) == "ann"


def test_a_reserved_name_is_refused(
    anns: Client, ann: User, settings: pytest.FixtureRequest
) -> None:
    settings.ACCOUNT_USERNAME_BLACKLIST = ["dealer"]
    rename(anns, "Dealer")
    assert name_of(ann) == "ann"


def test_a_name_that_is_taken_in_this_moment_is_refused_kindly(ann: User) -> None:
    form = NameForm({"username": "ben"}, user=ann)
    assert form.is_valid()
    User.objects.create_user("BEN")
    assert not form.save()
    assert form.errors["username"] == [str(NAME_TAKEN)]
    assert name_of(ann) == "ann"


def test_changing_names_without_end_is_slowed_down(anns: Client, ann: User) -> None:
    statuses = [anns.post(NAME, {"username": f"ann{n}"}).status_code for n in range(7)]
    assert statuses == [302] * 5 + [429] * 2
    assert name_of(ann) == "ann4"


def test_a_try_that_failed_counts_for_less(anns: Client, ann: User, ben: User) -> None:
    for name in ("ben", "a b", "", "BEN", "ben", "ben", "ben"):
        assert anns.post(NAME, {"username": name}).status_code == 200
    assert [anns.post(NAME, {"username": f"ann{n}"}).status_code for n in range(5)] == [302] * 5


@pytest.mark.long
def test_trying_names_without_end_is_slowed_down(anns: Client, ann: User, ben: User) -> None:
    statuses = [anns.post(NAME, {"username": "ben"}).status_code for _ in range(61)]
    assert statuses == [200] * 60 + [429]


def test_a_guest_keeps_the_account_instead(guests: Client) -> None:
    page = guests.get(PAGE).content.decode()
    assert "Save this account" in page
    assert 'name="username"' not in page
    before = User.objects.get().username
    assert guests.post(NAME, {"username": "eve"}).headers["Location"] == "/accounts/keep/"
    assert User.objects.get().username == before


# The leaderboard


def test_who_does_not_want_to_be_listed_is_not(anns: Client, ann: User) -> None:
    assert 'id="id_listed" checked' in anns.get(PAGE).content.decode()
    anns.post("/account/listed/", {})
    assert not User.objects.get(pk=ann.pk).is_listed
    assert 'id="id_listed" checked' not in anns.get(PAGE).content.decode()
    anns.post("/account/listed/", {"listed": "on"})
    assert User.objects.get(pk=ann.pk).is_listed


def test_guests_are_told_that_they_are_not_listed(guests: Client) -> None:
    page = guests.get(PAGE).content.decode()
    assert "Guests are not listed." in page
    assert 'name="listed"' not in page


# The rest of it


def test_it_leads_to_password_e_mail_and_limits(anns: Client) -> None:
    page = anns.get(PAGE).content.decode()
    for path in ("/accounts/password/change/", "/accounts/email/", "/account/limits/"):
        assert f'href="{path}"' in page
    assert 'id="settings-switches"' in page


def test_guests_are_not_led_to_what_needs_a_password(guests: Client) -> None:
    assert "/accounts/password/change/" not in guests.get(PAGE).content.decode()
