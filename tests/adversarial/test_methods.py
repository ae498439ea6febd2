"""How things are asked for: only by those methods, only by the site's own forms, only by whom."""

from __future__ import annotations

from itertools import product
from uuid import uuid4

import pytest
from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from django.contrib import admin
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts.models import Transfer
from tests.permissions.actors import OPERATORS, PLAYERS, World
from tests.permissions.matrix_rows import LED, PAGE, ROWS
from tests.permissions.probe import ask, clients, path_of, world, writing

__all__ = ["clients", "world"]

pytestmark = pytest.mark.django_db

ELSEWHERE = ("/static/css/site.css", "/nothing/", "/admin/floor/", "/admin/accounts/transfer/")
NEVER_ANSWERED = ("PUT", "PATCH", "DELETE", "TRACE", "OPTIONS", "CONNECT", "PROPFIND")


@pytest.mark.long
def test_case_33_other_methods_are_answered_nowhere(
    world: World, clients: dict[str, Client]
) -> None:
    answered = []
    paths = {path_of(row, world) for row in ROWS} | set(ELSEWHERE)
    for path, method in product(sorted(paths), NEVER_ANSWERED):
        for role in ("stranger", "seated", "superuser"):
            answer = clients[role].generic(method, path)
            if (answer.status_code, answer.headers["Allow"]) != (405, "GET, HEAD, POST"):
                answered.append(f"{role}: {method} {path}: {answer.status_code}")
    assert answered == []


@pytest.mark.long
def test_case_33_a_form_without_its_token_is_refused_everywhere(
    world: World, clients: dict[str, Client]
) -> None:
    """But for the button "Play as guest" of who is logged in, which only leads on."""
    wrong = []
    paths = {path_of(row, world) for row in ROWS} | {"/admin/floor/announce/", "/admin/racks/"}
    for path, role in product(sorted(paths), ("stranger", "seated", "superuser")):
        client = clients[role]
        client.handler.enforce_csrf_checks = True
        with writing() as written:
            answer: HttpResponse = ask(client, "POST", path)
        may_be_led = path == reverse("guest") and role != "stranger"
        if answer.status_code != (302 if may_be_led else 403) or written:
            wrong.append(f"{role}: POST {path}: {answer.status_code}, wrote to {written}")
    assert wrong == []


def test_case_33_nothing_is_changed_by_opening_an_address(
    world: World, clients: dict[str, Client]
) -> None:
    """But for invites: who follows one takes a seat, and is let in at the table from then on. And
    recovery codes are shown once.
    """
    changed = set()
    for row, role in product(ROWS, ("maker", "superuser")):
        if row.method == "GET" and row.answers[role] in (PAGE, LED):
            with writing() as written:
                ask(clients[role], "GET", path_of(row, world))
            if written:
                changed.add(row.name)
    assert changed <= {"join", "table", "mfa_view_recovery_codes"}


def test_case_33_a_link_in_a_letter_logs_nobody_else_out(
    world: World, clients: dict[str, Client]
) -> None:
    """A guest could not come back: somebody's link is no way to end their account."""
    maker = world.users["maker"]
    address = EmailAddress.objects.create(user=maker, email="maker@example.com")
    links = [
        reverse("account_reset_password_from_key", kwargs={
            "uidb36": user_pk_to_url_str(maker),
            "key": default_token_generator.make_token(maker)}),
        reverse("account_confirm_email", args=[EmailConfirmationHMAC(address).key]),
    ]  # fmt: skip
    for link in links:
        guest, own, stranger = clients["guest"], clients["maker"], clients["stranger"]
        answer = guest.get(link)
        assert answer.headers["Location"].startswith(f"{reverse('account_logout')}?next=")
        assert "Log out" in guest.get(answer.headers["Location"]).content.decode()
        assert guest.get("/account/").status_code == 200
        for who in (own, stranger):
            assert "logout" not in who.get(link).headers.get("Location", "")


# Behind the counter


def test_case_34_no_player_comes_behind_the_counter(
    world: World, clients: dict[str, Client]
) -> None:
    for role in (role for role in PLAYERS if role not in OPERATORS):
        for path in ("/admin/", "/admin/floor/", "/admin/accounts/user/"):
            answer = clients[role].get(path, follow=True)
            assert answer.status_code == 403, (role, path)
            assert "counter" not in answer.content.decode().split("<main")[1], (role, path)


@pytest.mark.parametrize("verb", ["add", "change", "delete"])
def test_case_34_not_even_a_superuser_edits_money_cards_or_the_past(
    verb: str, world: World, clients: dict[str, Client]
) -> None:
    before = list(Transfer.objects.values_list())
    client, wrong = clients["superuser"], []
    for model in admin.site._registry:
        label = model._meta.label_lower
        if (label, verb) in (("accounts.housesettings", "change"), ("accounts.user", "change")):
            continue  # limits of the house, and who is an operator
        row = model._default_manager.first()
        if row is None:
            continue
        name = f"admin:{label.replace('.', '_')}_{verb}"
        path = reverse(name) if verb == "add" else reverse(name, args=[row.pk])
        values = {"amount": "1", "balance": "1", "state": "{}", "secret": "x", "post": "yes"}
        with writing() as written:
            answer = ask(client, "POST", path, values)
        if answer.status_code != 403 or written:
            wrong.append(f"{path}: {answer.status_code}, wrote to {written}")
    assert wrong == []
    assert list(Transfer.objects.values_list()) == before


def test_case_34_a_correction_is_a_new_transfer_with_a_reason(
    world: World, clients: dict[str, Client]
) -> None:
    path = reverse("admin:player_adjust", args=[world.users["outsider"].pk])
    for reason, writes_to in (("", set()), ("A gift.", {"accounts_transfer", "accounts_act"})):
        form = {"way": "give", "amount": "5", "reason": reason, "key": str(uuid4()), "sure": "yes"}
        with writing() as written:
            ask(clients["manager"], "POST", path, form)
        assert written & {"accounts_transfer", "accounts_act"} == writes_to, reason
