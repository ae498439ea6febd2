"""The one way to change a table, and what may be asked about it.

Every change is one short transaction: lock the row, apply what is overdue, check, play, write
state, events and money. The caller tells the viewers after the commit.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext

from accounts import bank, sessions
from accounts.bank import InsufficientFunds
from accounts.models import Account, User
from accounts.statements import Lock
from accounts.trail import Operator
from tables import (
    access,
    breaking_off,
    chat,
    dealing,
    hosting,
    messages,
    metrics,
    news,
    outages,
    protocol,
    seating,
)
from tables.committed import Committed
from tables.engine.actions import Action
from tables.engine.errors import RuleViolation
from tables.game import UnreadableState
from tables.live_table import LiveTable
from tables.messages import Done, Err, Hosting, Snapshot, TableCommand, You
from tables.models import Change, Table
from tables.public import milliseconds, public_table
from tables.translated import sentence

GRACE = dt.timedelta(milliseconds=750)
"""A decision that comes this late still counts; nobody is told of it."""


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a command: the answer for its sender, and the changes it made."""

    answer: Done | Err
    changes: tuple[Committed, ...] = ()


class _Overdue(Exception):
    """The table's deadline has passed: it is applied before the command."""


def play(
    table_id: int,
    user_id: int,
    command: TableCommand,
    now: dt.datetime,
    *,
    address: str | None = None,
    session: str | None = None,
) -> Played:
    """Do what ``command`` says for this user, once, or say why not.

    A command that is sent again is answered again and not done again. ``address`` is where it
    came from: the trail has it when an operator sent it. ``session`` is the key that it was sent
    under from an open page. Raises ``Table.DoesNotExist``, and ``sessions.Ended`` when nobody is
    logged in under that key any more: then nothing was done.
    """
    who = Operator(user_id, address)
    try:
        return _play(table_id, who, command, now, session)
    except _Overdue:
        before = run_out(table_id, now)
    except UnreadableState:
        before = breaking_off.if_unreadable(table_id, now)
    played = _play(table_id, who, command, now, session)
    return Played(played.answer, (*before, *played.changes))


def run_out(table_id: int, now: dt.datetime) -> tuple[Committed, ...]:
    """Apply the table's deadline if it has passed; harmless when somebody else did.

    One that nobody saw to in time is put off: the house was away, and not the player.
    """
    try:
        return _run_out(table_id, now)
    except UnreadableState:
        return breaking_off.if_unreadable(table_id, now)


def _run_out(table_id: int, now: dt.datetime) -> tuple[Committed, ...]:
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        deadline_at = live.row.deadline_at
        if deadline_at is None or not _is_overdue(live):
            return ()
        if outages.was_missed(live):
            outages.go_on(live)
        else:
            dealing.time_is_up(live)
        change = hosting.write(live)
    metrics.DEADLINE_LAG_SECONDS.observe((now - deadline_at).total_seconds())
    return (change,)


lock_tables = Lock(Table)
"""Locks the rows of tables by their ids, until the transaction ends."""


def tables_in_use() -> list[int]:
    """The ids of the tables where somebody sits or a clock runs."""
    tables = Table.objects.filter(Q(deadline_at__isnull=False) | Q(seats__isnull=False))
    return list(tables.order_by("pk").distinct().values_list("pk", flat=True))


def overdue_tables(now: dt.datetime) -> list[int]:
    """The ids of the tables whose deadline has passed."""
    overdue = Table.objects.filter(deadline_at__lte=now - GRACE).order_by("deadline_at")
    return list(overdue.values_list("pk", flat=True))


def next_deadline() -> dt.datetime | None:
    """When the next decision of any table runs out."""
    tables = Table.objects.filter(deadline_at__isnull=False).order_by("deadline_at")
    return tables.values_list("deadline_at", flat=True).first()


def snapshot(table_id: int, user_id: int | None, now: dt.datetime) -> Snapshot:
    """The table as it is now, for this viewer, who may see it.

    Raises ``Table.DoesNotExist``, also when the table is closed.
    """
    row = Table.objects.select_related("maker").get(pk=table_id, closed_at__isnull=True)
    try:
        live = LiveTable.of(row, now)
    except UnreadableState:
        # Pages that are open already see what came of it by the next heartbeat.
        breaking_off.if_unreadable(table_id, now)
        return snapshot(table_id, user_id, now)
    return Snapshot(
        epoch=news.epoch(),
        seq=row.seq,
        now=milliseconds(now),
        table=public_table(live),
        you=_you(row, user_id),
        chat=chat.last_lines(row),
        house=news.of_house(now),
        announcement=news.of_table(row, now),
    )


def greet(
    table_id: int, user_id: int | None, now: dt.datetime, *, session: str | None = None
) -> Snapshot:
    """:func:`snapshot` for a page that is open, of somebody who is logged in under this session.

    Raises ``sessions.Ended`` when that is so no more: a page that was being opened in that moment
    could not be found to be closed.
    """
    if user_id is not None and not sessions.may_act(user_id, session, now):
        raise sessions.Ended
    return snapshot(table_id, user_id, now)


def _you(row: Table, user_id: int | None) -> You:
    user = User.objects.filter(pk=user_id).first() if user_id else None
    if user is None:
        return You(invite=row.code)
    runs = access.may_run(row, user.pk)
    return You(
        player=user.username,
        balance=bank.balances_of([user.pk]).get(user.pk, bank.STARTING_GRANT),
        guest=user.is_guest,
        invite=row.code,
        runs=runs,
        silenced=chat.silenced_at(row) if runs else (),
    )


def _play(
    table_id: int, who: Operator, command: TableCommand, now: dt.datetime, session: str | None
) -> Played:
    text, user_id = protocol.encode(command), who.user_id
    seq = 0
    try:
        with transaction.atomic():
            live = LiveTable.lock(table_id, now)
            seq = live.row.seq
            if _is_overdue(live):
                raise _Overdue
            _verify_may_play(live, user_id, session)
            if isinstance(command, Hosting):
                hosting.do(live, who, command)
            else:
                _HANDLERS[type(command)](live, user_id, command)
            change = hosting.write(live, user_id, command.id, text)
            return Played(Done(command.id, live.row.seq), (change,))
    except (RuleViolation, InsufficientFunds, IntegrityError) as failure:
        # One that was done before fails: it speaks of what is over, or its id is there already.
        before = Change.objects.filter(user=user_id, command_id=command.id).first()
        if before is not None:
            return Played(_answer_again(before, table_id, text, command, seq))
        return Played(_refusal(failure, command, seq))


def _refusal(
    failure: RuleViolation | InsufficientFunds | IntegrityError, command: TableCommand, seq: int
) -> Err:
    """Why the command was not done. Raises what is nobody's fault but ours."""
    if isinstance(failure, RuleViolation):
        return Err(command.id, failure.code, sentence(failure), seq)
    if isinstance(failure, InsufficientFunds) and failure.account.kind == Account.Kind.WALLET:
        # Spent at another table between our look into the wallet and its lock.
        message = gettext("There is not enough money for that.")
        return Err(command.id, "cannot_afford", message, seq)
    raise failure


def _verify_may_play(live: LiveTable, user_id: int, session: str | None) -> None:
    if live.row.closed_at is not None:
        raise RuleViolation("table_closed", "This table is closed.")
    if sessions.may_act(user_id, session, live.now):
        return
    if User.objects.filter(pk=user_id, is_active=True).exists():
        raise sessions.Ended
    raise RuleViolation("not_allowed", "This account cannot play.")


def _answer_again(
    before: Change, table_id: int, text: str, command: TableCommand, seq: int
) -> Done | Err:
    if before.table_id == table_id and before.command == text:
        return Done(command.id, before.seq)
    return _id_reused(command, seq)


def _id_reused(command: TableCommand, seq: int) -> Err:
    message = gettext("This command id was used for something else.")
    return Err(command.id, "id_reused", message, seq)


def _is_overdue(live: LiveTable) -> bool:
    deadline_at = live.row.deadline_at
    return deadline_at is not None and deadline_at + GRACE <= live.now


def _sit(live: LiveTable, user_id: int, command: messages.Sit) -> None:
    seating.sit(live, user_id, command.seat)


def _leave(live: LiveTable, user_id: int, command: messages.Leave) -> None:
    seating.leave(live, user_id)


def _bet(live: LiveTable, user_id: int, command: messages.Bet) -> None:
    dealing.bet(live, user_id, command.turn, command.stake, command.words)


def _take_back(live: LiveTable, user_id: int, command: messages.TakeBack) -> None:
    dealing.take_back(live, user_id, command.turn)


def _act(action: Action) -> Callable[[LiveTable, int, messages.Decision], None]:
    def handler(live: LiveTable, user_id: int, command: messages.Decision) -> None:
        dealing.act(live, user_id, command.turn, action)

    return handler


_HANDLERS: Final[dict[type, Callable[..., None]]] = {
    messages.Sit: _sit,
    messages.Leave: _leave,
    messages.Bet: _bet,
    messages.TakeBack: _take_back,
    messages.Hit: _act(Action.HIT),
    messages.Stand: _act(Action.STAND),
    messages.Double: _act(Action.DOUBLE_DOWN),
    messages.Split: _act(Action.SPLIT),
    messages.Surrender: _act(Action.SURRENDER),
    messages.Insure: _act(Action.INSURE),
    messages.Decline: _act(Action.DECLINE),
}
