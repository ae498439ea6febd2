"""Commands of a table's host: lock, pause, close, chat, free a seat, ban, hand on, renew the invite."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db import transaction

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.doors.access import may_create_tables
from accounts.models import Act, User
from accounts.users import search
from tables import access
from tables.engine.errors import RuleViolation
from tables.game import commit, lifecycle, pauses, pending_settings, seats
from tables.game.chips import stacks
from tables.game.matches import progress
from tables.game.pending_settings import EditOutcome, Settings
from tables.models import OldCode, Table
from tables.models.invite_codes import generate_code
from tables.protocol.commands import (
    AllowHints,
    Ban,
    Chat,
    Close,
    Free,
    GiveStack,
    HandOn,
    Hosting,
    Lock,
    Pause,
    Renew,
    StartMatch,
)
from tables.protocol.events import (
    BanLifted,
    ChatSwitched,
    HintsAllowed,
    InviteRenewed,
    PlayerBanned,
    Reason,
    TableChanging,
    TableClosing,
    TableHandedOn,
    TableKeptOpen,
    TableLocked,
    TableUnlocked,
)
from tables.state import waiting_line
from tables.state.effects import Effects
from tables.state.live_table import LiveTable

MOST_BANS = 100
"""The limit of bans of a table."""


def apply_host_command(live: LiveTable, who: Operator, command: Hosting) -> None:
    """Execute a command of the host, or of an operator, which is recorded in the audit log.

    Raises :class:`RuleViolation` ``not_maker``, ``password_first``, ``table_paused``,
    ``wrong_phase``, ``no_such_seat``, ``no_such_player``, ``too_many_bans``, ``match_running``, and
    what :func:`progress.start` and :func:`stacks.give` raise.
    """
    if not access.may_host(live.row, who.user_id):
        raise _not_host_error(live.row.maker)
    access.verify_recent_login(live.row, who, live.now)
    is_operators, before = live.row.maker_id != who.user_id, (live.row.is_closing, len(live.events))
    was = _changed_fields(live.row, command)
    match command:
        case Lock(on=on):
            _set_locked(live, is_locked=on)
        case Chat(on=on):
            _set_chat(live, is_on=on)
        case AllowHints(on=on):
            _allow_hints(live, is_allowed=on)
        case Pause(on=on):
            _set_paused(live, is_operators=is_operators, is_paused=on)
        case Renew():
            _renew_code(live)
        case HandOn(player=player):
            _change_host(live, player, is_operators=is_operators)
        case Free(seat=seat):
            _free_seat(live, seat)
        case GiveStack(seat=seat):
            stacks.give(live, seat)
        case Ban(player=player, on=on):
            _set_banned(live, who.user_id, player, is_banned=on)
        case StartMatch():
            progress.start(live)
        case Close(on=True):
            close_table(live)
        case Close():
            _keep_open(live, is_operators=is_operators)
    if is_operators and (live.row.is_closing, len(live.events)) != before:
        _record_action(live, who, command, was)


def close_table(live: LiveTable) -> None:
    """Close the table permanently after the round in play; no effect if it is closing."""
    if live.row.is_closing:
        return
    live.row.is_closing = True
    if live.game.is_playing:
        live.events.append(TableClosing())


def keep_open(live: LiveTable, *, host: str | None = None) -> None:
    """Take back a closing that waits for the round in play; no effect without one.

    ``host`` is the name of the host who does it; ``None`` for operators. Raises
    :class:`RuleViolation` ``table_closed`` if the host has deleted the account.
    """
    maker = live.row.maker
    if not live.row.is_closing:
        return
    if maker is not None and maker.is_deleted:
        raise RuleViolation("table_closed", "The host of this table has deleted the account.")
    live.row.is_closing = False
    live.events.append(TableKeptOpen(host))


def edit_settings(
    user_id: int, table_id: int, made_from: str, new_settings: Settings, now: dt.datetime
) -> Effects[EditOutcome]:
    """Change the settings of a table to ``new_settings`` as its host: at once if there is no round and
    no bet, else from the next round on. All at the table see who did it.

    ``new_settings`` may be some of the settings. ``made_from`` is the ``settings_hash`` of those that
    the host saw, with pending ones. Raises ``Table.DoesNotExist``, :class:`OptionError` for rules
    that cannot be played, and of :mod:`pending_settings` ``NotHost``, ``TableIsClosed``,
    ``ChangedMeanwhile`` and ``AccessIsFixed``.
    """
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        row = live.row
        host = User.objects.filter(pk=user_id, is_active=True).first()
        if host is None or row.maker_id != host.pk:
            raise pending_settings.NotHost
        pending_settings.verify_unchanged(row, made_from)
        before = pending_settings.pending_or_current(row)
        new_settings = {**before, **new_settings}
        if new_settings["is_private"] != before["is_private"] and pending_settings.has_rounds(row):
            raise pending_settings.AccessIsFixed
        pending_settings.verify(row, new_settings)
        if not pending_settings.set_pending(live, new_settings, by=host.username).after:
            return Effects(EditOutcome.NOTHING)
        coming = row.coming or {}
        if pending_settings.must_wait(live) or pending_settings.list_waiting(live, coming):
            live.events.append(TableChanging(host.username, on=bool(coming)))
        elif not coming:
            live.events.append(TableChanging(host.username, on=False))
        changes = (commit.commit_table(live),)
        return Effects(pending_settings.describe_outcome(row, had_pending=bool(coming)), changes)


def _changed_fields(row: Table, command: Hosting) -> dict[str, Any] | None:
    """The current value of the fields that the command changes, if they are in a row."""
    match command:
        case Lock():
            return {"on": row.is_locked}
        case Chat():
            return {"on": row.has_chat}
        case AllowHints():
            return {"on": row.has_hints}
        case Pause():
            return {"on": row.paused_at is not None}
        case Close():
            return {"on": row.is_closing}
        case HandOn() if row.maker is not None:
            return {"player": row.maker.username}
    return None


def _record_action(
    live: LiveTable, who: Operator, command: Hosting, before: dict[str, Any] | None
) -> None:
    """Record an operator's action on the players' page in the audit log."""
    match command:
        case Close(on=on):
            what = Act.What.CLOSE_TABLE if on else Act.What.KEEP_OPEN
        case Pause(on=on):
            what = Act.What.PAUSE_TABLE if on else Act.What.RESUME_TABLE
        case _:
            what = Act.What.EDIT_TABLE
    values = {name: getattr(command, name) for name in command.__struct_fields__ if name != "id"}
    after = {"command": str(command.__struct_config__.tag), **values}
    subject = audit_log.build_subject(live.row)
    audit_log.record(who, what, subject, before=before, after=after, at=live.now)


def _not_host_error(maker: User | None) -> RuleViolation:
    if maker is None:
        return RuleViolation("not_maker", "Only the site's operators can do that at this table.")
    return RuleViolation(
        "not_maker",
        "Only the table host, %(name)s, can do that.",
        name=maker.username,
    )


def _set_locked(live: LiveTable, *, is_locked: bool) -> None:
    if live.row.is_locked != is_locked:
        live.row.is_locked = is_locked
        live.events.append(TableLocked() if is_locked else TableUnlocked())


def _set_chat(live: LiveTable, *, is_on: bool) -> None:
    if live.row.has_chat != is_on:
        live.row.has_chat = is_on
        live.events.append(ChatSwitched(is_on))


def _allow_hints(live: LiveTable, *, is_allowed: bool) -> None:
    if live.row.has_hints != is_allowed:
        live.row.has_hints = is_allowed
        live.events.append(HintsAllowed(is_allowed))
        seats.drop_forbidden_hints(live)


def _set_paused(live: LiveTable, *, is_operators: bool, is_paused: bool) -> None:
    maker = live.row.maker
    host = None if is_operators or maker is None else maker.username
    if is_paused:
        pauses.pause(live, pauses.BY_HOST if host else pauses.BY_OPERATOR, host=host)
    else:
        pauses.resume(live, host=host)


def _keep_open(live: LiveTable, *, is_operators: bool) -> None:
    """A host takes back the own closing, and not that of an operator."""
    maker = live.row.maker
    if is_operators or maker is None:
        keep_open(live)
        return
    if live.row.is_closing and _is_closed_by_operator(live.row):
        raise RuleViolation(
            "not_maker", "An operator closes this table. Only an operator can keep it open."
        )
    keep_open(live, host=maker.username)


def _is_closed_by_operator(row: Table) -> bool:
    """Whether the closing that waits is an operator's: those of hosts are not in the audit log."""
    acts = audit_log.list_entries(audit_log.build_subject(row))
    last = acts.filter(what__in=(Act.What.CLOSE_TABLE, Act.What.KEEP_OPEN)).first()
    return last is not None and last.what == Act.What.CLOSE_TABLE


def _renew_code(live: LiveTable) -> None:
    """Create a new code. Seated players are admitted under it; others need the new link.

    At a private table bets behind are returned: who placed them may see the table no more. The old code
    is kept, so that its link can say that it is no longer valid.
    """
    waiting_line.empty_after_new_invite(live)
    if live.row.is_private:
        live.return_all_behind()
    OldCode.objects.create(code=live.row.code, table=live.row, at=live.now)
    live.row.code = generate_code()
    users = [seat.user_id for seat in live.seats.values()]
    others = live.row.admissions.exclude(user__in=users)
    if live.row.is_private:
        live.shut_out += tuple(others.values_list("user", flat=True))
    others.delete()
    for user_id in users:
        access.grant_access(live.row, user_id)
    live.events.append(InviteRenewed())


def _change_host(live: LiveTable, name: str, *, is_operators: bool) -> None:
    seat = next((s for s in live.seats.values() if s.user.username == name), None)
    if seat is None:
        raise RuleViolation("no_such_player", "Choose a seated player as the new host.")
    row = live.row
    if row.maker_id == seat.user_id:
        return
    if access.is_banned(row, seat.user_id):
        raise RuleViolation("no_such_player", "You have banned that player from this table.")
    if not is_operators:
        _verify_may_be_host(seat.user)
    if row.maker is not None:
        access.grant_access(row, row.maker.pk)
    row.maker = seat.user
    row.save(update_fields=["maker"])  # at once, so that concurrent commands count it
    live.events.append(TableHandedOn(seat.user.username))


def _verify_may_be_host(user: User) -> None:
    """A table that is handed on counts for its new host, as if that player had opened it."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)  # serialises concurrent counts
    if not may_create_tables(user):
        raise RuleViolation(
            "no_such_player",
            "%(name)s can't be the host of a table at this site.",
            name=user.username,
        )
    if lifecycle.has_most_tables(user.pk):
        raise RuleViolation(
            "no_such_player",
            "%(name)s is the host of %(number)s tables already.",
            name=user.username,
            number=lifecycle.MOST_TABLES,
        )


def _set_banned(live: LiveTable, who_id: int, name: str, *, is_banned: bool) -> None:
    user = search.find_by_name(name)
    if user is None:
        raise RuleViolation("no_such_player", "There is no player of that name.")
    if not is_banned:
        if live.row.removals.filter(user=user, is_ban=True).delete()[0]:
            live.events.append(BanLifted(user.username))
        return
    if live.seat_of(user.pk) is not None:
        _verify_no_match(live)
    if user.pk == who_id or access.may_host_as(live.row, user):
        raise RuleViolation("no_such_player", "You can't ban that player.")
    _ban(live, user)


def _ban(live: LiveTable, user: User) -> None:
    """Ban the user from the table, unless that has been done.

    The user leaves the seat or the line: a hand in play stands and is settled first. Raises
    :class:`RuleViolation` ``too_many_bans``.
    """
    removals = live.row.removals
    if removals.filter(user=user, is_ban=True).exists():
        return
    if removals.filter(is_ban=True).count() >= MOST_BANS:
        raise RuleViolation(
            "too_many_bans",
            "%(number)s people are banned from this table, which is the limit.",
            number=MOST_BANS,
        )
    removals.update_or_create(user=user, defaults={"at": live.now, "is_ban": True})
    live.row.admissions.filter(user=user).delete()
    if live.row.is_private:
        live.shut_out += (user.pk,)
    live.events.append(PlayerBanned(user.username))
    waiting_line.leave(live, user.pk)
    live.return_behind_of(user.pk)
    seat = live.seat_of(user.pk)
    if seat is None or seat.is_leaving:
        return
    if live.is_in_round(seat):
        seats.leave(live, user.pk)
    else:
        seats.free_seat(live, seat.number, Reason.BANNED)


def _free_seat(live: LiveTable, number: int) -> None:
    if number not in live.seats:
        raise RuleViolation("no_such_seat", "That seat is empty.")
    _verify_no_match(live)
    if live.game.is_playing:
        raise RuleViolation("wrong_phase", "You can free a seat between rounds.")
    seats.bar_from_seats(live, live.seats[number].user_id)
    seats.free_seat(live, number, Reason.FREED)


def _verify_no_match(live: LiveTable) -> None:
    """A host who plays must not be able to put a rival out."""
    if live.game.is_match_running:
        raise RuleViolation("match_running", "Nobody can be removed from a match while it runs.")
