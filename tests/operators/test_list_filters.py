"""Every list of the operators' pages: filtered by day, table and player, and as a file."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from accounts.admin.read_only import ReadOnlyAdmin
from accounts.lists import export
from accounts.models import Act, FormerName, User
from tables.models import ChatLine, Report, Round
from tests.operators import populated_site
from tests.operators.populated_site import PLAYER, SUPERUSER, World

pytestmark = pytest.mark.django_db

STORED = [
    f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    for model, model_admin in admin.site._registry.items()
    if isinstance(model_admin, ReadOnlyAdmin)
]
PAGES = [
    "/admin/players/", "/admin/rounds/", "/admin/reports/", "/admin/trail/", "/admin/tables/list/",
    "/admin/racks/", "/admin/books/audit/", "/admin/books/accounts/",
    "/admin/players/{player}/statement/", "/admin/players/{player}/rounds/",
]  # fmt: skip
WITH_DAYS = [path for path in PAGES if "accounts" not in path]


@pytest.fixture(scope="module")
def built(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """Played once: what a test changes is taken back after it, and all of this in the end."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield populated_site.build()
        transaction.set_rollback(True)


@pytest.fixture
def world(built: World, db: None) -> World:
    return built


@pytest.fixture
def behind(client: Client, world: World) -> Client:
    client.force_login(world.actors[SUPERUSER])
    return client


def path_of(template: str, world: World) -> str:
    return template.format(player=world.ids["player"])


def read(client: Client, path: str, **query: str) -> list[list[str]]:
    """The rows of a file, with the columns."""
    answer = client.get(path, {**query, "as": "csv"})
    assert answer.status_code == 200, answer
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="')
    text = b"".join(answer.streaming_content).decode()
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize("template", [*PAGES, *STORED])
def test_each_list_is_a_file_with_a_link_to_it_and_an_entry_in_the_trail(
    template: str, behind: Client, world: World
) -> None:
    path = path_of(template, world)
    page = behind.get(path).content.decode()
    assert "as=csv" in page
    assert "Download as CSV" in page
    before = Act.objects.filter(what="download").count()
    rows = read(behind, path)
    assert len(rows[0]) > 2
    assert all(len(row) == len(rows[0]) for row in rows)
    acts = Act.objects.filter(what="download")
    assert acts.count() == before + 1
    latest = acts.latest("pk")
    assert (latest.subject, latest.by) == ("house", world.actors[SUPERUSER])
    assert (latest.after or {})["list"]
    behind.head(path, {"as": "csv"})
    assert acts.count() == before + 1


@pytest.mark.parametrize(
    ("template", "query", "told"),
    [
        ("/admin/players/", {"q": "ann.smith@example.com"}, {"q": "a…@example.com"}),
        ("/admin/players/{player}/statement/", {}, {"player": "user:{player}"}),
        ("/admin/players/{player}/rounds/", {}, {"player": "user:{player}"}),
        ("/admin/rounds/", {"player": "player"}, {"player": "user:{player}"}),
        ("/admin/reports/", {"player": "player"}, {"player": "user:{player}"}),
        ("/admin/tables/chatline/", {"player": "player"}, {"player": "user:{player}"}),
        ("/admin/trail/", {"subject": "player"}, {"subject": "user:{player}"}),
        ("/admin/trail/", {"by": "player"}, {"by": "user:{player}"}),
    ],
)
def test_the_trail_of_a_download_names_no_player(
    template: str, query: dict[str, str], told: dict[str, str], behind: Client, world: World
) -> None:
    """An entry is permanent, and the name of a deleted account is not."""
    read(behind, path_of(template, world), **query)
    after = Act.objects.filter(what="download").latest("pk").after or {}
    assert after["of"] == {name: path_of(value, world) for name, value in told.items()}


@pytest.mark.parametrize(
    "template", [*WITH_DAYS, "/admin/tables/chatline/", "/admin/tables/change/"]
)
def test_a_day_of_which_there_is_nothing_empties_the_list(
    template: str, behind: Client, world: World
) -> None:
    path = path_of(template, world)
    today = timezone.now().date()
    long_ago = {"from": "2020-01-01", "to": "2020-01-02"}
    if template in WITH_DAYS:  # the stored lists have no other filter
        long_ago |= {"answered": "", "state": "all"}
    assert len(read(behind, path, **long_ago)) == 1
    around = {"from": str(today - dt.timedelta(1)), "to": str(today + dt.timedelta(1))}
    with_state = {"state": "all"} if "tables/list" in path or "racks" in path else {}
    if "trail" not in path:  # which has a new entry after each download
        assert read(behind, path, **around, **with_state) == read(behind, path, **with_state)
    assert len(read(behind, path, **around)) > 1


@pytest.mark.parametrize("template", WITH_DAYS)
@pytest.mark.parametrize(
    ("query", "why"),
    [
        ({"from": "yesterday"}, "Enter a valid date."),
        ({"from": "0001-01-01"}, "Enter a valid date."),
        ({"from": "2026-02-02", "to": "2026-02-01"}, "The last day is before the first."),
        ({"before": "9" * 30}, ""),
    ],
)
def test_a_filter_that_cannot_be_read_is_said_and_nothing_is_listed(
    template: str, query: dict[str, str], why: str, behind: Client, world: World
) -> None:
    path = path_of(template, world)
    page = behind.get(path, query).content.decode()
    assert why in page
    if why:
        assert "<tbody>" not in page.replace(" ", "") or '<th scope="row">' not in page
        assert "Download as CSV" not in page


@pytest.mark.parametrize(
    "path", ["/admin/rounds/", "/admin/reports/", "/admin/tables/list/", "/admin/players/"]
)
def test_a_table_that_there_is_not_is_said(path: str, behind: Client) -> None:
    for table in ("99999", "x", "-1"):
        assert "No table has this number." in behind.get(path, {"table": table}).content.decode()


@pytest.mark.parametrize("path", ["/admin/rounds/", "/admin/reports/", "/admin/tables/list/"])
def test_a_player_whom_nobody_is_is_said(path: str, behind: Client) -> None:
    page = behind.get(path, {"player": "nobody-here"}).content.decode()
    assert "No player has or had that name." in page


def test_rounds_of_a_table_a_player_and_a_day(behind: Client, world: World) -> None:
    table, player = str(world.ids["table"]), PLAYER
    every = read(behind, "/admin/rounds/")[1:]
    assert len(every) == Round.objects.count()
    assert read(behind, "/admin/rounds/", table=f"table:{table}")[1:] == every
    assert len(read(behind, "/admin/rounds/", player=player)) > 1
    assert len(read(behind, "/admin/rounds/", player="asker")) == 1
    assert len(read(behind, "/admin/rounds/", table=str(world.ids["free_table"]))) == 1
    old = Round.objects.earliest("pk")
    Round.objects.filter(pk=old.pk).update(opened_at=timezone.now() - dt.timedelta(days=9))
    day = str((timezone.now() - dt.timedelta(days=9)).date())
    for query in ({}, {"player": player}, {"table": table}, {"rules": "casino"}):
        rows = read(behind, "/admin/rounds/", **query, **{"from": day, "to": day})
        assert [row[0] for row in rows[1:]] == [str(old.pk)], query


def test_a_former_name_finds_rounds_reports_and_the_trail(behind: Client, world: World) -> None:
    user = world.actors[PLAYER]
    FormerName.objects.create(
        user=user, name="Oldie", folded="oldie", skeleton="oldle", until=timezone.now()
    )
    for path, query in (
        ("/admin/rounds/", {"player": "oldie"}),
        ("/admin/reports/", {"player": "OLDIE"}),
        ("/admin/trail/", {"subject": "oldie"}),
    ):
        page = behind.get(path, query).content.decode()
        assert f"{PLAYER}, formerly Oldie." in page, path
        assert len(read(behind, path, **query)) > 1, path
    assert "formerly Oldie" in behind.get("/admin/players/", {"q": "old"}).content.decode()
    page = behind.get(f"/admin/players/{user.pk}/").content.decode()
    assert "Former names" in page
    assert "Oldie" in page


def test_the_filters_stay_on_the_next_page(
    behind: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tables.operators.rounds import round_list

    monkeypatch.setattr(round_list.list_rounds, "__kwdefaults__", {"before": None, "size": 1})
    table = str(world.ids["table"])
    today = str(timezone.now().date() + dt.timedelta(1))
    page = behind.get("/admin/rounds/", {"table": table, "to": today}).content.decode()
    assert f"?table={table}&amp;to={today}&amp;before=" in page


def test_reports_are_filtered_by_kind_table_and_player(behind: Client, world: World) -> None:
    def ids(**query: str) -> list[str]:
        return [row[0] for row in read(behind, "/admin/reports/", **query)[1:]]

    of_round, of_line = str(world.ids["report"]), str(world.ids["line_report"])
    assert ids() == [of_round, of_line]
    assert ids(kind="line") == [of_line]
    assert ids(kind="round") == [of_round]
    assert ids(table=str(world.ids["table"])) == [of_round, of_line]
    assert ids(table=str(world.ids["free_table"])) == []
    assert ids(player=PLAYER) == [of_round, of_line]
    assert ids(player="reporter") == [of_line]
    assert ids(answered="on") == []
    Report.objects.filter(pk=of_line).update(answered_at=timezone.now())
    assert ids(answered="on") == [of_line]


def test_a_statement_of_one_table(behind: Client, world: World) -> None:
    path = f"/admin/players/{world.ids['player']}/statement/"
    everything = read(behind, path)
    of_table = read(behind, path, table=str(world.ids["table"]))
    assert 1 < len(of_table) < len(everything)
    assert {row[4] for row in of_table[1:]} == {"Casino"}
    assert read(behind, path, table=str(world.ids["free_table"]))[1:] == []
    page = behind.get(path, {"table": str(world.ids["table"])}).content.decode()
    assert "Only some entries are shown" in page


def test_chat_lines_by_table_player_and_day(behind: Client, world: World) -> None:
    path = "/admin/tables/chatline/"
    assert len(read(behind, path, table=str(world.ids["table"]), player=PLAYER)) == 2
    assert len(read(behind, path, player="asker")) == 1
    assert len(read(behind, path, table=str(world.ids["free_table"]))) == 1
    page = behind.get(path, {"player": "nobody-here"}).content.decode()
    assert "No player has or had that name." in page
    assert "Good luck!" not in page


def test_a_text_is_no_formula_and_an_amount_is_a_number(behind: Client, world: World) -> None:
    ChatLine.objects.update(text='=HYPERLINK("x")')
    rows = read(behind, "/admin/tables/chatline/")
    assert rows[1][rows[0].index("text")] == '\'=HYPERLINK("x")'
    rows = read(behind, "/admin/accounts/walletentry/")
    amounts = {row[rows[0].index("amount_in_units")] for row in rows[1:]}
    assert "-1000.00" in amounts or "-10.00" in amounts
    for amount in amounts:
        float(amount)


def test_a_file_ends_at_its_limit_and_says_so(
    behind: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = Round.objects.count()
    assert count > 2
    monkeypatch.setattr(export, "MOST_ROWS", count)
    assert len(read(behind, "/admin/rounds/")) == 1 + count
    monkeypatch.setattr(export, "MOST_ROWS", count - 1)
    rows = read(behind, "/admin/rounds/")
    assert len(rows) == 1 + count
    assert rows[-1] == [f"These are the first {count - 1} rows. Choose filters for fewer."]


def test_nothing_hidden_is_in_a_file(behind: Client, world: World) -> None:
    """The columns are those of the page: the state of a table and the answers are in none."""
    rows = read(behind, "/admin/tables/table/")
    assert "state" not in rows[0]
    rows = read(behind, "/admin/tables/shoe/")
    assert "secret" not in rows[0]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="plans as SQLite tells them")
@pytest.mark.parametrize(
    ("path", "table", "query"),
    [
        ("/admin/rounds/", "tables_round", {}),
        ("/admin/rounds/", "tables_result", {"player": PLAYER}),
        ("/admin/trail/", "accounts_act", {}),
        ("/admin/tables/change/", "tables_change", {}),
        ("/admin/tables/chatline/", "tables_chatline", {}),
        ("/admin/tables/round/", "tables_round", {}),
        ("/admin/accounts/walletentry/", "accounts_walletentry", {}),
        ("/admin/accounts/transfer/", "accounts_transfer", {}),
    ],
)
def test_days_are_a_range_of_ids_and_nothing_is_sorted_or_counted(
    path: str, table: str, query: dict[str, str], behind: Client, world: World
) -> None:
    today = str(timezone.now().date())
    with CaptureQueriesContext(connection) as queries:
        assert behind.get(path, {**query, "from": today, "to": today}).status_code == 200
    pages = [
        one["sql"]
        for one in queries
        if f'FROM "{table}"' in one["sql"] and "LIMIT 51" in one["sql"]
    ]
    assert len(pages) == 1
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {pages[0]}")
        plan = " | ".join(row[3] for row in cursor.fetchall())
    assert plan.startswith("SEARCH"), plan
    assert "TEMP B-TREE" not in plan, plan
    assert len(queries) < 60, "a binary search for each end"


def test_who_may_not_see_a_list_gets_no_file(client: Client, world: World) -> None:
    client.force_login(world.actors["cashier"])
    for path in ("/admin/reports/", "/admin/trail/", "/admin/tables/chatline/"):
        assert client.get(path, {"as": "csv"}).status_code == 403, path
    assert not Act.objects.filter(what="download", by=world.actors["cashier"]).exists()


def test_a_player_list_says_who_sits_at_a_table(behind: Client, world: World) -> None:
    rows = read(behind, "/admin/players/", table=str(world.ids["table"]))
    assert [row[1] for row in rows[1:]] == [PLAYER]
    assert User.objects.count() > 1
