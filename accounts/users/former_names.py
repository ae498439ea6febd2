"""Former names of users: whose they were, and how long nobody else may take them.

The names of a deleted account are stored as keyed digests only. They can be compared with a new name,
and not be read. They are removed when they are no longer held.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Final

from django.db.models import Q, QuerySet
from django.utils.crypto import salted_hmac

from accounts.lib import names, server_clock
from accounts.models import FormerName, User

HOLD_TIME: Final = dt.timedelta(days=90)
"""How long a name that became free is held for its former owner."""
_SALT: Final = "accounts.former_names"


def record(user: User, now: dt.datetime) -> None:
    """Store the present name of ``user``, before another one is written, in that transaction."""
    last = FormerName.objects.filter(user=user.pk).order_by("-pk").first()
    FormerName.objects.create(
        user=user,
        name=user.username,
        folded=user.folded,
        skeleton=names.skeleton(user.username),
        since=last.until if last else user.date_joined,
        until=now,
    )


def hide_names(user: User, now: dt.datetime) -> None:
    """Replace the names of an account that is deleted by digests, in the caller's transaction.

    Names that are no longer held are removed.
    """
    record(user, now)
    FormerName.objects.filter(user=user, until__lte=now - HOLD_TIME).delete()
    for row in FormerName.objects.filter(user=user):
        row.user, row.name, row.since = None, "", None
        row.folded, row.skeleton = _digest(row.folded), _digest(row.skeleton)
        row.save()


def drop_old(now: dt.datetime) -> None:
    """Remove the digests of deleted accounts whose names are no longer held."""
    FormerName.objects.filter(user=None, until__lte=now - HOLD_TIME).delete()


def is_name_held(name: str, owner: User | None) -> bool:
    """Whether the name, in any case, is held for another user than ``owner``."""
    return _filter_held("folded", names.folded(name), owner).exists()


def is_look_held(name: str, owner: User | None) -> bool:
    """Whether a name that looks the same is held for another user than ``owner``."""
    return _filter_held("skeleton", names.skeleton(name), owner).exists()


def find_bearers(name: str) -> QuerySet[FormerName]:
    """The former names that are equal to this one, ignoring case, the latest first."""
    rows = FormerName.objects.filter(folded=names.folded(name), user__isnull=False)
    return rows.select_related("user").order_by("-pk")


def list_names(user_ids: Iterable[int]) -> dict[int, list[FormerName]]:
    """The former names of these users, the latest first."""
    by_user: dict[int, list[FormerName]] = {}
    for row in FormerName.objects.filter(user__in=set(user_ids)).order_by("-pk"):
        assert row.user_id is not None
        by_user.setdefault(row.user_id, []).append(row)
    return by_user


def _filter_held(column: str, form: str, owner: User | None) -> QuerySet[FormerName]:
    since = server_clock.now() - HOLD_TIME
    rows = FormerName.objects.filter(**{f"{column}__in": [form, _digest(form)]}, until__gt=since)
    return rows if owner is None else rows.filter(~Q(user=owner.pk) | Q(user=None))


def _digest(form: str) -> str:
    """A keyed digest. No name begins with ``#``."""
    return f"#{salted_hmac(_SALT, form, algorithm='sha256').hexdigest()}"
