"""Sessions of operators end 12 hours after their login; those of players go on."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from django.contrib.sessions.backends.base import SessionBase

from accounts.lib import server_clock

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
    """Whether an operator's session with this content is over."""
    end = find_end(values)
    return end is not None and end <= now


def note_login(session: SessionBase) -> None:
    """Store when somebody logged in. A session from before there was a limit begins now."""
    if SESSION_KEY not in session:
        session[SESSION_KEY] = server_clock.now().timestamp()


def limit(session: SessionBase) -> None:
    """Let cookie and stored session of an operator end together."""
    end = find_end(dict(session.items()))
    if end is not None and session.get(_EXPIRY) != end.isoformat():
        session.set_expiry(end)
