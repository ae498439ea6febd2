"""Running a table: what its maker, and an operator of the house, may do with it."""

from __future__ import annotations

from uuid import UUID

from accounts.models import User
from tables import access, dealing, seating, shoes
from tables.codes import new_code
from tables.committed import Committed, committed
from tables.engine.errors import RuleViolation
from tables.live_table import LiveTable
from tables.messages import Chat, Close, Free, HandOn, Hosting, Lock, Renew
from tables.table_events import (
    ChatSwitched,
    InviteRenewed,
    Reason,
    TableClosed,
    TableClosing,
    TableHandedOn,
    TableLocked,
    TableUnlocked,
)


def do(live: LiveTable, user_id: int, command: Hosting) -> None:
    """Do what the maker wants. Raises :class:`RuleViolation` ``not_maker``, ``wrong_phase``,
    ``no_such_seat``, ``no_such_player``.
    """
    if not access.may_run(live.row, user_id):
        raise _not_maker(live.row.maker)
    match command:
        case Lock(on=on):
            _lock(live, is_locked=on)
        case Chat(on=on):
            _switch_chat(live, is_on=on)
        case Renew():
            _renew(live)
        case HandOn(player=player):
            _hand_on(live, player)
        case Free(seat=seat):
            _free(live, seat)
        case Close():
            _close(live)


def _not_maker(maker: User | None) -> RuleViolation:
    if maker is None:
        return RuleViolation("not_maker", "At this table only the house can do that.")
    return RuleViolation(
        "not_maker",
        "At this table only %(name)s, who runs it, can do that.",
        name=maker.username,
    )


def write(
    live: LiveTable, user_id: int | None = None, command_id: UUID | None = None, command: str = ""
) -> Committed:
    """Write what has happened at the table, after closing it if that was to be done.

    Without a user it is the house's own doing.
    """
    _close_if_due(live)
    live.write(user_id=user_id, command_id=command_id, command=command)
    return committed(live)


def _close_if_due(live: LiveTable) -> None:
    """Put the table away when it is to be closed and no round is being played any more."""
    row = live.row
    if not row.is_closing or live.game.is_playing:
        return
    for seat in live.seats:
        dealing.take_bet_back(live, seat)
    for seat in list(live.seats):
        seating.free(live, seat, Reason.CLOSED)
    shoes.retire_unfinished(live)
    row.is_closing, row.closed_at = False, live.now
    live.events.append(TableClosed())


def _lock(live: LiveTable, *, is_locked: bool) -> None:
    if live.row.is_locked != is_locked:
        live.row.is_locked = is_locked
        live.events.append(TableLocked() if is_locked else TableUnlocked())


def _switch_chat(live: LiveTable, *, is_on: bool) -> None:
    if live.row.has_chat != is_on:
        live.row.has_chat = is_on
        live.events.append(ChatSwitched(is_on))


def _renew(live: LiveTable) -> None:
    """A new code. Who sits at the table is let in with it; all others need the new link."""
    live.row.code = new_code()
    live.row.admissions.exclude(user__in=[seat.user_id for seat in live.seats.values()]).delete()
    for seat in live.seats.values():
        access.admit(live.row, seat.user_id)
    live.events.append(InviteRenewed())


def _hand_on(live: LiveTable, name: str) -> None:
    seat = next((s for s in live.seats.values() if s.user.username == name), None)
    if seat is None:
        raise RuleViolation("no_such_player", "Hand the table on to somebody who sits at it.")
    row = live.row
    if row.maker_id == seat.user_id:
        return
    if row.maker is not None:
        access.admit(row, row.maker.pk)
    row.maker = seat.user
    live.events.append(TableHandedOn(seat.user.username))


def _free(live: LiveTable, number: int) -> None:
    if number not in live.seats:
        raise RuleViolation("no_such_seat", "Nobody sits there.")
    if live.game.is_playing:
        raise RuleViolation("wrong_phase", "A seat can be freed between rounds.")
    seating.free(live, number, Reason.FREED)


def _close(live: LiveTable) -> None:
    if live.row.is_closing:
        return
    live.row.is_closing = True
    if live.game.is_playing:
        live.events.append(TableClosing())
