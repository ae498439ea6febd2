"""Links in letters, shared links and redirects lead to the site's address, whatever was asked."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.models import User
from tests.accounts.users.test_sign_up import PASSWORD, sign_up
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db

SITE = "https://cards.example"
PROXY = {"HTTP_X_FORWARDED_PROTO": "https"}
HOSTS = {
    "as it is": {},
    "another port": {"HTTP_HOST": "cards.example:1234"},
    "a dot": {"HTTP_HOST": "cards.example."},
    "a dot and a port": {"HTTP_HOST": "cards.example.:81"},
    "capitals": {"HTTP_HOST": "CARDS.example"},
    "forwarded": {"HTTP_X_FORWARDED_HOST": "evil.example", "HTTP_X_FORWARDED_PORT": "81"},
    "plain http": {"HTTP_X_FORWARDED_PROTO": "http"},
}


@pytest.fixture(autouse=True)
def _site(settings: Any) -> None:
    settings.SITE_URL = SITE
    settings.ALLOWED_HOSTS = ["cards.example"]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    cache.clear()


def browser(headers: dict[str, str]) -> Client:
    return Client(**{"HTTP_HOST": "cards.example", **PROXY, **headers})


def links(text: str) -> set[str]:
    """Where the absolute links of a text lead."""
    return set(re.findall(r"https?://[^/\s\"<]+", text))


@pytest.mark.parametrize("host", HOSTS)
def test_case_53_links_in_letters_are_the_sites(host: str) -> None:
    client = browser(HOSTS[host])
    sign_up(client, "ann", email="ann@example.com")
    client.post("/accounts/logout/")
    for address in ("ann@example.com", "nobody@example.com"):
        client.post("/accounts/password/reset/", {"email": address})
    assert len(mail.outbox) >= 2
    for letter in mail.outbox:
        text = f"{letter.subject}\n{letter.body}"
        assert links(text) <= {SITE}, text
        assert "cards.example:" not in text
        assert "cards.example." not in text


@pytest.mark.parametrize("host", HOSTS)
def test_case_53_shared_links_are_the_sites(
    host: str, ann: User, casino: TableClient, stack: Callable[..., None]
) -> None:
    stack("Ts 9s 9h 9c 8d 9d")
    sit_down(casino, ann)
    casino.bet(ann, 1500)
    casino.act(ann, "stand")
    number = casino.view.round
    client = browser(HOSTS[host])
    client.force_login(ann)
    page = client.get(f"/rounds/{number}/").content.decode()
    assert f'value="{SITE}/rounds/{number}/"' in page
    assert links(page) == {SITE}
    table = client.get(f"/tables/{casino.table_id}/").content.decode()
    assert f'data-site="{SITE}"' in table


@pytest.mark.parametrize("host", HOSTS)
def test_case_53_redirects_stay_on_the_site(host: str, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    client = browser({**HOSTS[host], "HTTP_X_FORWARDED_PROTO": "http"})
    for path in ("/", "/history/", "/nowhere", "/accounts/login/?next=/home/"):
        assert client.get(path)["Location"] == f"{SITE}{path}"


@pytest.mark.parametrize("onward", ["http://cards.example/home/", "https://cards.example:81/home/"])
def test_case_53_nobody_is_led_to_another_port_or_to_plain_http(onward: str, ann: User) -> None:
    client = browser({"HTTP_HOST": "cards.example:81"})
    form = {"login": "ann", "password": PASSWORD, "next": onward}
    assert client.post("/accounts/login/", form)["Location"] == "/home/"
    assert client.post("/accounts/guest/", {"next": onward})["Location"] == "/"


def test_case_53_a_name_that_is_not_the_sites_is_refused() -> None:
    for name in ("evil.example", "cards.example.evil.example", "cards.example@evil.example"):
        assert browser({"HTTP_HOST": name}).get("/").status_code == 400


def test_case_53_without_a_setting_links_lead_to_this_machine(settings: Any) -> None:
    settings.SITE_URL, settings.PORT = "", 8000
    settings.ALLOWED_HOSTS = ["localhost"]
    client = Client(HTTP_HOST="localhost:1234")
    client.post("/accounts/password/reset/", {"email": "nobody@example.com"})
    (letter,) = mail.outbox
    assert links(letter.body) <= {"http://localhost:8000"}


def test_case_53_another_port_is_no_other_name_to_guess_for(ann: User) -> None:
    """Wrong passwords are counted by name and address, and by no header."""
    answers, begun = [], timezone.now()
    for number in range(12):
        client = Client(HTTP_HOST=f"cards.example:{1000 + number}", **PROXY)
        wrong = {"login": "ann", "password": "wrong"}
        with time_machine.travel(begun + dt.timedelta(minutes=number), tick=False):
            answers.append(client.post("/accounts/login/", wrong).status_code)
    assert answers == [200] * 10 + [429] * 2
