"""The page on which the host changes the settings of the table."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from tables.game import lifecycle
from tables.models import Table
from tests.game.test_host_commands import close, hand_on, made_by
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient
from tests.views.test_private_tables import browser

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("stopped_writer")]


@pytest.fixture
def friday(ann: User) -> TableClient:
    return made_by(ann)


def address(at: TableClient) -> str:
    return reverse("table-settings", args=[at.table_id])


def fields(client: Client, at: TableClient, **changes: str) -> dict[str, str]:
    """What the form sends, with some fields changed."""
    form = client.get(address(at)).context["form"]
    values = {field.html_name: field.value() for field in form}
    sent = {
        name: "on" if value is True else str(value)
        for name, value in values.items()
        if value not in (None, False)
    }
    return {**sent, **changes}


def test_the_host_changes_name_limits_and_clocks(friday: TableClient, ann: User) -> None:
    client = browser(ann)
    sent = fields(client, friday, name="Late", minimum="25", maximum="200", turn_seconds="60")
    answer = client.post(address(friday), sent, follow=True)
    assert answer.redirect_chain[-1][0] == reverse("table", args=[friday.table_id])
    assert "Saved." in answer.content.decode()
    row = friday.row
    assert (row.name, row.turn_seconds) == ("Late", 60)
    assert row.rules_options == {"minimum": 2500, "maximum": 20_000}
    assert "Late" in client.get(address(friday)).content.decode()
    assert fields(client, friday)["minimum"] == "25"


def test_in_mid_round_the_page_says_that_the_change_waits(
    friday: TableClient, ann: User, ben: User, stack: Callable[..., None]
) -> None:
    stack("Ts Td 6h 9d 8c Kc Th")
    sit_down(friday, ann, ben)
    for user in (ann, ben):
        friday.bet(user, 1000)
    client = browser(ann)
    answer = client.post(address(friday), fields(client, friday, name="Late"), follow=True)
    assert "applies after the current round" in answer.content.decode()
    page = client.get(address(friday)).content.decode()
    assert "A change waits for the end of the round." in page
    assert "The table stays public: rounds were played here." in page
    assert "Late" in page
    assert friday.row.name == "Friday night"


def test_conflicting_options_are_refused_at_their_field(friday: TableClient, ann: User) -> None:
    client = browser(ann)
    sent = fields(client, friday, minimum="500", maximum="10")
    answer = client.post(address(friday), sent)
    assert answer.status_code == 200
    page = answer.content.decode()
    assert "The table wasn&#x27;t changed." in page or "The table wasn't changed." in page
    assert answer.context["form"].errors.keys() & {"minimum", "maximum"}
    assert '<details class="more-options" open>' in page
    assert friday.row.rules_options == {}


def test_a_form_of_before_another_change_is_shown_again(friday: TableClient, ann: User) -> None:
    client = browser(ann)
    sent = fields(client, friday, name="One")
    client.post(address(friday), sent)
    answer = client.post(address(friday), sent | {"name": "Two"}, follow=True)
    assert answer.redirect_chain[-1][0] == address(friday)
    assert "have changed meanwhile" in answer.content.decode()
    assert friday.row.name == "One"


def test_others_are_led_to_the_table_with_a_sentence(
    friday: TableClient, ann: User, ben: User
) -> None:
    sit_down(friday, ann, ben)
    sent = fields(browser(ann), friday, name="Mine")
    for answer in (
        browser(ben).get(address(friday), follow=True),
        browser(ben).post(address(friday), sent, follow=True),
    ):
        assert answer.redirect_chain == [(reverse("table", args=[friday.table_id]), 302)]
        messages = [str(message) for message in answer.context["messages"]]
        assert messages == ["Only the table's host can change its settings."]
    friday.send(ann, hand_on("ben"))
    browser(ann).post(address(friday), sent)
    assert friday.row.name == "Friday night"


def test_a_table_that_is_closed_or_out_of_sight_does_not_exist(ann: User, ben: User) -> None:
    private = made_by(ann, is_private=True)
    assert browser(ben).get(address(private)).status_code == 404
    private.send(ann, close())
    assert browser(ann).get(address(private)).status_code == 404
    assert browser().get(address(private))["Location"].startswith(reverse("account_login"))


def test_the_host_of_a_private_table_changes_how_long_an_idle_seat_is_kept(ann: User) -> None:
    row = lifecycle.open_table(
        name="Friday", rules_key="casino", host_id=ann.pk, is_private=True, idle_minutes=10
    )
    friday, client = TableClient(row.pk), browser(ann)
    friday.sit(ann, 1)
    seat = friday.row.seats.get()
    seat.idle_since = timezone.now() - dt.timedelta(minutes=5)
    seat.save()
    refused = client.post(address(friday), fields(client, friday, idle_minutes="61"))
    assert "Between 1 and 60 minutes." in refused.content.decode()
    client.post(address(friday), fields(client, friday, idle_minutes="2"))
    assert friday.row.idle_minutes == 2
    current_seat = friday.row.seats.get()
    assert current_seat.idle_since is not None
    assert timezone.now() - current_seat.idle_since < dt.timedelta(minutes=1), (
        "its time starts anew"
    )
    client.post(address(friday), fields(client, friday, idle_minutes=""))
    assert friday.row.idle_minutes is None


def test_a_minimum_above_the_rule_sets_maximum_is_refused_where_it_was_typed(
    friday: TableClient, ann: User
) -> None:
    Table.objects.filter(pk=friday.table_id).update(rules_key="vegas")
    client = browser(ann)
    page = client.post(address(friday), fields(client, friday, minimum="5000"))
    assert page.context["form"].errors == {
        "minimum": [
            "The minimum bet is above the maximum bet of 1000. Set a higher maximum too, or none."
        ]
    }
