"""Settled rounds that wait for the projector, and the lock of the figures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from accounts.lib.sql.driver import Statement, has_row_locks
from tables.models import UncountedRound

_LOCK: Final = 1_869_768_058
"""The number of the advisory lock."""

_insert = Statement("INSERT INTO tables_uncountedround (round_id) VALUES (%s)")
_lock = Statement("SELECT pg_advisory_xact_lock(%s)")


def add_rounds(round_ids: Iterable[int]) -> None:
    """Have these rounds counted, in the transaction that settles them."""
    _insert.write([(round_id,) for round_id in round_ids])


def exist() -> bool:
    """Whether rounds wait to be counted."""
    return UncountedRound.objects.order_by().exists()


def lock_figures() -> None:
    """Lock tallies, standings and takings until the transaction ends.

    Whoever changes one of them calls it first, so that all of them are read as they stay. It is the
    last lock: after tables, users and accounts. On SQLite every transaction that writes is alone.
    """
    if has_row_locks():
        _lock.read([_LOCK])
