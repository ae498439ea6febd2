"""Somebody who has the cookie of a session, and not the password, keeps nothing of the account."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.models import Act, OwnLimit, User
from tables.game import commands
from tables.game.commands import QueuedCommand
from tables.models import ChatLine, Table
from tables.protocol.commands import (
    Chat,
    ChatCommand,
    Close,
    Free,
    HandOn,
    Lock,
    Renew,
    Say,
    Silence,
    TableCommand,
    Unsay,
)
from tables.protocol.frames import Done, Err
from tables.social import chat
from tests.accounts.users.test_sign_up import PASSWORD, log_in, sign_up
from tests.helpers.second_factor import log_in_with_code
from tests.helpers.table_client import TableClient, fingerprint

pytestmark = pytest.mark.django_db

OWN, EVIL = "ann@example.com", "evil@example.com"
EMAIL, RESET, ASK = "/accounts/email/", "/accounts/password/reset/", "/accounts/reauthenticate/"
LINK = re.compile(r"http://localhost:8000(/accounts/\S+)")


@pytest.fixture(autouse=True)
def _fresh() -> None:
    cache.clear()


@pytest.fixture
def owner() -> Client:
    """Ann's browser. She gave an address at sign-up, and logs in like everybody."""
    sign_up(Client(), "ann", email=OWN)
    client = Client()
    assert log_in(client, "ann")
    mail.outbox.clear()
    cache.clear()
    return client


def stolen(owner: Client) -> Client:
    """Another browser with the same cookie."""
    thief = Client(REMOTE_ADDR="198.51.100.6")
    thief.cookies["sessionid"] = owner.cookies["sessionid"].value
    return thief


def links_to(address: str) -> list[str]:
    return [
        link[1]
        for letter in mail.outbox
        if letter.to == [address] and (link := LINK.search(letter.body))
    ]


def reset_links(address: str) -> list[str]:
    mail.outbox.clear()
    Client(REMOTE_ADDR="203.0.113.9").post(RESET, {"email": address})
    return [link for link in links_to(address) if "/password/reset/key/" in link]


def enter_password(client: Client, onward: str = EMAIL) -> Any:
    return client.post(ASK, {"password": PASSWORD, "next": onward})


ATTEMPTS: dict[str, tuple[str, dict[str, str]]] = {
    "an address": (EMAIL, {"action_add": "", "email": EVIL}),
    "no address": (EMAIL, {"action_remove": "", "email": OWN}),
    "the name": ("/account/name/", {"username": "evil"}),
    "a password": (
        "/accounts/password/change/",
        {"oldpassword": "", "password1": "evil-21-blackjack!", "password2": "evil-21-blackjack!"},
    ),
    "a first password": (
        "/accounts/password/set/",
        {"password1": "evil-21-blackjack!", "password2": "evil-21-blackjack!"},
    ),
    "to keep it": (
        "/accounts/keep/",
        {"username": "evil", "password1": "evil-21-blackjack!"},
    ),
    "the end": ("/account/delete/", {"name": "ann"}),
    "no history": ("/history/reset/", {"name": "ann"}),
    "a break": (
        "/account/limits/break/",
        {"until": str(timezone.now().date() + dt.timedelta(90))},
    ),
}


def state() -> object:
    ann = User.objects.get()
    rows = EmailAddress.objects.values_list("email", "verified", "primary")
    extras = ann.history_since, OwnLimit.objects.count()
    return ann.username, ann.email, ann.password, ann.is_active, sorted(rows), extras


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_case_51_a_cookie_alone_changes_nothing(owner: Client, attempt: str) -> None:
    before = state()
    path, form = ATTEMPTS[attempt]
    thief = stolen(owner)
    answer = thief.post(path, form)
    if answer.status_code == 302 and answer["Location"].startswith(ASK):
        thief.get(answer["Location"].split("next=")[1].replace("%2F", "/"))
    assert state() == before
    assert reset_links(EVIL) == []
    owner.post("/account/sessions/end/", {"everywhere": ""})
    assert "_auth_user_id" not in thief.session
    assert log_in(Client(), "ann")


def test_case_51_who_knows_the_password_is_asked_for_it_once_and_goes_on(owner: Client) -> None:
    answer = owner.post(EMAIL, ATTEMPTS["an address"][1])
    assert answer["Location"].startswith(f"{ASK}?next=")
    onward = answer["Location"].split("next=")[1].replace("%2F", "/")
    page = owner.get(enter_password(owner, onward)["Location"])
    assert EVIL in page.content.decode()
    assert f'action="{EMAIL}"' in page.content.decode()
    assert not EmailAddress.objects.filter(email=EVIL).exists()
    owner.post(EMAIL, ATTEMPTS["an address"][1])
    assert EmailAddress.objects.filter(email=EVIL, verified=False, primary=False).exists()
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=6)):
        later = owner.post(EMAIL, {"action_remove": "", "email": EVIL})
    assert later["Location"].startswith(ASK)


def test_case_51_who_shares_the_session_is_logged_out_by_it(owner: Client) -> None:
    thief = stolen(owner)
    assert thief.get("/account/").status_code == 200
    enter_password(owner)
    assert thief.get("/account/").status_code == 302
    assert owner.get("/account/").status_code == 200


def test_case_51_what_somebody_else_left_in_the_session_is_not_done(owner: Client) -> None:
    stolen(owner).post(EMAIL, ATTEMPTS["an address"][1])
    enter_password(owner)
    assert not EmailAddress.objects.filter(email=EVIL).exists()


def test_case_51_an_address_that_was_added_is_good_for_nothing(owner: Client) -> None:
    enter_password(owner)
    owner.post(EMAIL, ATTEMPTS["an address"][1])
    assert any(EVIL in letter.body for letter in mail.outbox if letter.to == [OWN])
    owner.post(EMAIL, {"action_primary": "", "email": EVIL})
    assert reset_links(EVIL) == []
    assert len(reset_links(OWN)) == 1
    enter_password(owner)
    mail.outbox.clear()
    owner.post(EMAIL, {"action_remove": "", "email": OWN})
    User.objects.get()
    assert reset_links(EVIL) == []


def test_case_51_the_old_address_is_told_of_another_one(owner: Client) -> None:
    enter_password(owner)
    owner.post(EMAIL, {"action_send": "", "email": OWN})
    confirm(owner, links_to(OWN)[-1])
    owner.post(EMAIL, {"action_add": "", "email": "new@example.com"})
    confirm(owner, links_to("new@example.com")[-1])
    mail.outbox.clear()
    owner.post(EMAIL, {"action_primary": "", "email": "new@example.com"})
    assert [letter.to for letter in mail.outbox] == [[OWN]]
    owner.post(EMAIL, {"action_remove": "", "email": OWN})
    assert [OWN] in [letter.to for letter in mail.outbox[1:]]
    assert reset_links(OWN) == []
    assert len(reset_links("new@example.com")) == 1


def confirm(client: Client, link: str) -> None:
    client.post(link)


def test_case_51_wrong_passwords_are_counted_wherever_they_are_asked_for(owner: Client) -> None:
    thief = stolen(owner)
    statuses = []
    for number in range(12):
        with time_machine.travel(timezone.now() + dt.timedelta(minutes=number), tick=False):
            path = ("/accounts/password/change/", ASK, "/account/delete/")[number % 3]
            form = {"oldpassword": "no", "password": "no", "name": "ann",
                    "password1": "evil-21-black!", "password2": "evil-21-black!"}  # fmt: skip
            statuses.append(thief.post(path, form).status_code)
    assert statuses == [200] * 10 + [429] * 2


def test_case_51_a_guest_may_what_guests_may() -> None:
    client = Client()
    client.post("/accounts/guest/")
    form = {"username": "eve", "email": "", "password1": PASSWORD}
    client.post("/accounts/keep/", form)
    assert User.objects.get().username == "eve"


# Behind the counter


@pytest.fixture
def counter(operator: Callable[..., User]) -> tuple[User, Client]:
    """An operator who logged in as a player does, with a second factor."""
    user = operator("manager", "olga")
    client = Client()
    log_in_with_code(client, user)
    return user, client


def test_case_51_every_page_of_operators_wants_a_recent_password(
    counter: tuple[User, Client],
) -> None:
    user, client = counter
    thief = stolen(client)
    for path in ("/admin/", "/admin/floor/", "/admin/players/?q=ann", "/admin/nowhere/",
                 f"/admin/accounts/user/{user.pk}/change/"):  # fmt: skip
        answer = thief.get(path)
        assert answer.status_code == 302, path
        assert answer["Location"].startswith(ASK), path
    assert client.get("/metrics", REMOTE_ADDR="192.0.2.1").status_code == 404
    answer = enter_password(client, "/admin/players/?q=ann")
    assert answer["Location"] == "/admin/players/?q=ann"
    assert client.get("/admin/floor/").status_code == 200
    assert thief.get("/admin/floor/")["Location"].startswith("/admin/login/")
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=31)):
        assert client.get("/admin/floor/")["Location"].startswith(ASK)


def test_case_51_what_an_operator_sent_is_not_lost(counter: tuple[User, Client]) -> None:
    _user, client = counter
    path = "/admin/floor/announce/"
    answer = client.post(f"{path}?from=here", {"text": "Closing at ten.", "password1": "secret"})
    onward = answer["Location"].split("next=")[1].replace("%2F", "/")
    page = client.get(enter_password(client, onward)["Location"]).content.decode()
    assert 'value="Closing at ten."' in page
    assert f'action="{path}?from=here"' in page
    assert "secret" not in page


def test_case_51_a_log_in_on_the_way_there_is_enough(operator: Callable[..., User]) -> None:
    client = Client()
    arrived = log_in_with_code(client, operator("manager", "olga"), "/admin/floor/")
    assert arrived["Location"] == "/admin/floor/"
    assert client.get("/admin/floor/").status_code == 200
    assert acts() == ["log_in"]


OVER_A_SOCKET: dict[str, Callable[[TableClient], TableCommand | ChatCommand]] = {
    "close": lambda _at: Close(uuid4()),
    "lock": lambda _at: Lock(uuid4(), on=True),
    "chat off": lambda _at: Chat(uuid4(), on=False),
    "free": lambda _at: Free(uuid4(), 1),
    "hand on": lambda _at: HandOn(uuid4(), "ben"),
    "renew": lambda _at: Renew(uuid4()),
    "silence": lambda _at: Silence(uuid4(), "ben", on=True),
    "unsay": lambda at: Unsay(uuid4(), ChatLine.objects.get(table=at.table_id).pk),
}


@pytest.mark.parametrize("named", OVER_A_SOCKET)
def test_case_51_what_operators_do_over_a_socket_wants_a_recent_password(
    counter: tuple[User, Client], casino: TableClient, ben: User, named: str
) -> None:
    user, client = counter
    casino.sit(ben, 1)
    assert send_chat(casino, ben, Say(uuid4(), "Good evening.")) == "done"
    before = fingerprint(casino), ChatLine.objects.get().removed_at
    command = OVER_A_SOCKET[named]
    assert send(casino, user, command(casino), client) == "password_first"
    assert (fingerprint(casino), ChatLine.objects.get().removed_at) == before
    assert acts() == ["log_in"]
    enter_password(client)
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=31)):
        assert send(casino, user, command(casino), client) == "password_first"
    assert send(casino, user, command(casino), client) == "done"
    assert acts()[:2] == ["log_in", "reauth"]
    assert len(acts()) == 3


def test_case_51_who_made_the_table_runs_it_without_the_password(
    counter: tuple[User, Client], casino: TableClient
) -> None:
    user, client = counter
    Table.objects.filter(pk=casino.table_id).update(maker=user)
    assert send(casino, user, OVER_A_SOCKET["lock"](casino), client) == "done"


def send(at: TableClient, user: User, command: TableCommand | ChatCommand, client: Client) -> str:
    """The answer to a command over the socket of a page that is open in this browser."""
    key = client.session.session_key
    if isinstance(command, ChatCommand):
        return send_chat(at, user, command, key)
    played = commands.execute_one(
        QueuedCommand(at.table_id, user.pk, command, session=key), timezone.now()
    )
    return code(played.value)


def send_chat(at: TableClient, user: User, command: ChatCommand, key: str | None = None) -> str:
    return code(chat.execute(at.table_id, user.pk, command, timezone.now(), session=key).value)


def code(answer: Done | Err) -> str:
    return "done" if isinstance(answer, Done) else answer.code


def acts() -> list[str]:
    return list(Act.objects.order_by("pk").values_list("what", flat=True))


def test_case_51_what_becomes_of_an_operators_account_stands_in_the_trail(
    counter: tuple[User, Client],
) -> None:
    user, client = counter
    client.post(ASK, {"password": "wrong"})
    enter_password(client)
    client.post(EMAIL, {"action_add": "", "email": "olga@example.com"})
    client.post("/account/name/", {"username": "olga2"})
    new = "another-good-1!"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    client.post("/accounts/password/change/", form)
    assert acts() == ["log_in", "reauth_failed", "reauth", *["edit_user"] * 3]
    assert {act.subject for act in Act.objects.all()} == {f"user:{user.pk}"}
    assert {act.by_id for act in Act.objects.all()} == {user.pk}
    assert {act.address for act in Act.objects.all()} == {"127.0.0.1"}
    assert "olga@example.com" not in str(list(Act.objects.values_list("after", flat=True)))
