"""Notices: what other players have done that concerns a player, and what operators have decided. The
bell counts the new ones.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.lib.names import isolated
from accounts.lib.times import to_milliseconds
from accounts.models import User
from tables.models import Notice, Round, Table
from tables.protocol.frames import Noticed, PublicNotice
from tables.protocol.topics import user_topic

MAX_AGE: Final = dt.timedelta(days=14)
MOST_SHOWN: Final = 50

Frames = tuple[tuple[str, Noticed], ...]


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """A notice on the page of its recipient."""

    kind: str
    player: str
    """The player who caused it; empty for operators."""
    text: str
    url: str | None
    """Where it leads: to the table or the round. Requests are answered on the page itself."""
    is_about_round: bool
    at: dt.datetime
    is_new: bool


def create(
    user_id: int,
    sender: User,
    kind: Notice.Kind,
    now: dt.datetime,
    *,
    table: Table | None = None,
    is_hidden: bool = False,
) -> Notice:
    """Create a notice, or make the same one new again."""
    code = table.code if table and kind == Notice.Kind.INVITED else ""
    fresh = {"at": now, "seen_at": None, "called_at": None, "code": code, "is_hidden": is_hidden}
    notice, _is_new = Notice.objects.update_or_create(
        user_id=user_id, sender=sender, kind=kind, table=table, defaults=fresh
    )
    return notice


def create_decision(
    user_ids: Iterable[int],
    kind: Notice.Kind,
    now: dt.datetime,
    *,
    round_: Round | None = None,
) -> Frames:
    """Tell players what an operator has decided; return the frames for their pages.

    ``round_`` is the round that it is about; with its table, which is named in the notice.
    """
    fresh = {"at": now, "seen_at": None, "called_at": None}
    news = []
    for user_id in sorted(set(user_ids)):
        if round_ is None:
            notice = Notice.objects.create(user_id=user_id, kind=kind, **fresh)
        else:
            notice, _is_new = Notice.objects.update_or_create(
                user_id=user_id, kind=kind, round=round_, defaults=fresh
            )
        news.append(notice)
    return build_frames([notice.user_id for notice in news], news)


def mark_round_seen(user_id: int, round_id: int, now: dt.datetime) -> Frames:
    """Mark the player's notices about a round as seen; the frame for the other pages if any was new."""
    return _mark_seen(user_id, Notice.objects.filter(round=round_id), now)


def mark_table_seen(user_id: int, table_id: int, now: dt.datetime) -> Frames:
    """:func:`mark_round_seen` for the notices that lead to a table."""
    return _mark_seen(user_id, Notice.objects.filter(table=table_id, round=None), now)


def delete_from(sender_id: int, user_id: int, *kinds: Notice.Kind) -> None:
    """Delete the notices from one player to another, of these kinds or of all."""
    notices = Notice.objects.filter(sender=sender_id, user=user_id)
    (notices.filter(kind__in=kinds) if kinds else notices).delete()


def filter_new(notices: QuerySet[Notice] | None = None) -> QuerySet[Notice]:
    """The notices that their recipients have not seen, without those about closed tables."""
    queryset = Notice.objects.all() if notices is None else notices
    return queryset.filter(_is_current(), seen_at__isnull=True, is_hidden=False)


def count_new(user_id: int) -> int:
    """The number of the player's new notices."""
    return filter_new(Notice.objects.filter(user=user_id)).count()


def build_frames(user_ids: Iterable[int], news: Collection[Notice] = ()) -> Frames:
    """The frames for the pages of these users: the number of new notices, and the newest of ``news``."""
    ids = sorted(set(user_ids))
    new_notices = filter_new(Notice.objects.filter(user__in=ids)).order_by().values("user")
    numbers = dict(new_notices.annotate(number=Count("pk")).values_list("user", "number"))
    public_notices = {one.user_id: build_public(one) for one in news if not one.is_hidden}
    return tuple(
        (user_topic(pk), Noticed(count=numbers.get(pk, 0), notice=public_notices.get(pk)))
        for pk in ids
    )


def build_public(notice: Notice) -> PublicNotice:
    """A notice as the pages of its recipient get it."""
    return PublicNotice(
        kind=notice.kind,
        player=notice.sender.username if notice.sender else None,
        table=_get_table_name(notice),
        url=build_url(notice) or reverse("friends"),
        at=to_milliseconds(notice.at),
    )


def build_url(notice: Notice) -> str | None:
    """The address of the notice's round or table. An invite leads there by its code, so it lets its
    reader in as long as the code is valid.
    """
    if notice.round_id is not None:
        return reverse("round", args=[notice.round_id])
    if notice.table_id is None:
        return None
    if notice.kind == Notice.Kind.INVITED:
        return reverse("join", args=[notice.code])
    return reverse("table", args=[notice.table_id])


def list_shown(user_id: int, now: dt.datetime) -> list[ShownNotice]:
    """The player's notices, newest first. Requests are not among them: they have a list of their own."""
    mine = Notice.objects.filter(_is_current(), user=user_id, is_hidden=False, at__gt=now - MAX_AGE)
    rows = mine.exclude(kind=Notice.Kind.ASKED).select_related("sender", "table", "round__table")
    return [
        ShownNotice(
            kind=row.kind,
            player=row.sender.username if row.sender else "",
            text=_describe(row),
            url=build_url(row),
            is_about_round=row.round_id is not None,
            at=row.at,
            is_new=row.seen_at is None,
        )
        for row in rows.defer("table__state", "round__table__state").order_by("-at", "-pk")[
            :MOST_SHOWN
        ]
    ]


def mark_seen(user_id: int, now: dt.datetime) -> Frames:
    """Mark all notices of the player as seen; the frame for the other pages if any was new."""
    return _mark_seen(user_id, Notice.objects.filter(is_hidden=False), now)


def _mark_seen(user_id: int, notices: QuerySet[Notice], now: dt.datetime) -> Frames:
    mine = notices.filter(user=user_id, seen_at__isnull=True)
    if not mine.exists():  # most times: then nothing is written
        return ()
    mine.update(seen_at=now)
    return build_frames([user_id])


def drop_old(now: dt.datetime) -> None:
    """Delete old notices, and those about tables that are closed."""
    is_closed = Q(table__closed_at__isnull=False)
    Notice.objects.filter(Q(at__lte=now - MAX_AGE) | is_closed).delete()


def _is_current() -> Q:
    return Q(table__isnull=True) | Q(table__closed_at__isnull=True)


def _get_table_name(notice: Notice) -> str | None:
    table = notice.round.table if notice.round else notice.table
    return table.name if table else None


def _describe(notice: Notice) -> str:
    values = {
        "name": isolated(notice.sender.username) if notice.sender else "",
        "table": isolated(_get_table_name(notice) or ""),
    }
    match notice.kind:
        case Notice.Kind.ANSWERED if notice.round is None:
            return _("An operator has answered your report.")
        case Notice.Kind.ANSWERED:
            return _("An operator has answered your report about a round at %(table)s.") % values
        case Notice.Kind.VOIDED:
            return _("A round that you played at %(table)s is now void.") % values
        case Notice.Kind.UPHELD:
            return _("The round at %(table)s that you reported is not voided.") % values
        case Notice.Kind.ACCEPTED:
            return _("%(name)s and you are friends now.") % values
        case Notice.Kind.INVITED:
            return _("%(name)s invites you to %(table)s.") % values
        case _other:
            return _("%(name)s has opened the table %(table)s.") % values
