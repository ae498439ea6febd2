"""Deletion of a player's account: seats, tables, then the account itself."""

from __future__ import annotations

import datetime as dt

from django.db.models import Q

from accounts.models import User
from accounts.users import deletion
from accounts.users.deletion import deleted_user_name
from tables.game import commit, seats
from tables.game.matches import progress
from tables.models import (
    Admission,
    Block,
    ChatLine,
    Friendship,
    Grade,
    Match,
    MatchPlayer,
    Notice,
    OpenPage,
    PracticeProgress,
    PushSubscription,
    Removal,
    Report,
    Silence,
    SkillStanding,
    Standing,
    Tally,
    Visit,
)
from tables.protocol.events import Reason, TableClosing, TableHandedOn
from tables.protocol.frames import Unsaid
from tables.protocol.topics import session_eviction, table_topic
from tables.results import uncounted_rounds
from tables.state import waiting_line
from tables.state.effects import ChangeNotice, Effects
from tables.state.live_table import LiveTable
from tables.state.locking import lock_user_and_tables

LINES_IN_SIGHT = 500
"""How many of the removed chat lines are also removed from open pages, the latest first."""


class StillPlaying(Exception):
    """The player has a bet or a hand on a table. Nothing was changed."""


class FrozenAccount(Exception):
    """An operator has frozen the account, so it cannot be deleted. Nothing was changed."""


def delete_account(user_id: int, now: dt.datetime) -> Effects[None]:
    """Free the seats, return the money, close the player's tables, and remove personal data.

    Atomic; has no effect the second time. Raises :class:`StillPlaying`,
    :class:`FrozenAccount`.
    """
    return lock_user_and_tables(user_id, lambda user, table_ids: _delete(user, table_ids, now))


def _delete(user: User, table_ids: list[int], now: dt.datetime) -> Effects[None]:
    if user.frozen_at is not None:
        raise FrozenAccount
    if not user.is_active:
        return Effects(None)
    lives = [LiveTable.lock(table_id, now) for table_id in table_ids]
    if any(_is_playing(live, user.pk) for live in lives):
        raise StillPlaying
    changes = tuple(_free_seat(live, user) for live in lives)
    MatchPlayer.objects.filter(user=user, match__state=Match.State.WAITING).delete()
    lines = _remove_chat_lines(user.pk, now)
    # Reports about the player stay for the operators, without the name and the words.
    Report.objects.filter(about=user).update(about_name="", said="")
    deletion.return_money(user, now)
    # After all accounts, and before the user's name: the figures of other rounds refer to the user.
    uncounted_rounds.lock_figures()
    for model in (
        Visit,
        OpenPage,
        Admission,
        Removal,
        Silence,
        Standing,
        Tally,
        Grade,
        SkillStanding,
        PracticeProgress,
        PushSubscription,
    ):
        model._default_manager.filter(user=user).delete()
    Friendship.objects.filter(Q(low=user) | Q(high=user)).delete()
    Block.objects.filter(Q(user=user) | Q(blocked=user)).delete()
    Notice.objects.filter(Q(user=user) | Q(sender=user)).delete()
    deletion.close_account(user, now)
    return Effects(None, changes, frames=lines, evictions=(session_eviction(user.pk, None),))


def _is_playing(live: LiveTable, user_id: int) -> bool:
    if user_id in live.game.backer_ids:
        return True
    seat = live.seat_of(user_id)
    return seat is not None and (live.is_in_round(seat) or seat.number in live.game.bets)


def _free_seat(live: LiveTable, user: User) -> ChangeNotice:
    """Free the seat or the place in line. The player's own table is closed, after the round in play."""
    waiting_line.leave(live, user.pk)
    seat = live.seat_of(user.pk)
    if seat is not None:
        seats.free_seat(live, seat.number, Reason.LEFT)
    if live.row.maker_id == user.pk and live.game.is_match_running and live.seats:
        # The others play their match to the end.
        live.row.maker = next(iter(live.seats.values())).user
        live.events.append(TableHandedOn(live.row.maker.username))
    elif live.row.maker_id == user.pk and not live.row.is_closing:
        live.row.is_closing = True
        if live.game.is_playing:
            live.events.append(TableClosing())
    if live.game.match is not None:
        progress.apply_due(live)  # which uses the present names of those who leave
        live.game.match.rename(user.pk, deleted_user_name(user.pk))
    return commit.commit_table(live)


def _remove_chat_lines(user_id: int, now: dt.datetime) -> tuple[tuple[str, Unsaid], ...]:
    """Remove all chat lines of the user; return the notices for the latest, for open pages."""
    lines = ChatLine.objects.filter(user=user_id)
    in_sight = lines.filter(removed_at=None, table__closed_at=None).order_by("-at")
    latest_lines = list(in_sight.values_list("table", "pk")[:LINES_IN_SIGHT])
    lines.filter(removed_at=None).update(removed_at=now, removed_by=user_id)
    lines.update(text="")
    return tuple((table_topic(table_id), Unsaid(pk)) for table_id, pk in latest_lines)
