"""Locks on tables and users, always in the same order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db import transaction

from accounts.lib.sql.write import Lock
from accounts.models import User
from accounts.users import deletion
from tables.models import Seat, Table

lock_tables = Lock(Table)
"""Locks the rows of tables by their ids, until the transaction ends."""

T = TypeVar("T")


class _TablesChanged(Exception):
    """They sat down, or opened a table, while the others were being locked."""


def lock_user_and_tables(user_id: int, work: Callable[[User, list[int]], T]) -> T:
    """Do ``work`` with the user and the ids of their tables, in one transaction, and return what
    it returns.

    The tables are locked first, and then the user, who can sit down nowhere else meanwhile. Until
    the user is locked that was possible: then it is begun again.
    """
    while True:
        try:
            with transaction.atomic():
                table_ids = tables_of(user_id)
                lock_tables(table_ids)
                user = deletion.lock(user_id)
                if tables_of(user_id) != table_ids:
                    raise _TablesChanged
                return work(user, table_ids)
        except _TablesChanged:
            continue


def tables_of(user_id: int) -> list[int]:
    """Where they sit, and what they run."""
    seats = Seat.objects.filter(user=user_id).values_list("table", flat=True)
    runs = Table.objects.filter(maker=user_id, closed_at=None).values_list("pk", flat=True)
    return sorted({*seats, *runs})
