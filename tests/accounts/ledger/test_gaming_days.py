"""The gaming day begins at an hour of the site's zone; a change leaves past days as they are."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise

import pytest
from django.db import transaction
from django.db.models import F
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.ledger import adjustments, daily_totals, gaming_days, transfers
from accounts.ledger.gaming_days import GamingDays, Rule
from accounts.ledger.transfers import Play, Posting
from accounts.lib.errors import OperationRefused
from accounts.models import (
    Account,
    Act,
    BookDay,
    GamingDayRule,
    HouseSettings,
    OwnLimit,
    Transfer,
    User,
)
from accounts.users import limits
from tables.models import Takings, Tally
from tables.operators.books.revenue import sum_open_stakes
from tables.operators.rounds import voids
from tables.results import projector
from tests.helpers.rounds import faults
from tests.helpers.site import SETTINGS_FORM, SETTINGS_PAGE
from tests.helpers.table_client import TableClient
from tests.results.test_results import Week

NOON = dt.datetime(2026, 3, 10, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
DAY = dt.timedelta(days=1)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "Asia/Kathmandu", "Pacific/Apia")


def at(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


# The bounds of days


def test_without_a_setting_a_day_is_one_of_utc() -> None:
    days = GamingDays()
    assert days.day_of(at("2026-03-10 23:59:59")) == dt.date(2026, 3, 10)
    assert days.begin_of(dt.date(2026, 3, 10)) == at("2026-03-10 00:00")
    assert days.end_of(dt.date(2026, 3, 10)) == at("2026-03-11 00:00")


def test_a_night_belongs_to_the_day_before() -> None:
    days = GamingDays((Rule(dt.date.min, "Europe/Berlin", 6),))
    assert days.day_of(at("2026-01-10 04:59")) == dt.date(2026, 1, 9)  # 5:59 in Berlin
    assert days.day_of(at("2026-01-10 05:00")) == dt.date(2026, 1, 10)


def test_days_are_23_and_25_hours_when_the_clocks_change() -> None:
    days = GamingDays((Rule(dt.date.min, "Europe/Berlin", 6),))
    spring, autumn = dt.date(2026, 3, 28), dt.date(2026, 10, 24)
    assert days.end_of(spring) - days.begin_of(spring) == dt.timedelta(hours=23)
    assert days.end_of(autumn) - days.begin_of(autumn) == dt.timedelta(hours=25)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    rules=st.lists(st.tuples(st.sampled_from(ZONES), st.integers(0, 23)), max_size=3),
    quarters=st.lists(st.integers(0, 365 * 24 * 4), min_size=1, max_size=9),
)
def test_each_moment_is_in_one_day_and_days_follow_each_other(
    rules: list[tuple[str, int]], quarters: list[int]
) -> None:
    """Whatever rules follow each other, with the clock changes of every zone."""
    days = GamingDays()
    for number, (zone, hour) in enumerate(rules):
        try:
            rule = days.plan(zone, hour, at("2026-03-24 22:00") + 3 * number * DAY)
        except OperationRefused:
            continue
        days = GamingDays((*days.rules, rule))
    for quarter in quarters:
        moment = at("2026-01-01") + quarter * dt.timedelta(minutes=15)
        day = days.day_of(moment)
        assert days.begin_of(day) <= moment < days.end_of(day)
    day = dt.date(2026, 3, 20)
    while day < dt.date(2026, 4, 15):
        assert days.begin_of(day) < days.end_of(day) == days.begin_of(day + DAY)
        assert days.day_of(days.begin_of(day)) == day
        day += DAY


def test_a_begin_a_day_before_the_present_one_is_refused() -> None:
    """From 22:00 in New York to 0:00 in Berlin no day would begin after the one before it."""
    days = GamingDays((Rule(dt.date.min, "America/New_York", 22),))
    with pytest.raises(OperationRefused, match="Choose a later hour"):
        days.plan("Europe/Berlin", 0, NOON)
    assert days.plan("Europe/Berlin", 6, NOON)


# A change


@pytest.mark.django_db
def test_a_change_begins_with_a_later_day_and_past_days_stay() -> None:
    rule = gaming_days.set_begin("Europe/Berlin", 6, NOON)
    assert rule == Rule(dt.date(2026, 3, 11), "Europe/Berlin", 6)
    days = gaming_days.load()
    assert days.begin_of(dt.date(2026, 3, 10)) == at("2026-03-10 00:00")
    assert days.end_of(dt.date(2026, 3, 10)) == at("2026-03-11 05:00")  # 29 hours, once
    assert days.day_of(at("2026-03-11 04:00")) == dt.date(2026, 3, 10)


@pytest.mark.django_db
def test_the_day_of_the_change_is_never_over_already() -> None:
    late = at("2026-03-10 23:58")
    rule = gaming_days.set_begin("Asia/Tokyo", 6, late)  # the 11th began there at 21:00
    assert rule.first_day == dt.date(2026, 3, 12)
    assert gaming_days.load().day_of(late) == dt.date(2026, 3, 10)


@pytest.mark.django_db
def test_a_change_that_has_not_begun_is_replaced() -> None:
    gaming_days.set_begin("Europe/Berlin", 6, NOON)
    gaming_days.set_begin("Europe/Berlin", 4, NOON)
    assert GamingDayRule.objects.get().hour == 4
    gaming_days.set_begin("UTC", 0, NOON)
    assert gaming_days.load() == GamingDays()
    gaming_days.set_begin("Europe/Berlin", 4, NOON)
    gaming_days.set_begin("Europe/Berlin", 6, NOON + 3 * DAY)
    assert GamingDayRule.objects.count() == 2  # the first one has begun


# What counts by it


def gift(user: User, moment: dt.datetime, by: User | None = None) -> None:
    wallet, number = Account.objects.get(user=user), Transfer.objects.count()
    moved = Posting(
        Transfer.Kind.ADJUSTMENT, transfers.get_bank().pk, wallet.pk, 5, f"gift/{number}"
    )
    transfers.post([moved], at=moment, by=by.pk if by else None)


@pytest.mark.django_db
def test_the_books_count_a_night_with_the_evening_before(ann: User) -> None:
    gaming_days.set_begin("Europe/Berlin", 6, NOON)
    for moment in ("2026-03-12 22:00", "2026-03-13 04:59", "2026-03-13 05:00"):
        gift(ann, at(moment))
    assert daily_totals.sum_finished_days(at("2026-03-15 12:00"))
    gifts = BookDay.objects.filter(kind="adjustment").values_list("day", "count")
    assert dict(gifts) == {dt.date(2026, 3, 12): 2, dt.date(2026, 3, 13): 1}


@pytest.mark.django_db
def test_books_figures_and_audit_agree_over_a_change() -> None:
    """A week of play; the day moves in the middle of it, before some days are summed."""
    week = Week(seed=11)
    week.play(20)
    projector.catch_up()
    daily_totals.sum_finished_days(week.now)
    gaming_days.set_begin("America/New_York", 6, week.now)
    week.play(40)
    projector.catch_up()
    days = gaming_days.load()
    assert len(days.rules) == 2
    daily_totals.sum_finished_days(week.now + 2 * DAY)
    assert faults() == []
    sides = daily_totals.load_totals(None, None, staked=sum_open_stakes())
    assert not any(side.missing for side in sides.values())
    assert sum(row.rounds for row in Takings.objects.all()) > 20
    assert {tally.day for tally in Tally.objects.all()} >= {days.day_of(week.now)}
    BookDay.objects.filter(kind="payout").update(amount=F("amount") + 1)
    assert faults()  # it does compare the days


@pytest.mark.django_db
def test_a_round_of_the_night_is_in_the_figures_of_the_evening(
    casino: TableClient, ann: User
) -> None:
    gaming_days.set_begin("Europe/Berlin", 6, NOON)
    casino.now = at("2026-03-13 04:00")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    while (decision := casino.view.asked) is not None:
        casino.act(ann, "stand" if "stand" in decision.legal else decision.legal[0])
    projector.catch_up()
    assert Takings.objects.get().day == dt.date(2026, 3, 12)
    assert {tally.day for tally in Tally.objects.all()} == {dt.date(2026, 3, 12)}


@pytest.mark.django_db
def test_daily_limits_begin_anew_with_the_gaming_day(ann: User) -> None:
    gaming_days.set_begin("Europe/Berlin", 6, NOON)
    limits.set_limit(ann, OwnLimit.Kind.BREAK, dt.date(2026, 3, 13).toordinal(), NOON)
    before, after = at("2026-03-13 04:59"), at("2026-03-13 05:00")
    assert limits.load_current_limits(ann, before).break_ends_at == after
    assert limits.load_current_limits(ann, after).break_ends_at is None


@pytest.mark.django_db
def test_a_cashiers_day_is_the_gaming_day(ann: User, ben: User) -> None:
    gaming_days.set_begin("Europe/Berlin", 6, NOON)
    gift(ann, at("2026-03-12 22:00"), by=ben)
    assert adjustments.sum_moved_today(ben.pk, at("2026-03-13 04:59")) == 5
    assert adjustments.sum_moved_today(ben.pk, at("2026-03-13 05:00")) == 0


# Limits and breaks over a change


@pytest.mark.django_db
def test_a_change_gives_a_cashier_no_second_day(ann: User, ben: User) -> None:
    """The day that ends early counts together with the next one."""
    gift(ann, NOON, by=ben)
    gaming_days.set_begin("Asia/Tokyo", 23, NOON)  # the 11th begins at 14:00 UTC of it
    gaming_days.set_begin("Asia/Tokyo", 0, NOON)  # now the 11th begins at 15:00 UTC of the 10th
    days = gaming_days.load()
    begin = at("2026-03-10 15:00")
    assert days.begin_of(dt.date(2026, 3, 11)) == begin
    assert adjustments.sum_moved_today(ben.pk, begin - HOUR) == 5
    assert adjustments.sum_moved_today(ben.pk, begin) == 5
    assert adjustments.sum_moved_today(ben.pk, begin + DAY - HOUR) == 5
    assert adjustments.sum_moved_today(ben.pk, begin + DAY) == 0


@pytest.mark.django_db
def test_a_change_gives_a_manager_no_second_day_of_voids(ben: User) -> None:
    Act.objects.create(by=ben, what=Act.What.VOID, subject="round:1", after={"moved": 7}, at=NOON)
    gaming_days.set_begin("Asia/Tokyo", 0, NOON)
    begin = at("2026-03-10 15:00")
    assert gaming_days.load().today(begin)[1] == begin
    assert voids.sum_voided_alone(ben.pk, begin) == 7
    assert voids.sum_voided_alone(ben.pk, begin + DAY) == 0


@pytest.mark.django_db
def test_a_change_does_not_raise_what_a_player_may_lose(ann: User) -> None:
    wallet, round_ = Account.objects.get(user=ann), 1
    gift(ann, NOON - DAY)
    stake = Play(Transfer.Kind.STAKE, wallet.pk, -5, round_, "seat:1/hand:1/stake")
    transfers.post([stake], at=NOON)
    gaming_days.set_begin("Asia/Tokyo", 0, NOON)
    begin = at("2026-03-10 15:00")
    assert limits.get_remaining_loss(wallet.pk, 100, begin) == 95
    assert limits.get_remaining_loss(wallet.pk, 100, begin + DAY) == 100


@pytest.mark.django_db
def test_a_change_ends_no_break_early(ann: User) -> None:
    back = dt.date(2026, 3, 12)
    limits.set_limit(ann, OwnLimit.Kind.BREAK, back.toordinal(), NOON)
    gaming_days.set_begin("Asia/Tokyo", 0, NOON)
    midnight = at("2026-03-12 00:00")
    assert gaming_days.load().begin_of(back) == midnight - 9 * HOUR
    assert limits.load_current_limits(ann, NOON).break_ends_at == midnight
    assert limits.load_current_limits(ann, midnight - HOUR).break_ends_at == midnight
    assert limits.load_current_limits(ann, midnight).break_ends_at is None
    gaming_days.set_begin("Europe/Berlin", 6, NOON)
    assert limits.load_current_limits(ann, NOON).break_ends_at == midnight + 5 * HOUR


@pytest.mark.django_db
def test_a_break_that_is_set_after_a_change_ends_by_the_new_rule(ann: User) -> None:
    gaming_days.set_begin("Europe/Berlin", 6, NOON)
    later = NOON + 2 * DAY
    gaming_days.set_begin("Asia/Tokyo", 0, later)
    back = dt.date(2026, 3, 20)
    limits.set_limit(ann, OwnLimit.Kind.BREAK, back.toordinal(), later + 2 * DAY)
    assert limits.load_current_limits(ann, later + 2 * DAY).break_ends_at == at("2026-03-19 15:00")


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=30)
@given(
    changes=st.lists(
        st.tuples(st.integers(1, 40), st.sampled_from(ZONES), st.integers(0, 23)), max_size=6
    )
)
@pytest.mark.django_db
def test_no_changes_let_daily_limits_begin_anew_within_23_hours(
    changes: list[tuple[int, str, int]],
) -> None:
    """Whatever is changed, replaced or taken back; hour by hour, over the change of clocks."""
    GamingDayRule.objects.all().delete()
    start = at("2026-03-25 00:30")
    due = {}
    moment = start
    for hours, zone, hour in changes:
        moment += hours * HOUR
        due[moment] = (zone, hour)
    begins: list[dt.datetime] = []
    days, moment, last = GamingDays(), start, start + 12 * DAY
    while moment < last:
        if moment in due:
            with suppress(OperationRefused), transaction.atomic():
                gaming_days.set_begin(*due[moment], now=moment)
            days = gaming_days.load()
        begin = days.begin_of_limits(moment)
        assert begin <= moment
        if not begins or begin != begins[-1]:
            begins.append(begin)
        moment += HOUR
    assert len(begins) >= 3
    for before, after in pairwise(begins):
        assert after - before >= 23 * HOUR


# The page of the settings


@pytest.mark.django_db
def test_a_manager_sets_the_begin_and_reads_from_when_on(
    client: Client, operator: Callable[..., User]
) -> None:
    client.force_login(operator("manager"))
    sent = SETTINGS_FORM | {"day_zone": "Europe/Berlin", "day_hour": "6"}
    page = client.post(SETTINGS_PAGE, sent, follow=True)
    rule = GamingDayRule.objects.get()
    assert (rule.zone, rule.hour) == ("Europe/Berlin", 6)
    assert "The gaming day begins at 06:00, Europe/Berlin, from" in page.content.decode()
    assert HouseSettings.objects.get().day_hour == 6
    act = Act.objects.filter(what=Act.What.SETTINGS).latest("pk")
    assert act.after == {"day_zone": "Europe/Berlin", "day_hour": "6"}
    books = client.get("/admin/books/").content.decode()
    assert "A day begins at 00:00, UTC. From" in books
    assert "on at 06:00, Europe/Berlin." in books


@pytest.mark.django_db
@pytest.mark.parametrize("wrong", [{"day_hour": "24"}, {"day_zone": "Europe/Nowhere"}])
def test_a_zone_or_hour_that_does_not_exist_is_refused(
    client: Client, operator: Callable[..., User], wrong: dict[str, str]
) -> None:
    client.force_login(operator("manager"))
    page = client.post(SETTINGS_PAGE, SETTINGS_FORM | {"day_hour": "6"} | wrong)
    assert page.status_code == 200
    assert "Select a valid choice." in page.content.decode()
    assert not GamingDayRule.objects.exists()
