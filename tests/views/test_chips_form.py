"""Who makes a table chooses chips of the table, and later how many stacks players may take."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import User
from tables.game import pending_settings
from tables.models import Table
from tests.game.test_stacks import open_table
from tests.helpers.table_client import balance_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("stopped_writer")]

GOOD = {
    "name": "Friday", "rules_key": "casino", "betting_seconds": "20", "turn_seconds": "30",
    "has_chips": "on", "stack": "1000", "top_ups": "2",
}  # fmt: skip


@pytest.fixture
def anns(client: Client, ann: User) -> Client:
    client.force_login(ann)
    return client


def test_a_table_with_chips_is_made_and_its_maker_sits_with_a_stack(
    anns: Client, ann: User
) -> None:
    anns.post("/tables/new/", GOOD)
    table = Table.objects.get()
    assert (table.stack_size, table.top_ups) == (100_000, 2)
    seat = table.seats.get()
    assert seat.account.balance == 100_000
    assert balance_of(ann) == 50_000


def test_without_the_switch_it_is_a_table_for_money(anns: Client) -> None:
    anns.post("/tables/new/", {**GOOD, "has_chips": ""})
    assert Table.objects.get().stack_size is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"stack": ""}, "Enter how many chips a stack has."),
        ({"stack": "0"}, "A whole number between 1 and 1,000,000."),
        ({"stack": "-5"}, "A whole number between 1 and 1,000,000."),
        ({"stack": "10.5"}, "A whole number between 1 and 1,000,000."),
        ({"stack": "1000001"}, "A whole number between 1 and 1,000,000."),
        ({"stack": "9" * 400}, "A whole number between 1 and 1,000,000."),
        ({"stack": "1"}, "A stack must be enough for the minimum bet of 10."),
        ({"stack": "20", "minimum": "50"}, "A stack must be enough for the minimum bet of 50."),
        ({"top_ups": "21"}, "A whole number between 0 and 20."),
        ({"top_ups": "-1"}, "A whole number between 0 and 20."),
        ({"rules_key": "piles"}, "Nothing is bet under these rules, so there are no chips."),
    ],
)
def test_a_wrong_size_is_refused_in_words(
    anns: Client, wrong: dict[str, str], message: str
) -> None:
    page = anns.post("/tables/new/", {**GOOD, **wrong}).content.decode()
    assert message in page
    assert not Table.objects.exists()


def test_all_faults_are_named_at_once(anns: Client) -> None:
    wrong = {"name": "", "betting_seconds": "1", "stack": "1", "idle_minutes": "0"}
    page = anns.post("/tables/new/", {**GOOD, **wrong}).content.decode()
    for message in (
        "Give the table a name.",
        "Between 5 and 300 seconds.",
        "A stack must be enough for the minimum bet of 10.",
        "Between 1 and 60 minutes.",
    ):
        assert message in page, message


def test_a_wrong_stack_is_named_once(anns: Client) -> None:
    page = anns.post("/tables/new/", {**GOOD, "stack": "0", "name": ""}).content.decode()
    assert "A whole number between 1 and 1,000,000." in page
    assert "Enter how many chips" not in page


def settings_of(table: Table, **changed: str) -> dict[str, str]:
    digest = pending_settings.settings_hash(pending_settings.pending_or_current(table))
    return {
        "name": table.name, "betting_seconds": "20", "turn_seconds": "30", "made_from": digest,
        **changed,
    }  # fmt: skip


def test_the_host_changes_the_top_ups_later_and_not_the_kind_of_money(
    anns: Client, ann: User
) -> None:
    at = open_table(ann)
    url = f"/tables/{at.table_id}/settings/"
    page = anns.get(url).content.decode()
    assert "More stacks that players may take" in page
    assert "has_chips" not in page
    anns.post(url, settings_of(at.row, top_ups="5", has_chips="", stack="7"))
    assert (at.row.top_ups, at.row.stack_size) == (5, 100_000)
    page = anns.post(url, settings_of(at.row, top_ups="5", minimum="2000", maximum="5000"))
    assert "A stack at this table is 1,000" in page.content.decode()
    assert at.row.rules_options == {}


def test_a_table_for_money_has_no_such_setting(anns: Client, ann: User) -> None:
    anns.post("/tables/new/", {**GOOD, "has_chips": ""})
    table = Table.objects.get()
    url = f"/tables/{table.pk}/settings/"
    assert "top_ups" not in anns.get(url).content.decode()
    anns.post(url, settings_of(table, top_ups="5", name="Other"))
    table.refresh_from_db()
    assert (table.name, table.top_ups) == ("Other", 0)
