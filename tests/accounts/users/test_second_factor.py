"""The second factor of an account: set up, asked for at the login, once valid, removed."""

from __future__ import annotations

import datetime as dt
import html
import re
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core import mail
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.utils import timezone

from accounts.models import User
from accounts.users import deletion
from accounts.users.second_factor import challenges
from tests.accounts.users.test_sign_up import PASSWORD, log_in, sign_up
from tests.helpers.app_codes import SECRET, code_of
from tests.helpers.second_factor import (
    CODE_PAGE,
    give_app,
    log_in_with_code,
    recovery_codes_of,
)

pytestmark = pytest.mark.django_db

INDEX, APP, CODES = "/accounts/2fa/", "/accounts/2fa/app/", "/accounts/2fa/codes/"
CONFIRM, ASK = "/accounts/2fa/confirm/", "/accounts/reauthenticate/"


@pytest.fixture(autouse=True)
def _fresh() -> None:
    cache.clear()


@pytest.fixture
def anns(client: Client) -> Client:
    """Ann's browser; she has just entered her password once more."""
    sign_up(client, "ann")
    client.post(ASK, {"password": PASSWORD})
    return client


def ann() -> User:
    return User.objects.get(username="ann")


def text_of(answer: Any) -> str:
    return html.unescape(answer.content.decode())


def secret_on(page: str) -> str:
    match = re.search(r'id="secret">(\w+)<', page)
    assert match
    return match[1]


def set_up(client: Client) -> tuple[str, list[str]]:
    """Turn on the app by its pages; its secret, and the recovery codes as they are shown."""
    secret = secret_on(text_of(client.get(APP)))
    assert client.post(APP, {"code": code_of(secret)})["Location"] == CODES
    return secret, re.findall(r"<code>(\d{8})</code>", text_of(client.get(CODES)))


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_an_app_is_set_up_and_asked_for_at_the_next_login(anns: Client) -> None:
    page = text_of(anns.get(APP))
    assert "<svg" in page.split("<main")[1]
    assert "style=" not in page.split("second-factor-qr")[1]
    secret, codes = set_up(anns)
    assert len(codes) == 10
    other = Client()
    assert not log_in(other, "ann"), "the password alone is not enough"
    assert other.get("/account/").status_code == 302
    wrong = other.post(CODE_PAGE, {"code": "000000"})
    assert "That is wrong, or it was used before." in text_of(wrong)
    assert not is_in(other)
    other.post(CODE_PAGE, {"code": code_of(secret, steps=1)})
    assert is_in(other)


def test_case_71_a_code_is_valid_once_also_the_one_that_set_the_app_up(anns: Client) -> None:
    secret, _codes = set_up(anns)
    for steps, is_let_in in ((0, False), (-1, False), (1, True), (1, False)):
        other = Client()
        log_in(other, "ann")
        cache.clear()  # what a restart of the server forgets
        other.post(CODE_PAGE, {"code": code_of(secret, steps=steps)})
        assert is_in(other) == is_let_in, steps


def test_a_recovery_code_logs_in_once(anns: Client) -> None:
    _secret, codes = set_up(anns)
    for code, is_let_in in ((codes[3], True), (codes[3], False), (codes[4], True)):
        other = Client()
        log_in(other, "ann")
        other.post(CODE_PAGE, {"code": code})
        assert is_in(other) == is_let_in
    assert "You have 8 codes left" in text_of(anns.get(INDEX))


def test_recovery_codes_are_shown_once_and_new_ones_replace_them(anns: Client) -> None:
    _secret, codes = set_up(anns)
    again = text_of(anns.get(CODES))
    assert not any(code in again for code in codes)
    assert "Codes are shown only once." in again
    anns.post(f"{CODES}new/")
    new = re.findall(r"<code>(\d{8})</code>", text_of(anns.get(CODES)))
    assert len(new) == 10
    assert not {*new} & {*codes}
    other = Client()
    log_in(other, "ann")
    other.post(CODE_PAGE, {"code": codes[0]})
    assert not is_in(other)


def test_case_71_guesses_are_limited_at_the_login_and_later(anns: Client) -> None:
    secret, _codes = set_up(anns)
    other = Client()
    log_in(other, "ann")
    for number in range(10):
        other.post(CODE_PAGE, {"code": f"{number:06}"})
    right = other.post(CODE_PAGE, {"code": code_of(secret, steps=1)})
    assert "Too many tries. Wait a few minutes." in text_of(right)
    assert not is_in(other)
    later = anns.post(CONFIRM, {"code": code_of(secret, steps=1), "next": INDEX})
    assert later.status_code != 302, "the limit is that of the account"


@pytest.mark.parametrize("path", [APP, f"{APP}remove/", CODES, f"{CODES}new/",
                                  "/accounts/2fa/passkeys/add/"])  # fmt: skip
def test_a_change_wants_the_password_and_the_factor_that_there_is(anns: Client, path: str) -> None:
    give_app(ann())
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=6), tick=False):
        assert anns.get(path)["Location"].startswith(ASK)
        answer = anns.post(ASK, {"password": PASSWORD, "next": path})
        assert answer["Location"] == path
        page = anns.get(path)
        assert page["Location"].startswith(CONFIRM), "a password alone may be a thief's"
        answer = anns.post(path, {"code": code_of()})
        assert (
            answer.status_code == 405 if path == CODES else answer["Location"].startswith(CONFIRM)
        )
        before = anns.session.session_key
        assert anns.post(CONFIRM, {"code": code_of(), "next": path})["Location"] == path
        assert anns.session.session_key != before, "other holders of the session are logged out"
        assert anns.get(path)["Location" if path == APP else "Cache-Control"]
    assert Authenticator.objects.filter(type="totp").count() == 1


def test_without_its_app_an_account_has_no_codes_and_its_password_is_enough(anns: Client) -> None:
    set_up(anns)
    page = text_of(anns.get(f"{APP}remove/"))
    assert "your recovery codes are deleted" in page
    assert anns.post(f"{APP}remove/")["Location"] == INDEX
    assert not Authenticator.objects.exists()
    assert log_in(Client(), "ann")


@pytest.mark.django_db(transaction=True)
def test_the_owner_hears_of_changes_by_e_mail(anns: Client) -> None:
    EmailAddress.objects.create(user=ann(), email="ann@example.com", verified=True, primary=True)
    mail.outbox.clear()
    set_up(anns)
    anns.post(f"{APP}remove/")
    assert [letter.subject for letter in mail.outbox] == [
        "[The Card Room] Authenticator app turned on",
        "[The Card Room] Authenticator app turned off",
    ]
    assert "If this wasn't you, reset your password." in mail.outbox[0].body


def test_guests_are_led_to_keep_their_account_first(client: Client) -> None:
    client.post("/accounts/guest/")
    for path in (INDEX, APP, CONFIRM):
        assert client.get(path)["Location"].startswith("/accounts/keep/")
    assert "Set up a second factor" not in text_of(client.get("/account/"))


def test_a_deleted_account_has_no_authenticators(anns: Client) -> None:
    set_up(anns)
    deletion.close_account(ann(), timezone.now())
    assert not Authenticator.objects.exists()


def test_the_secret_is_on_the_page_that_sets_it_up_and_nowhere_else(anns: Client) -> None:
    secret, codes = set_up(anns)
    pages = [INDEX, CODES, f"{CODES}new/", f"{APP}remove/", "/account/", "/home/"]
    for page in map(text_of, map(anns.get, pages)):
        assert secret not in page
        assert not any(code in page for code in codes)
    assert secret not in str(dict(anns.session.items()))


@pytest.mark.parametrize(
    "credential",
    ["", "{}", "[]", "1", "null", '"x"', "x", '{"id": "AAAA", "rawId": "AAAA"}',
     '{"id":"AAAA","rawId":"AAAA","type":"public-key","response":{"clientDataJSON":"e30",'
     '"authenticatorData":"AAAA","signature":"AAAA","userHandle":"!!!!"}}',
     '{"response": {"userHandle": "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5"}}'],
)  # fmt: skip
def test_what_is_no_passkey_is_refused_and_changes_nothing(anns: Client, credential: str) -> None:
    form = {"credential": credential, "name": "Mine"}
    assert anns.post("/accounts/2fa/passkeys/add/", form).status_code == 200
    assert not Authenticator.objects.exists()
    stranger = Client()
    stranger.get("/accounts/2fa/passkeys/login/", headers={"Accept": "application/json"})
    answer = stranger.post("/accounts/2fa/passkeys/login/", form)
    assert answer["Location"] == "/accounts/login/"
    assert not is_in(stranger)


def test_a_challenge_of_a_passkey_is_valid_once() -> None:
    browser, path = Client(), "/accounts/2fa/passkeys/login/"
    browser.get(path, headers={"Accept": "application/json"})
    request = RequestFactory().get(path)
    request.COOKIES[challenges.COOKIE] = browser.cookies[challenges.COOKIE].value
    assert "challenge" in (challenges.take(request) or {})
    assert challenges.take(request) is None
    request.COOKIES[challenges.COOKIE] += "x"
    assert challenges.take(request) is None


def test_an_address_gets_so_many_challenges_and_then_waits() -> None:
    path, asks = "/accounts/2fa/passkeys/login/", {"Accept": "application/json"}
    answers = [Client().get(path, headers=asks) for _ in range(61)]
    assert [one.status_code for one in answers] == [200] * 60 + [429]
    assert int(answers[-1]["Retry-After"]) > 0
    other = Client(REMOTE_ADDR="192.0.2.9")
    assert other.get(path, headers=asks).status_code == 200


def test_codes_of_a_second_browser_are_those_of_the_database(client: Client) -> None:
    sign_up(Client(), "ann")
    assert log_in_with_code(client, ann(), "/statement/")["Location"] == "/statement/"
    assert len(recovery_codes_of(ann())) == 10
    assert SECRET in str(Authenticator.objects.get(type="totp").data)
