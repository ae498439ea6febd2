"""What is done to a table and what may be asked about it, each in a transaction of its own.

The caller tells the viewers after the commit.
"""

from __future__ import annotations

import datetime as dt

from django.db import transaction
from django.db.models import Q

from accounts import bank, sessions
from accounts.models import User
from accounts.writes import Lock
from tables import (
    access,
    chat,
    dealing,
    hosting,
    metrics,
    news,
    outages,
    playing,
    unreadable,
)
from tables.committed import Committed
from tables.game import UnreadableState
from tables.live_table import LiveTable
from tables.messages import Snapshot, You
from tables.models import Seat, Table
from tables.playing import GRACE, Order, Overdue, Played, is_overdue
from tables.public import milliseconds, public_table


def play(order: Order, now: dt.datetime) -> Played:
    """Do what this command of a player says, once, or say why not.

    A command that is sent again is answered again and not done again. Raises
    ``Table.DoesNotExist``, and ``sessions.Ended`` when nobody is logged in any more under the key
    that it was sent under: then nothing was done.
    """
    try:
        return playing.play_one(order, now)
    except Overdue:
        before = run_out(order.table_id, now)
    except UnreadableState:
        before = unreadable.break_off(order.table_id, now)
    played = playing.play_one(order, now)
    return Played(played.answer, (*before, *played.changes))


def run_out(table_id: int, now: dt.datetime) -> tuple[Committed, ...]:
    """Apply the table's deadline if it has passed; harmless when somebody else did.

    One that nobody saw to in time is put off: the house was away, and not the player.
    """
    try:
        return _run_out(table_id, now)
    except UnreadableState:
        return unreadable.break_off(table_id, now)


def _run_out(table_id: int, now: dt.datetime) -> tuple[Committed, ...]:
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        deadline_at = live.row.deadline_at
        if deadline_at is None or not is_overdue(live, now):
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


def tables_with_a_clock() -> list[int]:
    """The ids of the tables where somebody has to decide, or a seat is held for so long."""
    held = Seat.objects.filter(away_since__isnull=False)
    tables = Table.objects.filter(Q(deadline_at__isnull=False) | Q(pk__in=held.values("table")))
    return list(tables.order_by("pk").values_list("pk", flat=True))


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
        unreadable.break_off(table_id, now)
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
    balance = bank.wallets_of([user.pk]).get(user.pk, bank.NOT_OPENED)
    return You(
        player=user.username,
        balance=balance.amount,
        balance_seq=balance.seq,
        guest=user.is_guest,
        invite=row.code,
        runs=runs,
        silenced=chat.silenced_at(row) if runs else (),
    )
