"""Somebody who tries passwords, names and addresses: slowed down, and told nothing."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
import time_machine
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.models import User
from tests.accounts.users.test_sign_up import log_in, sign_up
from tests.helpers.table_client import new_player

pytestmark = pytest.mark.django_db

LOGIN, RESET = "/accounts/login/", "/accounts/password/reset/"


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


def browser(address: str) -> Client:
    return Client(REMOTE_ADDR=address)


def guess(client: Client, name: str, password: str = "wrong") -> Any:
    return client.post(LOGIN, {"login": name, "password": password})


class Slow(PBKDF2PasswordHasher):
    """The real one, but quicker; counts what it does."""

    iterations = 1000
    worked: list[int] = []

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        self.worked.append(iterations or self.iterations)
        return super().encode(password, salt, iterations)


@pytest.fixture
def worked(settings: Any) -> Iterator[list[int]]:
    """How often passwords were hashed, and how long each time: what the time of a login is."""
    settings.PASSWORD_HASHERS = [f"{__name__}.Slow"]
    with (
        patch.object(Slow, "worked", []),
        patch("django.contrib.auth.hashers.import_string", lambda path: Slow),
    ):
        yield Slow.worked


@pytest.mark.long
def test_case_32_a_thousand_wrong_passwords_are_not_looked_at() -> None:
    new_player("ann")
    client = browser("192.0.2.1")
    with patch.object(User, "check_password", autospec=True, return_value=False) as looked:
        statuses = [guess(client, "ann").status_code for _ in range(1000)]
    assert statuses == [200] * 10 + [429] * 990
    assert looked.call_count == 10
    page = guess(client, "ann").content.decode()
    assert "You tried this too often" in page


def test_case_32_nobody_elses_tries_keep_the_owner_out() -> None:
    new_player("ann")
    for number in range(3):
        stranger = browser(f"192.0.2.{number}")
        assert [guess(stranger, "ann").status_code for _ in range(11)] == [200] * 10 + [429]
    assert log_in(browser("203.0.113.7"), "ann")


def test_case_32_ten_in_a_quarter_of_an_hour_and_then_ten_more() -> None:
    new_player("ann")
    client, begun = browser("192.0.2.1"), timezone.now()
    looked = 0
    for minute in range(16):
        with time_machine.travel(begun + dt.timedelta(minutes=minute), tick=False):
            looked += sum(guess(client, "ann").status_code == 200 for _ in range(12))
    assert looked == 20  # from the sixteenth minute on, the first ten are forgotten


def test_case_32_one_password_for_many_names_is_slowed_down_too() -> None:
    client, begun, looked = browser("192.0.2.1"), timezone.now(), []
    for minute in range(8):
        with time_machine.travel(begun + dt.timedelta(minutes=minute), tick=False):
            answers = [guess(client, f"name{number}").status_code for number in range(12)]
            looked.append(answers.count(200))
    assert looked == [10, 10, 10, 10, 10, 10, 0, 0]


def test_case_32_who_knows_the_password_is_not_counted() -> None:
    new_player("ann")
    for _ in range(15):
        assert log_in(browser("192.0.2.1"), "ann")


def test_case_32_a_new_password_by_mail_is_good_at_once() -> None:
    client = browser("192.0.2.1")
    sign_up(client, "ann", email="ann@example.com")
    client.post("/accounts/logout/")
    assert [guess(client, "ann").status_code for _ in range(11)][-1] == 429
    client.post(RESET, {"email": "ann@example.com"})
    letter = mail.outbox[-1]
    path = letter.body.split("http://localhost:8000")[1].split()[0]
    form = client.get(path, follow=True).redirect_chain[-1][0]
    client.post(form, {"password1": "another-good-1!", "password2": "another-good-1!"})
    assert log_in(client, "ann", "another-good-1!")


@pytest.mark.parametrize("kind", ["a player", "a guest", "frozen", "gone"])
def test_case_32_a_name_that_is_known_takes_as_long_as_one_that_is_not(
    kind: str, worked: list[int]
) -> None:
    """What takes the time is counted: rounds of the password's hash, which are hundreds of
    milliseconds on a real site, where a wall clock in a test would measure the other tests.
    """
    ann = new_player("ann")
    if kind == "a guest":
        ann.is_guest = True
        ann.set_unusable_password()
    ann.is_active = kind not in ("frozen", "gone")
    ann.frozen_at = timezone.now() if kind == "frozen" else None
    ann.save()
    took = {}
    for name in ("ann", "nobody"):
        worked.clear()
        answer = guess(browser("192.0.2.1"), name)
        took[name] = answer.status_code, sum(worked), len(answer.content)
    assert took["ann"][:2] == took["nobody"][:2]
    assert took["ann"][1] > 0
    assert took["nobody"][2] - took["ann"][2] == len("nobody") - len("ann")


def test_case_32_a_reset_for_an_unknown_address_does_the_same_work(worked: list[int]) -> None:
    client = browser("192.0.2.1")
    sign_up(client, "ann", email="ann@example.com")
    client.post("/accounts/logout/")
    client.get("/")
    did = []
    for address in ("ann@example.com", "bob@example.com"):
        mail.outbox.clear()
        worked.clear()
        answer = client.post(RESET, {"email": address}, follow=True)
        page = re.sub(r'value="\w{64}"', "", answer.content.decode())  # tokens differ each time
        did.append((answer.status_code, answer.redirect_chain, page, sum(worked),
                    [letter.to for letter in mail.outbox] == [[address]]))  # fmt: skip
    assert did[0] == did[1]
    assert did[0][-1]


def test_case_32_letters_for_a_forgotten_password_are_few() -> None:
    sign_up(browser("203.0.113.7"), "ann", email="ann@example.com")
    cache.clear()
    mail.outbox.clear()
    answers = [
        browser(f"192.0.2.{number}").post(RESET, {"email": "ann@example.com"}).status_code
        for number in range(8)
    ]
    assert answers == [302] * 5 + [429] * 3
    assert len(mail.outbox) == 5
    unknown = [
        browser(f"192.0.2.{number}").post(RESET, {"email": "bob@example.com"}).status_code
        for number in range(8)
    ]
    assert unknown == answers
