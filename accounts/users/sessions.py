"""Sessions: validity, activity, lists for users, and their end.

The browser of a session is stored in the rows of ``allauth.usersessions``. allauth's own tracking
would write at every request; here requests note activity in memory, and every process stores its
notes periodically (:func:`flush_activity`).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from allauth.usersessions.models import UserSession
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.models import Session
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Exists, Min, OuterRef
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.http import get_client_address
from accounts.lib.sql.optimistic import RememberedRows
from accounts.lib.sql.select import Select, build_in_condition, pad_arguments
from accounts.lib.user_agents import name_browser
from accounts.models import Act, User
from accounts.users import staff_sessions

MOST_LISTED: Final = 50
SELDOM: Final = dt.timedelta(minutes=1)
"""Activity this recent is not stored again."""


@dataclass(frozen=True, slots=True)
class OwnSession:
    """A browser in which the user is logged in."""

    browser: str
    address: str
    since: dt.datetime
    last_seen: dt.datetime
    is_current: bool
    id: int = 0
    """The number of its row, for operators; the key is secret."""


@dataclass(frozen=True, slots=True)
class _Activity:
    user_id: int
    address: str
    user_agent: str


class SessionEnded(Exception):
    """The session of a request or command has ended."""


_noticed: Final[dict[str, _Activity]] = {}
"""Activity that is not yet stored, by session key."""

_active = Select(lambda user_id: User.objects.filter(pk=user_id, is_active=True))
_stored = Select(
    lambda *keys: (
        Session.objects.filter(build_in_condition("session_key", keys))
        .order_by()
        .values_list("session_key", "session_data", "expire_date")
    )
)


def _send_stored(keys: list[str]) -> Callable[[], dict[str, tuple[str, dt.datetime]]]:
    get_rows = _stored.send(*pad_arguments(keys))
    return lambda: {key: (data, until) for key, data, until in get_rows()}


_remembered: Final = RememberedRows(_send_stored)
"""The stored data of sessions and their expiry, by key."""


def load_unexpired(keys: Iterable[str | None], now: dt.datetime) -> dict[str, str]:
    """The data of unexpired sessions by key, for :func:`is_logged_in`. One statement at most."""
    rows = _remembered.load(key for key in keys if key is not None)
    return {key: one[0] for key, one in rows.items() if one is not None and one[1] > now}


def is_logged_in(user: User, session_data: str | None) -> bool:
    """Whether the current row of this user is logged in with this session data."""
    if session_data is None or not user.is_active:
        return False
    return _is_logged_in(user.pk, user.password, session_data)


def may_act(user_id: int, key: str | None, now: dt.datetime) -> bool:
    """Whether this user is logged in with the session ``key``.

    Without a key only the account is checked: for requests, whose session is already checked.
    """
    user = _active.first(user_id)
    if user is None or key is None:
        return user is not None
    return is_logged_in(user, load_unexpired([key], now).get(key))


@lru_cache(maxsize=10_000)
def _is_logged_in(user_id: int, password: str, session_data: str) -> bool:
    """Whether the session data is valid for the user with this password hash.

    The result depends only on the arguments, and every command of a page needs it, so it is cached.
    """
    user = User(pk=user_id, password=password)
    return _is_live(decode_content(session_data), {str(user_id): user})


def decode_content(session_data: str | None) -> dict[str, Any]:
    """The decoded data of a session; empty for a missing one."""
    if session_data is None:
        return {}
    values: dict[str, Any] = Session(session_data=session_data).get_decoded()
    return values


def find_first_expiry(keys: set[str]) -> dt.datetime | None:
    """The earliest stored expiry of these sessions; ``None`` without any."""
    values = Session.objects.filter(session_key__in=keys).aggregate(first=Min("expire_date"))
    first: dt.datetime | None = values["first"]
    return first


def find_ended(keys: set[str], now: dt.datetime) -> set[str]:
    """The keys among these whose session has ended.

    Reasons are a logout, expiry, a deactivated account, or a password changed elsewhere. The old
    key of a browser that changed its password or kept its guest account is also included: its pages
    reload with the new key.
    """
    if not keys:
        return set()
    live = Session.objects.filter(session_key__in=keys, expire_date__gt=now)
    content = {session.session_key: session.get_decoded() for session in live}
    user_ids = {values[SESSION_KEY] for values in content.values() if SESSION_KEY in values}
    users = {str(user.pk): user for user in User.objects.filter(pk__in=user_ids, is_active=True)}
    return {
        key
        for key in keys
        if not _is_live(values := content.get(key, {}), users) or _is_over(values, users, now)
    }


def _is_over(values: dict[str, Any], users: dict[str, User], now: dt.datetime) -> bool:
    """Whether it is the session of an operator, and older than those may be."""
    return users[values[SESSION_KEY]].is_staff and staff_sessions.is_over(values, now)


def _is_live(values: dict[str, str], users: dict[str, User]) -> bool:
    user = users.get(values.get(SESSION_KEY, ""))
    if user is None:
        return False
    return constant_time_compare(values.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())


def find_frozen_user(session: SessionBase) -> User | None:
    """The frozen user of this session, or ``None``. Queries only if the session has a user."""
    user_id, key = session.get(SESSION_KEY), session.get(HASH_SESSION_KEY, "")
    if user_id is None:
        return None
    user = User.objects.filter(pk=user_id, frozen_at__isnull=False).first()
    if user is None or not constant_time_compare(key, user.get_session_auth_hash()):
        return None
    return user


def note_activity(request: HttpRequest) -> None:
    """Note the activity of a logged-in user, without a query."""
    session = request.session
    if not session.accessed or not session.session_key or SESSION_KEY not in session:
        return
    address = get_client_address(request)
    if address is None:
        return
    agent = request.headers.get("User-Agent", "")
    longest = UserSession._meta.get_field("user_agent").max_length
    _noticed[session.session_key] = _Activity(int(session[SESSION_KEY]), address, agent[:longest])


def flush_activity(now: dt.datetime, open_keys: Iterable[str] = ()) -> None:
    """Store the noted activity, and that of ``open_keys``, which have open pages."""
    noticed = _pop_activity()
    keys = {*noticed, *open_keys}
    if not keys:
        return
    try:
        _write_activity(noticed, keys, now)
    except (OperationalError, InterfaceError):
        for key, note in noticed.items():
            _noticed.setdefault(key, note)  # a concurrent note is newer
        raise


def _pop_activity() -> dict[str, _Activity]:
    """Take the notes; each is taken by one thread only."""
    notes = {key: _noticed.pop(key, None) for key in list(_noticed)}
    return {key: note for key, note in notes.items() if note is not None}


def _write_activity(noticed: dict[str, _Activity], keys: set[str], now: dt.datetime) -> None:
    with transaction.atomic():
        sessions = UserSession.objects.filter(session_key__in=keys)
        rows = {row.session_key: row for row in sessions}
        sessions.filter(last_seen_at__lt=now - SELDOM).update(last_seen_at=now)
        for key, row in rows.items():
            note = noticed.get(key)
            if note is not None and (row.ip, row.user_agent) != (note.address, note.user_agent):
                sessions.filter(pk=row.pk).update(ip=note.address, user_agent=note.user_agent)
        _insert_rows({key: note for key, note in noticed.items() if key not in rows}, now)


def _insert_rows(fresh: dict[str, _Activity], now: dt.datetime) -> None:
    """Insert rows for sessions that have not ended."""
    over = find_ended(set(fresh), now)
    rows = [
        UserSession(
            user_id=note.user_id,
            session_key=key,
            ip=note.address,
            user_agent=note.user_agent,
            created_at=now,
            last_seen_at=now,
        )
        for key, note in fresh.items()
        if key not in over
    ]
    UserSession.objects.bulk_create(rows, ignore_conflicts=True)


def list_request_sessions(request: HttpRequest, user: User, now: dt.datetime) -> list[OwnSession]:
    """The sessions of ``user``, this browser first, then by last activity."""
    note_activity(request)
    flush_activity(now)
    current = request.session.session_key
    rows = list(UserSession.objects.filter(user=user).order_by("-last_seen_at")[:MOST_LISTED])
    over = find_ended({row.session_key for row in rows}, now)
    if over:
        UserSession.objects.filter(session_key__in=over).delete()
    sessions = [
        OwnSession(
            name_browser(row.user_agent),
            row.ip,
            row.created_at,
            row.last_seen_at,
            row.session_key == current,
        )
        for row in rows
        if row.session_key not in over
    ]
    return sorted(sessions, key=lambda own: not own.is_current)


def list_sessions(user_id: int, now: dt.datetime) -> list[OwnSession]:
    """The sessions of a user for operators, also those of a frozen user."""
    return list_sessions_of([user_id], now)[user_id]


def list_sessions_of(user_ids: Collection[int], now: dt.datetime) -> dict[int, list[OwnSession]]:
    """:func:`list_sessions` of several users, by user id, with one query."""
    live = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=now)
    rows = UserSession.objects.filter(Exists(live), user__in=user_ids).order_by("-last_seen_at")
    sessions: dict[int, list[OwnSession]] = {user_id: [] for user_id in user_ids}
    for row in rows[: MOST_LISTED * len(user_ids)]:
        sessions[row.user_id].append(
            OwnSession(
                name_browser(row.user_agent),
                row.ip,
                row.created_at,
                row.last_seen_at,
                is_current=False,
                id=row.pk,
            )
        )
    return sessions


def find_key(user_id: int, session_id: int) -> str | None:
    """The key of the recorded session ``session_id`` of this user; ``None`` if it has ended."""
    row = UserSession.objects.filter(pk=session_id, user=user_id).first()
    return None if row is None else str(row.session_key)


def find_keys(user_id: int, now: dt.datetime) -> set[str]:
    """The keys of all sessions of a user. Slow: not in a transaction."""
    return {*_find_unrecorded_keys(user_id, now), *_find_recorded_keys(user_id)}


def end_sessions(
    user_id: int, now: dt.datetime, *, but: str | None = None, by: Operator | None = None
) -> None:
    """End all sessions of a user, except the one with the key ``but``; recorded if ``by`` is given."""
    keys = find_keys(user_id, now)  # slow, so before the transaction
    with transaction.atomic():
        ended = {*keys, *_find_recorded_keys(user_id)} - {but}
        delete_sessions(ended)
        if by is not None:
            subject, after = f"user:{user_id}", {"number": len(ended)}
            audit_log.record(by, Act.What.END_SESSIONS, subject, after=after, at=now)


def end_recorded_sessions(user_id: int) -> None:
    """End the recorded sessions of a deactivated user, who has no valid ones."""
    delete_sessions(_find_recorded_keys(user_id))


def delete_sessions(keys: Collection[str | None]) -> None:
    """End these sessions, in the caller's transaction."""
    Session.objects.filter(session_key__in=keys).delete()
    UserSession.objects.filter(session_key__in=keys).delete()


def _find_recorded_keys(user_id: int) -> set[str]:
    return set(UserSession.objects.filter(user=user_id).values_list("session_key", flat=True))


def _find_unrecorded_keys(user_id: int, now: dt.datetime) -> list[str]:
    """Unrecorded sessions of a user, found by decoding their data."""
    recorded = UserSession.objects.filter(session_key=OuterRef("session_key"))
    others = Session.objects.filter(~Exists(recorded), expire_date__gt=now)
    return [
        session.session_key
        for session in others.iterator()
        if session.get_decoded().get(SESSION_KEY) == str(user_id)
    ]


def delete_ended(now: dt.datetime) -> None:
    """Delete the rows of expired and ended sessions, with their addresses."""
    Session.objects.filter(expire_date__lte=now).delete()
    live = Session.objects.filter(session_key=OuterRef("session_key"))
    UserSession.objects.filter(~Exists(live)).delete()
