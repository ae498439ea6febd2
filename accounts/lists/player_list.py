"""The list of players: the newest ones, or those whose present or former name begins with a text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final

from django.db.models import QuerySet

from accounts.lib.ids import parse_id
from accounts.lists.id_ranges import ALL_TIMES, TimeRange, filter_ids, filter_times, find_ids
from accounts.models import FormerName, User
from accounts.users import search

PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class PlayerFilters:
    """The filter of players. Empty fields do not filter."""

    words: str = ""
    joined: TimeRange = ALL_TIMES
    ids: Collection[int] | None = None
    """Only these players."""


@dataclass(frozen=True, slots=True)
class PlayerPage:
    """A page of players."""

    users: list[User]
    onward: str | None
    """The cursor of the next page; ``None`` on the last."""
    formerly: dict[int, str] = field(default_factory=dict)
    """The former name of players who were found by that one alone, by id."""


@dataclass(frozen=True, slots=True)
class _NameRow:
    """A present or former name of a user."""

    folded: str
    user_id: int
    former: str = ""


def list_players(filters: PlayerFilters, *, after: str = "", size: int = PAGE) -> PlayerPage:
    """``size`` players, with ids below ``after``, newest first; with words, those whose name begins
    with them, ignoring case, sorted by name, after the name ``after``. Users with this id or address
    come first.
    """
    if not filters.words:
        return _list_newest(filters, after, size)
    rows = _find_names(filters, after, size)
    page = rows[:size]
    while len(page) < len(rows) and rows[len(page)].folded == page[-1].folded:
        page = rows[: len(page) + 1]  # the next page begins after this name
    onward = page[-1].folded if len(page) < len(rows) else None
    exact: list[int] = []
    if not after:
        chosen = _filter_users(User.objects.filter(pk__in=search.find_ids(filters.words)), filters)
        exact = list(chosen.order_by("pk").values_list("pk", flat=True))
    ids = list(dict.fromkeys([*exact, *(row.user_id for row in page)]))
    users = User.objects.in_bulk(ids)
    present = {*exact, *(row.user_id for row in page if not row.former)}
    formerly = {row.user_id: row.former for row in page if row.user_id not in present}
    return PlayerPage([users[pk] for pk in ids], onward, formerly)


def _find_names(filters: PlayerFilters, after: str, size: int) -> list[_NameRow]:
    """``size`` names of each kind, and one more, sorted."""
    users = _filter_users(search.filter_by_name(filters.words, after=after), filters)
    present = users.values_list("folded", "pk")[: size + 1]
    former = search.filter_beginning(
        FormerName.objects.filter(user__isnull=False), filters.words, after=after
    )
    former = _filter_users(former, filters, "user")
    rows = [_NameRow(*row) for row in present]
    rows += [_NameRow(*row) for row in former.values_list("folded", "user", "name")[: size + 1]]
    return sorted(rows, key=attrgetter("folded"))


def _filter_users(rows: QuerySet[Any], filters: PlayerFilters, key: str = "pk") -> QuerySet[Any]:
    if filters.ids is not None:
        rows = rows.filter(**{f"{key}__in": filters.ids})
    if filters.joined.is_all:
        return rows
    if key == "pk":
        return filter_times(rows, "date_joined", filters.joined)
    ids = find_ids(User, "date_joined", filters.joined)
    joined = filter_times(User.objects.order_by(), "date_joined", filters.joined)
    return filter_ids(rows, ids, key).filter(**{f"{key}__in": joined.values("pk")})


def _list_newest(filters: PlayerFilters, after: str, size: int) -> PlayerPage:
    users = _filter_users(User.objects.order_by("-pk"), filters)
    before = parse_id(after)
    if before is not None:
        users = users.filter(pk__lt=before)
    newest = list(users[: size + 1])
    onward = str(newest[size - 1].pk) if len(newest) > size else None
    return PlayerPage(newest[:size], onward)
