"""Roles: what the docs tick is what they may, and a role alone lets its operator in."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.test import Client

from accounts.models import User
from tables.realtime.writers.writer import Writer, _run_alone
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
    "see the alerts": ("view_alert",),
    "see accounting": ("view_books",),
    "run the audit": ("run_audit",),
    "see the operators": ("manage_staff",),
    "end any session": ("end_session",),
    "approve what another": ("approve_change",),
    "see the audit log": ("view_act",),
    "see the settings": ("view_housesettings",),
    "change the settings": ("change_housesettings",),
}
"""The permissions that a line of the docs needs, by how it begins."""


def lines() -> dict[str, dict[str, bool]]:
    """What each role may, line by line."""
    rows = {}
    for line in DOCS.read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 1 + len(ROLES) and cells[0] and not cells[0].startswith("-"):
            rows[cells[0]] = {role: bool(cell) for role, cell in zip(ROLES, cells[1:], strict=True)}
    return rows


def test_case_50_the_docs_tick_what_each_role_may() -> None:
    has = {
        role: set(Permission.objects.filter(group__name=role).values_list("codename", flat=True))
        for role in ROLES
    }
    rows = lines()
    assert len(rows) == len(NEEDED)
    for line, ticks in rows.items():
        (needed,) = (codes for begins, codes in NEEDED.items() if line.startswith(begins))
        for role, is_ticked in ticks.items():
            assert is_ticked == has[role].issuperset(needed), (line, role)


@pytest.fixture
def given(admin_user: User, client: Client) -> Iterator[Client]:
    """The browser of a superuser. The writer works on the connection of the test."""
    client.force_login(admin_user)
    with patch.object(Writer, "_put", lambda _writer, job: _run_alone(job)):
        yield client


@pytest.mark.parametrize("role", [*ROLES, "superuser"])
def test_case_50_a_role_alone_lets_its_operator_in(role: str, given: Client) -> None:
    """There is no other tick, which could be forgotten."""
    ann = new_player("ann")
    anns = Client()
    anns.force_login(ann)
    assert anns.get("/admin/").status_code == 302
    path = f"/admin/players/{ann.pk}/role/"
    chosen = {"is_superuser": "on"} if role == "superuser" else {"roles": role}
    assert given.post(path, chosen).status_code == 302
    inside = anns.get("/admin/")
    if role in ("manager", "superuser"):  # these set up a second factor on the way
        assert inside.headers["Location"] == "/accounts/2fa/"
    else:
        assert inside.status_code == 200
    given.post(path, {})
    assert anns.get("/admin/").status_code == 302
    ann.refresh_from_db()
    assert (ann.is_staff, ann.is_superuser, ann.groups.count()) == (False, False, 0)


def test_an_older_database_keeps_the_roles_of_those_who_could_enter(db: None) -> None:
    """A role without the tick, and the tick without a role, let nobody do anything."""
    group = Group.objects.get(name="floor")
    cast = {"both": (True, False, True), "tick": (True, False, False), "role": (False, False, True),
            "olga": (True, True, False), "half": (False, True, False)}  # fmt: skip
    for name, (is_staff, is_superuser, has_role) in cast.items():
        user = User.objects.create_user(name, is_staff=is_staff, is_superuser=is_superuser)
        user.groups.set([group] if has_role else [])
    import_module("tables.migrations.0038_staff").align_entry(apps, None)
    rights = {
        user.username: (user.is_staff, user.is_superuser, user.groups.exists())
        for user in User.objects.filter(username__in=cast)
    }
    nothing = (False, False, False)
    assert rights == {**dict.fromkeys(("tick", "role", "half"), nothing),
                     "both": cast["both"], "olga": cast["olga"]}  # fmt: skip


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
