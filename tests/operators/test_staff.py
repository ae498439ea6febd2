"""The page of the operators: who they are, and the end of their sessions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import Group
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Act, User
from accounts.users import guests, sessions
from tests.helpers.table_client import new_player

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("stopped_writer"),
]

Role = Callable[..., User]
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def mia(operator: Role) -> User:
    """A manager."""
    return operator("manager", "mia")


def browser_of(user: User) -> Client:
    """A browser whose session is recorded."""
    client = Client(headers={"user-agent": FIREFOX})
    client.force_login(user)
    client.get("/rules/")
    sessions.flush_activity(timezone.now())
    return client


def read_page(client: Client, address: str = "/admin/staff/") -> str:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return " ".join(answer.content.decode().split())


def member(page: str, user: User) -> str:
    """The part of the page about this operator."""
    return page.split(f'id="staff-{user.pk}"')[1].split("</section>")[0]


def session_of(user: User) -> UserSession:
    return UserSession.objects.filter(user=user).latest("pk")


def test_every_operator_is_listed_with_role_logins_and_second_factor(
    mia: User, operator: Role, ann: User
) -> None:
    cashier = operator("cashier", "carl")
    olga = User.objects.create_superuser("olga")
    for kind in ("totp", "webauthn", "recovery_codes"):
        Authenticator.objects.create(user=cashier, type=kind, data={})
    page = read_page(browser_of(mia))
    assert f'id="staff-{ann.pk}"' not in page
    assert "authenticator app, passkey" in member(page, cashier)
    assert "<dd>cashier</dd>" in member(page, cashier)
    assert "<dd>never</dd>" in member(page, cashier)
    assert "<dd>superuser</dd>" in member(page, olga)
    hers = member(page, mia)
    assert "authenticator app" in hers  # managers need one
    assert "Firefox on Linux" in hers
    assert "127.0.0.1" in hers
    assert "<dd>never</dd>" not in hers


def test_more_operators_need_no_more_queries(mia: User, operator: Role) -> None:
    client = browser_of(mia)
    with CaptureQueriesContext(connection) as few:
        read_page(client)
    for number in range(5):
        browser_of(operator("floor", f"floor{number}"))
    with CaptureQueriesContext(connection) as many:
        read_page(client)
    assert len(many) == len(few)


def test_the_page_is_in_the_menu_of_managers_alone(mia: User, operator: Role) -> None:
    assert 'href="/admin/staff/"' in read_page(browser_of(mia), "/admin/")
    assert 'href="/admin/staff/"' not in read_page(browser_of(operator("floor")), "/admin/")
    assert browser_of(operator("cashier")).get("/admin/staff/").status_code == 403


def test_a_manager_ends_one_session_of_an_operator(mia: User, operator: Role) -> None:
    floor = operator("floor")
    first, second = browser_of(floor), browser_of(floor)
    path = f"/admin/players/{floor.pk}/sessions/{session_of(floor).pk}/end/?staff"
    client = browser_of(mia)
    assert path in read_page(client)
    assert "logged out" in read_page(client, path)
    assert first.get("/account/").status_code == second.get("/account/").status_code == 200
    answer = client.post(path, {"reason": "Left open."})
    assert answer.headers["Location"] == "/admin/staff/"
    assert first.get("/account/").status_code == 200
    assert second.get("/account/").status_code == 302
    act = Act.objects.latest("pk")
    assert (act.what, act.by, act.subject) == ("end_session", mia, f"user:{floor.pk}")
    assert (act.after, act.reason) == ({"sessions": 1}, "Left open.")
    again = client.post(path, follow=True)
    assert "had already ended" in again.content.decode()
    assert Act.objects.filter(what="end_session").count() == 1


def test_a_manager_ends_all_sessions_of_a_player(mia: User, ann: User) -> None:
    """Also one that is not recorded yet."""
    browsers = [browser_of(ann), browser_of(ann), Client()]
    browsers[2].force_login(ann)
    client = browser_of(mia)
    assert "End all sessions" in read_page(client, f"/admin/players/{ann.pk}/")
    client.post(f"/admin/players/{ann.pk}/sessions/end/")
    assert [one.get("/account/").status_code for one in browsers] == [302, 302, 302]
    assert client.get("/admin/staff/").status_code == 200
    assert Act.objects.latest("pk").after == {"sessions": 3}
    assert Session.objects.count() == UserSession.objects.count() == 1


def test_a_session_of_somebody_else_is_not_ended(mia: User, ann: User, ben: User) -> None:
    bens = browser_of(ben)
    browser_of(mia).post(f"/admin/players/{ann.pk}/sessions/{session_of(ben).pk}/end/")
    assert bens.get("/account/").status_code == 200


def test_the_page_warns_that_a_guest_has_no_other_access(mia: User) -> None:
    guest = guests.create_guest(at=timezone.now())
    browser_of(guest)
    client, path = browser_of(mia), f"/admin/players/{guest.pk}/sessions/end/"
    assert "the only access to the account" in read_page(client, path)
    ann = new_player("ann")
    assert "the only access" not in read_page(client, f"/admin/players/{ann.pk}/sessions/end/")


@pytest.mark.parametrize("role", ["floor", "cashier"])
def test_other_roles_end_no_sessions(role: str, operator: Role, ann: User) -> None:
    anns = browser_of(ann)
    client = browser_of(operator(role))
    assert "End this session" not in read_page(client, f"/admin/players/{ann.pk}/")
    assert client.post(f"/admin/players/{ann.pk}/sessions/end/").status_code == 403
    assert anns.get("/account/").status_code == 200


def test_a_manager_gives_and_takes_the_other_roles(mia: User, ann: User) -> None:
    client, path = browser_of(mia), f"/admin/players/{ann.pk}/role/"
    page = read_page(client, path)
    assert "Set a new password" not in page
    assert 'name="is_superuser"' not in page
    text = client.post(path, {"roles": ["cashier"]}, follow=True).content.decode()
    assert "The rights of ann are saved and apply now." in text
    anns = browser_of(ann)
    assert anns.get("/admin/racks/").status_code == 200
    client.post(path, {})
    assert anns.get("/admin/racks/").status_code == 302, "asked to log in as an operator"
    ann.refresh_from_db()
    assert (ann.is_staff, ann.role_since) == (False, None)


def test_a_manager_who_gives_the_role_of_managers_reads_that_it_waits(mia: User, ann: User) -> None:
    client, path = browser_of(mia), f"/admin/players/{ann.pk}/role/"
    text = client.post(path, {"roles": ["manager"]}, follow=True).content.decode()
    assert "The role manager for ann waits" in text
    assert "are saved and apply now" not in text
    assert "mia asks to give ann the role manager" in read_page(client, path)
    assert "mia asks to give ann the role manager" in read_page(client)
    assert not Group.objects.get(name="manager").user_set.filter(pk=ann.pk).exists()


def test_a_manager_is_led_away_from_the_own_role_and_from_superusers(mia: User) -> None:
    olga = User.objects.create_superuser("olga")
    client = browser_of(mia)
    for user, message in ((mia, "your own role"), (olga, "is a superuser")):
        page = client.get(f"/admin/players/{user.pk}/role/", follow=True)
        assert message in page.content.decode()
        assert "Role and password" not in page.content.decode()
