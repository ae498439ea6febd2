"""The trail: nobody takes back what it says, and everything can be found in it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import Permission
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.ledger import days
from accounts.lists.id_ranges import TimeRange
from accounts.models import Act, HouseSettings, User
from tables.game import lifecycle
from tables.operators.audit_log import search
from tables.operators.audit_log.search import PAGE, AuditLogFilters, list_entries

pytestmark = pytest.mark.django_db

What = Act.What
Operators = Callable[..., User]
NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


@pytest.fixture
def floor(operator: Operators) -> User:
    return operator("floor")


@pytest.fixture
def floors(client: Client, floor: User) -> Client:
    """A browser in which somebody of the floor is logged in."""
    client.force_login(floor)
    return client


def act(by: User, what: Act.What = What.NOTE, subject: str = "house", **more: Any) -> Act:
    return audit_log.record(Operator(by.pk, "192.0.2.7"), what, subject, **more)


def filled(form: Any) -> dict[str, Any]:
    """What a browser sends when nobody has written anything into the form."""
    return {name: form[name].value() for name in form.fields if form[name].value() is not None}


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.split("<main")[1]))


def day(date: dt.date) -> TimeRange:
    return TimeRange(days.day_begins(date), days.day_ends(date))


def ids_of(filters: AuditLogFilters) -> list[int]:
    return [entry.act.pk for entry in list_entries(filters).entries]


@pytest.mark.parametrize(
    "statement", ["UPDATE accounts_act SET reason = ''", "DELETE FROM accounts_act"]
)
def test_the_database_refuses_to_change_or_delete_an_act(statement: str, ann: User) -> None:
    act(ann, reason="Because.")
    with (
        pytest.raises(DatabaseError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert Act.objects.get().reason == "Because."


def test_django_cannot_change_or_delete_an_act_either(ann: User) -> None:
    row = act(ann, reason="Because.")
    for change in (
        row.save,
        row.delete,
        Act.objects.all().delete,
        lambda: Act.objects.update(reason=""),
    ):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()
    assert Act.objects.get().reason == "Because."


def test_an_act_is_not_written_when_what_it_tells_of_fails(ann: User) -> None:
    @transaction.atomic
    def fail() -> None:
        act(ann)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not Act.objects.exists()


def test_an_entry_says_who_did_what_to_whom_and_why(floors: Client, ann: User, ben: User) -> None:
    with time_machine.travel(NOON, tick=False):
        act(
            ben, What.ADJUST, audit_log.build_subject(ann),
            before={"balance": 1, "note": None}, after={"balance": 501, "note": None},
            reason="A gift.",
        )  # fmt: skip
    page = floors.get("/admin/trail/").content.decode()
    text = text_of(page)
    for words in (
        "ben adjusted a wallet",
        "A gift.",
        "balance 0.01 → 5.01",
        f"ann user:{ann.pk}",
        "1 Mar 2026, 12:00:00",
    ):
        assert words in text
    assert "from 192.0.2.7" in text
    assert f'href="/admin/players/{ann.pk}/"' in page
    assert "note" not in text.split("A gift.")[1].split("from")[0]


def test_a_subject_leads_nowhere_for_who_may_not_look_at_it(client: Client, ann: User) -> None:
    act(ann, What.VOID, "round:7")
    ann.is_staff = True
    ann.save()
    ann.user_permissions.add(Permission.objects.get(codename="view_act"))
    client.force_login(ann)
    page = client.get("/admin/trail/").content.decode()
    assert "<span>round:7</span>" in page


def changed(by: User, before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, ...]]:
    act(by, What.EDIT_TABLE, before=before, after=after)
    return [
        (one.name, one.before, one.after)
        for one in list_entries(AuditLogFilters()).entries[0].changed
    ]


def test_the_trail_speaks_in_words_and_units(ann: User) -> None:
    assert changed(
        ann,
        {"rack": 42500, "rules_options": {"minimum": 2000}, "at": None, "fill_limit": None},
        {
            "rack": 54845, "rules_options": {"minimum": 2500, "peek": True}, "fill_limit": 150000,
            "covered_by_the_bank": 0, "players": {"ben": -1500}, "closing": True,
            "at": "2026-03-01T13:00:00+01:00", "groups": ["cashier", "floor"],
        },
    ) == [
        ("rack", "425", "548.45"),
        (
            "changed rules", "Minimum bet: 20",
            "Minimum bet: 25, Dealer checks for blackjack: yes",
        ),
        ("begins", "–", "1 Mar 2026, 12:00 UTC"),
        ("automatic refill limit", "–", "1,500"),
        ("covered by the bank", "–", "0"),
        ("players", "–", "ben: −15"),
        ("closes after the round", "–", "yes"),
        ("roles", "–", "cashier, floor"),
    ]  # fmt: skip


def test_what_was_done_at_the_table_is_told_with_the_name_of_the_player(ann: User) -> None:
    assert changed(ann, {}, {"command": "lock", "on": True, "player": ann.pk}) == [
        ("what was done", "–", "locked or unlocked the table"),
        ("on", "–", "yes"),
        ("player", "–", f"ann (user:{ann.pk})"),
    ]


def test_what_is_kept_in_an_unknown_shape_is_shown_as_it_is(ann: User) -> None:
    assert changed(ann, {"at": "soon", "player": [1]}, {"at": "x", "player": {"a": None}}) == [
        ("begins", "soon", "x"), ("player", "1", "a: –"),
    ]  # fmt: skip


def test_every_kind_of_row_is_called_by_its_name_and_leads_to_its_page(
    floors: Client, ann: User
) -> None:
    table = lifecycle.open_table(name="Friday night", rules_key="casino")
    act(ann, What.EDIT_TABLE, audit_log.build_subject(table))
    act(ann, What.AUDIT, "auditrun:1")
    page = floors.get("/admin/trail/").content.decode()
    assert f'Friday night <a href="/admin/floor/tables/{table.pk}/">table:{table.pk}</a>' in page
    assert '<a href="/admin/books/audit/">auditrun:1</a>' in page


def test_the_trail_is_searched_by_the_name_of_a_player_or_table(floors: Client, ann: User) -> None:
    table = lifecycle.open_table(name="Friday", rules_key="casino")
    of_ann, of_table = act(ann, subject=f"user:{ann.pk}"), act(ann, subject=f"table:{table.pk}")

    def find_ids(words: str) -> list[int]:
        page = floors.get("/admin/trail/", {"subject": words})
        return [entry.act.pk for entry, _ in page.context["entries"]]

    assert find_ids("Ann") == [of_ann.pk]
    assert find_ids("friday") == [of_table.pk]
    assert find_ids(f"TABLE:{table.pk}") == [of_table.pk]
    lifecycle.open_table(name="FRIDAY", rules_key="casino")
    page = floors.get("/admin/trail/", {"subject": "Friday"}).content.decode()
    assert "Several players have that name" in page
    assert f"table:{table.pk}" in page.split("errornote")[1].split("</span>")[0]


@pytest.mark.parametrize("query", [{"subject": "x"}, {"by": "x"}, {"from": "x"}, {"what": "x"}])
def test_a_search_that_cannot_be_read_finds_nothing(
    query: dict[str, str], floors: Client, ann: User
) -> None:
    act(ann)
    assert floors.get("/admin/trail/", query).context["entries"] == []


def test_what_is_written_in_an_act_is_no_markup(floors: Client, ann: User) -> None:
    act(ann, reason="<script>alert(1)</script>", before={"<b>": "<i>"}, after={"<b>": 1})
    page = floors.get("/admin/trail/").content.decode()
    assert "<script>alert" not in page
    assert "<i>" not in page


def test_acts_are_found_by_operator_kind_subject_and_day(ann: User, ben: User) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        first = act(ann, What.NOTE, "user:1")
        clock.shift(dt.timedelta(days=1))
        second = act(ben, What.NOTE, "user:2")
        third = act(ann, What.FREEZE, "user:2")
        clock.shift(dt.timedelta(days=1))
        fourth = act(ben, What.UNFREEZE, "user:1")
    rows = [fourth.pk, third.pk, second.pk, first.pk]
    assert ids_of(AuditLogFilters()) == rows
    assert ids_of(AuditLogFilters(by=ann.pk)) == [third.pk, first.pk]
    assert ids_of(AuditLogFilters(what="note")) == [second.pk, first.pk]
    assert ids_of(AuditLogFilters(subject="user:2")) == [third.pk, second.pk]
    assert ids_of(AuditLogFilters(times=day(NOON.date()))) == [first.pk]
    assert ids_of(AuditLogFilters(times=day(dt.date(2026, 3, 2)))) == [third.pk, second.pk]
    assert ids_of(AuditLogFilters(times=day(dt.date(2026, 3, 4)))) == []
    assert ids_of(AuditLogFilters(by=ben.pk, what="note", subject="user:2")) == [second.pk]


def test_a_day_begins_and_ends_at_midnight_whatever_the_order_of_writing(ann: User) -> None:
    midnight = dt.datetime(2026, 3, 2, tzinfo=dt.UTC)
    late = act(ann, at=midnight + dt.timedelta(seconds=1))  # written before the one it follows
    early = act(ann, at=midnight - dt.timedelta(seconds=1))
    last = act(ann, at=midnight + dt.timedelta(days=1) - dt.timedelta(microseconds=1))
    assert ids_of(AuditLogFilters(times=day(midnight.date()))) == [last.pk, late.pk]
    assert ids_of(AuditLogFilters(times=day(dt.date(2026, 3, 1)))) == [early.pk]


def test_the_trail_goes_on_on_older_pages_under_the_same_filters(
    floors: Client, ann: User, ben: User
) -> None:
    for number in range(PAGE + 3):
        act(ann, subject=f"user:{number}")
        act(ben, subject=f"user:{number}")
    first = floors.get("/admin/trail/", {"by": "ANN"})
    older = floors.get("/admin/trail/" + first.context["older_url"])
    assert len(first.context["entries"]) == PAGE
    assert len(older.context["entries"]) == 3
    acts = [entry.act for page in (first, older) for entry, _ in page.context["entries"]]
    assert {each.by for each in acts} == {ann}
    assert len({each.pk for each in acts}) == PAGE + 3
    assert older.context["older_url"] is None


@pytest.mark.parametrize(
    "query",
    [
        {"before": "9" * 30}, {"before": "x"}, {"before": "-1"}, {"to": "x"},
        {"from": "0001-01-01"}, {"to": "9999-12-31"}, {"by": "nobody"}, {"by": "x" * 99},
        {"what": "x"},
        {"subject": "\x00"}, {"by": "\x00"}, {"subject": "x" * 99},
    ],
)  # fmt: skip
def test_a_made_up_search_is_no_error(query: dict[str, str], floors: Client) -> None:
    assert floors.get("/admin/trail/", query).status_code == 200


def test_somebody_who_does_not_exist_is_said_to(floors: Client) -> None:
    page = floors.get("/admin/trail/", {"by": "x"}).content.decode()
    assert "No player has or had that name." in page


def test_a_page_of_the_trail_needs_few_queries(floors: Client, ann: User) -> None:
    for number in range(20):
        act(ann, subject=f"user:{number}")
    with CaptureQueriesContext(connection) as queries:
        floors.get("/admin/trail/")
    # session, user, whether a second factor is needed in three, their permissions in two, the acts in
    # two, the names, the reader's wallet, and the badge in two
    assert len(queries) <= 13, [query["sql"] for query in queries]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="plans as SQLite tells them")
@pytest.mark.parametrize(
    ("filters", "index"),
    [
        (AuditLogFilters(), "SCAN accounts_act"),
        (AuditLogFilters(by=7), "INDEX acts_of_an_operator (by_id=?"),
        (AuditLogFilters(what="note"), "INDEX acts_of_a_kind (what=?"),
        (AuditLogFilters(subject="user:7"), "INDEX acts_on_a_subject (subject=?"),
        (
            AuditLogFilters(times=day(NOON.date())),
            "USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
        ),
    ],
    ids=["all", "operator", "kind", "subject", "day"],
)
@pytest.mark.parametrize("before", [None, 1000])
def test_a_page_of_the_trail_begins_where_an_index_says(
    filters: AuditLogFilters, index: str, before: int | None, ann: User
) -> None:
    act(ann)
    acts = search.filter_entries(filters)
    plan = (acts.filter(pk__lt=before) if before else acts).explain()
    if before and filters == AuditLogFilters():
        index = "USING INTEGER PRIMARY KEY (rowid<?)"
    assert index in plan
    assert "TEMP B-TREE" not in plan


def test_a_day_among_many_acts_is_found_in_few_steps(ann: User) -> None:
    Act.objects.bulk_create(
        Act(at=NOON + dt.timedelta(hours=number), by=ann, what=What.NOTE, subject="house")
        for number in range(2000)
    )
    with CaptureQueriesContext(connection) as queries:
        ids = ids_of(AuditLogFilters(times=day(dt.date(2026, 4, 1))))
    assert len(ids) == 24
    assert len(queries) < 30


def test_a_form_of_the_admin_that_changes_something_leaves_an_act(
    client: Client, admin_user: User
) -> None:
    client.force_login(admin_user)
    page = client.get("/admin/accounts/housesettings/1/change/")
    assert "<h1>Site settings</h1>" in page.content.decode()
    form = page.context["adminform"].form
    values = filled(form)
    values |= {"rebuy_hours": 7}
    answer = client.post("/admin/accounts/housesettings/1/change/", values, follow=True)
    assert answer.redirect_chain == [("/admin/accounts/housesettings/1/change/", 302)]
    assert "Saved. The new settings apply now." in answer.content.decode()
    assert HouseSettings.objects.get().rebuy_hours == 7
    written = Act.objects.get()
    assert (written.by, written.what) == (admin_user, What.SETTINGS)
    assert written.subject == "housesettings:1"
    assert written.before is not None
    assert written.after is not None
    assert (written.before["rebuy_hours"], written.after["rebuy_hours"]) in {("24", "7"), (24, 7)}


def test_a_form_that_changes_nothing_leaves_none(client: Client, admin_user: User) -> None:
    client.force_login(admin_user)
    page = client.get("/admin/accounts/housesettings/1/change/")
    form = page.context["adminform"].form
    values = filled(form)
    assert client.post("/admin/accounts/housesettings/1/change/", values).status_code == 302
    assert not Act.objects.exists()


def test_the_history_of_a_row_is_its_part_of_the_trail(client: Client, admin_user: User) -> None:
    client.force_login(admin_user)
    row = act(admin_user, at=timezone.now())
    answer = client.get(f"/admin/accounts/act/{row.pk}/history/")
    assert answer.headers["Location"] == f"/admin/trail/?subject=act%3A{row.pk}"
