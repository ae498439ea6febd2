"""Which sessions are over."""

from __future__ import annotations

import datetime as dt

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.utils.crypto import constant_time_compare

from accounts.models import User


def ended(keys: set[str], now: dt.datetime) -> set[str]:
    """Those of ``keys`` that nobody is logged in under any more.

    Logged out, expired, switched off, or the password was changed elsewhere. So is the old key of
    a browser that changed its password, or kept its guest account: it was given a new key in that
    moment, and a page that is told of the end comes back under the new one by loading itself again.
    """
    if not keys:
        return set()
    live = Session.objects.filter(session_key__in=keys, expire_date__gt=now)
    content = {session.session_key: session.get_decoded() for session in live}
    user_ids = {values[SESSION_KEY] for values in content.values() if SESSION_KEY in values}
    users = {str(user.pk): user for user in User.objects.filter(pk__in=user_ids, is_active=True)}
    return {key for key in keys if not _is_live(content.get(key, {}), users)}


def _is_live(values: dict[str, str], users: dict[str, User]) -> bool:
    user = users.get(values.get(SESSION_KEY, ""))
    if user is None:
        return False
    return constant_time_compare(values.get(HASH_SESSION_KEY, ""), user.get_session_auth_hash())
