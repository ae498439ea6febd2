"""The books add up what tables made, and say what chance cannot explain."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from collections import defaultdict
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.ledger import daily_totals
from accounts.models import Account, Act, User
from tables.advice import game_odds
from tables.engine.presets import PRESETS
from tables.game import lifecycle
from tables.models import GameOdds, Result, Round, Table, Takings
from tables.operators.books import house_edge, revenue
from tables.operators.books.house_edge import RuleVariant
from tables.operators.books.revenue import DAY, MONTH, RULES, TABLE, WEEK, RevenueFilters
from tables.operators.books.revenue_row import RevenueRow
from tables.operators.rounds import voids
from tables.results import projector
from tests.helpers.table_client import TableClient
from tests.results.test_results import Week

pytestmark = pytest.mark.django_db

PAGE = "/admin/books/"
MARCH = dt.date(2026, 3, 1)
ONE = dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[RuleVariant]:
    """What would be worked out in the background."""
    ways: list[RuleVariant] = []
    monkeypatch.setattr(house_edge.background, "queue", ways.extend)
    return ways


@pytest.fixture
def manager(client: Client, operator: Callable[..., User]) -> Client:
    client.force_login(operator("manager"))
    return client


@pytest.fixture
def casino_row(db: None) -> Table:
    return lifecycle.open_table(name="Casino", rules_key="casino")


def create_takings(
    table: Table, day: dt.date = MARCH, result: int = 0, plays: int = 1000, **more: Any
) -> Takings:
    """A day of bets of 10.00 that left the house with ``result``."""
    staked = plays * 1000
    values = {
        "rounds": plays, "plays": plays, "staked": staked, "paid": staked - result, "bets": staked,
        "bets_squared": plays * 1000**2, "rules_key": table.rules_key,
    }  # fmt: skip
    return Takings.objects.create(table=table, day=day, **(values | more))


def rows_of(filters: RevenueFilters) -> list[RevenueRow]:
    return [row for rows in revenue.iter_pages(filters) for row in rows]


# Added up


def _bucket(by: str, round_: Round) -> Any:
    assert round_.finished_at is not None
    day = round_.finished_at.date()
    return {
        DAY: day,
        WEEK: day - day.weekday() * ONE,
        MONTH: day.replace(day=1),
        TABLE: round_.table_id,
        RULES: round_.rules_key,
    }[by]


def test_every_row_is_what_its_rounds_came_to() -> None:
    Week(seed=6).play(50)
    projector.catch_up()
    for by in (DAY, WEEK, MONTH, TABLE, RULES):
        for span in ((None, None), (MARCH + 2 * ONE, MARCH + 6 * ONE)):
            _are_what_was_played(by, *span)


def _are_what_was_played(by: str, since: dt.date | None, until: dt.date | None) -> None:
    expected: dict[Any, list[int]] = defaultdict(lambda: [0] * 4)
    for round_ in Round.objects.exclude(dealt_at=None).exclude(finished_at=None):
        assert round_.finished_at is not None
        day = round_.finished_at.date()
        if (since and day < since) or (until and day > until):
            continue
        row = expected[_bucket(by, round_)]
        row[0] += 1
        for result in Result.objects.filter(round=round_):
            row[1] += 1
            row[2] += result.stake
            row[3] += result.payout
    rows = rows_of(RevenueFilters(by, since, until))
    keys = [row.key.key if isinstance(row.key, RuleVariant) else row.key for row in rows]
    assert len(rows) > 1 or by in (WEEK, MONTH)
    assert dict(zip(keys, [[r.rounds, r.plays, r.staked, r.paid] for r in rows], strict=True)) == (
        expected
    )
    if by not in (TABLE, RULES):
        assert keys == sorted(keys, reverse=True)
    total = revenue.list_rows(RevenueFilters(by, since, until)).total
    assert total.made == sum(row.made for row in rows)
    assert total.rounds == sum(row.rounds for row in rows)


def test_one_table_and_one_rule_set_can_be_looked_at(casino_row: Table) -> None:
    other = lifecycle.open_table(name="Vegas", rules_key="vegas")
    create_takings(casino_row, result=500)
    create_takings(other, result=700)
    for filters in (RevenueFilters(table=other.pk), RevenueFilters(rules="vegas")):
        assert [row.made for row in rows_of(filters)] == [700]
        assert revenue.list_rows(filters).total.made == 700


def test_a_void_round_is_beside_and_not_in_the_sums(
    casino: TableClient, ann: User, operator: Callable[..., User], stack: Callable[..., None]
) -> None:
    stack("5s Ts 6d 7h 9c", "Ts 9s 7d Th")
    casino.sit(ann, 1)
    casino.bet(ann, 1000)
    casino.act(ann, "double")
    casino.bet(ann, 3000)
    casino.act(ann, "stand")
    by = Operator(operator("manager").pk)
    voids.request_void(Round.objects.earliest("pk").pk, by, "Stacked.", timezone.now())
    projector.catch_up()
    [row] = rows_of(RevenueFilters())
    assert (row.rounds, row.plays, row.staked, row.paid, row.made) == (1, 1, 3000, 0, 3000)
    assert row.hold == 100
    assert (row.sums.void_rounds, row.sums.void_staked, row.sums.void_paid) == (1, 2000, 4000)


def test_hold_is_what_is_left_of_what_was_staked(casino_row: Table) -> None:
    create_takings(casino_row, result=12_345)
    [row] = rows_of(RevenueFilters())
    assert row.hold == pytest.approx(1.2345)
    assert row.expected_hold == pytest.approx(-0.29521611)


# Judged


@pytest.mark.parametrize(
    ("came_to", "verdict"), [(-300_000, "outside"), (0, "inside"), (300_000, "outside")]
)
def test_what_chance_cannot_explain_is_flagged(
    casino_row: Table, manager: Client, came_to: int, verdict: str
) -> None:
    create_takings(casino_row, result=came_to)
    [row] = rows_of(RevenueFilters())
    assert row.verdict == verdict
    assert ("books-outside" in manager.get(PAGE).content.decode()) == (verdict == "outside")


def test_a_rigged_table_is_flagged_and_the_honest_one_beside_it_is_not(casino_row: Table) -> None:
    rigged, chance = lifecycle.open_table(name="Rigged", rules_key="casino"), Random(4)
    for table, edge in ((casino_row, -0.0026), (rigged, 0.05)):
        for number in range(60):
            chances = chance.gauss(0, 1.1422 * 1000 * 1000**0.5)
            create_takings(table, MARCH + number * ONE, result=int(edge * 1_000_000 + chances))
    assert {row.name: row.verdict for row in rows_of(RevenueFilters(TABLE))} == {
        "Casino": "inside", "Rigged": "outside",
    }  # fmt: skip


def test_voids_are_left_out_of_the_verdict(casino_row: Table) -> None:
    """Ten rounds of a stacked shoe, at stakes that nobody else has, were undone."""
    create_takings(
        casino_row, result=-9_000_000, void_rounds=10, void_plays=10, void_staked=100_000,
        void_paid=9_100_000,
    )  # fmt: skip
    [row] = rows_of(RevenueFilters())
    assert (row.made, row.verdict) == (0, "inside")
    assert row.band is not None
    assert row.band.expected == pytest.approx(-0.0029521611 * 900_000)


def test_of_few_rounds_nothing_is_said(casino_row: Table, manager: Client) -> None:
    create_takings(casino_row, result=50_000, plays=50)
    assert "too few rounds" in manager.get(PAGE).content.decode()


def test_where_nothing_is_staked_there_is_no_hold(manager: Client) -> None:
    table = lifecycle.open_table(name="Classic", rules_key="classic")
    create_takings(table, staked=0, paid=0, bets=0, bets_squared=0)
    [row] = rows_of(RevenueFilters())
    assert (row.hold, row.verdict) == (None, "nothing")
    assert "no bets" in manager.get(PAGE).content.decode()


def test_an_edge_that_is_not_known_is_being_worked_out(
    casino_row: Table, manager: Client, asked: list[RuleVariant]
) -> None:
    create_takings(casino_row, options='{"decks":8,"seats":2}')
    create_takings(casino_row)
    [row] = rows_of(RevenueFilters())
    assert row.verdict == "unknown"
    text = manager.get(PAGE).content.decode()
    assert "being computed" in text
    assert "Casino (Decks: 8)" in text
    assert asked == [RuleVariant("casino", '{"decks":8}')]
    game_odds.get(asked[0].rules)
    [row] = rows_of(RevenueFilters())
    assert row.verdict == "inside"


def test_what_is_no_longer_playable_is_said_and_the_rest_judged(
    casino_row: Table, manager: Client, asked: list[RuleVariant]
) -> None:
    way = RuleVariant("casino", '{"decks":99}')
    create_takings(casino_row, options=way.options, result=900_000)
    [row] = rows_of(RevenueFilters())
    assert row.verdict == "unplayable"
    create_takings(casino_row, result=-3_000)
    [row] = rows_of(RevenueFilters())
    assert (row.verdict, row.made) == ("inside", 897_000)
    assert row.expected_hold == pytest.approx(-100 * game_odds.get(PRESETS["casino"]).ev)
    page = manager.get(PAGE)
    text = page.content.decode()
    assert "so they have no band: Casino (Decks: 99)." in text
    assert "being computed" not in text.lower()
    assert [(bar.low, bar.high) for bar in page.context["chart"].bars] == [("", "")]
    assert asked == []
    by_rules = manager.get(PAGE, {"by": "rules"}).content.decode()
    assert "no longer playable" in by_rules


def test_a_result_that_surprises_is_not_hidden_by_what_is_no_longer_playable(
    casino_row: Table,
) -> None:
    create_takings(casino_row, options='{"decks":99}', result=900_000)
    create_takings(casino_row, result=-900_000)
    [row] = rows_of(RevenueFilters())
    assert (row.made, row.verdict) == (0, "outside")


def test_only_a_plain_rule_set_leads_to_its_days(casino_row: Table, manager: Client) -> None:
    create_takings(casino_row)
    create_takings(casino_row, options='{"decks":8}')
    lines = manager.get(PAGE, {"by": "rules"}).context["lines"]
    links = {name: link for _, name, link in lines}
    assert links == {"Casino": "by=day&rules=casino", "Casino (Decks: 8)": ""}


def test_limits_and_seats_make_no_other_edge(casino_row: Table) -> None:
    create_takings(casino_row, options='{"maximum":100000,"minimum":2000,"seats":1}')
    [row] = rows_of(RevenueFilters(RULES))
    assert (row.key, row.verdict) == (RuleVariant("casino"), "inside")


# Pages and pages


def test_days_go_on_a_page_further_back(casino_row: Table, manager: Client) -> None:
    days = [MARCH - number * ONE for number in range(150) if number % 7]
    for day in days:
        create_takings(casino_row, day)
    dates: list[dt.date] = []
    start = None
    while True:
        page = revenue.list_rows(RevenueFilters(), start)
        assert len(page.rows) <= revenue.MOST[DAY]
        assert page.total.rounds == len(days) * 1000
        dates += [row.key for row in page.rows if isinstance(row.key, dt.date)]
        if page.following is None:
            break
        start = page.following
    assert dates == days
    first = manager.get(PAGE)
    assert f"start={first.context['following'].split('start=')[1]}" in first.content.decode()


@pytest.mark.parametrize("by", [WEEK, MONTH])
def test_weeks_and_months_are_whole_on_every_page(casino_row: Table, by: str) -> None:
    for number in range(360):
        create_takings(casino_row, MARCH - 4 * number * ONE)
    keys = [row.key for row in rows_of(RevenueFilters(by))]
    assert len(keys) == len(set(keys)) > revenue.MOST[by]
    assert sum(row.plays for row in rows_of(RevenueFilters(by))) == 360_000
    assert len(revenue.list_rows(RevenueFilters(by)).rows) == revenue.MOST[by]


def test_a_long_pause_is_stepped_over(casino_row: Table) -> None:
    create_takings(casino_row, MARCH)
    create_takings(casino_row, dt.date(1999, 1, 1))
    assert [row.key for row in rows_of(RevenueFilters())] == [MARCH, dt.date(1999, 1, 1)]


def test_many_tables_come_a_page_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(revenue.MOST, TABLE, 3)
    tables = [lifecycle.open_table(name=f"T{number}", rules_key="casino") for number in range(8)]
    for table in tables:
        create_takings(table, result=table.pk)
    page = revenue.list_rows(RevenueFilters(TABLE))
    assert [row.name for row in page.rows] == ["T0", "T1", "T2"]
    assert [row.name for row in rows_of(RevenueFilters(TABLE))] == [table.name for table in tables]


def test_the_newest_and_the_oldest_day_there_can_be_do_no_harm(casino_row: Table) -> None:
    create_takings(casino_row, dt.date.min)
    create_takings(casino_row, dt.date.max)
    for by in (DAY, WEEK, MONTH):
        assert len(rows_of(RevenueFilters(by))) == 2


# How much is read


def test_ten_years_are_read_from_their_days_and_not_from_rounds(
    casino_row: Table, manager: Client
) -> None:
    other = lifecycle.open_table(name="Vegas", rules_key="vegas")
    create_takings(casino_row)
    with CaptureQueriesContext(connection) as of_a_day:
        manager.get(PAGE)
    Takings.objects.all().delete()
    Takings.objects.bulk_create(
        Takings(table=table, day=MARCH - number * ONE, rules_key=table.rules_key, rounds=1000)
        for number in range(3650)
        for table in (casino_row, other)
    )
    for by in (DAY, WEEK, MONTH, TABLE, RULES):
        with CaptureQueriesContext(connection) as of_ten_years:
            assert manager.get(PAGE, {"by": by}).status_code == 200
        assert len(of_ten_years) <= len(of_a_day) + 2
        for query in of_ten_years:
            assert not re.search(r'"tables_(hand|round|result|change)"', query["sql"])
    if connection.vendor == "sqlite":
        for query in _plans(lambda: revenue.list_rows(RevenueFilters(since=MARCH - 30 * ONE))):
            assert "SCAN tables_takings" not in query


def _plans(read: Callable[[], object]) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        read()
    plans = []
    with connection.cursor() as cursor:
        for query in queries.captured_queries:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            plans.append(" ".join(row[3] for row in cursor.fetchall()))
    return plans


# The pages


def test_the_page_tells_the_numbers_and_draws_them(casino_row: Table, manager: Client) -> None:
    create_takings(casino_row, MARCH, result=30_000)
    create_takings(casino_row, MARCH + ONE, result=-20_000)
    text = re.sub(r"\n *", " ", manager.get(PAGE).content.decode())
    assert "1 Mar 2026" in text
    assert '<td class="is-amount">10,000</td> <td class="is-amount">9,700</td>' in text
    assert "3.00\N{NO-BREAK SPACE}%" in text
    assert "−2.00\N{NO-BREAK SPACE}%" in text
    assert "−0.26\N{NO-BREAK SPACE}%" in text
    assert text.count('class="books-bar') == 2
    assert text.count("books-bar is-loss") == 1
    assert text.count("books-band") == 2


def test_bars_and_bands_are_drawn_to_scale(casino_row: Table, manager: Client) -> None:
    create_takings(casino_row, MARCH, result=30_000)
    create_takings(casino_row, MARCH + ONE, result=-20_000)
    chart = manager.get(PAGE).context["chart"]
    (first, *_, last), heights = chart.ticks, [float(bar.height) for bar in chart.bars]
    per_pixel = (first.balance - last.balance) / 200
    assert [height * per_pixel for height in heights] == pytest.approx([30_000, 20_000], rel=0.01)
    for bar in chart.bars:
        low, high = (first.balance - float(at) * per_pixel for at in (bar.low, bar.high))
        assert (low, high) == pytest.approx((bar.row.band.low, bar.row.band.high), rel=0.02)


def test_rows_lead_to_their_days(casino_row: Table, manager: Client) -> None:
    create_takings(casino_row, dt.date(2026, 2, 28))
    for by, link in (
        (MONTH, "by=day&amp;from=2026-02-01&amp;to=2026-02-28"),
        (WEEK, "by=day&amp;from=2026-02-23&amp;to=2026-03-01"),
        (TABLE, f"by=day&amp;table={casino_row.pk}"),
        (RULES, "by=day&amp;rules=casino"),
    ):
        assert f'href="?{link}"' in manager.get(PAGE, {"by": by}).content.decode()


@pytest.mark.parametrize(
    "query",
    [
        {"by": "year"}, {"table": "9" * 30}, {"table": "x\0"}, {"rules": "\0"}, {"from": "now"},
        {"from": "0001-01-01", "to": "9999-12-31"}, {"to": "9999-12-31", "by": "week"},
        {"from": "2026-03-02", "to": "2026-03-01"}, {"start": "9" * 40, "by": "table"},
        {"start": "\0"}, {"start": "9999-12-31", "by": "month"}, {"start": "0001-01-01"},
        {"start": "٣", "by": "table"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("page", ["", "takings.csv", "accounts/"])
def test_what_cannot_be_read_is_left_out(
    casino_row: Table, manager: Client, page: str, query: dict[str, str]
) -> None:
    create_takings(casino_row)
    assert manager.get(PAGE + page, query).status_code == 200


# As a file


def read_csv(manager: Client, **query: str) -> list[dict[str, str]]:
    answer = manager.get(PAGE + "takings.csv", query)
    assert "attachment" in answer["Content-Disposition"]
    text = b"".join(answer.streaming_content).decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_the_file_has_every_row(casino_row: Table, manager: Client) -> None:
    for number in range(150):
        create_takings(casino_row, MARCH - number * ONE, result=12_345)
    rows = read_csv(manager)
    assert [row["first_day"] for row in rows] == [str(MARCH - n * ONE) for n in range(150)]
    band = rows_of(RevenueFilters())[0].band
    assert band is not None
    assert rows[0] | {"first_day": ""} == {
        "first_day": "", "table": "", "table_name": "", "rules": "", "options": "",
        "rounds": "1000", "plays": "1000", "staked_in_units": "10000.00",
        "paid_in_units": "9876.55", "house_result_in_units": "123.45", "hold_percent": "1.234",
        "expected_in_units": "-29.52", "expected_hold_percent": "-0.295",
        "band_low_in_units": f"{band.low / 100:.2f}",
        "band_high_in_units": f"{band.high / 100:.2f}",
        "verdict": "inside", "void_rounds": "0", "void_plays": "0",
        "void_staked_in_units": "0.00", "void_paid_in_units": "0.00",
    }  # fmt: skip


def test_a_name_that_is_a_formula_is_harmless_in_the_file(
    casino_row: Table, manager: Client
) -> None:
    Table.objects.update(name="=HYPERLINK(0)")
    create_takings(casino_row)
    [row] = read_csv(manager, by="table")
    assert (row["table"], row["table_name"]) == (str(casino_row.pk), "'=HYPERLINK(0)")


def test_that_somebody_took_the_file_is_in_the_trail(casino_row: Table, manager: Client) -> None:
    create_takings(casino_row)
    read_csv(manager, by="week", rules="casino")
    act = Act.objects.get()
    assert (act.what, act.subject, act.by.username) == ("download", "house", "manager")
    assert act.after == {"list": "books-by-week", "of": {"by": "week", "rules": "casino"}}


def test_who_only_asks_about_the_file_has_not_taken_it(casino_row: Table, manager: Client) -> None:
    answer = manager.head("/admin/books/takings.csv")
    assert (answer.status_code, answer.headers["Content-Type"][:8]) == (200, "text/csv")
    assert not Act.objects.exists()


# Site accounts


def test_the_accounts_of_the_house_add_up_on_their_page(manager: Client) -> None:
    week = Week(seed=4)
    week.play(20)
    text = manager.get(PAGE + "accounts/").content.decode()
    assert "The accounts add up" in text
    assert "starting chips" in text
    assert daily_totals.last_summed_day() is not None
    for query in (
        {"from": "2026-03-03"},
        {"to": "2026-03-03"},
        {"from": "2026-03-03", "to": "2026-03-04"},
    ):
        assert "The accounts add up" in manager.get(PAGE + "accounts/", query).content.decode()


def test_accounts_that_do_not_add_up_are_named(manager: Client, ann: User) -> None:
    Account.objects.filter(user=ann).update(balance=1)
    text = manager.get(PAGE + "accounts/").content.decode()
    assert "The accounts do not add up: wallet" in text
    assert "−499.99" in text


def test_old_days_that_are_still_to_be_summed_are_waited_for(
    manager: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    Week(seed=4).play(20)
    monkeypatch.setattr("tables.operators.books.views._CATCH_UP_SECONDS", -1.0)
    text = manager.get(PAGE + "accounts/").content.decode()
    assert "still being totalled" in text
    assert "Closing" not in text


# The command


def test_the_command_works_out_what_was_played(casino_row: Table, capsys: Any) -> None:
    create_takings(casino_row, options='{"decks":8,"seats":1}')
    create_takings(casino_row)
    call_command("edges")
    output = capsys.readouterr().out
    way = RuleVariant("casino", '{"decks":8}')
    [row] = GameOdds.objects.all()  # what is shipped needs no row
    assert row.digest == game_odds.digest(way.rules)
    assert f"edge {row.figures['ev']:+.6f}" in output
    assert "casino {}: edge +0.002952, with the chart +0.002559, deviation 1.1594" in output
