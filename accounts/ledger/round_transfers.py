"""The transfers of a round, found by what their references begin with."""

from __future__ import annotations

from django.db import connection
from django.db.models import QuerySet

from accounts.models import Transfer


def transfers_of(round_id: int) -> QuerySet[Transfer]:
    """What moved in a round, in that order, in a form that each database finds by its index."""
    return _beginning(f"round:{round_id}/")


def transfers_of_void(round_id: int) -> QuerySet[Transfer]:
    """What moved when a round was voided."""
    return _beginning(f"void:{round_id}/")


def _beginning(prefix: str) -> QuerySet[Transfer]:
    transfers = Transfer.objects.order_by("pk")
    if connection.vendor != "sqlite":
        return transfers.filter(reference__startswith=prefix)
    # SQLite's LIKE uses no index; its text is compared byte by byte, and "0" follows "/".
    return transfers.filter(reference__gte=prefix, reference__lt=f"{prefix[:-1]}0")
