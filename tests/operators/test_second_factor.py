"""The second factor of operators: who needs it, when it is asked for, how long a session lasts."""

from __future__ import annotations

import datetime as dt
import html
from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import Act, User
from accounts.users import reauthentication, sessions
from tests.accounts.users.test_second_factor import ASK, CONFIRM, INDEX, set_up
from tests.accounts.users.test_sign_up import PASSWORD, log_in
from tests.helpers.app_codes import code_of
from tests.helpers.second_factor import (
    CODE_PAGE,
    give_app,
    log_in_with_code,
    recovery_codes_of,
)
from tests.helpers.site import change_settings
from tests.helpers.table_client import balance_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("stopped_writer"),
]

Role = Callable[..., User]
SETTINGS = "/admin/accounts/housesettings/1/change/"


@pytest.fixture(autouse=True)
def _fresh() -> None:
    cache.clear()


def text_of(answer: Any) -> str:
    return html.unescape(answer.content.decode())


def log_in_by_password(name: str) -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": name, "password": PASSWORD, "next": "/admin/"})
    return client


def acts() -> list[str]:
    return list(Act.objects.order_by("pk").values_list("what", flat=True))


def onward(answer: Any) -> str:
    """Where a page that asks for something leads then."""
    path: str = answer["Location"].split("next=")[1].replace("%2F", "/")
    return path


def test_who_needs_one_is_led_to_set_it_up_and_then_to_the_page(operator: Role) -> None:
    operator("manager", "olga")
    client = log_in_by_password("olga")
    answer = client.get("/admin/players/?q=ann", follow=True)
    assert answer.redirect_chain == [(INDEX, 302)]
    assert "Your role needs a second factor." in text_of(answer)
    set_up(client)
    assert 'href="/admin/players/?q=ann"' in text_of(client.get(INDEX))
    assert client.get("/admin/players/?q=ann").status_code == 200


def test_a_superuser_from_the_command_line_is_led_through_it_too(monkeypatch: Any) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    call_command("createsuperuser", "--noinput", username="root", email="")
    client = log_in_by_password("root")
    assert client.get("/admin/")["Location"] == INDEX
    set_up(client)
    assert client.get("/admin/").status_code == 200


@pytest.mark.parametrize("role", ["floor", "cashier"])
def test_other_roles_need_one_when_the_settings_say_so(operator: Role, role: str) -> None:
    operator(role, "olga")
    client = log_in_by_password("olga")
    assert client.get("/admin/").status_code == 200
    change_settings(second_factor_roles=[role])
    assert client.get("/admin/")["Location"] == INDEX
    change_settings(second_factor_roles=[])
    assert client.get("/admin/").status_code == 200


def test_case_71_a_session_that_never_showed_it_is_asked_and_the_form_is_kept(
    operator: Role,
) -> None:
    user = operator("floor", "olga")
    client = log_in_by_password("olga")
    give_app(user)  # on another device
    answer = client.post("/admin/floor/announce/", {"text": "Closing at ten."})
    assert answer["Location"].startswith(CONFIRM)
    next_url = onward(answer)
    assert client.post(CONFIRM, {"code": "000000", "next": next_url}).status_code == 200
    assert not Act.objects.filter(what="announce").exists()
    page = client.get(client.post(CONFIRM, {"code": code_of(), "next": next_url})["Location"])
    assert 'value="Closing at ten."' in text_of(page)
    assert client.get("/admin/floor/").status_code == 200
    assert acts() == ["log_in", "reauth_failed", "reauth"]


def test_a_recovery_code_is_a_second_factor_too(operator: Role) -> None:
    user = operator("manager", "olga")
    give_app(user)
    client = log_in_by_password("olga")
    assert not client.session.get("_auth_user_id")
    assert client.post(CODE_PAGE, {"code": recovery_codes_of(user)[0]})["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_a_factor_that_was_removed_does_not_count_any_more(operator: Role) -> None:
    user = operator("manager", "olga")
    client = Client()
    log_in_with_code(client, user, "/admin/")
    Authenticator.objects.all().delete()
    assert client.get("/admin/")["Location"] == INDEX
    give_app(user)
    assert client.get("/admin/")["Location"].startswith(CONFIRM)


def test_case_71_the_same_rule_holds_for_sockets(operator: Role) -> None:
    user = operator("floor", "olga")
    client = log_in_by_password("olga")

    def may() -> bool:
        key, now = client.session.session_key, timezone.now()
        assert key is not None
        return reauthentication.is_socket_recent(key, now)

    assert may()
    session = client.session
    session["account_authentication_methods_user"] = "0"  # the records are of another user
    session.save()
    assert not may()
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()
    assert may()
    give_app(user)
    assert not may()
    answer = client.get("/accounts/operator/?next=/tables/1/")
    assert answer["Location"].startswith(CONFIRM)
    client.post(CONFIRM, {"code": code_of(), "next": onward(answer)})
    assert may()
    assert client.get("/accounts/operator/?next=/tables/1/")["Location"] == "/tables/1/"
    assert client.get("/accounts/operator/?next=//evil.example/")["Location"] == "/"


# Asked again


def asked_later(client: Client, path: str, form: dict[str, str]) -> Any:
    """The answer to a form that is sent six minutes after the login."""
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=6), tick=False):
        return client.post(path, form)


@pytest.fixture
def monas(operator: Role) -> Client:
    """The browser of a manager who logged in with the second factor."""
    client = Client()
    log_in_with_code(client, operator("manager", "mona"), "/admin/")
    return client


def test_an_adjustment_asks_for_the_factor_again_and_keeps_the_form(
    monas: Client, ann: User
) -> None:
    path = f"/admin/players/{ann.pk}/adjust/"
    form = {name: str(value) for name, value in _filled(monas.get(path)).items()}
    form |= {"amount": "5", "reason": "A gift.", "sure": "1"}
    before = balance_of(ann)
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=6), tick=False):
        answer = monas.post(path, form)
        assert answer["Location"].startswith(CONFIRM)
        assert balance_of(ann) == before
        page = monas.get(
            monas.post(CONFIRM, {"code": code_of(), "next": onward(answer)})["Location"]
        )
        assert 'value="A gift."' in text_of(page)
        assert monas.post(path, form).status_code == 302
    assert balance_of(ann) == before + 500


def _filled(answer: Any) -> dict[str, Any]:
    form = answer.context["form"]
    return {name: form[name].value() for name in form.fields if form[name].value() is not None}


def test_settings_roles_and_passwords_ask_for_it_again(operator: Role, ann: User) -> None:
    root = operator("manager", "root")
    User.objects.filter(pk=root.pk).update(is_superuser=True)
    client = Client()
    log_in_with_code(client, root, "/admin/")
    new = {"password1": "another-21!", "password2": "another-21!"}
    forms: dict[str, dict[str, str]] = {
        SETTINGS: {"rebuy_hours": "7"},
        f"/admin/players/{ann.pk}/role/": {"roles": "floor"},
        f"/admin/accounts/user/{ann.pk}/password/": new,
    }
    for path, form in forms.items():
        assert asked_later(client, path, form)["Location"].startswith(CONFIRM), path
        assert client.get(path).status_code == 200
    changed = User.objects.get(pk=ann.pk)
    assert (changed.is_staff, changed.password) == (False, ann.password)
    assert client.post(path, form).status_code == 302, "within five minutes of the login"
    assert User.objects.get(pk=ann.pk).check_password("another-21!")


def test_who_has_none_and_needs_none_is_asked_for_the_password(operator: Role, ann: User) -> None:
    operator("cashier", "carl")
    client = log_in_by_password("carl")
    path = f"/admin/players/{ann.pk}/adjust/"
    form = {name: str(value) for name, value in _filled(client.get(path)).items()}
    form |= {"amount": "5", "reason": "A gift.", "sure": "1"}
    assert asked_later(client, path, form)["Location"].startswith(ASK)
    assert client.post(path, form).status_code == 302


# Sessions


def test_a_session_of_an_operator_ends_twelve_hours_after_the_login(operator: Role) -> None:
    operator("floor", "olga")
    client = log_in_by_password("olga")
    cookie = client.cookies["sessionid"]
    assert 12 * 3600 - 60 < int(cookie["max-age"]) <= 12 * 3600
    began = timezone.now()
    with time_machine.travel(began + dt.timedelta(hours=11, minutes=59)):
        assert client.get("/account/").status_code == 200, "use does not lengthen it"
    with time_machine.travel(began + dt.timedelta(hours=12, minutes=1)):
        assert client.get("/account/").status_code == 302
        key = str(client.session.session_key)
        assert sessions.find_ended({key}, timezone.now()) == {key}


def test_a_session_of_a_player_goes_on_until_the_player_becomes_an_operator(ann: User) -> None:
    client = Client()
    assert log_in(client, "ann")
    key = str(client.session.session_key)
    with time_machine.travel(timezone.now() + dt.timedelta(hours=13)):
        assert client.get("/account/").status_code == 200
        assert sessions.find_ended({key}, timezone.now()) == set()
        User.objects.filter(pk=ann.pk).update(is_staff=True)
        assert sessions.find_ended({key}, timezone.now()) == {key}, "its sockets are closed"
        assert client.get("/account/").status_code == 302


# The trail


def test_the_trail_has_logins_failures_and_log_outs_of_operators_alone(
    operator: Role, ann: User
) -> None:
    olga = operator("manager", "olga")
    give_app(olga)
    for name in ("olga", "ann"):
        log_in(Client(), name, "wrong")
    client = Client()
    log_in(client, "olga")
    client.post(CODE_PAGE, {"code": "000000"}, REMOTE_ADDR="192.0.2.8")
    client.post(CODE_PAGE, {"code": code_of()})
    client.post("/account/sessions/end/", {"others": ""})
    client.post("/accounts/logout/")
    log_in(Client(), "ann")
    entries = list(Act.objects.order_by("pk").values_list("what", "after"))
    assert entries == [
        ("login_failed", {"by": "password"}),
        ("login_failed", {"by": "code"}),
        ("log_in", {"by": ["password", "authenticator app"]}),
        ("end_sessions", {"number": 0}),
        ("log_out", None),
    ]
    assert {act.by for act in Act.objects.all()} == {olga}
    page = Client()
    page.force_login(olga)
    text = text_of(page.get("/admin/trail/"))
    assert "failed to log in" in text
    assert "password, authenticator app" in text


def test_nobody_fills_the_trail_with_wrong_passwords(operator: Role) -> None:
    operator("manager", "olga")
    began = timezone.now()
    for number in range(5):
        log_in(Client(), "olga", "wrong")
        log_in(Client(REMOTE_ADDR=f"192.0.2.{number}"), "olga", "wrong")
    assert acts() == ["login_failed"] * 6, "one for an address and a minute"
    for number in range(100):
        cache_free = f"198.51.{number}.7"
        with time_machine.travel(began + dt.timedelta(seconds=number)):
            log_in(Client(REMOTE_ADDR=cache_free), "olga", "wrong")
    assert len(acts()) == 60, "and 60 for an account and an hour"


def test_the_change_of_an_operators_password_says_that_sessions_ended(monas: Client) -> None:
    new = "another-good-1!"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    monas.post("/accounts/password/change/", form)
    assert Act.objects.latest("pk").after == {"password": "changed", "sessions": "others ended"}


def test_who_lost_everything_gets_in_again_by_the_command_line(monas: Client, capsys: Any) -> None:
    call_command("remove_second_factor", "Mona")
    assert "mona has no second factor any more." in capsys.readouterr().out
    assert not Authenticator.objects.exists()
    assert monas.get("/account/").status_code == 302, "the sessions are ended"
    act = Act.objects.latest("pk")
    assert act.what == "remove_factor"
    assert "remove_second_factor" in act.reason
    client = log_in_by_password("mona")
    assert client.get("/admin/")["Location"] == INDEX
    with pytest.raises(CommandError, match="mona has no second factor"):
        call_command("remove_second_factor", "mona")
    with pytest.raises(CommandError, match="No user is called nobody"):
        call_command("remove_second_factor", "nobody")


def test_no_secret_is_in_the_trail_or_on_pages_of_operators(monas: Client, ann: User) -> None:
    mona = User.objects.get(username="mona")
    secrets = [
        *recovery_codes_of(mona),
        *(str(row.data.get("secret") or row.data["seed"]) for row in Authenticator.objects.all()),
    ]
    trail = str(list(Act.objects.values_list("before", "after", "reason")))
    pages = [trail, *(text_of(monas.get(path)) for path in
                     ("/admin/trail/", f"/admin/players/{mona.pk}/", "/admin/"))]  # fmt: skip
    assert not [secret for secret in secrets for page in pages if secret in page]
