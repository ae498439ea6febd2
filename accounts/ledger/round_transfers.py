"""The transfers of a round, by the prefix of their references."""

from __future__ import annotations

from django.db import connection
from django.db.models import QuerySet

from accounts.models import Transfer


def list_round_transfers(round_id: int) -> QuerySet[Transfer]:
    """The transfers of a round in order, in a form that uses the index of each database."""
    return _filter_by_prefix(f"round:{round_id}/")


def list_void_transfers(round_id: int) -> QuerySet[Transfer]:
    """The transfers of the void of a round."""
    return _filter_by_prefix(f"void:{round_id}/")


def _filter_by_prefix(prefix: str) -> QuerySet[Transfer]:
    transfers = Transfer.objects.order_by("pk")
    if connection.vendor != "sqlite":
        return transfers.filter(reference__startswith=prefix)
    # SQLite's LIKE uses no index; texts compare by bytes, and "0" follows "/".
    return transfers.filter(reference__gte=prefix, reference__lt=f"{prefix[:-1]}0")
