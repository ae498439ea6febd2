"""SQLite counts its tables, and so finds a player's rounds by the right index."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import connection

from accounts.models import Transfer, User
from tables.lib.database import query_statistics
from tests.helpers.sqlite_statistics import COUNTS_BY_ITSELF, SQLITE_ALONE
from tests.records.test_statement import move_often

pytestmark = pytest.mark.django_db


def counted_tables() -> set[str]:
    if "sqlite_stat1" not in connection.introspection.table_names() and not has_statistics():
        return set()
    with connection.cursor() as cursor:
        return {name for (name,) in cursor.execute("SELECT tbl FROM sqlite_stat1").fetchall()}


def has_statistics() -> bool:
    with connection.cursor() as cursor:
        result = cursor.execute("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'")
        return result.fetchone() is not None


@SQLITE_ALONE
@pytest.mark.skipif(not COUNTS_BY_ITSELF, reason="SQLite before 3.46 counts when it sees fit")
def test_tables_that_have_grown_are_counted(ann: User) -> None:
    move_often(ann, 300)
    query_statistics.analyze_tables()
    assert Transfer._meta.db_table in counted_tables()


def test_it_is_harmless_on_every_database(ann: User) -> None:
    query_statistics.analyze_tables()
    call_command("prepare")
    assert Transfer.objects.filter(credit=ann.wallet).count() == 1
