"""Entries of a round and of a wallet."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, Final

from django.db import connection
from django.db.models import QuerySet

from accounts.models import Transfer, WalletEntry

_SEARCH: Final = """
WITH RECURSIVE wanted (number, moment) AS (VALUES {values}),
search (number, moment, low, high) AS (
  SELECT
    number, moment,
    (SELECT MIN(seq) FROM accounts_walletentry WHERE wallet_id = %s),
    (SELECT MAX(seq) + 1 FROM accounts_walletentry WHERE wallet_id = %s)
  FROM wanted
  UNION ALL
  SELECT
    search.number, search.moment,
    CASE WHEN entry.at < search.moment THEN entry.seq + 1 ELSE search.low END,
    CASE WHEN entry.at < search.moment THEN search.high ELSE entry.seq END
  FROM search JOIN accounts_walletentry AS entry
    ON entry.wallet_id = %s AND entry.seq = (search.low + search.high) / 2
  WHERE search.low < search.high
)
SELECT number, low FROM search WHERE low = high
"""
"""A binary search for each moment: the times of a wallet's entries rise with their numbers."""


def list_round_entries(round_id: int) -> QuerySet[WalletEntry]:
    """The entries of a round in order, without their reversals."""
    return WalletEntry.objects.filter(round=round_id, reverses=None).order_by("pk")


def list_reversals(round_id: int) -> QuerySet[WalletEntry]:
    """The reversals of a round's entries, by its void."""
    return WalletEntry.objects.filter(round=round_id, reverses__isnull=False).order_by("pk")


def list_void_transfers(round_id: int) -> QuerySet[Transfer]:
    """The transfers of the void of a round, in a form that uses the index of each database."""
    transfers, prefix = Transfer.objects.order_by("pk"), f"void:{round_id}/"
    if connection.vendor != "sqlite":
        return transfers.filter(reference__startswith=prefix)
    # SQLite's LIKE uses no index; texts compare by bytes, and "0" follows "/".
    return transfers.filter(reference__gte=prefix, reference__lt=f"{prefix[:-1]}0")


def find_first_seqs(wallet_id: int, moments: Sequence[dt.datetime]) -> list[int]:
    """The ``seq`` of the wallet's first entry at each moment or later, in one statement.

    It is one more than the last if there is none, and 0 in a wallet without entries. Entries within
    ``days.LONGEST_WRITE`` of a moment may be on the wrong side of it, because several processes write.
    """
    if not moments:
        return []
    value = "(%s, CAST(%s AS timestamp with time zone))"
    values = ", ".join(["(%s, %s)" if connection.vendor == "sqlite" else value] * len(moments))
    params: list[Any] = []
    for number, moment in enumerate(moments):
        params += [number, connection.ops.adapt_datetimefield_value(moment)]
    with connection.cursor() as cursor:
        cursor.execute(_SEARCH.format(values=values), [*params, wallet_id, wallet_id, wallet_id])
        seqs: dict[int, int] = dict(cursor.fetchall())
    return [seqs.get(number, 0) for number in range(len(moments))]
