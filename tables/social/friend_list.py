"""What a player sees of friends and other players: who is here, and rounds played together."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, F, Q, Sum

from accounts.models import User
from tables import access
from tables.access import Codes
from tables.models import (
    VOID,
    WON,
    Friendship,
    Notice,
    OpenPage,
    Result,
    Seat,
    ServerProcess,
    Table,
    Visit,
)
from tables.social import friends, invites_by_name
from tables.state import watchers

MOST_RECENT: Final = 12
MOST_COMPARED: Final = 10_000
"""The limit of a player's own rounds that are compared with those of friends, the latest."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where a player is, as far as the viewer may know."""

    is_here: bool = False
    """Whether a page is open."""
    table: Table | None = None
    """The table where the player sits or watches, if the viewer may see it."""
    is_seated: bool = False
    """Also true at a table that the viewer may not see."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The rounds that two players have played together. Amounts in hundredths."""

    rounds: int
    own_net: int
    own_wins: int
    net: int
    wins: int


@dataclass(frozen=True, slots=True)
class Friend:
    """A friend on the page."""

    user: User
    where: Whereabouts
    compared: Comparison | None
    """``None`` without a common round."""


@dataclass(frozen=True, slots=True)
class Recent:
    """A player of one's last rounds who is no friend."""

    user: User
    is_asked: bool


@dataclass(frozen=True, slots=True)
class FriendsPage:
    """The lists of the page."""

    requests: list[User]
    """Who waits for the player's answer."""
    asked: list[User]
    """Whose answer the player waits for."""
    friends: list[Friend]
    """Those who are here first."""
    recent: list[Recent]
    blocked: list[User]


@dataclass(frozen=True, slots=True)
class Person:
    """A player at the viewer's table, or one whom the viewer may invite."""

    name: str
    relation: str
    """``friend``, ``asked`` (by the viewer), ``asks``, ``blocked``, ``guest``, ``self``, or ``none``."""
    is_here: bool
    is_invited: bool


def build_page(user: User, codes: Codes, now: dt.datetime) -> FriendsPage:
    """The lists of a player's page."""
    friend_ids = friends.list_friend_ids(user.pk)
    requester_ids = _others(friends.list_requests_to(user.pk), user)
    recipient_ids = _others(friends.list_requests_by(user.pk), user)
    blocked_ids = list(user.blocks.values_list("blocked", flat=True))
    related_ids = {*friend_ids, *requester_ids, *blocked_ids}
    recent_ids = [pk for pk in invites_by_name.list_recent_ids(user, now) if pk not in related_ids]
    users = User.objects.in_bulk({*related_ids, *recipient_ids, *recent_ids})
    recent_ids = [pk for pk in recent_ids if not users[pk].is_guest][:MOST_RECENT]
    where = find_whereabouts(friend_ids, user.pk, codes, now)
    comparisons = compare(user, friend_ids)
    entries = [Friend(users[pk], where[pk], comparisons.get(pk)) for pk in friend_ids]
    entries.sort(key=lambda one: (not one.where.is_here, one.user.folded))
    return FriendsPage(
        requests=[users[pk] for pk in requester_ids],
        asked=[users[pk] for pk in recipient_ids],
        friends=entries,
        recent=[Recent(users[pk], pk in recipient_ids) for pk in recent_ids],
        blocked=[users[pk] for pk in blocked_ids],
    )


def find_whereabouts(
    user_ids: Collection[int], viewer_id: int, codes: Codes, now: dt.datetime
) -> dict[int, Whereabouts]:
    """Where these players are, as far as the viewer may know: a table that the viewer may not see
    is not named.
    """
    here = _list_here(user_ids, now)
    seats = Seat.objects.filter(user__in=here, table__closed_at=None).order_by("-sat_at")
    visits = Visit.objects.filter(user__in=here, seen_at__gt=now - watchers.STALE)
    seats, visits = (
        seats.select_related("table").defer("table__state"),
        visits.select_related("table").defer("table__state"),
    )
    at: list[tuple[int, Table, bool]] = [
        *((row.user_id, row.table, True) for row in seats),
        *((row.user_id, row.table, False) for row in visits if row.user_id),
    ]
    may_see = {
        pk: access.may_see(table, viewer_id, codes)
        for pk, table in {table.pk: table for _, table, _ in at}.items()
    }
    seated = {user_id for user_id, _, is_seated in at if is_seated}
    tables: dict[int, Table] = {}
    for user_id, table, _is_seated in at:
        if may_see[table.pk]:
            tables.setdefault(user_id, table)
    return {
        pk: Whereabouts(pk in here, tables.get(pk), pk in seated) if pk in here else Whereabouts()
        for pk in user_ids
    }


def compare(user: User, friend_ids: Collection[int]) -> dict[int, Comparison]:
    """The player's rounds with each of these friends, of the latest :data:`MOST_COMPARED` that the
    player's history shows: rounds of money that both have played themselves.
    """
    if not friend_ids:
        return {}
    results = Result.objects.with_hands().exclude(outcome=VOID).shown_to(user)
    results = results.filter(table__stack_size=None, is_behind=False)
    own = results.order_by("-round_id").values("pk")[:MOST_COMPARED]
    both = Result.objects.filter(
        pk__in=own, round__results__user__in=friend_ids, round__results__is_behind=False
    ).order_by()
    rows = both.values_list("round__results__user").annotate(
        Count("pk"),
        own_net=Sum(F("payout") - F("stake")),
        own_wins=Count("pk", filter=Q(outcome__in=WON)),
        friends_net=Sum(F("round__results__payout") - F("round__results__stake")),
        friends_wins=Count("pk", filter=Q(round__results__outcome__in=WON)),
    )
    return {friend_id: Comparison(*numbers) for friend_id, *numbers in rows}


def list_askable(user: User, round_id: int) -> list[str]:
    """The names of the players of a round whom the player can ask to be friends: players of it alone
    get any.
    """
    players = Result.objects.with_hands().filter(round=round_id)
    ids = list(players.order_by("seat").values_list("user", flat=True))
    if user.is_guest or user.pk not in ids:
        return []
    relations = _find_relations(user, ids)
    users = User.objects.filter(is_active=True, is_guest=False).in_bulk(ids)
    return [users[pk].username for pk in ids if pk in users and pk not in relations]


def list_people(user: User, table: Table, now: dt.datetime) -> list[Person]:
    """The users with a seat or a page open at a table that the viewer may see, in order."""
    seated = table.seats.order_by("number").values_list("user", flat=True)
    present = watchers.list_present_users(table, now)
    ids = list(dict.fromkeys([*seated, *sorted(present)]))
    return _build_people(user, ids, table, now)


def list_invitable(user: User, table: Table, now: dt.datetime) -> list[Person]:
    """Whom the viewer may invite to the table: friends, then players of the last rounds; those who
    are here first. Players who sit at the table are left out.
    """
    if user.is_guest:
        return []
    seated = set(table.seats.values_list("user", flat=True))
    friend_ids = friends.list_friend_ids(user.pk)
    ids = [*friend_ids, *invites_by_name.list_recent_ids(user, now)[:MOST_RECENT]]
    invitee_ids = [pk for pk in dict.fromkeys(ids) if pk not in seated and pk != user.pk]
    people = [
        one for one in _build_people(user, invitee_ids, table, now) if one.relation != "blocked"
    ]
    # Of a player who is no friend nobody learns whether a page is open.
    return sorted(people, key=lambda one: (one.relation != "friend", not one.is_here))


def _build_people(user: User, ids: list[int], table: Table, now: dt.datetime) -> list[Person]:
    users = User.objects.in_bulk(ids)
    relations = _find_relations(user, ids)
    here = _list_here([pk for pk in ids if relations.get(pk) == "friend"], now)
    invites = Notice.objects.filter(sender=user, table=table, kind=Notice.Kind.INVITED)
    invited = set(invites.filter(at__gt=now - invites_by_name.AGAIN).values_list("user", flat=True))
    return [
        Person(
            name=users[pk].username,
            relation=relations.get(pk) or ("guest" if users[pk].is_guest else "none"),
            is_here=pk in here,
            is_invited=pk in invited,
        )
        for pk in ids
        if pk in users
    ]


def _find_relations(user: User, ids: Iterable[int]) -> Mapping[int, str]:
    relations: dict[int, str] = {user.pk: "self"}
    pairs = Friendship.objects.filter(
        Q(low=user, high__in=ids) | Q(high=user, low__in=ids)
    ).exclude(state=friends.State.WITHDRAWN)
    for row in pairs:
        other = row.low_id + row.high_id - user.pk
        if row.state == friends.State.FRIENDS:
            relations[other] = "friend"
        elif row.asked_by_id == user.pk:
            relations[other] = "asked"
        elif row.state == friends.State.ASKED:
            relations[other] = "asks"
    blocked = user.blocks.filter(blocked__in=ids).values_list("blocked", flat=True)
    return relations | dict.fromkeys(blocked, "blocked")


def _list_here(user_ids: Collection[int], now: dt.datetime) -> set[int]:
    """Those who have a page open, in any process that runs."""
    running = ServerProcess.objects.filter(seen_at__gt=now - watchers.STALE)
    pages = OpenPage.objects.filter(user__in=user_ids, process__in=running.values("key"))
    return set(pages.values_list("user", flat=True))


def _others(rows: Iterable[Friendship], user: User) -> list[int]:
    return [row.low_id + row.high_id - user.pk for row in rows]
