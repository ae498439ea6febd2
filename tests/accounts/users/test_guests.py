"""Playing as a guest: one press, and somebody has a name, money and a seat in sight."""

from __future__ import annotations

import datetime as dt
import itertools
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
import time_machine
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.ledger import audit
from accounts.models import Account, Transfer, User
from accounts.users import guests, signup_forms

pytestmark = pytest.mark.django_db

GUEST = "/accounts/guest/"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


@pytest.fixture
def _always_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first word of each list and the first digit: AmberAlpaca22, then AmberAlpaca2222."""

    def first(options: Sequence[str]) -> str:
        return options[0]

    monkeypatch.setattr(guests.secrets, "choice", first)


def guest_of(client: Client) -> User:
    return User.objects.get(pk=client.session["_auth_user_id"])


# Becoming one.


def test_one_press_makes_a_guest_with_money(client: Client) -> None:
    response = client.post(GUEST)
    guest = guest_of(client)
    assert response.headers["Location"] == "/"
    assert guest.is_guest
    assert not guest.has_usable_password()
    assert Account.objects.get(user=guest).balance == 50_000
    assert guest.username in client.get("/").content.decode()


def test_a_guest_may_choose_a_name(client: Client) -> None:
    response = client.post(GUEST, {"name": " Zoë ", "next": "/rules/"})
    assert response.headers["Location"] == "/rules/"
    assert guest_of(client).username == "Zoë"
    assert guest_of(client).is_guest
    assert Account.objects.get(user=guest_of(client)).balance == 50_000


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("BEN", "taken"),
        ("Вen", "letters"),
        ("dealer", "reserved"),
        ("a b", "space"),
        ("x" * 21, "20"),
    ],
)
def test_a_name_that_a_guest_may_not_have_is_refused_and_kept_in_the_form(
    client: Client, ben: User, name: str, word: str
) -> None:
    before = User.objects.count()
    response = client.post(GUEST, {"name": name, "next": "/rules/"})
    text = response.content.decode()
    (errors,) = re.findall(r'class="field-errors".*?</div>', text, re.DOTALL)
    assert word in errors
    assert f'value="{name}"' in text
    assert '<input type="hidden" name="next" value="/rules/">' in text
    assert User.objects.count() == before
    assert "_auth_user_id" not in client.session


def test_a_name_that_is_taken_in_the_same_moment_is_refused(
    client: Client, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signup_forms.GuestForm, "clean_name", lambda form: "ben")
    assert "That name is taken" in client.post(GUEST, {"name": "ben"}).content.decode()
    assert User.objects.count() == 1


def test_refused_names_use_up_no_guests_of_an_address(client: Client, settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"guest": "1/h"}
    for _ in range(3):
        assert client.post(GUEST, {"name": "a b"}).status_code == 200
    assert client.post(GUEST, {"name": "ab"}).status_code == 302


def test_names_are_not_found_out_by_trying(client: Client) -> None:
    codes = [client.post(GUEST, {"name": "a b"}).status_code for _ in range(21)]
    assert codes == [200] * 20 + [429]


def test_a_guest_is_granted_money_once(client: Client) -> None:
    client.post(GUEST)
    client.get("/")
    client.post(GUEST)
    (grant,) = Transfer.objects.all()
    assert (grant.kind, grant.amount) == (Transfer.Kind.GRANT, 50_000)
    assert list(audit.find_faults()) == []


def test_a_guest_stays_logged_in_for_months(client: Client) -> None:
    client.post(GUEST)
    assert client.cookies["sessionid"]["max-age"] >= 180 * 24 * 3600
    with time_machine.travel(timezone.now() + dt.timedelta(days=180)):
        assert guest_of(client).username in client.get("/").content.decode()


@pytest.mark.parametrize(
    "name", ["AmberAlpaca22", "{adjective}{animal}{digits}"], ids=["example", "longest"]
)
def test_a_made_up_name_keeps_to_the_rules_for_names(name: str) -> None:
    longest = name.format(
        adjective=max(guests.ADJECTIVES, key=len),
        animal=max(guests.ANIMALS, key=len),
        digits=guests.DIGITS[:4],
    )
    assert errors_of(User(username=longest, password="!")) == {}


def errors_of(user: User) -> dict[str, list[str]]:
    """What the form of a user would say, by field."""
    try:
        user.full_clean()
    except ValidationError as error:
        return dict(error.message_dict)
    return {}


def test_made_up_names_are_made_of_capitalised_english_words() -> None:
    for word in guests.ADJECTIVES + guests.ANIMALS:
        assert re.fullmatch(r"[A-Z][a-z]+", word), word
    assert len(set(guests.ADJECTIVES) | set(guests.ANIMALS)) == len(
        guests.ADJECTIVES + guests.ANIMALS
    )


def test_fifty_guests_have_fifty_names() -> None:
    names = {guests.create_guest(at=timezone.now()).username for _ in range(50)}
    assert len({name.lower() for name in names}) == 50


@pytest.mark.usefixtures("_always_the_same_words")
@pytest.mark.parametrize("name", ["AmberAlpaca22", "amberALPACA22"])
def test_a_made_up_name_that_is_taken_is_made_up_again(client: Client, name: str) -> None:
    User.objects.create_user(name)
    client.post(GUEST)
    assert guest_of(client).username == "AmberAlpaca2222"
    assert Account.objects.filter(kind="wallet").count() == 1


@pytest.mark.usefixtures("_always_the_same_words")
def test_when_every_name_is_taken_nothing_is_left_behind() -> None:
    for name in ("AmberAlpaca22", "AmberAlpaca2222"):
        User.objects.create_user(name)
    with pytest.raises(IntegrityError):
        guests.create_guest(at=timezone.now())
    assert (User.objects.count(), Account.objects.filter(kind="wallet").count()) == (2, 0)


@pytest.mark.django_db(transaction=True)
def test_two_guests_of_one_moment_do_not_get_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    both_have_made_up_a_name = Barrier(2, timeout=10)
    attempts = itertools.count()

    def name(attempt: int) -> str:
        if attempt == 0:
            both_have_made_up_a_name.wait()
            return "AmberAlpaca22"
        return f"AmberAlpaca{next(attempts)}"

    def arrive(_: int) -> str:
        try:
            return guests.create_guest(at=timezone.now()).username
        finally:
            connection.close()

    monkeypatch.setattr(guests, "_generate_name", name)
    with ThreadPoolExecutor(2) as arrivals:
        names = set(arrivals.map(arrive, range(2)))
    assert names == {"AmberAlpaca22", "AmberAlpaca0"}
    assert Transfer.objects.count() == 2


def test_nobody_logs_in_as_a_guest_with_a_password(client: Client) -> None:
    client.post(GUEST)
    name = guest_of(client).username
    for password in ("", "!", "blackjack-21!", guest_of(client).password):
        other = Client()
        other.post("/accounts/login/", {"login": name, "password": password})
        assert "_auth_user_id" not in other.session


# Where it leads.


@pytest.mark.parametrize("onward", ["/history/", "/join/K7QM9TXD/?seat=2", "/tables/7/"])
def test_a_guest_goes_on_to_where_they_wanted(client: Client, onward: str) -> None:
    assert client.post(GUEST, {"next": onward}).headers["Location"] == onward


@pytest.mark.parametrize(
    "onward",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "http:///evil.example",
        "javascript:alert(1)",
        " javascript:alert(1)",
        "data:text/html,hello",
        "",
    ],
)
def test_a_guest_is_not_led_to_another_site(client: Client, onward: str) -> None:
    response = client.post(GUEST, {"next": onward})
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    assert guest_of(client).is_guest


def test_who_is_logged_in_is_only_led_on(client: Client, ann: User) -> None:
    client.force_login(ann)
    assert client.post(GUEST, {"next": "/history/"}).headers["Location"] == "/history/"
    assert client.get(GUEST, {"next": "/history/"}).headers["Location"] == "/history/"
    assert client.post(GUEST, {"next": "//evil.example/"}).headers["Location"] == "/"
    assert list(User.objects.all()) == [ann]


def test_an_address_that_is_only_opened_makes_no_guest(client: Client) -> None:
    response = client.get(GUEST, {"next": "/history/"})
    assert response.headers["Location"] == "/accounts/login/?next=/history/"
    assert client.head(GUEST).headers["Location"] == "/accounts/login/?next=/"
    assert client.put(GUEST).status_code == 405
    assert User.objects.count() == 0


def test_another_site_cannot_make_guests_of_its_visitors() -> None:
    client = Client(enforce_csrf_checks=True)
    assert client.post(GUEST).status_code == 403
    assert User.objects.count() == 0


def test_a_button_pressed_twice_is_no_mistake() -> None:
    client = Client(enforce_csrf_checks=True)
    form = {"csrfmiddlewaretoken": token_of(client, "/accounts/login/"), "next": "/history/"}
    assert client.post(GUEST, form).headers["Location"] == "/history/"
    assert client.post(GUEST, form).headers["Location"] == "/history/"
    assert User.objects.count() == 1


def token_of(client: Client, path: str) -> str:
    match = re.search(
        r'name="csrfmiddlewaretoken" value="(\w+)"', client.get(path).content.decode()
    )
    assert match
    return match[1]


@pytest.mark.parametrize("page", ["/accounts/login/", "/accounts/signup/"])
def test_the_button_stands_where_others_log_in_or_sign_up(client: Client, page: str) -> None:
    text = client.get(page, {"next": "/history/"}).content.decode()
    form = re.search(r'<form method="post" action="/accounts/guest/">(.*?)</form>', text, re.DOTALL)
    assert form
    assert "Play as guest" in form[1]
    assert '<input type="hidden" name="next" value="/history/">' in form[1]


def test_what_is_passed_on_is_never_markup(client: Client) -> None:
    text = client.get("/accounts/login/", {"next": '"><script>alert(1)</script>'}).content.decode()
    assert "<script>alert" not in text


# How many.


def test_a_party_of_thirty_joins_from_one_address() -> None:
    assert [Client().post(GUEST).status_code for _ in range(31)] == [302] * 30 + [429]
    assert User.objects.count() == 30
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=61)):
        assert Client().post(GUEST).status_code == 302


def test_too_many_guests_are_told_how_to_go_on(settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"guest": "0/h"}
    response = Client().post(GUEST, {"next": "/join/K7QM9TXD/"})
    text = response.content.decode()
    assert response.status_code == 429
    assert "Too many guests" in text
    for page in ("login", "signup"):
        assert f'href="/accounts/{page}/?next=/join/K7QM9TXD/"' in text
    assert User.objects.count() == 0
    assert "can join in" not in text  # this site has no guests


def test_who_is_refused_is_told_when_the_next_guest_can_join(settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"guest": "2/h"}
    with time_machine.travel(timezone.now(), tick=False) as clock:
        Client().post(GUEST)
        clock.shift(20 * 60 + 1)
        Client().post(GUEST)
        response = Client().post(GUEST)
        assert "The next guest can join in 40\xa0minutes." in response.content.decode()
        assert response.headers["Retry-After"] == str(40 * 60 - 1)
        clock.shift(39 * 60)
        assert "can join in 1\xa0minute." in Client().post(GUEST).content.decode()
        clock.shift(60)
        assert Client().post(GUEST).status_code == 302


def test_another_address_has_guests_of_its_own(settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"guest": "1/h"}
    for address in ("192.0.2.1", "192.0.2.2"):
        assert Client(REMOTE_ADDR=address).post(GUEST).status_code == 302
        assert Client(REMOTE_ADDR=address).post(GUEST).status_code == 429


def test_behind_a_proxy_the_address_that_the_proxy_saw_counts(settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"guest": "1/h"}
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1

    def arrive(forwarded: str) -> int:
        return Client(headers={"x-forwarded-for": forwarded}).post(GUEST).status_code

    assert arrive("192.0.2.1") == 302
    assert arrive("192.0.2.2") == 302
    assert arrive("192.0.2.1") == 429
    assert arrive("203.0.113.9, 192.0.2.1") == 429  # what the browser says of itself


def test_without_a_proxy_a_made_up_address_does_not_count(settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"guest": "1/h"}
    codes = [
        Client(headers={"x-forwarded-for": f"192.0.2.{n}"}).post(GUEST).status_code
        for n in range(3)
    ]
    assert codes == [302, 429, 429]


def test_who_is_led_on_uses_nothing_up(client: Client, settings: Settings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"guest": "2/h"}
    for _ in range(5):
        client.post(GUEST)
    assert Client().post(GUEST).status_code == 302


@pytest.mark.parametrize("limit", ["", "10/h", "3/5m", "3/5m,20/d"])
def test_a_readable_limit_is_taken(limit: str, tmp_path: Path) -> None:
    assert start_with(limit, tmp_path).returncode == 0


@pytest.mark.parametrize("limit", ["ten", "10", "10/h/user", "10/y"])
def test_an_unreadable_limit_is_refused_at_the_start(limit: str, tmp_path: Path) -> None:
    assert "GUESTS_PER_ADDRESS is a number and a time" in start_with(limit, tmp_path).stderr


def start_with(limit: str, data: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "import blackjack_site.settings"],
        env=os.environ | {"GUESTS_PER_ADDRESS": limit, "BLACKJACK_DATA": str(data)},
        cwd=ROOT, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip


# What a guest sees.


def test_a_guests_menu_begins_with_keeping_the_account(client: Client) -> None:
    client.post(GUEST)
    first, *others = account_menu(client)
    assert first == ("/accounts/keep/?next=%2Fhistory%2F", "Save this account")
    assert ("/account/", "Account") in others
    assert others[-1] == ("/accounts/logout/", "Log out")


def test_everybody_elses_menu_does_not_speak_of_it(client: Client, ann: User) -> None:
    client.force_login(ann)
    words = [word for _, word in account_menu(client)]
    assert (words[0], words[-1]) == ("Account", "Log out")
    assert "Save this account" not in words


def account_menu(client: Client) -> list[tuple[str, str]]:
    items = client.get("/history/").content.decode().split('class="account-items"')[1]
    return re.findall(r'<a href="([^"]*)">([^<]*)</a>', items.split("</details>")[0])


@pytest.mark.parametrize("page", ["password/change", "password/set", "email", "reauthenticate"])
def test_pages_that_want_a_password_lead_a_guest_to_one(client: Client, page: str) -> None:
    client.post(GUEST)
    for response in (client.get(f"/accounts/{page}/"), client.post(f"/accounts/{page}/")):
        assert response.headers["Location"] == "/accounts/keep/"


def test_a_guest_who_signs_up_keeps_the_account_instead(client: Client) -> None:
    client.post(GUEST)
    response = client.get("/accounts/signup/", {"next": "/history/"})
    assert response.headers["Location"] == "/accounts/keep/?next=%2Fhistory%2F"


def test_those_pages_are_there_for_everybody_else(client: Client, ann: User) -> None:
    client.force_login(ann)
    assert client.get("/accounts/password/change/").status_code == 200
    assert client.get("/accounts/email/").status_code == 200
    assert Client().get("/accounts/password/change/").status_code == 302


def test_logging_out_warns_a_guest_and_offers_to_keep_the_account(client: Client) -> None:
    client.post(GUEST)
    name = guest_of(client).username
    page = client.get("/accounts/logout/").content.decode().split("<main")[1]
    assert f"you lose access to {name}" in page
    assert page.index("Save this account") < page.rindex("Log out")
    client.post("/accounts/logout/")
    assert "_auth_user_id" not in client.session


def test_logging_out_warns_nobody_else(client: Client, ann: User) -> None:
    client.force_login(ann)
    page = client.get("/accounts/logout/").content.decode().split("<main")[1]
    assert "guest" not in page
    assert "Save this account" not in page


def test_operators_find_the_guests(client: Client, ann: User) -> None:
    Client().post(GUEST)
    guest = User.objects.get(is_guest=True)
    client.force_login(User.objects.create_superuser("olga", password="blackjack-21!"))
    listed = client.get("/admin/accounts/user/", {"is_guest__exact": "1"}).content.decode()
    assert guest.username in listed
    assert "ann" not in re.findall(r">(\w+)</a></th>", listed)
    assert "column-is_guest" in listed
    assert 'href="?is_guest__exact=0"' in listed
