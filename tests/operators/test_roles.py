"""Roles: what the docs tick is what they may, and none is given without being let in."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.test import Client

from accounts.models import Act, User
from tests.helpers.table_client import new_player
from tests.operators.matrix import ROLES

pytestmark = pytest.mark.django_db

DOCS = Path(__file__).parents[2] / "docs/operators.md"
NEEDED = {
    "see the live tables": ("view_table",),
    "pause, resume": ("run_table",),
    "announce": ("announce",),
    "schedule maintenance": ("maintain",),
    "open, change": ("add_table", "change_table"),
    "see the racks": ("fill_rack",),
    "see players": ("view_user", "view_transfer", "view_hand", "note_user"),
    "mute a player": ("silence_user",),
    "freeze a player": ("freeze_user",),
    "approve and refuse": ("approve_user",),
    "ban an address": ("ban_network",),
    "create invites": ("invite_user",),
    "adjust a wallet": ("adjust_wallet",),
    "see rounds": ("view_round",),
    "void a round": ("void_round", "approve_void"),
    "answer player reports": ("answer_report",),
    "see accounting": ("view_books",),
    "run the audit": ("run_audit",),
    "see the audit log": ("view_act",),
    "see the settings": ("view_housesettings",),
    "change the settings": ("change_housesettings",),
}
"""The permissions that a line of the docs needs, by how it begins."""


def lines() -> dict[str, dict[str, bool]]:
    """What each role may, line by line."""
    told = {}
    for line in DOCS.read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 1 + len(ROLES) and cells[0] and not cells[0].startswith("-"):
            told[cells[0]] = {role: bool(cell) for role, cell in zip(ROLES, cells[1:], strict=True)}
    return told


def test_case_50_the_docs_tick_what_each_role_may() -> None:
    has = {
        role: set(Permission.objects.filter(group__name=role).values_list("codename", flat=True))
        for role in ROLES
    }
    told = lines()
    assert len(told) == len(NEEDED)
    for line, ticks in told.items():
        (needed,) = (codes for begins, codes in NEEDED.items() if line.startswith(begins))
        for role, is_ticked in ticks.items():
            assert is_ticked == has[role].issuperset(needed), (line, role)


@pytest.fixture
def given(admin_user: User, client: Client) -> Client:
    client.force_login(admin_user)
    return client


@pytest.mark.parametrize("role", [*ROLES, "superuser"])
def test_case_50_a_role_without_the_tick_that_lets_its_operator_in_is_refused(
    role: str, given: Client
) -> None:
    """It would be saved, and do nothing."""
    ann = new_player("ann")
    path = f"/admin/accounts/user/{ann.pk}/change/"
    chosen = {"is_superuser": "on"} if role == "superuser" else {"groups": _id(role)}
    page = given.post(path, chosen)
    assert "needs “Operator” ticked" in page.content.decode()
    ann.refresh_from_db()
    assert (ann.is_staff, ann.is_superuser, ann.groups.count()) == (False, False, 0)
    assert not Act.objects.exists()
    assert given.post(path, {**chosen, "is_staff": "on"}).status_code == 302


def test_an_operator_is_dismissed_with_the_roles(given: Client) -> None:
    ann = new_player("ann")
    path = f"/admin/accounts/user/{ann.pk}/change/"
    given.post(path, {"is_staff": "on", "groups": _id("floor")})
    assert given.post(path, {"groups": _id("floor")}).status_code == 200
    assert given.post(path, {}).status_code == 302
    ann.refresh_from_db()
    assert (ann.is_staff, ann.groups.count()) == (False, 0)


def test_case_50_several_of_anything_are_spelled_well() -> None:
    """In the lists of everything that is kept, and in what Django says of permissions."""
    models = [
        m for label in ("accounts", "tables") for m in apps.get_app_config(label).get_models()
    ]
    for model in models:
        one, many = str(model._meta.verbose_name), str(model._meta.verbose_name_plural)
        assert many in {one, _plural(one)}, model
        assert not many.endswith(("ss", "ys")) or many.endswith("days"), model


def _plural(one: str) -> str:
    if one.endswith(("s", "x", "ch", "sh")):
        return f"{one}es"
    return f"{one[:-1]}ies" if one.endswith("y") and not one.endswith("ay") else f"{one}s"


def _id(role: str) -> str:
    return str(Group.objects.get(name=role).pk)
