"""Search of players by name, id or e-mail address, along indexes."""

from __future__ import annotations

from typing import TypeVar

from allauth.account.models import EmailAddress
from django.db import connection
from django.db.models import Model, QuerySet

from accounts.lib import names
from accounts.lib.ids import parse_id
from accounts.models import User

M = TypeVar("M", bound=Model)

LAST_CODE_POINT = "\U0010ffff"


def find_by_name(name: str) -> User | None:
    """The user with this name, ignoring case; ``None`` if there is none."""
    return User.objects.filter(folded=names.folded(name)).first()


def filter_by_name(words: str, *, after: str = "") -> QuerySet[User]:
    """Users whose name begins with this text, ignoring case, sorted by name, after ``after``."""
    return filter_beginning(User.objects.all(), words, after=after)


def filter_beginning(rows: QuerySet[M], words: str, *, after: str = "") -> QuerySet[M]:
    """The rows whose column ``folded`` begins with this text, ignoring case, sorted, after ``after``.

    PostgreSQL has an index for the beginning of a text. SQLite compares by code points, so there
    it is a range of the index.
    """
    begins = names.folded(words)
    found = rows.filter(folded__startswith=begins)
    if connection.vendor == "sqlite":
        found = found.filter(folded__gte=begins, folded__lt=begins + LAST_CODE_POINT)
    if after:
        found = found.filter(folded__gt=names.folded(after))
    return found.order_by("folded")


def find_ids(words: str) -> set[int]:
    """The ids of users with this id, or this whole address, ignoring case."""
    user_id = parse_id(words)
    if user_id is not None:
        return {user_id}
    if "@" not in words:
        return set()
    return set(EmailAddress.objects.filter(email=words.lower()).values_list("user", flat=True))
