"""The books of the house by the day: opening and what moved make what is held, for each kind."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections import defaultdict

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.ledger import daily_totals, transfers
from accounts.ledger import days as ledger_days
from accounts.ledger.transfers import Posting
from accounts.lib.sql.append_only import make_append_only, make_changeable
from accounts.models import Account, BookDay, Transfer, User, WalletEntry
from tables.operators.books.revenue import sum_open_stakes
from tables.realtime import periodic_tasks
from tests.helpers.table_client import new_player
from tests.results.test_results import Week

pytestmark = pytest.mark.django_db

NOON = dt.datetime(2026, 3, 10, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)


@pytest.fixture
def week() -> Week:
    week = Week(seed=4)
    week.play(40)
    return week


def reckon_totals(since: dt.date | None, until: dt.date | None) -> dict[str, dict[str, object]]:
    """From every single transfer and entry; the stakes on tables count with the racks."""
    totals: dict[str, dict[str, object]] = {
        kind: {"opening": 0, "movements": defaultdict(int), "later": 0, "held": 0}
        for kind in Account.Kind.values
    }
    moves = [
        (moved.at, moved.kind, moved.debit.kind, moved.credit.kind, moved.amount)
        for moved in Transfer.objects.select_related("debit", "credit")
    ] + [
        (entry.at, entry.kind, "rack", "wallet", entry.amount)
        for entry in WalletEntry.objects.filter(transfer=None)
    ]
    for at, kind, debit, credit, amount in moves:
        day = at.date()
        for account, change in ((debit, -amount), (credit, amount)):
            side = totals[account]
            if since and day < since:
                side["opening"] += change
            elif until and day > until:
                side["later"] += change
            else:
                side["movements"][kind] += change
    for account in Account.objects.all():
        totals[account.kind]["held"] += account.balance
    totals["rack"]["held"] += sum_open_stakes()
    return totals


def list_days() -> set[dt.date]:
    """The days on which anything moved."""
    return {
        at.date()
        for rows in (Transfer.objects.all(), WalletEntry.objects.all())
        for at in rows.values_list("at", flat=True)
    }


def load_totals(since: dt.date | None, until: dt.date | None) -> dict[str, dict[str, object]]:
    return {
        kind: {
            "opening": side.opening, "movements": side.movements, "later": side.later,
            "held": side.held,
        }
        for kind, side in daily_totals.load_totals(since, until, staked=sum_open_stakes()).items()
    }  # fmt: skip


def spans(week: Week) -> list[tuple[dt.date | None, dt.date | None]]:
    """Periods about the week, in which one and a half of its days are not summed."""
    days = sorted(list_days())
    some = [None, days[0], days[2], days[len(days) // 2], days[-2], days[-1], days[-1] + 3 * DAY]
    return [(a, b) for a in some for b in some if a is None or b is None or a <= b]


def test_any_period_is_what_its_transfers_make(week: Week) -> None:
    summed_until = week.now - 2.5 * DAY
    assert daily_totals.sum_finished_days(summed_until)
    end = (summed_until - ledger_days.LONGEST_WRITE).date()
    days = list_days()
    assert daily_totals.last_summed_day() == max(day for day in days if day < end)
    for since, until in spans(week):
        assert load_totals(since, until) == reckon_totals(since, until), (since, until)


def test_opening_and_movements_make_the_closing_and_what_is_held(week: Week) -> None:
    daily_totals.sum_finished_days(week.now)
    for since, until in spans(week):
        sides = daily_totals.load_totals(since, until, staked=sum_open_stakes()).values()
        assert [side.missing for side in sides] == [0] * len(Account.Kind)
        assert sum(side.closing for side in sides) == 0


def test_nothing_summed_yet_is_the_same(week: Week) -> None:
    for since, until in spans(week):
        assert load_totals(since, until) == reckon_totals(since, until), (since, until)


def test_a_balance_that_nothing_made_is_missing(week: Week) -> None:
    daily_totals.sum_finished_days(week.now)
    Account.objects.filter(kind="wallet").update(balance=0)
    sides = daily_totals.load_totals(None, None, staked=sum_open_stakes())
    assert [kind for kind, side in sides.items() if side.missing] == ["wallet"]


def test_a_day_is_summed_once_and_only_when_it_is_over(ann: User) -> None:
    _gift(ann, NOON - DAY)
    _gift(ann, NOON)
    for _ in range(2):
        assert daily_totals.sum_finished_days(NOON)
        assert set(BookDay.objects.values_list("day", flat=True)) == {NOON.date() - DAY}
    [gift] = BookDay.objects.filter(kind="adjustment")
    assert (gift.debit_kind, gift.credit_kind, gift.count, gift.amount) == ("bank", "wallet", 1, 5)


def test_a_day_waits_for_what_is_being_written_about_midnight(ann: User) -> None:
    _gift(ann, NOON)
    midnight = dt.datetime(2026, 3, 11, tzinfo=dt.UTC)
    daily_totals.sum_finished_days(midnight + dt.timedelta(seconds=59))
    assert not BookDay.objects.exists()
    daily_totals.sum_finished_days(midnight + dt.timedelta(seconds=60))
    assert BookDay.objects.exists()


def test_it_stops_when_it_is_enough_and_goes_on_there(week: Week) -> None:
    days = iter([False, False, True])
    assert not daily_totals.sum_finished_days(week.now, is_enough=lambda: next(days))
    assert BookDay.objects.values("day").distinct().count() == 2
    assert daily_totals.sum_finished_days(week.now)
    assert load_totals(None, None) == reckon_totals(None, None)


def test_two_who_sum_at_once_do_no_harm(week: Week, monkeypatch: pytest.MonkeyPatch) -> None:
    daily_totals.sum_finished_days(week.now - 3 * DAY)
    last = daily_totals.last_summed_day()
    daily_totals.sum_finished_days(week.now)
    monkeypatch.setattr(daily_totals, "last_summed_day", lambda: last)  # who looked before that
    daily_totals.sum_finished_days(week.now)
    monkeypatch.undo()
    assert load_totals(None, None) == reckon_totals(None, None)


def test_summed_days_are_read_and_their_transfers_are_not(week: Week) -> None:
    """However many there are: each statement reads days, transfers by their time, or entries by theirs."""
    if connection.vendor != "sqlite":
        pytest.skip("plans are told in SQLite's words")
    daily_totals.sum_finished_days(week.now)
    with CaptureQueriesContext(connection) as read:
        daily_totals.load_totals(week.now.date() - 4 * DAY, week.now.date() - DAY, staked=0)
    _assert_no_walk(read)


def test_a_day_is_summed_along_the_times(week: Week) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("plans are told in SQLite's words")
    daily_totals.sum_finished_days(week.now - 3 * DAY)
    with CaptureQueriesContext(connection) as read:
        daily_totals.sum_finished_days(week.now)
    _assert_no_walk(read)


def _assert_no_walk(read: CaptureQueriesContext) -> None:
    plans = []
    with connection.cursor() as cursor:
        for query in read.captured_queries:
            if query["sql"].startswith("SELECT"):
                cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
                plans += [row[3] for row in cursor.fetchall()]
    assert [plan for plan in plans if "transfers_by_time" in plan]
    walks = ("SCAN accounts_transfer", "SCAN accounts_walletentry")
    assert not [plan for plan in plans if plan.startswith(walks)], plans


@pytest.mark.asyncio
@pytest.mark.django_db(transaction=True)
async def test_a_server_sums_the_days_by_itself() -> None:
    await sync_to_async(new_player)("eve")
    await sync_to_async(_backdate_grant)(timezone.now() - 3 * DAY)
    await asyncio.wait_for(periodic_tasks.sum_finished_days(), 20)
    assert (await BookDay.objects.aget()).kind == "grant"


def _backdate_grant(at: dt.datetime) -> None:
    for model in (Transfer, WalletEntry):
        with connection.schema_editor() as editor:
            make_changeable(editor, model._meta.db_table)
        model.objects.update(at=at)
        with connection.schema_editor() as editor:
            make_append_only(editor, model._meta.db_table)


def _gift(user: User, at: dt.datetime) -> None:
    wallet = Account.objects.get(user=user)
    count = Transfer.objects.count()
    gift = Posting(Transfer.Kind.ADJUSTMENT, transfers.get_bank().pk, wallet.pk, 5, f"gift/{count}")
    transfers.post([gift], at=at)
