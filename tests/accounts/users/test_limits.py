"""Limits that players set for themselves: what holds, from when, and the page that sets them."""

from __future__ import annotations

import datetime as dt

import pytest
import time_machine
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from accounts.ledger import transfers
from accounts.ledger.transfers import Play
from accounts.models import OwnLimit, Transfer, User
from accounts.users import limits
from accounts.users.forms import BreakForm, LossForm, ReminderForm
from accounts.users.limits import Kind, LaterLimit

pytestmark = pytest.mark.django_db

NOON = dt.datetime(2030, 5, 10, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
DAY = dt.timedelta(days=1)
SECOND = dt.timedelta(seconds=1)
PAGE = "/account/limits/"


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


def loss(user: User, value: int | None, now: dt.datetime) -> bool:
    return limits.set_limit(user, Kind.DAILY_LOSS, value, now)


def holds(user: User, now: dt.datetime) -> int | None:
    return limits.load_current_limits(User.objects.get(pk=user.pk), now).daily_loss


def day(date: dt.date) -> int:
    return date.toordinal()


def until(user: User, now: dt.datetime) -> dt.datetime | None:
    return limits.load_current_limits(User.objects.get(pk=user.pk), now).break_ends_at


# What holds


def test_nothing_holds_for_who_has_set_nothing(ann: User) -> None:
    assert limits.load_current_limits(ann, NOON) == limits.CurrentLimits()
    assert limits.load_schedule(ann, Kind.DAILY_LOSS, NOON) == limits.LimitSchedule(None, ())


def test_a_first_limit_holds_at_once(ann: User) -> None:
    assert not loss(ann, 10_000, NOON)
    assert holds(ann, NOON) == 10_000


def test_it_holds_for_who_set_it_alone(ann: User, ben: User) -> None:
    loss(ann, 10_000, NOON)
    loss(ben, 20_000, NOON)
    assert (holds(ann, NOON), holds(ben, NOON)) == (10_000, 20_000)


def test_a_stricter_one_holds_at_once(ann: User) -> None:
    loss(ann, 10_000, NOON)
    assert not loss(ann, 5_000, NOON + HOUR)
    assert holds(ann, NOON + HOUR) == 5_000


@pytest.mark.parametrize("looser", [20_000, None])
def test_a_looser_one_holds_after_24_hours(ann: User, looser: int | None) -> None:
    loss(ann, 10_000, NOON)
    assert loss(ann, looser, NOON + HOUR)
    assert holds(ann, NOON + HOUR + DAY - SECOND) == 10_000
    assert holds(ann, NOON + HOUR + DAY) == looser


def test_to_loosen_twice_does_not_make_it_come_sooner_or_later(ann: User) -> None:
    loss(ann, 10_000, NOON)
    loss(ann, 20_000, NOON + HOUR)
    loss(ann, 30_000, NOON + 2 * HOUR)
    assert holds(ann, NOON + HOUR + DAY - SECOND) == 10_000
    assert holds(ann, NOON + HOUR + DAY) == 20_000
    assert holds(ann, NOON + 2 * HOUR + DAY) == 30_000


def test_to_tighten_while_something_looser_is_to_come(ann: User) -> None:
    loss(ann, 10_000, NOON)
    loss(ann, 30_000, NOON + HOUR)
    loss(ann, 20_000, NOON + 2 * HOUR)  # stricter than what is to come, looser than what holds
    assert holds(ann, NOON + 2 * HOUR) == 10_000
    assert holds(ann, NOON + HOUR + DAY) == 20_000
    assert holds(ann, NOON + 9 * DAY) == 20_000
    loss(ann, 5_000, NOON + 3 * HOUR)
    assert holds(ann, NOON + 3 * HOUR) == 5_000
    assert holds(ann, NOON + 9 * DAY) == 5_000


def test_to_want_back_what_is_about_to_end_keeps_it(ann: User) -> None:
    loss(ann, 10_000, NOON)
    loss(ann, None, NOON + HOUR)
    assert not loss(ann, 10_000, NOON + 2 * HOUR)
    assert holds(ann, NOON + 9 * DAY) == 10_000


def test_to_set_the_same_again_and_again_leaves_one_row(ann: User) -> None:
    for hour in range(5):
        assert not loss(ann, 10_000, NOON + hour * HOUR)
    assert OwnLimit.objects.count() == 1


def test_what_has_ended_is_not_kept(ann: User) -> None:
    loss(ann, 10_000, NOON)
    loss(ann, 20_000, NOON)
    loss(ann, 30_000, NOON + 3 * DAY)
    assert set(OwnLimit.objects.values_list("value", flat=True)) == {20_000, 30_000}


def test_a_reminder_is_stricter_the_sooner_it_comes(ann: User) -> None:
    limits.set_limit(ann, Kind.REMINDER, 30, NOON)
    limits.set_limit(ann, Kind.REMINDER, 60, NOON)
    assert limits.load_current_limits(ann, NOON).reminder_minutes == 30
    assert limits.load_current_limits(ann, NOON + DAY).reminder_minutes == 60


def test_the_reminders_of_many_are_asked_for_at_once(
    ann: User, ben: User, cleo: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    limits.set_limit(ann, Kind.REMINDER, 30, NOON)
    limits.set_limit(ann, Kind.REMINDER, 60, NOON)
    limits.set_limit(ben, Kind.REMINDER, 90, NOON)
    loss(cleo, 5, NOON)
    with django_assert_num_queries(1):
        wished = limits.load_reminder_minutes([ann.pk, ben.pk, cleo.pk], NOON)
    assert wished == {ann.pk: 30, ben.pk: 90}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="plans are told otherwise elsewhere")
def test_what_is_left_today_is_found_by_indexes(ann: User) -> None:
    wallet = ann.wallet.pk
    yesterday = NOON - DAY
    for number, at in enumerate((yesterday, yesterday, NOON, NOON), start=1):
        stake = Play(Transfer.Kind.STAKE, wallet, -100, number, "seat:1/hand:1/stake")
        payout = Play(Transfer.Kind.PAYOUT, wallet, 100, number, "seat:1/hand:1/payout")
        transfers.post([stake, payout], at=at)
    with CaptureQueriesContext(connection) as queries:
        assert limits.get_remaining_loss(wallet, 1_000, NOON) == 1_000
    plans = []
    with connection.cursor() as cursor:
        for query in queries.captured_queries[1:]:  # after the few rows of gaming days
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            plans.append(" ".join(str(row[-1]) for row in cursor.fetchall()))
    indexes = (
        "(wallet_id=? AND seq=?)", "(wallet_id=? AND seq>?)", "(wallet_id=? AND seq>?)", "(round=?)",
    )  # fmt: skip
    for plan, index in zip(plans, indexes, strict=True):
        assert index in plan
        assert "SCAN accounts" not in plan
        # What one player got back in one day is put together by round, and may be sorted for it.
        assert "TEMP B-TREE" not in plan.replace("TEMP B-TREE FOR GROUP BY", "")


# Breaks


def test_a_break_holds_until_its_day_begins(ann: User) -> None:
    back = NOON.date() + 3 * DAY
    limits.set_limit(ann, Kind.BREAK, day(back), NOON)
    midnight = dt.datetime.combine(back, dt.time(), tzinfo=dt.UTC)
    assert until(ann, midnight - SECOND) == midnight
    assert until(ann, midnight) is None


def test_a_longer_break_holds_at_once_and_a_shorter_one_after_24_hours(ann: User) -> None:
    near, far = (NOON.replace(hour=0) + days * DAY for days in (5, 9))
    limits.set_limit(ann, Kind.BREAK, day(near.date()), NOON)
    assert not limits.set_limit(ann, Kind.BREAK, day(far.date()), NOON)
    assert until(ann, NOON) == far
    assert limits.set_limit(ann, Kind.BREAK, day(near.date()), NOON + HOUR)
    assert until(ann, NOON + DAY) == far
    assert until(ann, NOON + HOUR + DAY) == near


def test_a_break_that_is_over_does_not_hold_up_what_comes_after_it(ann: User) -> None:
    limits.set_limit(ann, Kind.BREAK, day(NOON.date() + DAY), NOON)
    later = NOON + 3 * DAY
    assert not limits.set_limit(ann, Kind.BREAK, None, later)
    assert limits.load_schedule(ann, Kind.BREAK, later) == limits.LimitSchedule(None, ())


# What is told


def test_the_outlook_tells_every_step_to_come(ann: User) -> None:
    loss(ann, 10_000, NOON)
    loss(ann, 20_000, NOON + HOUR)
    loss(ann, None, NOON + 2 * HOUR)
    schedule = limits.load_schedule(ann, Kind.DAILY_LOSS, NOON + 2 * HOUR)
    assert schedule.value == 10_000
    assert schedule.steps == (
        LaterLimit(NOON + HOUR + DAY, 20_000),
        LaterLimit(NOON + 2 * HOUR + DAY, None),
    )


def test_the_outlook_of_a_break_does_not_repeat_its_day(ann: User) -> None:
    far, near = NOON.date() + 9 * DAY, NOON.date() + 5 * DAY
    limits.set_limit(ann, Kind.BREAK, day(far), NOON)
    assert limits.load_schedule(ann, Kind.BREAK, NOON).steps == ()
    limits.set_limit(ann, Kind.BREAK, day(near), NOON)
    assert limits.load_schedule(ann, Kind.BREAK, NOON).steps == (LaterLimit(NOON + DAY, day(near)),)


# The forms


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        ({"every": ""}, None),
        ({"every": "60"}, 60),
        ({"every": "60", "minutes": "7"}, 60),
        ({"every": "other", "minutes": "5"}, 5),
        ({"every": "other", "minutes": "600"}, 600),
    ],
)
def test_a_reminder_that_can_be_set(sent: dict[str, str], value: int | None) -> None:
    form = ReminderForm(sent)
    assert form.is_valid()
    assert form.value == value


@pytest.mark.parametrize(
    "sent",
    [
        {"every": "other"},
        {"every": "other", "minutes": "4"},
        {"every": "other", "minutes": "601"},
        {"every": "other", "minutes": "9" * 400},
        {"every": "other", "minutes": "\0"},
        {"every": "61"},
        {"every": "\0"},
    ],
)
def test_a_reminder_that_cannot(sent: dict[str, str]) -> None:
    assert not ReminderForm(sent).is_valid()


@pytest.mark.parametrize(
    ("sent", "value"), [("", None), ("1", 100), ("12.50", 1250), ("1000000", 100_000_000)]
)
def test_a_loss_that_can_be_set(sent: str, value: int | None) -> None:
    form = LossForm({"amount": sent})
    assert form.is_valid()
    assert form.value == value


@pytest.mark.parametrize(
    "sent", ["0", "-1", "0.99", "1.001", "1000000.01", "NaN", "Infinity", "1e400", "x", "\0"]
)
def test_a_loss_that_cannot(sent: str) -> None:
    assert not LossForm({"amount": sent}).is_valid()


@pytest.mark.parametrize("ahead", [1, 366])
def test_a_break_that_can_be_set(ahead: int) -> None:
    with time_machine.travel(NOON, tick=False):
        form = BreakForm({"until": (NOON.date() + ahead * DAY).isoformat()})
        assert form.is_valid()
        assert form.value == day(NOON.date()) + ahead


@pytest.mark.parametrize(
    "sent", ["2030-05-10", "2030-05-09", "2031-05-12", "0000-99-99", "9999-12-31", "soon", "\0"]
)
def test_a_break_that_cannot(sent: str) -> None:
    with time_machine.travel(NOON, tick=False):
        assert not BreakForm({"until": sent}).is_valid()


# The page


def read_page(client: Client) -> str:
    return " ".join(client.get(PAGE).content.decode().split())


def test_the_page_is_for_who_is_logged_in(client: Client) -> None:
    assert client.get(PAGE).status_code == 302
    assert client.post(f"{PAGE}loss/", {"amount": "5"}).status_code == 302
    assert OwnLimit.objects.count() == 0


def test_the_page_says_what_holds_and_what_will(client: Client, ann: User) -> None:
    with time_machine.travel(NOON, tick=False):
        client.force_login(ann)
        assert read_page(client).count("No limit set.") == 3
        client.post(f"{PAGE}loss/", {"amount": "100"})
        client.post(f"{PAGE}loss/", {"amount": "200"})
        client.post(f"{PAGE}reminder/", {"every": "other", "minutes": "45"})
        client.post(f"{PAGE}break/", {"until": "2030-05-20"})
        page = read_page(client)
    assert "At most 100 a day. 100 of it is left today." in page
    assert "From 11 May 2030, 12:00 UTC: At most 200 a day." in page
    assert 'name="amount" value="200"' in page
    assert "After 45 minutes." in page
    assert "Until 20 May 2030, 00:00 UTC." in page


def test_a_refused_form_is_shown_again_with_the_reason(client: Client, ann: User) -> None:
    client.force_login(ann)
    page = client.post(f"{PAGE}loss/", {"amount": "-5"}).content.decode()
    assert "greater than or equal to 1" in page
    assert OwnLimit.objects.count() == 0


def test_there_is_no_other_kind_of_limit(client: Client, ann: User) -> None:
    client.force_login(ann)
    assert client.post(f"{PAGE}patience/", {}).status_code == 404


def test_setting_limits_without_end_is_slowed_down(client: Client, ann: User) -> None:
    client.force_login(ann)
    statuses = {client.post(f"{PAGE}loss/", {"amount": str(n + 1)}).status_code for n in range(61)}
    assert statuses == {302, 429}


def test_the_page_asks_no_more_with_more_limits(
    client: Client, ann: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client.force_login(ann)
    for amount in range(1, 30):
        client.post(f"{PAGE}loss/", {"amount": str(amount)})
    with django_assert_max_num_queries(14):
        client.get(PAGE)
