"""The hands that results have, for tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db.models import QuerySet

from tables.models import Hand, Result
from tables.models.hands import encode_hands


def list_hands(**filters: Any) -> list[Hand]:
    """The hands of these results, by round, seat and number."""
    return Result.objects.filter(**filters).list_hands()


def change_hands(results: QuerySet[Result], **values: Any) -> None:
    """Write other values into all hands of these results, as nobody but a thief does."""
    for result in results:
        hands = [replace(hand, **values) for hand in result.list_hands()]
        Result.objects.filter(pk=result.pk).update(hands=encode_hands(hands))
