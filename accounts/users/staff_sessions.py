"""Sessions of operators end 12 hours after their login; those of players go on."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from django.contrib.auth import user_logged_in, user_logged_out
from django.contrib.sessions.backends.base import SessionBase
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.lib import server_clock
from accounts.models import Act, User
from accounts.users import login_log

LONGEST: Final = dt.timedelta(hours=12)
SESSION_KEY: Final = "logged_in_at"
"""When somebody logged in, in seconds since 1970. All sessions have it: a player may become an
operator meanwhile."""
_EXPIRY: Final = "_session_expiry"
"""Where Django keeps the end of a session."""


def find_end(values: Mapping[str, Any]) -> dt.datetime | None:
    """The end of an operator's session with this content; ``None`` if its login is not known."""
    at = values.get(SESSION_KEY)
    return dt.datetime.fromtimestamp(at, dt.UTC) + LONGEST if at else None


def is_over(values: Mapping[str, Any], now: dt.datetime) -> bool:
    """Whether an operator's session with this content is over. One without a login time is: it
    began before there was a limit.
    """
    end = find_end(values)
    return end is None or end <= now


def limit(session: SessionBase) -> None:
    """Let cookie and stored session of an operator end together."""
    end = find_end(dict(session.items()))
    if end is not None and session.get(_EXPIRY) != end.isoformat():
        session.set_expiry(end)


@receiver(user_logged_in)
def _note_login(request: HttpRequest, user: User, **_about: Any) -> None:
    request.session[SESSION_KEY] = server_clock.now().timestamp()
    if user.is_staff:
        limit(request.session)


@receiver(user_logged_out)
def _record_logout(request: HttpRequest, user: User | None, **_about: Any) -> None:
    # Not of an account that was just deleted.
    if user is not None and User.objects.filter(pk=user.pk, is_active=True, is_staff=True).exists():
        login_log.record(request, user, Act.What.LOG_OUT)
