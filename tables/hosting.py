"""Commands of a table's host: lock, close, free a seat, hand on, renew the invite."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from accounts import trail
from accounts.models import Act, User
from accounts.trail import Operator
from tables import (
    access,
    breaking_off,
    changing,
    dealing,
    racks,
    seating,
    shoes,
    standings,
    watchers,
    writing,
)
from tables.codes import new_code
from tables.committed import Committed, committed
from tables.engine.errors import RuleViolation
from tables.live_table import Author, LiveTable
from tables.messages import Chat, Close, Free, HandOn, Hosting, Lock, Renew
from tables.models import Table
from tables.table_events import (
    ChatSwitched,
    InviteRenewed,
    Reason,
    TableClosed,
    TableClosing,
    TableHandedOn,
    TableLocked,
    TablePaused,
    TableResumed,
    TableUnlocked,
)


def do(live: LiveTable, who: Operator, command: Hosting) -> None:
    """Do what the maker wants, or an operator: then the trail says so.

    Raises :class:`RuleViolation` ``not_maker``, ``password_first``, ``wrong_phase``,
    ``no_such_seat``, ``no_such_player``.
    """
    if not access.may_run(live.row, who.user_id):
        raise _not_maker(live.row.maker)
    access.verify_password_recent(live.row, who, live.now)
    is_operators, before = live.row.maker_id != who.user_id, (live.row.is_closing, len(live.events))
    was = _as_it_is(live.row, command)
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
            close(live)
    if is_operators and (live.row.is_closing, len(live.events)) != before:
        _write_down(live, who, command, was)


def pause(live: LiveTable, because: str) -> None:
    """Let no round begin after the one that is played; harmless when that is so already.

    Bets on the coming round go back, no clock runs between rounds, and nobody loses a seat
    meanwhile. ``because`` is what everybody at the table is told.
    """
    if live.row.paused_at is not None:
        return
    live.row.paused_at, live.row.paused_because = live.now, because
    live.events.append(TablePaused(because))
    _hold_if_paused(live)


def resume(live: LiveTable) -> None:
    """Take bets again; harmless when the table is not paused.

    Who was asked whether to play again has the whole time to answer, and who is away to come back.
    """
    if live.row.paused_at is None:
        return
    live.row.paused_at, live.row.paused_because = None, ""
    live.row.auto_filled = 0
    live.events.append(TableResumed())
    seating.hold_anew(live)
    if not live.game.is_playing:
        dealing.ask_anew(live)


def close(live: LiveTable) -> None:
    """Put the table away for good after the round that is played; harmless when it is closing."""
    if live.row.is_closing:
        return
    live.row.is_closing = True
    if live.game.is_playing:
        live.events.append(TableClosing())


def _as_it_is(row: Table, command: Hosting) -> dict[str, Any] | None:
    """What the table is like now where the command would change it, if a row tells."""
    match command:
        case Lock():
            return {"on": row.is_locked}
        case Chat():
            return {"on": row.has_chat}
        case HandOn() if row.maker is not None:
            return {"player": row.maker.username}
    return None


def _write_down(
    live: LiveTable, who: Operator, command: Hosting, before: dict[str, Any] | None
) -> None:
    """An operator does this on the players' page: it belongs in the trail all the same."""
    what = Act.What.CLOSE_TABLE if isinstance(command, Close) else Act.What.EDIT_TABLE
    done = {name: getattr(command, name) for name in command.__struct_fields__ if name != "id"}
    after = {"command": str(command.__struct_config__.tag), **done}
    subject = trail.subject_of(live.row)
    trail.write(who, what, subject, before=before, after=after, at=live.now)


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
    """:func:`write_all` of one table. Without a user it is the house's own doing."""
    live.author = Author(user_id, command_id, command)
    (change,) = write_all([live])
    return change


def write_all(lives: Sequence[LiveTable]) -> list[Committed]:
    """Write what has happened at these tables, after closing or changing them if that was to be
    done. All of them are seen at the same moment.

    Raises ``bank.InsufficientFunds``, and :class:`RuleViolation` ``loss_limit``.
    """
    changed = [_have_done_what_waited(live) for live in lives]
    writing.write(lives)
    for live, names in zip(lives, changed, strict=True):
        if live.row.is_private and "is_private" in names:
            settled = live.game.round_id if live.settled_hands else None
            standings.forget_table(live.row, but=settled)
    return [committed(live) for live in lives]


def _have_done_what_waited(live: LiveTable) -> Collection[str]:
    """The names of the table's fields that were changed."""
    breaking_off.if_out_of_cards(live)
    _close_if_due(live)
    _hold_if_paused(live)
    changed = changing.apply_if_due(live)
    if racks.fill_if_low(live, has_new_rules="rules_options" in changed):
        pause(live, str(racks.WAITS))
    watchers.count_anew(live)
    return changed


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


def _hold_if_paused(live: LiveTable) -> None:
    """Between the rounds of a paused table no bet lies there and no clock runs."""
    if live.row.paused_at is None or live.game.is_playing:
        return
    dealing.call_off(live)
    live.set_clock(None)


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
