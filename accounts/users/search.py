"""Search of players by name, id or e-mail address, along indexes."""

from __future__ import annotations

from dataclasses import dataclass

from allauth.account.models import EmailAddress
from django.db import connection
from django.db.models import QuerySet

from accounts.lib import names
from accounts.lib.ids import parse_id
from accounts.models import User

PAGE = 50
LAST_CODE_POINT = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class PlayerPage:
    """A page of players; the newest ones without a search."""

    users: list[User]
    onward: str | None
    """The cursor of the next page; ``None`` on the last."""


def find_page(words: str, *, after: str = "") -> PlayerPage:
    """:data:`PAGE` players whose name begins with ``words``, ignoring case, sorted by name, after
    the name ``after``. Users with this id or address come first. Without ``words``, all users,
    newest first, with ids below ``after``.
    """
    if not words:
        return _list_newest(after)
    users = list(filter_by_name(words, after=after)[: PAGE + 1])
    onward = users[PAGE - 1].username if len(users) > PAGE else None
    users = users[:PAGE]
    if not after:
        exact = list(User.objects.filter(pk__in=find_ids(words)).order_by("pk"))
        users = exact + [user for user in users if user not in exact]
    return PlayerPage(users, onward)


def find_by_name(name: str) -> User | None:
    """The user with this name, ignoring case; ``None`` if there is none."""
    return User.objects.filter(folded=names.folded(name)).first()


def filter_by_name(words: str, *, after: str = "") -> QuerySet[User]:
    """Users whose name begins with this text, ignoring case, sorted by name, after ``after``.

    PostgreSQL has an index for the beginning of a text. SQLite compares by code points, so there
    it is a range of the unique index.
    """
    begins = names.folded(words)
    found = User.objects.filter(folded__startswith=begins)
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


def _list_newest(after: str) -> PlayerPage:
    users = User.objects.order_by("-pk")
    before = parse_id(after)
    if before is not None:
        users = users.filter(pk__lt=before)
    shown = list(users[: PAGE + 1])
    return PlayerPage(shown[:PAGE], str(shown[PAGE - 1].pk) if len(shown) > PAGE else None)
