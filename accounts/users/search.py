"""Search of players by name, id or e-mail address, along indexes."""

from __future__ import annotations

from dataclasses import dataclass

from allauth.account.models import EmailAddress
from django.db.models import QuerySet
from django.db.models.functions import Lower

from accounts.lib.ids import parse_id
from accounts.models import User

PAGE = 50
_LONGEST_NAME = 20


@dataclass(frozen=True, slots=True)
class Found:
    """A page of players. Without words to search for: the newest ones."""

    users: list[User]
    onward: str | None
    """Where the next page begins; ``None`` on the last."""


def search_page(words: str, *, after: str = "") -> Found:
    """:data:`PAGE` players whose name begins with ``words`` in any case, by name, behind the name
    ``after``; first of all who has these words for a number or an address. Without words everybody,
    the newest first, below the number ``after``.
    """
    if not words:
        return _newest(after)
    users = list(with_name(words, after=after)[: PAGE + 1])
    onward = users[PAGE - 1].username if len(users) > PAGE else None
    users = users[:PAGE]
    if not after:
        exact = list(User.objects.filter(pk__in=ids_of(words)).order_by("pk"))
        users = exact + [user for user in users if user not in exact]
    return Found(users, onward)


def named(name: str) -> User | None:
    """Whose name this is, in any case; ``None`` where it is nobody's."""
    users = User.objects.annotate(lower=Lower("username"))
    return users.filter(lower=name.lower()).first()


def with_name(words: str, *, after: str = "") -> QuerySet[User]:
    """Whose name begins with these words, in any case, by name, behind the name ``after``.

    No name is longer or has a letter behind z: so this is a stretch of the index on names, in
    whatever order the database sorts.
    """
    begins = words.lower()
    named = User.objects.annotate(lower=Lower("username"))
    stretch = named.filter(lower__gte=begins, lower__lte=begins + "z" * _LONGEST_NAME)
    if after:
        stretch = stretch.filter(lower__gt=after.lower())
    return stretch.filter(lower__startswith=begins).order_by("lower")


def ids_of(words: str) -> set[int]:
    """Who has this number, or this whole address in any case."""
    user_id = parse_id(words)
    if user_id is not None:
        return {user_id}
    if "@" not in words:
        return set()
    return set(EmailAddress.objects.filter(email=words.lower()).values_list("user", flat=True))


def _newest(after: str) -> Found:
    users = User.objects.order_by("-pk")
    before = parse_id(after)
    if before is not None:
        users = users.filter(pk__lt=before)
    shown = list(users[: PAGE + 1])
    return Found(shown[:PAGE], str(shown[PAGE - 1].pk) if len(shown) > PAGE else None)
