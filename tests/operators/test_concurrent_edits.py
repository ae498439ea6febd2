"""Two managers who change the same table, settings or roles at once: nothing is lost without a word."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from django.test import Client
from django.utils.http import urlencode

from accounts.lib import word_filter
from accounts.models import Act, HouseSettings, User
from tables.models import Table
from tests.helpers.table_client import TableClient

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("stopped_writer")]

Role = Callable[..., User]
SETTINGS = "/admin/accounts/housesettings/1/change/"


def as_(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def mia(operator: Role) -> Client:
    return as_(operator("manager", "mia"))


@pytest.fixture
def max_(operator: Role) -> Client:
    return as_(operator("manager", "max"))


def open_form(client: Client, path: str) -> dict[str, Any]:
    """What a browser would send of the form without a change."""
    answer = client.get(path)
    return sent_by(form_of(answer))


def form_of(answer: Any) -> Any:
    admin_form = answer.context.get("adminform")
    return answer.context["form"] if admin_form is None else admin_form.form


def sent_by(form: Any) -> dict[str, Any]:
    """The fields of a page as a browser sends them."""
    fields = {
        bound.html_name: [str(getattr(one, "pk", one)) for one in value]
        if isinstance(value, (list, tuple)) else ("on" if value is True else str(value))
        for bound in form
        if (value := bound.value()) not in (None, "") and value is not False
    }  # fmt: skip
    return {**fields, **form.edit_state}


def send_again(answer: Any, form: dict[str, Any], **choices: str) -> dict[str, Any]:
    """The page with the conflicts, with choices by field."""
    page_form = form_of(answer)
    fields = {f"keep-{name}": choice for name, choice in choices.items()}
    names = [one.name for one in page_form.conflicts]
    return {**form, **sent_by(page_form), "conflict": names, **fields}


def flat(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def test_case_75_what_both_have_changed_is_shown_side_by_side_and_nothing_is_written(
    casino: TableClient, mia: Client, max_: Client
) -> None:
    path = f"/admin/tables/{casino.table_id}/edit/"
    mias, maxs = open_form(mia, path), open_form(max_, path)
    mia.post(path, {**mias, "betting_seconds": "40", "name": "Mia's table"})
    before = Act.objects.count()
    mine = {**maxs, "betting_seconds": "55", "turn_seconds": "77"}
    answer = max_.post(path, mine)
    text = flat(answer)
    assert "Someone else changed this while you had it open." in text
    (conflict,) = answer.context["form"].conflicts
    assert (conflict.label, conflict.opened, conflict.now, conflict.yours) == (
        "Seconds to bet", maxs["betting_seconds"], "40", "55",
    )  # fmt: skip
    assert re.fullmatch(r"by mia, .* UTC", conflict.changed)
    assert 'name="keep-betting_seconds"' in text
    assert (casino.row.betting_seconds, Act.objects.count()) == (40, before)
    # Without a choice it is asked again; nothing is written.
    again = max_.post(path, send_again(answer, mine))
    assert [one.name for one in again.context["form"].conflicts] == ["betting_seconds"]
    assert again.context["form"].conflicts[0].opened == maxs["betting_seconds"]
    assert casino.row.betting_seconds == 40
    final_answer = max_.post(path, send_again(again, mine, betting_seconds="mine"), follow=True)
    assert "Saved." in flat(final_answer)
    row = casino.row
    assert (row.betting_seconds, row.turn_seconds, row.name) == (55, 77, "Mia's table")


def test_theirs_is_kept_if_that_is_chosen(casino: TableClient, mia: Client, max_: Client) -> None:
    path = f"/admin/tables/{casino.table_id}/edit/"
    mias, maxs = open_form(mia, path), open_form(max_, path)
    mia.post(path, {**mias, "betting_seconds": "40"})
    mine = {**maxs, "betting_seconds": "55", "turn_seconds": "77"}
    answer = max_.post(path, mine)
    max_.post(path, send_again(answer, mine, betting_seconds="theirs"))
    assert (casino.row.betting_seconds, casino.row.turn_seconds) == (40, 77)


def test_fields_that_only_one_has_changed_are_merged_with_a_line(
    casino: TableClient, mia: Client, max_: Client
) -> None:
    path = f"/admin/tables/{casino.table_id}/edit/"
    mias, maxs = open_form(mia, path), open_form(max_, path)
    mia.post(path, {**mias, "name": "Mia's table", "minimum": "25"})
    answer = max_.post(path, {**maxs, "turn_seconds": "77"}, follow=True)
    text = flat(answer)
    assert "these meanwhile, and they are kept: Name, Minimum bet." in text
    row = casino.row
    assert (row.name, row.turn_seconds, row.rules_options) == ("Mia's table", 77, {"minimum": 2500})


def test_a_third_change_between_the_choice_and_its_sending_is_shown_again(
    casino: TableClient, mia: Client, max_: Client
) -> None:
    path = f"/admin/tables/{casino.table_id}/edit/"
    maxs = open_form(max_, path)
    mia.post(path, {**open_form(mia, path), "betting_seconds": "40"})
    mine = {**maxs, "betting_seconds": "55"}
    answer = max_.post(path, mine)
    mia.post(path, {**open_form(mia, path), "betting_seconds": "41"})
    again = max_.post(path, send_again(answer, mine, betting_seconds="mine"))
    assert [one.now for one in again.context["form"].conflicts] == ["41"]
    assert casino.row.betting_seconds == 41


def test_a_table_that_is_changed_between_check_and_lock_is_compared_again(
    casino: TableClient, mia: Client, max_: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tables.operators.tables import editing

    path, real = f"/admin/tables/{casino.table_id}/edit/", editing.edit_settings
    maxs = open_form(max_, path)

    def edit_late(*args: Any) -> Any:
        monkeypatch.setattr(editing, "edit_settings", real)
        Table.objects.filter(pk=casino.table_id).update(betting_seconds=40)
        return real(*args)

    monkeypatch.setattr(editing, "edit_settings", edit_late)
    answer = max_.post(path, {**maxs, "betting_seconds": "55"})
    assert [one.now for one in answer.context["form"].conflicts] == ["40"]
    assert casino.row.betting_seconds == 40


def test_the_settings_of_the_site_are_not_overwritten(mia: Client, max_: Client) -> None:
    mias, maxs = open_form(mia, SETTINGS), open_form(max_, SETTINGS)
    mia.post(SETTINGS, {**mias, "rebuy_hours": "12", "void_limit": "700"})
    mine = {**maxs, "rebuy_hours": "48", "starting_money": "600"}
    answer = max_.post(SETTINGS, mine)
    (conflict,) = answer.context["adminform"].form.conflicts
    assert (conflict.opened, conflict.now, conflict.yours) == ("24", "12", "48")
    assert conflict.changed.startswith("by mia, ")
    assert HouseSettings.objects.get().rebuy_hours == 12
    text = flat(answer)
    assert 'name="keep-rebuy_hours"' in text
    assert "this meanwhile, and it is kept: Maximum void without approval." in text
    max_.post(SETTINGS, send_again(answer, mine, rebuy_hours="mine"))
    row = HouseSettings.objects.get()
    assert (row.rebuy_hours, row.void_limit, row.starting_money) == (48, 70_000, 60_000)
    newest = Act.objects.filter(what="settings").latest("pk")
    assert newest.before == {"rebuy_hours": "12", "starting_money": "500"}
    assert newest.after == {"rebuy_hours": "48", "starting_money": "600"}


def test_roles_that_two_superusers_assign_are_shown_side_by_side(ann: User, ben: User) -> None:
    clients = []
    for user in (ben, User.objects.create_user("cleo", password="x")):
        user.is_staff = user.is_superuser = True
        user.save()
        clients.append(as_(user))
    path = f"/admin/players/{ann.pk}/role/"
    bens, cleos = (open_form(client, path) for client in clients)
    clients[0].post(path, {**bens, "roles": ["floor"]})
    mine = {**cleos, "roles": ["manager"]}
    answer = clients[1].post(path, mine)
    (conflict,) = answer.context["form"].conflicts
    assert (conflict.name, conflict.opened) == ("roles", "–")
    assert conflict.now.startswith("floor – ")
    assert conflict.yours.startswith("manager – ")
    assert [group.name for group in ann.groups.all()] == ["floor"]
    clients[1].post(path, send_again(answer, mine, roles="mine"))
    assert [group.name for group in ann.groups.all()] == ["manager"]


@pytest.mark.parametrize("opened", ["", "x", "[]", "7", '{"rebuy_hours": 7}', "[" * 5000, "é\0"])
def test_a_page_that_says_nothing_readable_asks_about_every_difference(
    opened: str, max_: Client
) -> None:
    form = {**open_form(max_, SETTINGS), "opened": opened, "rebuy_hours": "48"}
    answer = max_.post(SETTINGS, form)
    assert [one.name for one in answer.context["adminform"].form.conflicts] == ["rebuy_hours"]
    assert HouseSettings.objects.get().rebuy_hours == 24


def test_what_is_written_in_another_way_is_no_change(mia: Client, max_: Client) -> None:
    form = open_form(max_, SETTINGS)
    mia.post(SETTINGS, {**open_form(mia, SETTINGS), "void_limit": "700"})
    assert json.loads(form["opened"])["void_limit"] == "1,000"
    max_.post(SETTINGS, {**form, "void_limit": " 1000.00 ", "rebuy_hours": "48"})
    row = HouseSettings.objects.get()
    assert (row.void_limit, row.rebuy_hours) == (70_000, 48)


LONG = "\n".join(f"непристойное слово{number}" for number in range(300))[:7_900]
"""A list of blocked words in a script of two bytes a letter."""


def words(form: dict[str, Any], text: str) -> dict[str, Any]:
    return {**form, "blocked_words": text}


def test_a_long_list_of_words_can_be_saved_again_and_again(mia: Client) -> None:
    for text in (LONG, f"{LONG}\nещё"):
        form = words(open_form(mia, SETTINGS), text)
        assert len(form["opened"]) < 3_000
        assert len(urlencode(form, doseq=True)) < settings.MOST_BODY_BYTES
        answer = mia.post(SETTINGS, form, follow=True)
        assert "The new settings apply now." in flat(answer)
        assert HouseSettings.objects.get().blocked_words == text


def test_lines_that_a_browser_ends_in_another_way_are_no_change(mia: Client) -> None:
    mia.post(SETTINGS, words(open_form(mia, SETTINGS), "one\ntwo"))
    before = Act.objects.count()
    mia.post(SETTINGS, words(open_form(mia, SETTINGS), "one\r\ntwo"))
    assert Act.objects.count() == before
    mia.post(SETTINGS, words(open_form(mia, SETTINGS), "one\r\nthree"))
    assert Act.objects.count() == before + 1


def test_two_long_lists_are_a_conflict_that_either_choice_ends(mia: Client, max_: Client) -> None:
    mia.post(SETTINGS, words(open_form(mia, SETTINGS), LONG))
    for choice, expected in (("mine", f"{LONG}\nмакс"), ("theirs", f"{LONG}\nмиа")):
        maxs = words(open_form(max_, SETTINGS), f"{LONG}\nмакс")
        maxs["rebuy_hours"] = "48"
        mia.post(SETTINGS, words(open_form(mia, SETTINGS), f"{LONG}\nмиа"))
        answer = max_.post(SETTINGS, maxs)
        (conflict,) = answer.context["adminform"].form.conflicts
        assert (conflict.name, conflict.opened) == ("blocked_words", "…")
        assert (conflict.now, conflict.yours) == (f"{LONG}\nмиа", f"{LONG}\nмакс")
        again = send_again(answer, maxs, blocked_words=choice)
        assert len(urlencode(again, doseq=True)) < settings.MOST_BODY_BYTES
        max_.post(SETTINGS, again)
        row = HouseSettings.objects.get()
        assert (row.blocked_words, row.rebuy_hours) == (expected, 48)
        mia.post(SETTINGS, words(open_form(mia, SETTINGS), LONG) | {"rebuy_hours": "24"})


def test_a_long_value_that_only_one_has_changed_is_merged(mia: Client, max_: Client) -> None:
    mia.post(SETTINGS, words(open_form(mia, SETTINGS), LONG))
    maxs = open_form(max_, SETTINGS)
    mia.post(SETTINGS, words(open_form(mia, SETTINGS), f"{LONG}\nмиа"))
    answer = max_.post(SETTINGS, {**maxs, "rebuy_hours": "48"}, follow=True)
    assert "and it is kept: Blocked words." in flat(answer)
    row = HouseSettings.objects.get()
    assert (row.blocked_words, row.rebuy_hours) == (f"{LONG}\nмиа", 48)


def test_mine_ends_the_conflicts_of_a_page_that_says_nothing_readable(max_: Client) -> None:
    form = {**words(open_form(max_, SETTINGS), LONG), "opened": "x" * 40_000}
    answer = max_.post(SETTINGS, form)
    assert [one.name for one in answer.context["adminform"].form.conflicts] == ["blocked_words"]
    max_.post(SETTINGS, send_again(answer, form, blocked_words="mine"))
    assert HouseSettings.objects.get().blocked_words == LONG


def test_the_longest_list_in_any_script_can_be_sent_and_shown_again_after_the_password(
    operator: Role,
) -> None:
    mia = as_(operator("manager", "mia"))
    line = "漢字" * 29 + "\n"
    text = (line * 200)[: word_filter.LONGEST_LIST]
    page = mia.get(SETTINGS).content.decode()
    assert 'enctype="multipart/form-data"' in page
    session = mia.session
    session["account_authentication_methods"] = []
    session.save()
    form = words(open_form(as_(User.objects.get(username="mia")), SETTINGS), text)
    answer = mia.post(SETTINGS, form)
    onward = parse_qs(urlsplit(answer.headers["Location"]).query)["next"][0]
    assert onward.startswith("/accounts/again/"), onward
    again = mia.get(onward).content.decode()
    assert text.strip() in again
    assert 'enctype="multipart/form-data"' in again
