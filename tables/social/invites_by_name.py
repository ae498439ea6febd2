"""Players bring others to their table: an invite by name, and the news that a friend has opened one."""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.lib.ids import LARGEST_ID
from accounts.lib.names import isolated
from accounts.models import User
from tables.models import Match, Notice, Result, Table
from tables.social import friends, notices
from tables.social.friends import NotPossible
from tables.state.effects import Effects

AGAIN: Final = dt.timedelta(minutes=10)
"""How long a second invite of one player to one table stays without effect."""
ONE_IN: Final = dt.timedelta(hours=1)
"""Players get the news about tables of one friend at most once in this time."""
LAST_ROUNDS: Final = 50
RECENT: Final = dt.timedelta(days=14)
"""Players of one's last rounds, of this time, are those that one has played with lately."""


def invite(user_id: int, name: str, now: dt.datetime, table_id: int) -> Effects[str]:
    """Invite a friend, or somebody with whom the player has played lately, to the table where the
    player sits. The invite carries access to a private table.

    Raises :class:`NotPossible`. A blocked player does not notice that the invite does not arrive.
    """
    with transaction.atomic():
        user, other = friends.lock_two(user_id, name)
        table = _find_own_table(user, table_id)
        _verify_may_invite(user, other, now)
        if table.seats.filter(user=other).exists():
            reason = _("%(name)s already sits at this table.")
            raise NotPossible(reason % {"name": isolated(other.username)})
        message = _("You have invited %(name)s.") % {"name": isolated(other.username)}
        invited = Notice.objects.filter(
            user=other, sender=user, kind=Notice.Kind.INVITED, table=table
        )
        lately = invited.filter(at__gt=now - AGAIN)
        if lately.exists():
            lately.update(code=table.code)  # of a private table whose code was renewed
            return Effects(message)
        is_hidden = friends.has_blocked(other.pk, user.pk)
        notice = notices.create(
            other.pk, user, Notice.Kind.INVITED, now, table=table, is_hidden=is_hidden
        )
        if is_hidden:
            return Effects(message)
        frames = notices.build_frames([other.pk], [notice])
        return Effects(message, frames=frames, calls=(notice.pk,))


def notify_friends(table: Table, now: dt.datetime) -> Effects[None]:
    """Tell the host's friends about a new public table. Others hear of private tables by invites."""
    host = table.maker
    if host is None or table.is_private:
        return Effects(None)
    with transaction.atomic():
        earlier = Notice.objects.filter(sender=host, kind=Notice.Kind.OPENED)
        recent_ids = set(earlier.filter(at__gt=now - ONE_IN).values_list("user", flat=True))
        ids = [pk for pk in friends.list_friend_ids(host.pk) if pk not in recent_ids]
        earlier.filter(user__in=ids).delete()
        Notice.objects.bulk_create(
            Notice(user_id=pk, sender=host, kind=Notice.Kind.OPENED, table=table, at=now)
            for pk in ids
        )
        fresh = list(
            Notice.objects.filter(sender=host, table=table, user__in=ids)
            .select_related("sender", "table")
            .defer("table__state")
        )
        frames = notices.build_frames(ids, fresh)
        return Effects(None, frames=frames, calls=tuple(one.pk for one in fresh))


def list_recent_ids(user: User, now: dt.datetime) -> list[int]:
    """The ids of the players with whom the player has played lately, the latest first."""
    since = max(now - RECENT, user.history_since or now - RECENT)
    own = Result.objects.with_hands().filter(user=user, finished_at__gt=since)
    rounds = list(own.order_by("-round_id").values_list("round", flat=True)[:LAST_ROUNDS])
    others = Result.objects.filter(round__in=rounds, user__is_active=True).exclude(user=user)
    ids = others.order_by("-round_id", "seat").values_list("user", flat=True)
    return list(dict.fromkeys(ids))


def _find_own_table(user: User, table_id: int) -> Table:
    """The open table where the player sits, is in line, or is the host."""
    tables = Table.objects.filter(pk=min(table_id, LARGEST_ID), closed_at=None, is_closing=False)
    if tables.filter(match__kind=Match.Kind.DUPLICATE).exists():
        raise NotPossible(_("Nobody else can come to your table of a duplicate match."))
    is_there = Q(seats__user=user) | Q(queue__user=user) | Q(maker=user)
    table = tables.filter(is_there).defer("state").first()
    if table is None:
        raise NotPossible(_("You can only invite to an open table where you sit."))
    return table


def _verify_may_invite(user: User, other: User, now: dt.datetime) -> None:
    values = {"name": isolated(other.username)}
    if user.is_guest:
        raise NotPossible(_("Save your account first. Until then, send the link of the table."))
    if friends.has_blocked(user.pk, other.pk):
        raise NotPossible(_("You have blocked %(name)s. Unblock them first.") % values)
    row = friends.find_row(user.pk, other.pk)
    is_friend = row is not None and row.state == friends.State.FRIENDS
    if not is_friend and other.pk not in list_recent_ids(user, now):
        raise NotPossible(
            _("You can invite friends, and players with whom you have played lately.")
        )
