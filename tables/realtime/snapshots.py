"""Snapshots: the state of a table for an opening page."""

from __future__ import annotations

import datetime as dt

from accounts.ledger import transfers
from accounts.models import User
from accounts.users import sessions
from tables import access
from tables.game import unreadable_state
from tables.models import Table
from tables.protocol.frames import Snapshot, You
from tables.social import announcements, chat
from tables.state.game_state import UnreadableState
from tables.state.live_table import LiveTable
from tables.state.public_view import build_public_table, to_milliseconds


def table_snapshot(table_id: int, user_id: int | None, now: dt.datetime) -> Snapshot:
    """The snapshot of a table for a viewer, whose access the caller has checked.

    Raises ``Table.DoesNotExist``, also if the table is closed.
    """
    row = Table.objects.select_related("maker").get(pk=table_id, closed_at__isnull=True)
    try:
        live = LiveTable.from_stored(row, now)
    except UnreadableState:
        # Open pages get this change by the next heartbeat.
        unreadable_state.reset_table(table_id, now)
        return table_snapshot(table_id, user_id, now)
    return Snapshot(
        epoch=announcements.read_epoch(),
        seq=row.seq,
        now=to_milliseconds(now),
        table=build_public_table(live),
        you=_build_you(live, user_id),
        chat=chat.list_last_lines(row),
        house=announcements.get_site_state(now),
        announcement=announcements.get_table_announcement(row, now),
    )


def snapshot_for_session(
    table_id: int, user_id: int | None, now: dt.datetime, *, session: str | None = None
) -> Snapshot:
    """:func:`table_snapshot` for an open page of a user with this session.

    Raises ``sessions.SessionEnded`` if the session has ended: a page that was just opening then is not yet
    registered to be closed.
    """
    if user_id is not None and not sessions.may_act(user_id, session, now):
        raise sessions.SessionEnded
    return table_snapshot(table_id, user_id, now)


def _build_you(live: LiveTable, user_id: int | None) -> You:
    row = live.row
    user = User.objects.filter(pk=user_id).first() if user_id else None
    if user is None:
        return You(invite=row.code)
    runs, seat = access.may_host(row, user.pk), live.seat_of(user.pk)
    balance = transfers.get_wallet_balances([user.pk]).get(user.pk, transfers.NOT_OPENED)
    return You(
        player=user.username,
        balance=balance.amount,
        balance_seq=balance.seq,
        guest=user.is_guest,
        invite=row.code,
        runs=runs,
        silenced=chat.list_silenced(row) if runs else (),
        insurance=live.game.insurance_answers.get(seat.number) if seat else None,
    )
