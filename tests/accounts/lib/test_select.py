"""Statements of the hot path find and write what Django's ORM finds and writes."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.db import DataError, IntegrityError, connection, transaction
from django.db.models import Model

from accounts.lib.sql import driver
from accounts.lib.sql.driver import UnexpectedRows, to_driver_value
from accounts.lib.sql.select import Select, build_in_condition
from accounts.lib.sql.write import (
    AddOrInsert,
    CompareAndSet,
    DeleteRows,
    InsertRows,
    NewInstance,
    UpdateRows,
)
from accounts.models import Account, HouseSettings, OwnLimit, User
from tables.game import commit, lifecycle
from tables.models import Change, Grade, Result, Round, Shoe, Takings

pytestmark = pytest.mark.django_db
NOW = dt.datetime(2026, 5, 1, 12, tzinfo=dt.UTC)


@pytest.fixture
def users() -> list[User]:
    return [User.objects.create_user(name) for name in ("ann", "ben", "cleo")]


def limit_of(user: User, value: int) -> OwnLimit:
    return OwnLimit(user=user, kind=OwnLimit.Kind.DAILY_LOSS, value=value, set_at=NOW)


def test_a_select_finds_what_its_query_set_finds_with_what_stands_beside_it(
    users: list[User],
) -> None:
    OwnLimit.objects.bulk_create([limit_of(user, 500) for user in users])
    limits = Select(
        lambda user, since: OwnLimit.objects.select_related("user").filter(
            user=user, set_at__gte=since
        )
    )
    (limit,) = limits(users[1].pk, NOW)
    assert vars(limit.user)["username"] == "ben"
    assert (limit.set_at, limit.kind, limit.ends_at) == (NOW, OwnLimit.Kind.DAILY_LOSS, None)
    assert limit == OwnLimit.objects.get(user=users[1])
    assert limits(users[1].pk, NOW + dt.timedelta(seconds=1)) == []
    assert limits.first(users[1].pk, NOW + dt.timedelta(seconds=1)) is None


def test_what_reads_in_a_pipeline_fails_with_every_database(users: list[User]) -> None:
    select = Select(lambda pk: User.objects.filter(pk=pk))
    with driver.pipeline():
        get_rows = select.send(users[0].pk)
        for read in (get_rows, lambda: select(users[0].pk), User.objects.count):
            with pytest.raises(AssertionError, match="in a pipeline"):
                read()
    assert get_rows() == users[:1]


def test_a_select_of_values_gives_them_in_their_order() -> None:
    row = HouseSettings.objects.get(pk=1)
    rows = Select(lambda pk: HouseSettings.objects.filter(pk=pk).values_list("epoch", "void_limit"))
    assert rows(1) == [(row.epoch, row.void_limit)]


def test_any_of_several_is_asked_for_and_of_none_refused(users: list[User]) -> None:
    named = Select(
        lambda *keys: User.objects.filter(build_in_condition("pk", keys)).order_by("-pk")
    )
    assert named(users[0].pk, users[2].pk) == [users[2], users[0]]
    assert named(users[1].pk) == [users[1]]
    with pytest.raises(ValueError, match="nothing is asked for"):
        named()


@pytest.mark.parametrize(
    ("model", "columns"),
    [
        (OwnLimit, {"user_id": 3, "kind": "break", "value": 42, "set_at": NOW}),
        (Round, {"table_id": 7, "rules_key": "pot", "opened_at": NOW}),
        (Round, {"table_id": 7, "rules_options": {"seats": 2}, "id": 9}),
        (Takings, {"table_id": 7, "bets_squared": Decimal(4)}),
        (Shoe, {}),
    ],
)
def test_a_new_row_is_what_the_model_makes_of_the_same_columns(
    model: type[Model], columns: dict[str, Any]
) -> None:
    row, instance = NewInstance(model)(**columns), model(**columns)
    assert {**vars(row), "_state": None} == {**vars(instance), "_state": None}
    assert (row._state.adding, row._state.db) == (instance._state.adding, instance._state.db)


def test_new_rows_share_no_default_that_may_be_changed() -> None:
    new_round = NewInstance(Round)
    new_round().rules_options["decks"] = 2
    assert new_round().rules_options == {}


def test_a_new_row_has_no_column_that_its_model_has_not() -> None:
    with pytest.raises(TypeError):
        NewInstance(Round)(table_id=7, opened=NOW)


def test_a_new_row_can_be_saved_by_django(users: list[User]) -> None:
    row = NewInstance(OwnLimit)(user_id=users[1].pk, kind="break", value=42, set_at=NOW)
    row.save()
    assert (row.user, OwnLimit.objects.get()) == (users[1], row)


@pytest.mark.parametrize("is_watched", [False, True], ids=["directly", "watched"])
def test_rows_are_written_as_the_orm_writes_them(users: list[User], is_watched: bool) -> None:
    connection.force_debug_cursor = is_watched
    try:
        insert, change = InsertRows(OwnLimit), UpdateRows(OwnLimit, ("value", "ends_at"))
        insert([limit_of(user, 100) for user in users])
        one = insert.insert_one(limit_of(users[0], 700))
        assert OwnLimit.objects.get(pk=one.pk).value == 700
        one.value, one.ends_at = 900, NOW
        change([one])
        InsertRows(OwnLimit, ("user", "kind", "value", "set_at")).insert_values(
            [(users[1].pk, "break", 42, NOW)]
        )
    finally:
        connection.force_debug_cursor = False
    written = OwnLimit.objects.order_by("pk").values_list("user", "kind", "value", "ends_at")
    ann, ben, cleo = (user.pk for user in users)
    loss = OwnLimit.Kind.DAILY_LOSS.value
    assert list(written) == [
        (ann, loss, 100, None), (ben, loss, 100, None), (cleo, loss, 100, None),
        (ann, loss, 900, NOW), (ben, "break", 42, None),
    ]  # fmt: skip


NAMES = ["NULL", "None", "", '"{quoted}"', "back\\slash\\\\", "a, b", "Zoë 🂡", "two\nlines"]


def test_several_rows_are_written_with_their_texts_as_they_are(users: list[User]) -> None:
    users += [User.objects.create_user(f"player {number}") for number in range(len(NAMES) - 3)]
    for user, name in zip(users, NAMES, strict=True):
        user.refused_because, user.is_active = name, name != "None"
        user.history_since = NOW if name else None
    UpdateRows(User, ("refused_because", "is_active", "history_since"))(users)
    stored = User.objects.filter(pk__in=[user.pk for user in users]).order_by("pk")
    assert list(stored.values_list("refused_because", "is_active", "history_since")) == [
        (name, name != "None", NOW if name else None) for name in NAMES
    ]


def test_several_rows_are_inserted_in_their_order_with_ids_and_bytes(users: list[User]) -> None:
    table = lifecycle.open_table(name="Casino", rules_key="casino")
    ids = [uuid.UUID(int=number) for number in range(3)]
    bodies = [b"", b"NULL", bytes(range(256))]
    first = table.seq + 1
    commit.insert_changes.insert_values(
        (table.pk, first + number, None, to_driver_value(NOW), user.pk,
         to_driver_value(ids[number]), bodies[number])
        for number, user in enumerate(users)
    )  # fmt: skip
    commit.insert_changes.insert_values(
        [(table.pk, first + n, None, to_driver_value(NOW), None, None, b"") for n in (3, 4)]
    )
    stored = Change.objects.filter(table=table, seq__gte=first).order_by("pk")
    rows = list(stored.values_list("seq", "user", "command_id", "body", "at"))
    assert [(seq - first, user, key, bytes(body), at) for seq, user, key, body, at in rows] == [
        *((n, user.pk, ids[n], bodies[n], NOW) for n, user in enumerate(users)),
        (3, None, None, b"", NOW),
        (4, None, None, b"", NOW),
    ]


def test_several_rows_have_json_and_fractions(users: list[User]) -> None:
    table = lifecycle.open_table(name="Casino", rules_key="casino")
    options = [{"note": 'say "cheese", {1,2}', "values": [1, None]}, {}]
    rounds = [
        NewInstance(Round)(table_id=table.pk, number=n, opened_at=NOW, rules_options=chosen)
        for n, chosen in enumerate(options, start=100)
    ]
    InsertRows(Round)(rounds)
    stored = Round.objects.filter(number__gte=100).order_by("number")
    assert list(stored.values_list("rules_options", flat=True)) == options
    grades = [new_grade(user, 1.5 + number) for number, user in enumerate(users)]
    UpdateRows(Grade, ("variance",))(grades)
    variances = Grade.objects.order_by("user").values_list("variance", flat=True)
    assert list(variances) == [1.5, 2.5, 3.5]


def new_grade(user: User, variance: float) -> Grade:
    table = lifecycle.open_table(name=user.username, rules_key="casino")
    played = Round.objects.create(table=table, rules_key="casino", opened_at=NOW)
    result = Result.objects.create(
        user=user, round=played, table=table, rules_key="casino", seat=1, finished_at=NOW,
        outcome="push", decisions=1, stake=0, payout=0,
    )  # fmt: skip
    grade = Grade.objects.create(result=result, user=user, rules_key="casino", finished_at=NOW)
    grade.variance = variance
    return grade


def test_a_text_that_is_too_long_is_refused_in_any_row(users: list[User]) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite stores texts of any length")
    users[1].refused_because = "x" * 201
    with pytest.raises(DataError), transaction.atomic():
        UpdateRows(User, ("refused_because",))(users)


def test_a_balance_is_set_only_where_it_is_what_it_was() -> None:
    racks = [Account.objects.create(kind=Account.Kind.RACK) for _ in range(2)]
    set_balances = CompareAndSet(Account, "balance", counted="seq")
    with pytest.raises(UnexpectedRows, match="1 rows, not 2"):
        set_balances([(racks[0].pk, (0, 0), (5, 1)), (racks[1].pk, (3, 0), (5, 1))])
    rows = Account.objects.filter(pk__in=[rack.pk for rack in racks]).order_by("pk")
    assert list(rows.values_list("balance", "seq")) == [(5, 1), (0, 0)]
    with pytest.raises(UnexpectedRows, match="0 rows, not 1"):
        set_balances([(racks[0].pk, (5, 0), (6, 1))])
    set_balances([(racks[0].pk, (5, 1), (6, 2)), (racks[1].pk, (0, 0), (7, 1))])
    set_balances([])
    assert list(rows.values_list("balance", "seq")) == [(6, 2), (7, 1)]


def test_a_row_is_written_only_where_its_counter_is_one_less() -> None:
    rack = Account.objects.create(kind=Account.Kind.RACK, seq=7)
    change = UpdateRows(Account, ("balance", "seq"), counted="seq")
    rack.seq, rack.balance = 8, 500
    change([rack])
    rack.balance = 700
    with pytest.raises(UnexpectedRows):
        change([rack])
    assert Account.objects.values_list("balance", "seq").get(pk=rack.pk) == (500, 8)


def test_numbers_are_added_to_the_row_with_the_same_key_or_make_one() -> None:
    table = lifecycle.open_table(name="Casino", rules_key="casino")
    add = AddOrInsert(Takings, unique=("table", "day", "rules_key", "options"), added=("staked",))
    day = {"table_id": table.pk, "day": NOW.date(), "rules_key": "casino"}
    add([Takings(**day, staked=100, paid=7), Takings(**day, staked=20, paid=9)])
    add([Takings(**{**day, "rules_key": "pot"}, staked=5)])
    rows = Takings.objects.order_by("rules_key").values_list("rules_key", "staked", "paid")
    assert list(rows) == [("casino", 120, 7), ("pot", 5, 0)]


def test_rows_are_deleted_by_their_keys(users: list[User]) -> None:
    OwnLimit.objects.bulk_create([limit_of(user, 500) for user in users])
    first, second, third = OwnLimit.objects.order_by("pk")
    DeleteRows(OwnLimit)([first.pk, third.pk])
    assert OwnLimit.objects.get() == second


def test_what_the_database_refuses_is_told_as_django_tells_it(users: list[User]) -> None:
    names = UpdateRows(User, ("username",))
    users[0].username = "ben"
    with pytest.raises(IntegrityError), transaction.atomic():
        names([users[0]])
    by_id = Select(lambda key: User.objects.filter(pk=key))
    assert by_id(users[0].pk)[0].username == "ann"


def test_in_a_broken_transaction_nothing_is_asked_any_more(users: list[User]) -> None:
    by_id = Select(lambda key: User.objects.filter(pk=key))
    assert by_id(users[0].pk)
    with transaction.atomic():
        transaction.set_rollback(True)
        with pytest.raises(transaction.TransactionManagementError):
            by_id(users[0].pk)
