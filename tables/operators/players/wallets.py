"""Adjustments while the player plays: in the writer thread, and published."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.utils import timezone

from accounts.audit_log import Operator
from accounts.ledger import adjustments
from accounts.ledger.adjustments import Adjusted
from tables.realtime.publishing import publish_wallets
from tables.realtime.runtime import ANSWER_SECONDS
from tables.realtime.writer import writer


def adjust(operator: Operator, user_id: int, amount: int, *, key: UUID, reason: str) -> Adjusted:
    """:func:`accounts.ledger.adjustments.adjust`, and the player's open pages show the new balance.

    Raises ``Refused``, and ``DatabaseError`` or ``TimeoutError`` when the house is too busy.
    """
    return _done(
        lambda: adjustments.adjust(
            operator, user_id, amount, key=key, reason=reason, now=timezone.now()
        )
    )


def reverse(operator: Operator, transfer_id: int, *, reason: str) -> Adjusted:
    """:func:`accounts.ledger.adjustments.reverse`, and the player's open pages show the new balance.

    Raises as :func:`adjust` does.
    """
    return _done(
        lambda: adjustments.reverse(operator, transfer_id, reason=reason, now=timezone.now())
    )


def _done(work: Callable[[], Adjusted]) -> Adjusted:
    return writer.submit(work, alone=True, tell=_tell).result(ANSWER_SECONDS)


def _tell(adjusted: Adjusted) -> None:
    if adjusted.is_new:
        publish_wallets([adjusted.user_id])
