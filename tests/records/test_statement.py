"""Every transfer of a wallet on pages that add up, and the same as a file."""

from __future__ import annotations

import csv
import datetime as dt
import io
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import AsyncClient, Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.ledger import transfers
from accounts.ledger.transfers import Posting
from accounts.models import Account, Transfer, User, WalletEntry
from tables.models import Round, Table
from tables.records import statement, statement_export
from tables.records.statement import StatementFilters, StatementPage, list_lines
from tests.helpers.rounds import new_table
from tests.helpers.sqlite_statistics import COUNTS_BY_ITSELF, SQLITE_ALONE
from tests.helpers.table_client import TableClient, new_player

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
_numbers = itertools.count(1)
NO_FILTERS = StatementFilters()


@pytest.fixture(autouse=True)
def _fresh_rates() -> None:
    cache.clear()


@pytest.fixture
def anns(client: Client, ann: User) -> Client:
    client.force_login(ann)
    return client


def stake(user: User, amount: int, at: dt.datetime | None = None) -> Posting:
    return move(Transfer.Kind.STAKE, user.wallet.pk, transfers.get_bank().pk, amount, at)


def payout(user: User, amount: int, at: dt.datetime | None = None) -> Posting:
    return move(Transfer.Kind.PAYOUT, transfers.get_bank().pk, user.wallet.pk, amount, at)


def move(
    kind: Transfer.Kind, debit: int, credit: int, amount: int, at: dt.datetime | None
) -> Posting:
    movement = Posting(kind, debit, credit, amount, f"test/{next(_numbers)}")
    with transaction.atomic():
        transfers.post([movement], at=at or timezone.now())
    return movement


def move_often(user: User, times: int) -> None:
    """Twice as many lines, which leave the wallet as it was."""
    wallet, banks = user.wallet.pk, transfers.get_bank().pk
    both = ((Transfer.Kind.STAKE, wallet, banks), (Transfer.Kind.PAYOUT, banks, wallet))
    movements = [
        Posting(kind, debit, credit, 1 + number, f"test/{next(_numbers)}")
        for number in range(times)
        for kind, debit, credit in both
    ]
    with transaction.atomic():
        transfers.post(movements, at=timezone.now())


def lay_down(user: User, amount: int, balance: int) -> None:
    """An entry that nothing made: what it says was left is anybody's word."""
    wallet = Account.objects.get(user=user)
    wallet.seq += 1
    wallet.save()
    WalletEntry.objects.create(
        kind=Transfer.Kind.STAKE, wallet=wallet, seq=wallet.seq, amount=-amount,
        balance=balance, round=0, place=f"test/{next(_numbers)}", at=timezone.now(),
    )  # fmt: skip


def pages_of(user: User, filters: StatementFilters = NO_FILTERS) -> Iterator[StatementPage]:
    before: str | None = None
    while True:
        page = list_lines(user.pk, filters, before=before)
        yield page
        if page.older is None:
            return
        before = str(page.older)


def read_page(client: Client, path: str = "/statement/") -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def lines_of(client: Client, path: str = "/statement/") -> list[tuple[str, str, int, int]]:
    lines = client.get(path).context["page"].lines
    return [(line.words.what, line.words.other_side, line.amount, line.balance) for line in lines]


# What a line says


def test_a_round_is_told_line_by_line_newest_first(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("As 9h Kd 7c")
    casino.sit(ann, 1)
    casino.bet(ann, 1500)
    assert lines_of(anns) == [
        ("payout", "the table's pot", 3750, 52_250),
        ("bet", "the table's pot", -1500, 48_500),
        ("starting chips", "the bank", 50_000, 50_000),
    ]
    page = read_page(anns)
    played = Round.objects.get()
    assert page.count(f'<a href="/rounds/{played.pk}/">round {played.number}</a>') == 2
    assert page.count('<span class="line-table">Casino</span>') == 2
    assert "+37.50" in page
    assert "−15" in page


def test_doubles_splits_and_insurance_have_words_of_their_own(
    ann: User, stack: Stack, anns: Client
) -> None:
    vegas = new_table("vegas")
    vegas.sit(ann, 1)
    stack("8s Ah 8d 9c 2c 3d 9s Ts Th")
    vegas.bet(ann, 1000)
    for action in ("insure", "split", "double", "stand"):
        vegas.act(ann, action)
    labels = [what for what, *_ in lines_of(anns)]
    assert labels[-5:-1] == ["bet, doubled", "bet on a split hand", "insurance", "bet"]


def test_a_round_that_is_not_over_or_was_called_off_has_no_link(
    anns: Client, casino: TableClient, ann: User, ben: User
) -> None:
    casino.sit(ann, 1)
    casino.sit(ben, 2)
    casino.bet(ann, 1500)
    opened = Round.objects.get().pk
    assert "the next round" in read_page(anns)
    casino.take_back(ann)
    page = read_page(anns)
    assert page.count("a round called off before the deal") == 2
    assert f"/rounds/{opened}/" not in page
    assert [what for what, *_ in lines_of(anns)] == ["returned bet", "bet", "starting chips"]


def test_a_private_round_that_went_on_without_me_is_not_linked(
    anns: Client, casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("As 9h Kd 7c")
    for seat, user in enumerate((ann, ben, new_player("cleo")), start=1):
        casino.sit(user, seat)
    casino.bet(ann, 1500)
    casino.bet(ben, 1500)
    casino.take_back(ann)
    casino.time_is_up()
    assert Round.objects.get(finished_at__isnull=False).results.get().user == ben
    assert read_page(anns).count("/rounds/") == 2
    Table.objects.update(is_private=True)
    assert "/rounds/" not in read_page(anns)
    anns.force_login(ben)
    assert read_page(anns).count("/rounds/") == 2


def test_only_my_own_lines_are_shown(anns: Client, ann: User, ben: User) -> None:
    stake(ben, 12_345)
    assert [amount for *_, amount, _ in lines_of(anns)] == [50_000]


def test_who_is_not_logged_in_is_asked_to(client: Client) -> None:
    for path in ("/statement/", "/statement.csv"):
        assert client.get(path).headers["Location"] == f"/accounts/login/?next={path}"


def test_who_never_had_money_is_told_so(client: Client) -> None:
    client.force_login(User.objects.create_user("erin"))
    assert "No transfers yet." in read_page(client)
    assert b"".join(client.get("/statement.csv").streaming_content).count(b"\n") == 1


# The sum


def test_the_page_says_what_its_lines_add_up_to(anns: Client, ann: User) -> None:
    stake(ann, 1250)
    page = read_page(anns)
    sentence = "Opening balance 0 plus 487.50 from these 2 entries is the closing balance 487.50"
    assert f"{sentence}: correct." in page
    assert "On this page: in 500, out 12.50, total" in page


def test_opening_balance_and_lines_are_the_closing_balance_on_every_page(ann: User) -> None:
    move_often(ann, 40)
    pages = list(pages_of(ann))
    assert [len(page.lines) for page in pages] == [25, 25, 25, 6]
    sums = [page.sum for page in pages if page.sum]
    assert all(each.is_checked and each.is_right for each in sums)
    assert sums[0].closing == sums[0].holds == 50_000
    assert [each.opening for each in sums] == [*(each.closing for each in sums[1:]), 0]
    assert [each.holds for each in sums[1:]] == [None] * 3


def test_a_line_with_a_wrong_balance_is_found_and_said(anns: Client, ann: User) -> None:
    stake(ann, 1000)
    lay_down(ann, 500, balance=48_600)
    page = read_page(anns)
    assert "These entries do not add up." in page
    assert "recorded as 486" in page
    assert "Your wallet holds 490." in page
    assert page.count("does not follow from the previous entry") == 1
    assert "checked." not in page


def test_two_wrong_lines_that_make_up_for_each_other_are_found(ann: User) -> None:
    lay_down(ann, 500, balance=49_000)
    lay_down(ann, 500, balance=49_000)
    added = list_lines(ann.pk, NO_FILTERS).sum
    assert added is not None
    assert added.opening + added.moved == added.closing
    assert (len(added.broken), added.is_right) == (2, False)


def test_a_wrong_line_on_the_page_before_is_found_where_the_next_begins(ann: User) -> None:
    """The opening balance is read from the line before, and is not made from the closing one."""
    lay_down(ann, 500, balance=49_400)
    for _ in range(statement.PAGE):
        stake(ann, 100)
    pages = list(pages_of(ann))
    assert [page.sum.is_right for page in pages if page.sum] == [False, False]


def test_a_wallet_that_holds_something_else_than_its_last_line_says_is_found(
    anns: Client, ann: User
) -> None:
    Account.objects.filter(user=ann).update(balance=49_999)
    page = read_page(anns)
    assert "These entries do not add up." in page
    assert "Your wallet holds 499.99." in page


def test_no_false_alarm_when_money_moves_between_the_queries_of_one_page(ann: User) -> None:
    move_often(ann, 20)
    first = list_lines(ann.pk, NO_FILTERS)
    with CaptureQueriesContext(connection) as queries:
        list_lines(ann.pk, NO_FILTERS)
    for moment in range(len(queries)):
        with money_that_moves(ann, moment):
            page = list_lines(ann.pk, NO_FILTERS)
        assert page.sum is not None
        assert page.sum.is_right, f"money moved before query {moment}"
    assert page.lines[0].id > first.lines[0].id


@contextmanager
def money_that_moves(user: User, moment: int) -> Iterator[None]:
    """A stake and a payout, committed just before the query of this number."""
    counted, is_moving = itertools.count(), False

    def with_both(execute: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal is_moving
        if not is_moving and next(counted) == moment:
            is_moving = True
            stake(user, 100)
            payout(user, 150)
            is_moving = False
        return execute(*arguments)

    with connection.execute_wrapper(with_both):
        yield


# Filters


def test_one_kind_is_shown_and_nothing_is_added_up(anns: Client, ann: User) -> None:
    stake(ann, 1000)
    payout(ann, 2000)
    page = read_page(anns, "/statement/?kind=stake")
    assert lines_of(anns, "/statement/?kind=stake") == [("bet", "the bank", -1000, 49_000)]
    assert "do not add up to a balance" in page
    assert "checked." not in page
    assert '<option value="stake" selected>' in page


def days(ann: User) -> None:
    """Lines of 1, 2 and 4 March in a hundred years; the grant was given before."""
    for day, amount in ((1, 100), (1, 200), (2, 400), (4, 800)):
        stake(ann, amount, dt.datetime(2126, 3, day, 12, tzinfo=dt.UTC))


def read_days(ann: User, first: int | None, last: int | None) -> tuple[list[int], int, int]:
    """Amounts, opening and closing balance for these days of March."""
    first_day, last_day = (dt.date(2126, 3, day) if day else None for day in (first, last))
    page = list_lines(ann.pk, StatementFilters("", first_day, last_day))
    if page.sum is None:
        return [], 0, 0
    assert page.sum.is_right
    assert page.sum.is_checked
    return [line.amount for line in page.lines], page.sum.opening, page.sum.closing


def test_days_are_whole_and_add_up(ann: User) -> None:
    days(ann)
    assert read_days(ann, 1, 1) == ([-200, -100], 50_000, 49_700)
    assert read_days(ann, 2, None) == ([-800, -400], 49_700, 48_500)
    assert read_days(ann, 2, 3) == ([-400], 49_700, 49_300)
    assert read_days(ann, None, 2)[0] == [-400, -200, -100, 50_000]
    assert read_days(ann, 3, 3) == ([], 0, 0)
    assert read_days(ann, 5, None) == ([], 0, 0)
    assert read_days(ann, 3, 2) == ([], 0, 0)


def test_a_day_begins_at_midnight_utc(ann: User) -> None:
    midnight = dt.datetime(2126, 3, 2, tzinfo=dt.UTC)
    stake(ann, 100, midnight - dt.timedelta(microseconds=1))
    stake(ann, 200, midnight)
    assert read_days(ann, 1, 1)[0] == [-100]
    assert read_days(ann, 2, 2)[0] == [-200]


def test_a_day_has_all_of_its_lines_when_they_were_written_in_another_order(
    ann: User, ben: User
) -> None:
    """Processes write a moment apart: what was made first has the higher id."""
    midnight = dt.datetime(2126, 3, 2, tzinfo=dt.UTC)
    stake(ann, 100, midnight - dt.timedelta(seconds=1))
    stake(ann, 200, midnight + dt.timedelta(seconds=2))
    stake(ben, 900, midnight + dt.timedelta(milliseconds=1))
    assert read_days(ann, 1, 1)[0] == [-100]
    assert read_days(ann, 2, 2)[0] == [-200]


def test_so_it_has_when_nothing_moved_for_hours_after_midnight(ann: User, ben: User) -> None:
    morning = dt.datetime(2126, 3, 2, 9, tzinfo=dt.UTC)
    stake(ann, 100, morning - dt.timedelta(hours=10))
    stake(ann, 200, morning + dt.timedelta(seconds=2))
    stake(ben, 900, morning)
    assert read_days(ann, 1, 1)[0] == [-100]
    assert read_days(ann, 2, 2)[0] == [-200]


def test_filters_go_together_and_stay_in_the_links(anns: Client, ann: User) -> None:
    days(ann)
    for _ in range(30):
        stake(ann, 1, dt.datetime(2126, 3, 4, 13, tzinfo=dt.UTC))
    payout(ann, 30, dt.datetime(2126, 3, 4, 14, tzinfo=dt.UTC))
    answer = anns.get("/statement/?kind=stake&from=2126-03-04")
    query = "kind=stake&from=2126-03-04"
    page = answer.context["page"]
    assert {line.amount for line in page.lines} == {-1}
    assert answer.context["older_url"] == f"/statement/?{query}&before={page.older}"
    assert answer.context["csv_url"] == f"/statement.csv?{query}"
    older = anns.get(answer.context["older_url"])
    assert [line.amount for line in older.context["page"].lines] == [-1] * 5 + [-800]
    assert older.context["newest_url"] == f"/statement/?{query}"


WRONG = [
    "kind=nonsense", "kind=match%00", "from=0000-99-99", "to=yesterday", "from=%00",
    "to=" + "9" * 400,
    "before=" + "9" * 5000, "before=-1", "before=%D9%A3", "before=x", "before=0",
    "from=0001-01-01&to=9999-12-31", "from=9999-12-31", "to=0001-01-01", "from=2026-02-30",
    "from=2026-03-02&to=2026-03-01",
]  # fmt: skip


@pytest.mark.parametrize("query", WRONG)
def test_what_means_nothing_is_left_out_or_told(query: str, anns: Client) -> None:
    page = read_page(anns, f"/statement/?{query}")
    assert ("Starting chips</th>" in page) or ("No entries match." in page)
    assert anns.get(f"/statement.csv?{query}").status_code == 200


def test_what_was_left_out_is_said_at_its_field_and_once(anns: Client) -> None:
    page = read_page(anns, "/statement/?from=32.1.")
    assert '<div class="field-errors" id="id_from_error"><p>Enter a valid date.' in page
    both = read_page(anns, "/statement/?from=32.1.&to=soon")
    for field in ("from", "to"):
        assert (
            both.count(f'id="id_{field}_error"><p>Enter a valid date. This filter is ignored.</p>')
            == 1
        )
    assert both.count("is ignored") == 2
    assert 'id="id_kind_error"><p>You have nothing that matches' in read_page(
        anns, "/statement/?kind=fill"
    )
    backwards = read_page(anns, "/statement/?from=2026-03-02&to=2026-03-01")
    assert backwards.count("The last day is before the first, so this filter is ignored.") == 1


# What it costs


def test_a_page_takes_as_many_queries_with_many_lines_as_with_few(
    anns: Client, casino: TableClient, ann: User, stack: Stack,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:  # fmt: skip
    stack("As 9h Kd 7c")
    casino.sit(ann, 1)
    casino.bet(ann, 1500)
    # session and user; the wallet; its lines, rounds, the line before where it is not read;
    # whether money can be taken: wallet, tables, own seats, last time, settings; and the head's
    # balance and notices
    with django_assert_num_queries(13):  # and the line before the page
        anns.get("/statement/")
    move_often(ann, 200)
    stack("As 9h Kd 7c")
    casino.bet(ann, 1500)
    with django_assert_num_queries(12):
        anns.get("/statement/")
    with django_assert_num_queries(14):  # and the days, and the line before
        anns.get("/statement/?from=2020-01-01&to=2120-01-01&kind=stake")


def plans_of(look: Callable[[], object]) -> list[str]:
    """How SQLite finds what was asked of the transfers, a line a step."""
    with CaptureQueriesContext(connection) as queries:
        look()
    selects = [query["sql"] for query in queries if "accounts_walletentry" in query["sql"]]
    assert selects
    with connection.cursor() as cursor:
        return [
            step[3]
            for sql in selects
            for step in cursor.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
        ]


DAY = dt.date(2026, 3, 1)
BY_SEQ = "sqlite_autoindex_accounts_walletentry_1 (wallet_id=? AND seq"
FILTERED = {
    "all": (NO_FILTERS, BY_SEQ),
    "a kind": (StatementFilters("stake"), BY_SEQ),
    "a rare kind": (StatementFilters("rebuy"), "entries_by_rare_kind (wallet_id=? AND kind=?"),
    "days": (StatementFilters("", DAY, DAY), BY_SEQ),
    "both": (StatementFilters("stake", DAY), BY_SEQ),
}


@SQLITE_ALONE
@pytest.mark.parametrize(
    "is_analyzed",
    [pytest.param(False, marks=pytest.mark.skipif(COUNTS_BY_ITSELF, reason="as served")), True],
)
@pytest.mark.parametrize("name", FILTERED)
def test_the_first_page_and_a_deep_one_walk_an_index(
    name: str, is_analyzed: bool, ann: User, ben: User
) -> None:
    filters, index = FILTERED[name]
    move_often(ann, 500)
    move_often(ben, 500)
    if is_analyzed:
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE accounts_walletentry")
    deep = "100"
    for before in (None, deep):
        steps = plans_of(lambda before=before: list_lines(ann.pk, filters, before=before))
        assert not [step for step in steps if "TEMP B-TREE" in step]
        assert not [step for step in steps if step.startswith("SCAN accounts") or "SCAN T" in step]
        assert any(f"INDEX {index}" in step for step in steps), (index, steps)


# The file


def rows_of(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode())))


def file_of(client: Client, path: str = "/statement.csv") -> list[list[str]]:
    answer = client.get(path)
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer.headers["Content-Disposition"]
    return rows_of(b"".join(answer.streaming_content))


def test_the_file_has_every_line_with_times_and_amounts_for_programs(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("As 9h Kd 7c")
    casino.now = dt.datetime(2126, 3, 1, 9, 5, 7, tzinfo=dt.UTC)
    casino.sit(ann, 1)
    casino.bet(ann, 1500)
    id_ = str(Round.objects.get().pk)
    time = "2126-03-01T09:05:07+00:00"
    head, *rows = file_of(anns)
    assert head == [
        "Time", "What", "Table", "Round", "To or from", "Amount", "Balance", "Reason",
        "Id of the round",
    ]  # fmt: skip
    assert rows[:2] == [
        [time, "payout", "Casino", "1", "the table's pot", "37.50", "522.50", "", id_],
        [time, "bet", "Casino", "1", "the table's pot", "-15.00", "485.00", "", id_],
    ]
    assert rows[2][1:] == ["starting chips", "", "", "the bank", "500.00", "500.00", "", ""]


def test_the_file_keeps_the_filters(anns: Client, ann: User) -> None:
    days(ann)
    rows = file_of(anns, "/statement.csv?kind=stake&from=2126-03-02&to=2126-03-03")
    assert [row[5] for row in rows[1:]] == ["-4.00"]


def test_a_table_whose_name_is_a_formula_is_text(
    anns: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    casino.sit(ann, 1)
    casino.bet(ann, 1500)
    Table.objects.update(name='=HYPERLINK("http://x")')
    assert file_of(anns)[1][2] == '\'=HYPERLINK("http://x")'


def test_the_file_comes_in_pieces_and_never_lies_in_memory_whole(
    ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    move_often(ann, 50)
    monkeypatch.setattr(statement_export, "CHUNK", 10)
    pieces = list(statement_export.iter_csv(ann.pk, NO_FILTERS))
    assert [piece.count(b"\n") for piece in pieces] == [1] + [10] * 10 + [1]
    with CaptureQueriesContext(connection) as queries:
        some = statement_export.iter_csv(ann.pk, NO_FILTERS)
        next(some), next(some)
    assert len(queries) == 2  # the wallet, and one piece


@pytest.mark.parametrize("moment", range(8))
def test_money_that_moves_while_the_file_is_read_leaves_no_line_out(
    moment: int, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    move_often(ann, 10)
    monkeypatch.setattr(statement_export, "CHUNK", 5)
    with money_that_moves(ann, moment):
        _head, *rows = rows_of(b"".join(statement_export.iter_csv(ann.pk, NO_FILTERS)))
    moved = [round(100 * float(row[5])) for row in rows]
    balances = [round(100 * float(row[6])) for row in rows]
    assert len(rows) in (21, 23)
    befores = [*balances[1:], 0]
    assert [b + m for b, m in zip(befores, moved, strict=True)] == balances


@pytest.mark.django_db(transaction=True)
async def test_the_server_streams_the_file_beside_its_loop(ann: User) -> None:
    client = AsyncClient()
    await client.aforce_login(ann)
    answer = await client.get("/statement.csv")
    assert answer.is_async
    content = b"".join([piece async for piece in answer.streaming_content])
    assert [row[1] for row in rows_of(content)[1:]] == ["starting chips"]
