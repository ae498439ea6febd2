"""The audit log: each operator's action with subject and reason, written in its transaction."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Model, QuerySet
from django.http import HttpRequest

from accounts.http import get_client_address, get_user
from accounts.lib import server_clock
from accounts.models import Act

_BEFORE_AT: Final = re.compile(r"([^\s@])[^\s@]*@")
SITE = "house"
"""The subject of actions on the whole site."""


@dataclass(frozen=True, slots=True)
class Operator:
    """The acting operator, with address and session."""

    user_id: int
    address: str | None = None
    session: str | None = None
    """The session key of a command from an open page; ``None`` for requests."""

    @classmethod
    def from_request(cls, request: HttpRequest) -> Operator:
        """The operator of a request, whose permission is already checked."""
        return cls(get_user(request).pk, get_client_address(request))


def build_subject(row: Model) -> str:
    """The subject of a row: ``user:12``."""
    return f"{row._meta.model_name}:{row.pk}"


def shorten_addresses(text: str) -> str:
    """Shorten the e-mail addresses in a text, for entries are permanent.

    >>> shorten_addresses("ann.smith@example.com"), shorten_addresses("ann")
    ('a…@example.com', 'ann')
    """
    return _BEFORE_AT.sub(r"\1…@", text)


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
    """Write an entry with the changed values, in the caller's transaction."""
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


def list_entries(subject: str) -> QuerySet[Act]:
    """The entries about a subject, newest first."""
    return Act.objects.filter(subject=subject).select_related("by")
