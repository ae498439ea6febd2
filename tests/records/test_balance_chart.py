"""The balance over time is what the books say, round by round."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest
from django.db import connection
from django.db.models import F
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.models import Transfer, User, WalletEntry
from tables.models import Result
from tables.records import balance_chart
from tables.records.balance_chart import HEIGHT, WIDTH, BalanceChart, BalancePoint, draw_chart
from tests.helpers.rounds import new_table, play_round, sit_down
from tests.helpers.table_client import TableClient, balance_of

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
NOON = dt.datetime(2026, 5, 4, 12, tzinfo=dt.UTC)
HOUR, DAY = dt.timedelta(hours=1), dt.timedelta(days=1)


def chart_of(user: User, now: dt.datetime, since: dt.date | None = None) -> BalanceChart:
    chart = balance_chart.build_chart(user, since, now)
    assert chart is not None
    return chart


def balance_at(user: User, moment: dt.datetime) -> int:
    """What the books make, line by line."""
    lines = WalletEntry.objects.filter(wallet=user.wallet, at__lte=moment)
    return sum(line.amount for line in lines)


def play_for_days(days: int, *users: User) -> dt.datetime:
    """Some rounds at tables of these players, and when the last was over."""
    chance = Random(days)
    tables = [(new_table(key), user) for key in ("casino", "pot") for user in users]
    for at, user in tables:
        sit_down(at, user)
    now = timezone.now()
    for _ in range(2 * days * len(users)):
        now += dt.timedelta(minutes=chance.randint(1, 12 * 60 // len(users)))
        at, user = chance.choice(tables)
        at.now = now
        play_round(at, [user], chance)
    return now


def opened_at(user: User, moment: dt.datetime) -> None:
    """Let the wallet be as old as a player's who came then."""
    transfers.get_or_open_wallet(user, at=moment)


def points(*balances: int) -> list[BalancePoint]:
    return [BalancePoint(NOON + number * HOUR, balance) for number, balance in enumerate(balances)]


# Read from the books


def test_every_point_is_what_the_books_make(ann: User, ben: User) -> None:
    now = play_for_days(8, ann, ben)
    # A step beside rounds has two points: before it and after it.
    kinds = (Transfer.Kind.GRANT, Transfer.Kind.REBUY)
    begins = set(Transfer.objects.filter(kind__in=kinds).values_list("at", flat=True))
    for since in (None, now.date() - 6 * DAY, now.date()):
        chart = chart_of(ann, now, since)
        assert [p.balance for p in chart.points if p.at not in begins] == [
            balance_at(ann, p.at) for p in chart.points if p.at not in begins
        ]
        assert chart.last == BalancePoint(now, balance_of(ann))
    assert len({point.balance for point in chart_of(ann, now).points}) > 5


def test_all_of_it_begins_with_the_grant(ann: User) -> None:
    grant = Transfer.objects.get()
    chart = chart_of(ann, grant.at + 3 * DAY)
    assert chart.first == BalancePoint(grant.at, 50_000)


def nets(chart: BalanceChart) -> list[int]:
    """What each point differs from the one before, without points that do not."""
    return [b.balance - a.balance for a, b in pairwise(chart.points) if a.balance != b.balance]


def test_each_round_is_a_point(casino: TableClient, ann: User) -> None:
    now = play_for_days(45, ann)
    settled = Result.objects.filter(user=ann).count()
    assert settled > 80
    chart = chart_of(ann, now)
    ends = set(Result.objects.filter(user=ann).values_list("finished_at", flat=True))
    assert ends <= {point.at for point in chart.points}
    assert len(chart.points) >= settled


def test_a_round_goes_up_or_down_by_what_it_came_to_and_not_by_its_stake(
    casino: TableClient, ann: User
) -> None:
    sit_down(casino, ann)
    chance = Random(5)
    for _ in range(12):
        casino.later(60)
        play_round(casino, [ann], chance)
    chart = chart_of(ann, casino.now + HOUR)
    came_to = (
        Result.objects.filter(user=ann)
        .order_by("finished_at")
        .values_list(F("payout") - F("stake"), flat=True)
    )
    assert nets(chart) == [net for net in came_to if net]


def test_more_rounds_than_points_keep_the_lowest_and_the_highest(
    ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = play_for_days(20, ann)
    every = chart_of(ann, now)
    monkeypatch.setattr(balance_chart, "MOST_ROUNDS", 5)
    monkeypatch.setattr(balance_chart, "TOO_MANY", 6)
    some = chart_of(ann, now)
    assert len(some.points) <= 3 * 60
    assert some.highest == every.highest
    wallet = ann.wallet.pk
    lows = WalletEntry.objects.filter(wallet=wallet).values_list("balance", flat=True)
    assert some.lowest == min(lows)
    assert (some.first, some.last) == (every.first, every.last)


def test_a_week_begins_six_days_ago(db: None) -> None:
    user = User.objects.create_user("eve")
    opened_at(user, NOON - 30 * DAY)
    chart = chart_of(user, NOON + HOUR, NOON.date() - 6 * DAY)
    assert [point.at for point in chart.points] == [NOON - 6.5 * DAY, NOON + HOUR]


def test_a_wallet_that_was_opened_today_begins_when_it_was_opened(db: None) -> None:
    user = User.objects.create_user("eve")
    opened_at(user, NOON)
    assert chart_of(user, NOON + HOUR, NOON.date()).first == BalancePoint(NOON, 50_000)


def test_after_emptying_the_history_it_begins_with_the_balance_then(ann: User) -> None:
    now = play_for_days(4, ann)
    ann.history_since = now
    assert chart_of(ann, now + HOUR).first == BalancePoint(now, balance_of(ann))
    assert chart_of(ann, now + HOUR, now.date() - 6 * DAY).first.at == now


def test_without_a_wallet_there_is_no_chart(db: None) -> None:
    user = User.objects.create_user("eve")
    assert balance_chart.build_chart(user, None, NOON) is None


def test_it_asks_as_much_of_long_books_as_of_short_ones(
    ann: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    now = play_for_days(1, ann)
    # The wallet, gaming days, by time, rounds, lines, the balance before.
    with django_assert_num_queries(6):
        chart_of(ann, now)
    now = play_for_days(8, ann)
    with django_assert_num_queries(6):
        chart_of(ann, now)


def test_it_looks_lines_up_and_never_reads_them_all(ann: User) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("plans are told in SQLite's words")
    now = play_for_days(2, ann)
    with CaptureQueriesContext(connection) as queries:
        chart_of(ann, now)
    plans = []
    with connection.cursor() as cursor:
        for query in queries.captured_queries:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            plans += [row[3] for row in cursor.fetchall()]
    assert not [
        step
        for step in plans
        if step.startswith(("SCAN accounts", "USE TEMP")) and "gaming" not in step
    ]
    for index in ("(wallet_id=?)", "(wallet_id=? AND seq=?)", "(wallet_id=? AND seq>? AND seq<?)"):
        assert [step for step in plans if index in step], plans


# Drawn


@pytest.mark.parametrize(
    ("balances", "ticks"),
    [
        ((50_000, 62_500, 48_000), (65_000, 60_000, 55_000, 50_000, 45_000)),
        ((50_000, 50_000), (60_000, 55_000, 50_000, 45_000, 40_000)),
        ((0, 0), (1_000, 500, 0)),
        ((0,), (1_000, 500, 0)),
        ((100, 101), (101, 100)),
        ((10**12, 0), (10**12, 5 * 10**11, 0)),
        ((10**12 + 1, 10**12), (10**12 + 1, 10**12)),
        ((10**12, 10**12), tuple(n * 10**11 for n in (12, 11, 10, 9, 8))),
    ],
)
def test_the_scale_has_round_amounts_with_all_of_the_line_between_them(
    balances: tuple[int, ...], ticks: tuple[int, ...]
) -> None:
    chart = draw_chart(points(*balances))
    assert tuple(tick.balance for tick in chart.ticks) == ticks
    assert (chart.ticks[0].y, chart.ticks[-1].y) == ("0.0", f"{HEIGHT:.1f}")
    for place in chart.line.split():
        x, y = map(float, place.split(","))
        assert 0 <= x <= WIDTH
        assert 0 <= y <= HEIGHT


def test_the_line_goes_from_edge_to_edge() -> None:
    chart = draw_chart(points(10_000, 20_000, 15_000))
    assert chart.line == "0.0,200.0 300.0,0.0 600.0,100.0"
    assert chart.end == "600.0,100.0"
    assert (chart.lowest, chart.highest, chart.middle) == (10_000, 20_000, NOON + HOUR)


def test_a_single_point_is_a_line_as_well() -> None:
    assert draw_chart(points(50_000)).line == "0.0,100.0 600.0,100.0"


@pytest.mark.parametrize(("age", "dates"), [(DAY, "time"), (2 * DAY, "day"), (301 * DAY, "month")])
def test_dates_are_as_long_as_they_have_to_be(age: dt.timedelta, dates: str) -> None:
    assert draw_chart([BalancePoint(NOON, 1), BalancePoint(NOON + age, 1)]).dates == dates


def test_the_picture_says_in_words_what_it_shows() -> None:
    page = render_to_string(
        "tables/stats/_balance_chart.html", {"chart": draw_chart(points(50_000, 62_550, 48_000))}
    )
    assert f'viewBox="0 0 {WIDTH} {HEIGHT}"' in page
    assert 'role="img" aria-labelledby="chart-title" aria-describedby="chart-told"' in page
    assert "500 on 4 May, 12:00, 480 now. Lowest 480, highest 625.50" in page
    assert page.count("<tr>") == 4
    assert '<td class="is-number">625.50</td>' in page
    assert "style=" not in page


@pytest.fixture
def blackjack_at(casino: TableClient, ann: User, stack: Stack) -> dt.datetime:
    """A blackjack of ann's, and when it was settled."""
    stack("As 9h Kd 7c")
    sit_down(casino, ann)
    casino.later(60)
    casino.bet(ann, 1000)
    return casino.now


def test_what_moved_at_the_very_moment_counts(blackjack_at: dt.datetime, ann: User) -> None:
    ann.history_since = blackjack_at - dt.timedelta(microseconds=1)
    assert chart_of(ann, blackjack_at + HOUR).first.balance == 50_000
    ann.history_since = blackjack_at
    assert chart_of(ann, blackjack_at + HOUR).first.balance == 51_500


def test_it_ends_with_what_the_wallet_holds_whatever_lines_say_of_their_time(ann: User) -> None:
    """Another process, whose clock is a moment ahead, has just written a line."""
    wallet, now = ann.wallet.pk, timezone.now() + DAY
    ahead = now + dt.timedelta(milliseconds=5)
    transfers.post(
        [Posting(Transfer.Kind.RETURN, wallet, transfers.get_bank().pk, 20_000, "r")], at=ahead
    )
    chart = chart_of(ann, now)
    assert chart.last == BalancePoint(now, balance_of(ann)) == BalancePoint(now, 30_000)
    assert chart.points[-2].balance == 50_000


def test_a_line_counts_from_its_time_on_when_others_were_written_in_another_order(
    ann: User, ben: User
) -> None:
    banks, moment = transfers.get_bank().pk, timezone.now() + DAY
    for user, seconds in ((ann, 2), (ben, -1), (ben, 1)):
        at = moment + dt.timedelta(seconds=seconds)
        posting = Posting(Transfer.Kind.RETURN, user.wallet.pk, banks, 20_000, f"{user}{seconds}")
        transfers.post([posting], at=at)
    ann.history_since = moment
    balances = [point.balance for point in chart_of(ann, moment + HOUR).points]
    assert list(dict.fromkeys(balances)) == [50_000, 30_000]


def test_money_that_comes_and_goes_without_a_round_is_in_it(ann: User) -> None:
    wallet, now = ann.wallet.pk, timezone.now() + DAY
    transfers.post(
        [Posting(Transfer.Kind.RETURN, wallet, transfers.get_bank().pk, 20_000, "r")], at=now
    )
    transfers.post(
        [Posting(Transfer.Kind.REBUY, transfers.get_bank().pk, wallet, 5_000, "s")], at=now + DAY
    )
    balances = [point.balance for point in chart_of(ann, now + 2 * DAY).points]
    assert list(dict.fromkeys(balances)) == [50_000, 30_000, 35_000]
