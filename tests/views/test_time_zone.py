"""Times in the zone of the viewer, which the browser keeps in a cookie."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.formats import date_format

from accounts.models import Account, Transfer, User
from tables.game import rebuys
from tables.models import Result
from tests.helpers.table_client import TableClient

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
LATE = dt.datetime(2126, 3, 1, 2, 30, tzinfo=dt.UTC)
"""Still the last evening of February in New York."""


@pytest.fixture
def anns(casino: TableClient, ann: User, stack: Stack) -> Client:
    """The browser of a player with one round, played at :data:`LATE`."""
    casino.now = LATE
    casino.sit(ann, 1)
    stack("As 9h Kd 7c")
    casino.bet(ann, 1000)
    client = Client()
    client.force_login(ann)
    return client


def page(client: Client, address: str, zone: str = "") -> str:
    client.cookies["zone"] = zone
    return " ".join(client.get(address).content.decode().split())


def test_the_next_top_up_is_in_the_zone_of_the_viewer(anns: Client, ann: User) -> None:
    Account.objects.filter(user=ann).update(balance=0)
    assert rebuys.rebuy(ann, timezone.now()).value.allowed
    Account.objects.filter(user=ann).update(balance=0)
    due = Transfer.objects.filter(kind=Transfer.Kind.REBUY).latest("pk").at + dt.timedelta(hours=24)
    for zone in ("Asia/Tokyo", "America/New_York"):
        there = date_format(due.astimezone(zoneinfo.ZoneInfo(zone)), "j F Y, H:i")
        assert f"Next top-up: {there}." in page(anns, "/rebuy/", zone)
    assert f"Next top-up: {date_format(due, 'j F Y, H:i')} UTC." in page(anns, "/rebuy/")


PAGES = ("/history/", "/statement/")


@pytest.mark.parametrize("address", PAGES)
def test_a_page_shows_the_time_of_the_viewers_zone(anns: Client, address: str) -> None:
    assert "28 Feb 2126, 21:30" in page(anns, address, "America/New_York")
    assert "(UTC)" not in page(anns, address, "America/New_York")
    assert "1 Mar 2126, 11:30" in page(anns, address, "Asia/Tokyo")


@pytest.mark.parametrize("zone", ["", "Nowhere/City", "../../etc/passwd", "x" * 3000, "UTC"])
@pytest.mark.parametrize("address", PAGES)
def test_without_a_zone_that_exists_it_is_utc_and_says_so(
    anns: Client, address: str, zone: str
) -> None:
    text = page(anns, address, zone)
    assert "1 Mar 2126, 02:30" in text
    assert "(UTC)" in text
    assert timezone.get_current_timezone_name() == "UTC"


def test_the_page_of_a_round_does_too(anns: Client) -> None:
    address = f"/rounds/{Result.objects.get().round_id}/"
    assert "28 February 2126, 21:30<" in page(anns, address, "America/New_York")
    assert "1 March 2126, 02:30 UTC<" in page(anns, address)


@pytest.mark.parametrize("address", PAGES)
def test_a_day_of_a_filter_is_the_viewers_day(anns: Client, address: str) -> None:
    of_february = f"{address}?from=2126-02-28&to=2126-02-28"
    assert "28 Feb 2126, 21:30" in page(anns, of_february, "America/New_York")
    assert "No entries match." in page(anns, of_february) or "1 Mar" not in page(anns, of_february)


@pytest.mark.parametrize("address", ["/history/rounds.csv", "/statement.csv"])
def test_a_file_has_the_viewers_days_and_times_for_programs(anns: Client, address: str) -> None:
    def lines(zone: str) -> list[bytes]:
        anns.cookies["zone"] = zone
        answer = anns.get(f"{address}?from=2126-02-28&to=2126-02-28")
        return b"".join(answer.streaming_content).splitlines()[1:]

    assert lines("UTC") == []
    assert b"2126-03-01T02:30:00+00:00" in lines("America/New_York")[0]


# The account's own choice


def choose(client: Client, **chosen: str) -> str:
    return client.post("/account/time/", chosen, follow=True).content.decode()


def test_the_zone_of_the_account_holds_on_every_device(anns: Client, ann: User) -> None:
    assert "are saved" in choose(anns, time_zone="Asia/Tokyo", date_form="")
    assert "1 Mar 2126, 11:30" in page(anns, "/history/", "America/New_York")
    ann.refresh_from_db()
    assert ann.time_zone == "Asia/Tokyo"
    choose(anns, time_zone="", date_form="")
    assert "28 Feb 2126, 21:30" in page(anns, "/history/", "America/New_York")


def test_the_form_of_dates_is_the_chosen_one(anns: Client) -> None:
    choose(anns, time_zone="Europe/Berlin", date_form="us")
    text = page(anns, "/history/")
    assert "03/01/2126 3:30 AM" in text
    assert 'data-zone="Europe/Berlin" data-clock="12"' in text
    choose(anns, time_zone="", date_form="")
    assert "data-clock" not in page(anns, "/history/", "Europe/Berlin")


@pytest.mark.parametrize(
    "wrong", [{"time_zone": "Nowhere/City"}, {"time_zone": "x" * 5000}, {"date_form": "roman"}]
)
def test_what_is_not_in_the_lists_is_refused(
    anns: Client, ann: User, wrong: dict[str, str]
) -> None:
    assert "Choose a time zone and a form of dates from the lists." in choose(anns, **wrong)
    ann.refresh_from_db()
    assert (ann.time_zone, ann.date_form) == ("", "")


def test_operators_pages_have_the_operators_zone_and_form(
    client: Client, operator: Callable[..., User], ann: User
) -> None:
    manager = operator("manager")
    client.force_login(manager)
    User.objects.filter(pk=ann.pk).update(date_joined=LATE)
    User.objects.filter(pk=manager.pk).update(time_zone="America/New_York", date_form="dots")
    assert "28.02.2126" in page(client, "/admin/players/")
    assert "28.02.2126" in page(client, f"/admin/players/?name={ann.username}")


def test_a_stored_row_of_the_history_is_not_shown_in_another_readers_form(
    anns: Client,
) -> None:
    assert "1 Mar 2126, 02:30" in page(anns, "/history/")
    choose(anns, time_zone="", date_form="iso")
    assert "2126-03-01 02:30" in page(anns, "/history/")
