"""The audit log: each act of an operator with its subject and its reason, written in the same
transaction.

It is written with the act or not at all.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from accounts.http import address_of, user_of
from accounts.lib import server_clock
from accounts.models import Act

HOUSE = "house"
"""The subject of what is done to the whole house."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Who acts, and from where."""

    user_id: int
    address: str | None = None
    session: str | None = None
    """The key that a command was sent under from an open page; requests are looked at on their way
    in, and have none."""

    @classmethod
    def of(cls, request: HttpRequest) -> Operator:
        """Who sent this request, which they may."""
        return cls(user_of(request).pk, address_of(request))


def subject_of(row: Model) -> str:
    """How the trail names a row: ``user:12``."""
    return f"{row._meta.model_name}:{row.pk}"


def record(
    operator: Operator,
    what: Act.What,
    subject: str,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    reason: str = "",
    at: dt.datetime | None = None,
) -> Act:
    """Write down an act, in the caller's transaction, with what it has changed from and to."""
    return Act.objects.create(
        at=at or server_clock.now(),
        by_id=operator.user_id,
        what=what,
        subject=subject,
        before=before,
        after=after,
        reason=reason,
        address=operator.address,
    )


def entries_for(subject: str) -> QuerySet[Act]:
    """What was done to a subject, newest first."""
    return Act.objects.filter(subject=subject).select_related("by")
