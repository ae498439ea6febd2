"""A form that is sent after its session has ended is shown again after the login, and then sent."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import pytest
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client

from accounts.models import Act, HouseSettings, User
from accounts.users import lost_forms
from tests.helpers.site import SETTINGS_FORM, change_settings

pytestmark = pytest.mark.django_db

Role = Callable[..., User]
SETTINGS = "/admin/accounts/housesettings/1/change/"
LOGIN = "/accounts/login/?next=/admin/"
PASSWORD = "correct horse battery"


@pytest.fixture(autouse=True)
def _fresh(db: None) -> None:
    """The forms are those of operators with a password alone."""
    cache.clear()
    change_settings(second_factor_roles=[])


def with_password(user: User) -> User:
    user.set_password(PASSWORD)
    user.save(update_fields=["password"])
    return user


@pytest.fixture
def mia(operator: Role) -> User:
    return with_password(operator("manager", "mia"))


@pytest.fixture
def max_(operator: Role) -> User:
    return with_password(operator("manager", "max"))


def log_in(client: Client, user: User, path: str = LOGIN) -> Any:
    client.get(path)
    token = client.cookies["csrftoken"].value
    return client.post(
        path, {"login": user.username, "password": PASSWORD, "csrfmiddlewaretoken": token}
    )


@pytest.fixture
def browser(mia: User) -> Client:
    """Mia's browser, in which tokens of forms count."""
    client = Client(enforce_csrf_checks=True)
    assert log_in(client, mia).status_code == 302
    return client


def fields_of(page: Any) -> dict[str, Any]:
    """The inputs of a page with their values; those of several with one name as a list."""
    values: dict[str, list[str]] = {}
    for one in re.findall(r"<input[^>]*>", page.content.decode()):
        name, value = re.search(r'name="([^"]*)"', one), re.search(r'value="([^"]*)"', one)
        if name is not None:
            values.setdefault(name[1], []).append(html.unescape(value[1]) if value else "")
    return {name: all_ if len(all_) > 1 else all_[0] for name, all_ in values.items()}


def fill(client: Client, hours: str) -> dict[str, Any]:
    page = fields_of(client.get(SETTINGS))
    form = {**SETTINGS_FORM, "second_factor_roles": [], "rebuy_hours": hours}
    hidden = {name: page[name] for name in ("csrfmiddlewaretoken", "opened")}
    return {**form, **hidden, "password": "a secret"}


def hours() -> int:
    return HouseSettings.objects.get().rebuy_hours


def test_the_form_of_an_ended_session_is_shown_to_its_user_and_sent_once(
    browser: Client, mia: User
) -> None:
    form = fill(browser, "36")
    Session.objects.all().delete()
    answer = browser.post(SETTINGS, form)
    login_page = browser.get(answer.url)
    assert "your form is not lost" in login_page.content.decode()
    form_page = browser.get(log_in(browser, mia, answer.url).url)
    text = form_page.content.decode()
    assert "Send it now" in text
    assert "a secret" not in text
    assert (hours(), Act.objects.filter(what="settings").count()) == (24, 0), "only shown"
    sent = {**fields_of(form_page), "rebuy_hours": "36"}
    for _ in range(2):
        assert browser.post(SETTINGS, sent).status_code == 302
    assert (hours(), Act.objects.filter(what="settings").count()) == (36, 1)
    assert browser.session.get_expiry_age() > lost_forms.STORED_FOR


def test_two_forms_that_were_sent_without_a_session_are_both_kept(
    browser: Client, mia: User
) -> None:
    """In two tabs of one browser."""
    forms = {hours: fill(browser, hours) for hours in ("36", "48")}
    Session.objects.all().delete()
    answers = {hours: browser.post(SETTINGS, form) for hours, form in forms.items()}
    onward = log_in(browser, mia, answers["36"].url).url
    first = browser.get(onward).content.decode()
    assert 'value="36"' in first
    assert '<li dir="auto">36</li>' in first, "what will be sent is shown"
    second = answers["48"].url.partition("next=")[2]
    assert 'value="48"' in browser.get(unquote(second)).content.decode()


def test_nobody_else_gets_the_form(browser: Client, max_: User) -> None:
    form = fill(browser, "36")
    Session.objects.all().delete()
    answer = browser.post(SETTINGS, form)
    onward = log_in(browser, max_, answer.url).url
    page = browser.get(onward, follow=True)
    assert "That form was filled in by another user. It was not sent." in page.content.decode()
    assert 'value="36"' not in page.content.decode()
    assert browser.get(onward).status_code == 404
    assert hours() == 24


def test_a_token_from_before_another_login_is_no_loss(browser: Client, mia: User) -> None:
    """Another tab has logged in again: the old page has a token that counts no more."""
    form = fill(browser, "36")
    Session.objects.all().delete()
    log_in(browser, mia)
    answer = browser.post(SETTINGS, form)
    assert answer.status_code == 302
    assert 'value="36"' in browser.get(answer.url).content.decode()
    assert hours() == 24


def test_the_token_of_another_users_page_is_refused(browser: Client, max_: User) -> None:
    form = fill(browser, "36")
    Session.objects.all().delete()
    log_in(browser, max_)
    assert browser.post(SETTINGS, form).status_code == 403


@pytest.mark.parametrize("token", ["", "x", "a" * 32, "a" * 64, "é" * 64, "a\0"])
def test_a_form_without_the_browsers_own_token_is_not_stored(browser: Client, token: str) -> None:
    form = fill(browser, "36") | {"csrfmiddlewaretoken": token}
    Session.objects.all().delete()
    before = Session.objects.count()
    assert browser.post(SETTINGS, form).status_code == 403
    assert Session.objects.count() == before


def test_strangers_store_nothing() -> None:
    stranger = Client()
    stranger.get("/accounts/login/")
    token = stranger.cookies["csrftoken"].value
    stranger.cookies[lost_forms.COOKIE] = "forged"
    stranger.post(SETTINGS, {"rebuy_hours": "36", "csrfmiddlewaretoken": token})
    assert "asked_again" not in stranger.session


def test_one_user_stores_few_forms(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lost_forms, "MOST_STORED", 2)
    form = fill(browser, "36")
    Session.objects.all().delete()
    urls = []
    for _ in range(3):
        del browser.cookies["sessionid"]
        urls.append(browser.post(SETTINGS, form).url)
    assert ["again" in url for url in urls] == [True, True, False]


def test_a_form_that_is_too_large_is_not_stored(browser: Client) -> None:
    form = fill(browser, "36") | {"more": "x" * 20_000}
    Session.objects.all().delete()
    assert "again" not in browser.post(SETTINGS, form).url
