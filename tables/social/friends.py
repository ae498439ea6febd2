"""Friends: ask, accept, decline, end, block.

Nothing here says whether somebody has declined or blocked a player: to that player it is a request
without an answer. All functions lock both users, so that two of them about one pair run one after
the other.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import wraps
from typing import Final, cast

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts.lib.names import isolated
from accounts.models import User
from accounts.users import search
from tables.models import Block, Friendship, Notice
from tables.social import notices
from tables.state.effects import Effects

MOST_FRIENDS: Final = 200
MOST_OPEN_REQUESTS: Final = 50
"""The limit of a player's requests without an answer."""
MOST_BLOCKS: Final = 500
DEAF: Final = dt.timedelta(days=30)
"""How long a request does not reach a player who has declined one of the same player."""

State = Friendship.State


class NotPossible(Exception):
    """The player cannot do that; the message is a sentence for the player."""


def _about_two(
    work: Callable[[User, User, dt.datetime], Effects[str]],
) -> Callable[[int, str, dt.datetime], Effects[str]]:
    """Find the player with a name, lock both, and call ``work`` with them; in one transaction."""

    @wraps(work)
    def wrapped(user_id: int, name: str, now: dt.datetime) -> Effects[str]:
        with transaction.atomic():
            return work(*lock_two(user_id, name), now)

    return cast("Callable[[int, str, dt.datetime], Effects[str]]", wrapped)


def lock_two(user_id: int, name: str) -> tuple[User, User]:
    """Lock the player and the one with this name. Raises :class:`NotPossible`. In a transaction."""
    player = search.find_by_name(name.strip())
    if player is None or not player.is_active:
        raise NotPossible(_("No player has that name."))
    if player.pk == user_id:
        raise NotPossible(_("That is you."))
    # Without the keys: rows that refer to the users may be inserted.
    rows = User.objects.select_for_update(no_key=True).filter(pk__in=[user_id, player.pk])
    users = {user.pk: user for user in rows.order_by("pk")}
    user, other = users[user_id], users[player.pk]
    if not (user.is_active and other.is_active):
        raise NotPossible(_("No player has that name."))
    return user, other


@_about_two
def ask(user: User, other: User, now: dt.datetime) -> Effects[str]:
    """Ask a player to be friends. If that player has asked first, they are friends."""
    _verify_have_accounts(user, other)
    if has_blocked(user.pk, other.pk):
        raise NotPossible(_say(_("You have blocked %(name)s. Unblock them first."), other))
    row = find_row(user.pk, other.pk)
    is_mine = row is not None and row.asked_by_id == user.pk
    if row is not None and row.state == State.FRIENDS:
        raise NotPossible(_say(_("You and %(name)s are friends already."), other))
    if row is not None and not is_mine and row.state in (State.ASKED, State.DECLINED):
        return _make_friends(row, user, other, now)
    if row is not None and is_mine and row.state in (State.ASKED, State.DECLINED):
        raise NotPossible(_say(_("You have already asked %(name)s."), other))
    _verify_has_room(user)
    if list_requests_by(user.pk).count() >= MOST_OPEN_REQUESTS:
        raise NotPossible(
            _("You have asked %(most)s players who haven't answered yet.")
            % {"most": MOST_OPEN_REQUESTS}
        )
    was_declined = row is not None and is_mine and row.at > now - DEAF
    is_heard = not was_declined and not has_blocked(other.pk, user.pk)
    low, high = sorted((user.pk, other.pk))
    Friendship.objects.update_or_create(
        low_id=low,
        high_id=high,
        defaults={
            "asked_by": user,
            "state": State.ASKED if is_heard else State.DECLINED,
            "at": row.at if row is not None and was_declined else now,
        },
    )
    message = _say(_("You have asked %(name)s."), other)
    if not is_heard:
        return Effects(message)
    notice = notices.create(other.pk, user, Notice.Kind.ASKED, now)
    return Effects(message, frames=notices.build_frames([other.pk], [notice]))


@_about_two
def accept(user: User, other: User, now: dt.datetime) -> Effects[str]:
    """Accept the other player's request."""
    row = find_row(user.pk, other.pk)
    if row is None or row.asked_by_id == user.pk or row.state != State.ASKED:
        if row is not None and row.state == State.FRIENDS:
            return Effects(_say(_("You and %(name)s are friends now."), other))
        raise NotPossible(_say(_("There is no request from %(name)s any more."), other))
    return _make_friends(row, user, other, now)


@_about_two
def decline(user: User, other: User, now: dt.datetime) -> Effects[str]:
    """Decline the other player's request. The other one is not told."""
    requests = list_requests_to(user.pk).filter(asked_by=other)
    requests.update(state=State.DECLINED, at=now)
    notices.delete_from(other.pk, user.pk, Notice.Kind.ASKED)
    message = _say(_("You have declined the request from %(name)s. They aren't told."), other)
    return Effects(message, frames=notices.build_frames([user.pk]))


@_about_two
def withdraw(user: User, other: User, now: dt.datetime) -> Effects[str]:
    """Withdraw the own request."""
    _withdraw(user, other)
    message = _say(_("You have withdrawn your request to %(name)s."), other)
    return Effects(message, frames=notices.build_frames([other.pk]))


@_about_two
def end(user: User, other: User, now: dt.datetime) -> Effects[str]:
    """Be friends no more. The other one is not told."""
    row = find_row(user.pk, other.pk)
    if row is not None and row.state == State.FRIENDS:
        row.delete()
    return Effects(_say(_("You and %(name)s are no longer friends."), other))


@_about_two
def block(user: User, other: User, now: dt.datetime) -> Effects[str]:
    """Block a player: no friends any more, and no request or invite of theirs arrives."""
    if user.blocks.count() >= MOST_BLOCKS:
        raise NotPossible(_("You have blocked too many players. Unblock some first."))
    Block.objects.get_or_create(user=user, blocked=other, defaults={"at": now})
    row = find_row(user.pk, other.pk)
    if row is not None and row.state == State.FRIENDS:
        row.delete()
    list_requests_to(user.pk).filter(asked_by=other).update(state=State.DECLINED, at=now)
    _withdraw(user, other)
    notices.delete_from(other.pk, user.pk)
    message = _say(_("You have blocked %(name)s. They aren't told."), other)
    return Effects(message, frames=notices.build_frames([user.pk, other.pk]))


@_about_two
def unblock(user: User, other: User, now: dt.datetime) -> Effects[str]:
    """Unblock a player."""
    user.blocks.filter(blocked=other).delete()
    return Effects(_say(_("You have unblocked %(name)s."), other))


def find_row(user_id: int, other_id: int) -> Friendship | None:
    """The row of a pair, if there is one."""
    low, high = sorted((user_id, other_id))
    return Friendship.objects.filter(low=low, high=high).first()


def list_friend_ids(user_id: int) -> list[int]:
    """The ids of the player's friends."""
    pairs = Friendship.objects.filter(Q(low=user_id) | Q(high=user_id), state=State.FRIENDS)
    return [low + high - user_id for low, high in pairs.values_list("low", "high")]


def list_requests_by(user_id: int) -> QuerySet[Friendship]:
    """The player's requests without an answer, as the player sees them."""
    return Friendship.objects.filter(asked_by=user_id, state__in=(State.ASKED, State.DECLINED))


def list_requests_to(user_id: int) -> QuerySet[Friendship]:
    """The requests that wait for the player's answer."""
    mine = Friendship.objects.filter(Q(low=user_id) | Q(high=user_id), state=State.ASKED)
    return mine.exclude(asked_by=user_id)


def has_blocked(user_id: int, other_id: int) -> bool:
    """Whether the first player has blocked the second one."""
    return Block.objects.filter(user=user_id, blocked=other_id).exists()


def _make_friends(row: Friendship, user: User, other: User, now: dt.datetime) -> Effects[str]:
    """Both are friends, after ``user`` agreed to what ``other`` has asked."""
    _verify_has_room(user)
    row.state, row.at = State.FRIENDS, now
    row.save(update_fields=["state", "at"])
    notices.delete_from(other.pk, user.pk, Notice.Kind.ASKED)
    notice = notices.create(other.pk, user, Notice.Kind.ACCEPTED, now)
    message = _say(_("You and %(name)s are friends now."), other)
    return Effects(message, frames=notices.build_frames([user.pk, other.pk], [notice]))


def _withdraw(user: User, other: User) -> None:
    mine = list_requests_by(user.pk).filter(Q(low=other) | Q(high=other))
    mine.filter(state=State.ASKED).delete()
    mine.update(state=State.WITHDRAWN)  # `at` stays: until then it would not be heard
    notices.delete_from(user.pk, other.pk, Notice.Kind.ASKED)


def _verify_have_accounts(user: User, other: User) -> None:
    if user.is_guest:
        raise NotPossible(_("Save your account first: a guest can't have friends."))
    if other.is_guest:
        raise NotPossible(
            _say(_("%(name)s plays as a guest. Guests can become friends with an account."), other)
        )


def _verify_has_room(user: User) -> None:
    if len(list_friend_ids(user.pk)) >= MOST_FRIENDS:
        raise NotPossible(_("You can have %(most)s friends at most.") % {"most": MOST_FRIENDS})


def _say(text: str, other: User) -> str:
    return text % {"name": isolated(other.username)}
