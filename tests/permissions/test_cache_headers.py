"""What an answer leaves behind: no session of nobody, and an invite in the browser alone."""

from __future__ import annotations

from itertools import product

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from accounts.audit_log import Operator
from accounts.lib import server_clock
from accounts.models import User
from accounts.staff import invites as staff_invites
from tables.social import invites
from tests.permissions.actors import World
from tests.permissions.matrix_rows import ROWS
from tests.permissions.probe import path_of, world

__all__ = ["world"]


def addresses(world: World) -> list[tuple[str, str]]:
    """Of all pages, by name."""
    pages = {(row.name, path_of(row, world)) for row in ROWS}
    return [*sorted(pages), ("nothing", "/nothing/"), ("nothing", "/tables/x/")]


@pytest.mark.long
def test_case_54_who_is_not_logged_in_leaves_no_session(world: World) -> None:
    requests = []
    for (_, path), method in product(addresses(world), ("GET", "HEAD")):
        before = Session.objects.count()
        browser = Client()
        for _ in range(2):  # also when it comes back with what it was given
            answer = getattr(browser, method.lower())(path)
            assert answer.status_code < 500
        if settings.SESSION_COOKIE_NAME in browser.cookies or Session.objects.count() > before:
            requests.append(f"{method} {path}")
    assert requests == []


def test_case_54_a_challenge_for_a_passkey_leaves_no_session(world: World) -> None:
    browser, before = Client(), Session.objects.count()
    path, asks = reverse("mfa_login_webauthn"), {"Accept": "application/json"}
    answers = [browser.get(path, headers=asks) for _ in range(2)]
    assert len({one.json()["request_options"]["publicKey"]["challenge"] for one in answers}) == 2
    browser.post(path, {"credential": "{}"})
    assert Session.objects.count() == before


@pytest.mark.django_db
def test_case_54_the_link_of_an_operators_invite_that_is_over_leaves_no_session() -> None:
    olga = User.objects.create_superuser("olga")
    long_ago = server_clock.now() - staff_invites.LIFETIME
    _invite, token = staff_invites.create(Operator(olga.pk), "floor", long_ago)
    before = Session.objects.count()
    answer = Client().get(reverse("staff-invite-link", args=[token]))
    assert (answer.status_code, Session.objects.count()) == (410, before)
    assert "has expired" in answer.content.decode()


def test_case_54_an_invite_is_kept_by_the_browser_that_followed_it(world: World) -> None:
    """It is good for the table there, until somebody logs out, and cannot be made by hand."""
    link = reverse("join", args=[world.ids["private_code"]])
    private = reverse("table", args=[world.ids["private"]])
    browser, other = Client(), Client()
    assert browser.get(link).status_code == 200
    cookie = browser.cookies[invites.COOKIE]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert browser.get(private).status_code == 200
    assert invites.COOKIE not in browser.get(link).cookies  # it is there already
    assert other.get(private).status_code == 404
    other.cookies[invites.COOKIE] = cookie.value[:-1] + ("A" if cookie.value[-1] != "A" else "B")
    assert other.get(private).status_code == 404
    browser.force_login(world.users["outsider"])
    assert browser.get(private).status_code == 200
    browser.post(reverse("account_logout"))
    assert not browser.cookies[invites.COOKIE].value
    assert browser.get(private).status_code == 404
