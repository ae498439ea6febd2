"""The blocked words of the site: in the chat, in names, and in the settings."""

from __future__ import annotations

import uuid

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import site_settings
from accounts.models import Act, HouseSettings, User
from accounts.users import names as users_names
from tables.lobby.forms import TableForm
from tests.helpers.site import SETTINGS_FORM, change_settings
from tests.helpers.table_client import TableClient
from tests.operators.test_rounds import as_
from tests.social.test_chat import code, list_lines, say

pytestmark = pytest.mark.django_db


def block(words: str, lines: str = "mask") -> None:
    change_settings(blocked_words=words, blocked_lines=lines)


def test_a_line_is_masked_and_the_same_command_is_no_second_line(
    casino: TableClient, ann: User
) -> None:
    block("darn\nbad word")
    command = uuid.uuid4()
    assert code(say(casino, ann, "Oh darn, a bad word", command)) == "done"
    assert list_lines(casino) == [("ann", "Oh •••, a •••")]
    assert code(say(casino, ann, "Oh darn, a bad word", command)) == "done"
    assert code(say(casino, ann, "Something else", command)) == "id_reused"
    assert len(list_lines(casino)) == 1


def test_or_it_is_refused(casino: TableClient, ann: User) -> None:
    block("darn", "refuse")
    assert code(say(casino, ann, "Oh d4rn")) == "blocked_word"
    assert code(say(casino, ann, "Oh dear")) == "done"
    assert list_lines(casino) == [("ann", "Oh dear")]


def test_earlier_lines_stay(casino: TableClient, ann: User) -> None:
    say(casino, ann, "Oh darn")
    block("darn")
    assert list_lines(casino) == [("ann", "Oh darn")]


def test_the_words_are_not_read_again_for_each_line(casino: TableClient, ann: User) -> None:
    block("darn")
    say(casino, ann, "one")
    with CaptureQueriesContext(connection) as queries:
        say(casino, ann, "two")
    assert not [one for one in queries if "accounts_housesettings" in one["sql"]]


@pytest.mark.parametrize("name", ["Darn", "BigDarn", "d4rn", "darn77"])
def test_no_player_has_such_a_name(name: str) -> None:
    block("darn")
    with pytest.raises(ValidationError, match="not allowed here"):
        users_names.clean(name)
    assert users_names.clean("Darnley") == "Darnley"


def test_who_had_the_name_before_keeps_it(ann: User) -> None:
    block("ann")
    assert users_names.clean("ann", owner=ann) == "ann"


def test_no_table_is_called_so_but_one_that_was_already() -> None:
    block("darn")
    form = TableForm({"name": "The darn table", "rules_key": "casino"})
    assert "not allowed here" in str(form.errors["name"])
    form = TableForm({"name": "Darn", "rules_key": "casino"}, initial={"name": "Darn"})
    assert "name" not in form.errors


SETTINGS = {**SETTINGS_FORM, "blocked_lines": "refuse"}
PATH = "/admin/accounts/housesettings/1/change/"


@pytest.fixture
def manager(operator: object) -> Client:
    return as_(operator("manager", "mia"))


def test_a_manager_writes_the_list_and_the_trail_has_what_changed(
    manager: Client, casino: TableClient, ann: User
) -> None:
    block("old\nkept")
    typed = {**SETTINGS, "blocked_words": "kept\n\n  darn \ndarn\nbad word"}
    page = manager.post(PATH, typed, follow=True).content.decode()
    assert "The new settings apply now." in page
    assert HouseSettings.objects.get().blocked_words == "kept\ndarn\nbad word"
    act = Act.objects.get(what="settings")
    assert (act.before or {})["blocked_words"] == "old"
    assert (act.after or {})["blocked_words"] == "darn, bad word"
    site_settings.refresh()  # the hook on the commit does not run in a test's transaction
    assert code(say(casino, ann, "darn")) == "blocked_word"


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("x" * 61, "is too long, at most 60"),
        ("darn\n!!!", "has no letter"),
        ("\n".join(f"word{number}x" for number in range(501)), "501 entries are too many"),
        ("\n".join(f"{number:x>50}" for number in range(170)), "at most 8000 characters"),
    ],
)
def test_a_list_that_cannot_work_is_refused_and_kept_in_the_form(
    manager: Client, typed: str, why: str
) -> None:
    page = manager.post(PATH, {**SETTINGS, "blocked_words": typed}).content.decode()
    assert why in page
    assert typed.split("\n")[0] in page
    assert HouseSettings.objects.get().blocked_words == ""
