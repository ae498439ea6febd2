"""Locks on tables and users, always in the same order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.db import transaction

from accounts.lib.sql.write import LockRows
from accounts.models import User
from accounts.users import deletion
from tables.models import MatchPlayer, QueueEntry, Seat, Table
from tables.state.backed_tables import list_backed_tables

lock_tables = LockRows(Table)
"""Locks the rows of tables by their ids, until the transaction ends."""

T = TypeVar("T")


class _TablesChanged(Exception):
    """The user sat down, got in line or opened a table before the user was locked."""


def lock_user_and_tables(user_id: int, work: Callable[[User, list[int]], T]) -> T:
    """Call ``work`` with the user and their tables' ids in one transaction; return its result.

    Locks the tables, then the user. If the set of tables changed before the user was locked, it
    starts over; after that the user cannot sit down elsewhere.
    """
    while True:
        try:
            with transaction.atomic():
                table_ids = tables_of(user_id)
                lock_tables(table_ids)
                user = deletion.lock_user(user_id)
                if tables_of(user_id) != table_ids:
                    raise _TablesChanged
                return work(user, table_ids)
        except _TablesChanged:
            continue


def tables_of(user_id: int) -> list[int]:
    """The ids of the tables where the user sits, is in line, bets behind, is the host or has played a
    match.
    """
    seats = Seat.objects.filter(user=user_id).values_list("table", flat=True)
    waits = QueueEntry.objects.filter(user=user_id).order_by().values_list("table", flat=True)
    runs = Table.objects.filter(maker=user_id, closed_at=None).values_list("pk", flat=True)
    matches = MatchPlayer.objects.filter(user=user_id, table__closed_at=None, table__isnull=False)
    played = matches.order_by().values_list("table", flat=True)
    return sorted({*seats, *waits, *runs, *played, *list_backed_tables(user_id)})
