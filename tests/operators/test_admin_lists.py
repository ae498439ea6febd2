"""The lists of everything that is kept: quick however long they are, and nothing is changed there.

Also: nobody, not even a superuser, finds out there what nobody may know.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection, transaction
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from accounts.admin.read_only import ReadOnlyAdmin
from accounts.models import Account, Act, HouseSettings, Transfer, User, WalletEntry
from tables.models import Change, ChatLine, PileGame, Report, Round, Shoe, Table, Takings, Void
from tests.operators import populated_site as worlds
from tests.operators.populated_site import SUPERUSER, World

pytestmark = pytest.mark.django_db

SQLITE_ALONE = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="plans as SQLite tells them"
)
READ_ONLY = [
    model for model, model_admin in admin.site._registry.items()
    if isinstance(model_admin, ReadOnlyAdmin) and model not in (Table, User)
]  # fmt: skip
LISTS = [*READ_ONLY, User]
FEW = {
    (Account, "user:7"), (Account, "Ann"), (PileGame, "round:7"), (Transfer, "round:7"),
    (Takings, "table:7"), (Change, "user:7"), (WalletEntry, "round:7"),
}  # fmt: skip
"""What is found so is few, and sorted. Of a player's changes the ids are sorted: an index of them
would be written with each command."""
BIG = (
    Transfer,
    WalletEntry,
    Round,
    Change,
    Shoe,
    ChatLine,
    Act,
    Account,
    PileGame,
    Report,
    Void,
    Takings,
)
SEARCHES = [
    *((model, "7") for model in BIG),
    (Account, "user:7"), (Account, "Ann"),
    (Transfer, "debit:7"), (Transfer, "credit:7"), (Transfer, "round:7"), (Transfer, "2026-11-21"),
    (Transfer, "reverses:7"), (WalletEntry, "round:7"),
    (WalletEntry, "transfer:7"), (WalletEntry, "reverses:7"),
    (Round, "table:7"), (Round, "shoe:7"), (Change, "table:7"), (Change, "round:7"),
    (Change, "user:7"), (Shoe, "table:7"), (ChatLine, "table:7"), (ChatLine, "user:7"),
    (Act, "table:7"), (PileGame, "round:7"), (PileGame, "user:7"), (Report, "round:7"),
    (Report, "user:7"), (Void, "round:7"), (Takings, "table:7"),
]  # fmt: skip


def name_of(model: type[Model]) -> str:
    return str(model._meta.model_name)


def list_of(model: type[Model]) -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/"


@pytest.fixture(scope="module")
def built(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """Played once: what a test changes is taken back after it, and all of this in the end."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield worlds.build()
        transaction.set_rollback(True)


@pytest.fixture
def world(built: World, db: None) -> World:
    return built


@pytest.fixture
def behind(client: Client, world: World) -> Client:
    """A browser of somebody who may everything that anybody may."""
    client.force_login(world.actors[SUPERUSER])
    return client


def selects(client: Client, path: str, query: dict[str, str] | None = None) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path, query or {}).status_code == 200
    return [query["sql"] for query in queries if query["sql"].startswith("SELECT")]


def plans(statements: list[str]) -> Iterator[str]:
    """The steps of all these statements."""
    for sql in statements:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            steps = [row[3] for row in cursor.fetchall()]
        yield " | ".join(steps)


def about(model: type[Model], statements: list[str]) -> list[str]:
    return [sql for sql in statements if f'FROM "{model._meta.db_table}"' in sql]


def page_of(model: type[Model], statements: list[str]) -> list[str]:
    """The statements that read a page of a list, and one row more."""
    return [sql for sql in about(model, statements) if sql.endswith(" LIMIT 51")]


@pytest.mark.parametrize("model", LISTS, ids=name_of)
def test_a_list_counts_nothing_and_reads_its_rows_at_once(
    model: type[Model], behind: Client
) -> None:
    statements = selects(behind, list_of(model))
    assert not [sql for sql in statements if "COUNT(" in sql]
    assert len(page_of(model, statements)) == 1
    # session, user, the second factor, what they may (nothing is asked about a superuser), wallet;
    # ids, and rows; what is on the badge; before takings, whether rounds are not counted yet
    assert len(statements) <= 7 + (model is Takings)


@pytest.mark.parametrize("model", LISTS, ids=name_of)
def test_no_list_reads_the_private_state_of_a_table(model: type[Model], behind: Client) -> None:
    row = model._default_manager.order_by("pk").first()
    statements = selects(behind, list_of(model))
    if row is not None:
        statements += about(model, selects(behind, f"{list_of(model)}{row.pk}/change/"))
    assert not [sql for sql in statements if '"tables_table"."state"' in sql]


@SQLITE_ALONE
@pytest.mark.parametrize("model", LISTS, ids=name_of)
def test_a_list_is_read_from_its_newest_row_on(model: type[Model], behind: Client) -> None:
    (plan,) = plans(page_of(model, selects(behind, list_of(model))))
    assert plan.startswith(f"SCAN {model._meta.db_table}"), plan
    assert "TEMP B-TREE" not in plan, plan
    assert plan.count("SCAN") == 1, plan


@SQLITE_ALONE
@pytest.mark.parametrize(
    ("model", "path"),
    [
        *((model, list_of(model)) for model in BIG),
        (Act, "/admin/trail/"), (Report, "/admin/reports/"), (Table, "/admin/tables/list/"),
    ],
)  # fmt: skip
def test_a_list_is_read_so_too_by_a_database_that_knows_the_other_tables_are_short(
    model: type[Model], path: str, behind: Client
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        cursor.execute(
            "UPDATE sqlite_stat1 SET stat = CASE WHEN tbl = %s"
            " THEN '3000000 500 300 1' ELSE '200 1' END",
            [model._meta.db_table],
        )
        cursor.execute("ANALYZE sqlite_schema")  # which has the numbers read again
        try:
            statements = [sql for sql in about(model, selects(behind, path)) if "ORDER BY" in sql]
            first, *others = plans(statements)
        finally:
            cursor.execute("DELETE FROM sqlite_stat1")
            cursor.execute("ANALYZE sqlite_schema")
    begins = first.partition(" | ")[0]
    assert model._meta.db_table in begins.split(), first
    assert "TEMP B-TREE" not in first, first
    for plan in others:
        assert f"SEARCH {model._meta.db_table} USING INTEGER PRIMARY KEY" in plan, plan


@SQLITE_ALONE
@pytest.mark.parametrize("model", LISTS, ids=name_of)
def test_a_later_page_begins_at_its_row(model: type[Model], behind: Client) -> None:
    (plan,) = plans(page_of(model, selects(behind, list_of(model), {"before": "1000"})))
    assert f"SEARCH {model._meta.db_table} USING INTEGER PRIMARY KEY (rowid<?)" in plan, plan
    assert "TEMP B-TREE" not in plan, plan
    assert "SCAN" not in plan, plan


@SQLITE_ALONE
@pytest.mark.parametrize(("model", "words"), SEARCHES, ids=lambda part: str(part).split("'")[0])
def test_a_search_goes_along_an_index(model: type[Model], words: str, behind: Client) -> None:
    (plan,) = plans(page_of(model, selects(behind, list_of(model), {"q": words})))
    assert "SCAN" not in plan, plan
    assert "TEMP B-TREE" not in plan or (model, words) in FEW, plan


@SQLITE_ALONE
def test_the_hands_of_a_round_are_found_by_an_index(behind: Client, world: World) -> None:
    statements = selects(behind, f"/admin/tables/round/{world.ids['round']}/change/")
    hands = [sql for sql in statements if 'FROM "tables_result"' in sql]
    assert hands
    for plan in plans(hands):
        assert "SEARCH tables_result USING INDEX" in plan
        assert "SCAN" not in plan


@pytest.mark.parametrize("model", [Transfer, Change, Account], ids=name_of)
def test_pages_follow_each_other_and_miss_nothing(
    model: type[Model], behind: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(admin.site._registry[model]), "list_per_page", 3)
    pks: list[int] = []
    query = ""
    while True:
        page = behind.get(list_of(model) + query)
        change_list = page.context["cl"]
        pks += [row.pk for row in change_list.result_list]
        if change_list.older_query is None:
            break
        query = change_list.older_query
        assert f'href="{query}"' in page.content.decode()
    everything = model._default_manager.order_by("-pk").values_list("pk", flat=True)
    assert pks == list(everything)
    assert len(pks) > 3


def found_by(behind: Client, model: type[Model], words: str) -> list[Any]:
    return list(behind.get(list_of(model), {"q": words}).context["cl"].result_list)


def test_what_is_looked_for_is_found(behind: Client, world: World) -> None:
    round_id, table_id = world.ids["round"], world.ids["table"]
    of_round = found_by(behind, WalletEntry, f"round:{round_id}")
    assert of_round
    assert all(row.round == round_id for row in of_round)
    wallet = Account.objects.get(user=world.ids["player"])
    grant = found_by(behind, Transfer, f"user:{wallet.user_id}")[-1]
    (entry,) = found_by(behind, WalletEntry, f"transfer:{grant.pk}")
    assert entry.wallet == wallet
    assert found_by(behind, WalletEntry, "reverses:7") == []
    (adjustment,) = found_by(behind, Transfer, str(world.ids["transfer"]))
    assert found_by(behind, Transfer, adjustment.reference) == [adjustment]
    today = adjustment.at.date().isoformat()
    assert len(found_by(behind, Transfer, today)) == Transfer.objects.count()
    assert found_by(behind, Transfer, "2020-01-01") == []
    (account,) = found_by(behind, Account, "PLAYER")
    assert account.user_id == world.ids["player"]
    assert found_by(behind, Account, f"user:{account.user_id}") == [account]
    assert {row.pk for row in found_by(behind, Round, f"table:{table_id}")} == set(
        Round.objects.filter(table=table_id).values_list("pk", flat=True)
    )
    of_table = Change.objects.filter(table=table_id).order_by("-pk")
    assert found_by(behind, Change, f"table:{table_id}") == list(of_table[:50])
    assert [act.pk for act in found_by(behind, Act, f"user:{world.ids['player']}")] == [
        world.ids["act"]
    ]


@pytest.mark.parametrize("words", ["9" * 30, "x:1", "user:", ":", "\x00", "user:x", "%", "²"])
@pytest.mark.parametrize("model", [Transfer, Account, Round, Act], ids=name_of)
def test_a_made_up_search_finds_nothing_and_is_no_error(
    model: type[Model], words: str, behind: Client
) -> None:
    page = behind.get(list_of(model), {"q": words})
    assert page.status_code == 200
    assert page.context["cl"].result_list == [] or words == "\x00"


@pytest.mark.parametrize("before", ["x", "-1", "9" * 40, "", "0"])
def test_a_made_up_page_is_no_error(before: str, behind: Client) -> None:
    assert behind.get("/admin/tables/round/", {"before": before}).status_code == 200


@pytest.mark.parametrize("query", ["o=1", "o=-3.2", "p=5", "all=", "_facets=True", "o=x"])
def test_a_list_has_one_order_and_no_other_pages(query: str, behind: Client) -> None:
    page = behind.get(f"/admin/accounts/transfer/?{query}")
    if page.status_code == 302:  # Django leads back from what it cannot read
        return
    ids = [row.pk for row in page.context["cl"].result_list]
    assert ids == sorted(ids, reverse=True)


# What is shown


def test_amounts_are_shown_in_units(behind: Client, world: World) -> None:
    transfer = Transfer.objects.get(pk=world.ids["transfer"])
    Transfer.objects.bulk_create([
        Transfer(
            kind="adjustment", debit=transfer.debit, credit=transfer.credit, amount=123_450,
            debit_balance=-9_876_543, credit_balance=7_654_321, reference="x", at=transfer.at,
        )
    ])  # fmt: skip
    new_transfer = Transfer.objects.latest("pk")
    page = behind.get(f"/admin/accounts/transfer/{new_transfer.pk}/change/").content.decode()
    for text in ("1,234.50", "−98,765.43", "76,543.21"):
        assert text in page
    Takings.objects.filter(pk=world.ids["takings"]).update(staked=111_111, paid=222_222)
    for path in ("", f"{world.ids['takings']}/change/"):
        page = behind.get(f"{list_of(Takings)}{path}").content.decode()
        assert "1,111.11" in page
        assert "2,222.22" in page
    coming = {"fill_limit": 345_600, "rules_options": {"minimum": 4_500}}
    table = Table.objects.filter(pk=world.ids["table"])
    table.update(fill_limit=234_500, auto_filled=1_200_000, coming=coming)
    page = behind.get(f"{list_of(Table)}{world.ids['table']}/change/").content.decode()
    for text in ("2,345", "12,000", "3,456", "Minimum bet: 45"):
        assert text in page


HISTORY = {User, Table, Round, HouseSettings}
"""What operators do something to."""


@pytest.mark.parametrize("model", sorted(admin.site._registry, key=name_of), ids=name_of)
def test_a_row_leads_to_its_history_where_there_is_one_to_read(
    model: type[Model], client: Client, world: World
) -> None:
    row = model._default_manager.order_by("pk").first()
    if row is None:
        pytest.skip("there is none")
    for actor in (SUPERUSER, "manager", "cashier"):
        client.force_login(world.actors[actor])
        answer = client.get(f"{list_of(model)}{row.pk}/change/")
        if answer.status_code == 200:
            has_history = 'class="historylink"' in answer.content.decode()
            assert has_history is (model in HISTORY and actor != "cashier")


def test_a_row_leads_to_another_for_who_may_open_that_alone(client: Client, world: World) -> None:
    path = f"{list_of(Round)}{world.ids['round']}/change/"
    for actor, is_led in (("manager", True), ("cashier", False)):
        client.force_login(world.actors[actor])
        page = client.get(path).content.decode()
        assert (f"{list_of(Table)}{world.ids['table']}/change/" in page) is is_led
        assert (list_of(Shoe) in page) is is_led
        assert ">Casino<" in page


# Nothing is changed


@pytest.mark.parametrize("model", READ_ONLY, ids=name_of)
def test_the_forms_of_the_lists_are_refused_even_to_a_superuser(
    model: type[Model], behind: Client
) -> None:
    row = model._default_manager.order_by("pk").first()
    pk = row.pk if row else 1
    before = list(model._default_manager.order_by("pk").values())
    for path, values in (
        ("add/", {}),
        (f"{pk}/change/", {"_save": "Save", "reason": "x", "amount": "1"}),
        (f"{pk}/delete/", {"post": "yes"}),
        ("", {"action": "delete_selected", "_selected_action": str(pk), "post": "yes"}),
        (
            "",
            {"form-TOTAL_FORMS": "1", "form-INITIAL_FORMS": "1", "form-0-id": str(pk), "_save": ""},
        ),
    ):
        answer = behind.post(list_of(model) + path, values)
        is_list_again = path == "" and answer.status_code in (200, 302)
        assert is_list_again or answer.status_code in (403, 404) or row is None, (path, answer)
    assert list(model._default_manager.order_by("pk").values()) == before


def test_what_must_not_be_edited_is_read_only() -> None:
    """So that no model is forgotten when its admin is written anew."""
    may_be_edited = {"user", "housesettings", "table"}
    assert {name_of(model) for model in admin.site._registry} - may_be_edited == {
        name_of(model) for model in READ_ONLY
    }
    assert {Transfer, WalletEntry, Round, Act, Change, Shoe, Void, Report} <= set(READ_ONLY)


# Nothing is given away


@pytest.mark.parametrize(
    ("model", "lookup"),
    [
        (Table, "state__contains"), (Table, "state"), (Table, "code__startswith"),
        (Round, "table__state__contains"), (Shoe, "table__state__contains"),
        (Shoe, "secret__startswith"), (Account, "user__password__startswith"),
        (User, "password__startswith"), (Act, "by__password__startswith"),
        (ChatLine, "table__state__contains"), (Transfer, "by__password__startswith"),
        (Account, "balance__gt"), (Change, "body__contains"),
        # Of what the page offers to choose from, too, nothing but the choice
        (Table, "rules_key__regex"), (Table, "rules_key__startswith"), (Table, "rules_key__in"),
        (Table, "closed_at__year"), (Table, "closed_at__gt"), (Table, "closed_at"),
        (User, "is_staff__in"), (User, "is_guest__gt"), (Table, "is_private__exact__exact"),
    ],
)  # fmt: skip
def test_no_filter_asks_what_a_hidden_column_holds(
    model: type[Model], lookup: str, behind: Client
) -> None:
    answer = behind.get(list_of(model), {lookup: "{"})
    assert answer.status_code == 400 or answer.headers.get("Location", "").endswith("?e=1")


@pytest.mark.parametrize(
    ("model", "query"),
    [
        (Table, "rules_key__exact=casino%00"), (Table, "rules_key__exact=x"),
        (Table, "rules_key__exact=casino&rules_key__exact=%00"), (Table, "rules_key__isnull=%00"),
        (Table, "rules_key=%00"), (Table, "is_private__exact=x"), (Table, "is_private=x"),
        (Table, "closed_at__isempty=x"), (Table, "closed_at__isempty=%00"),
        (Table, "is_private__exact=%00"), (Table, "closed_at__year=99999999999999999999"),
        (Table, "rules_key__regex=("), (Table, "closed_at__hour__in=99999999999999999999999"),
        (User, "is_guest__exact=x"), (User, "is_staff__exact=%00"), (User, "is_staff=9" + "9" * 30),
        (Table, "before=%00"), (User, "before=1&is_guest__exact=%00"),
    ],
)  # fmt: skip
def test_a_made_up_filter_is_no_fault(model: type[Model], query: str, behind: Client) -> None:
    behind.raise_request_exception = False
    answer = behind.get(f"{list_of(model)}?{query}", follow=True)
    assert answer.status_code in (200, 400)
    if "%00" in query:  # which PostgreSQL refuses to compare
        assert answer.redirect_chain or answer.status_code == 400 or "before=%00" in query


@pytest.mark.parametrize(
    ("query", "chosen"),
    [
        ("rules_key__exact=casino", {"rules_key": "casino"}), ("rules_key__exact=no", {"pk": 0}),
        ("is_private__exact=1", {"is_private": True}),
        ("is_private__exact=0", {"is_private": False}),
        ("closed_at__isempty=1", {"closed_at": None}),
        ("closed_at__isempty=0", {"closed_at__isnull": False}),
    ],
)  # fmt: skip
def test_what_the_page_offers_to_choose_from_can_be_chosen(
    query: str, chosen: dict[str, Any], behind: Client
) -> None:
    page = behind.get(f"{list_of(Table)}?{query}")
    expected = Table.objects.filter(**chosen).order_by("-pk")
    assert [row.pk for row in page.context["cl"].result_list] == [row.pk for row in expected]


def test_no_list_can_be_sorted_by_a_hidden_column(behind: Client) -> None:
    for model, model_admin in admin.site._registry.items():
        hidden = {"password", "code", "key", *(["state"] if model is Table else [])}
        assert not hidden & {str(column) for column in model_admin.list_display}, model
