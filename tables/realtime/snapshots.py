"""Snapshots: the state of a table for an opening page."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from accounts.ledger.transfers import Balance, get_unopened_balance
from accounts.lib.sql import driver
from accounts.lib.sql.select import Select
from accounts.lib.times import to_milliseconds
from accounts.models import Account, HouseSettings, User
from accounts.users import sessions
from tables import access
from tables.game import unreadable_state
from tables.models import Change, ChatLine, QueueEntry, Seat, Table
from tables.protocol import change_body
from tables.protocol.frames import MissedChange, Snapshot, You
from tables.social import announcements, chat
from tables.state import rooms, watchers
from tables.state.game_state import UnreadableState
from tables.state.live_table import LiveTable
from tables.state.public_view import build_public_table

MOST_MISSED: Final = 60
"""The changes that a snapshot looks at: some ten rounds of three players."""

_tables: Final = Select(
    lambda table_id: Table.objects.select_related("maker", "rack").filter(
        pk=table_id, closed_at__isnull=True
    )
)
_viewers: Final = Select(lambda user_id: User.objects.select_related("wallet").filter(pk=user_id))


@dataclass(frozen=True, slots=True)
class _Stored:
    """What a snapshot is built from, read in one round trip."""

    row: Table
    seats: list[Seat]
    queue: list[QueueEntry]
    settings: HouseSettings
    lines: list[ChatLine]
    viewer: User | None
    present: tuple[str, ...]


def table_snapshot(
    table_id: int,
    user_id: int | None,
    now: dt.datetime,
    *,
    seq: int | None = None,
    tells_round: bool = False,
) -> Snapshot:
    """The snapshot of a table for a viewer, whose access the caller has checked.

    It tells what has happened since the change ``seq``, or the last round with ``tells_round``, if that is
    known and not too much. At a table of piles it tells only what belongs to the last round, and that
    round only while it is played. Raises ``Table.DoesNotExist``, also if the table is closed.
    """
    stored = _load(table_id, user_id, now)
    row = stored.row
    try:
        live = LiveTable.from_stored(row, now, seats=stored.seats, queue=stored.queue)
    except UnreadableState:
        # Open pages get this change by the next heartbeat.
        unreadable_state.reset_table(table_id, now)
        return table_snapshot(table_id, user_id, now, seq=seq, tells_round=tells_round)
    table = build_public_table(live)
    missed = _list_round(live) if tells_round else _list_missed(live, seq)
    return Snapshot(
        epoch=stored.settings.epoch,
        seq=row.seq,
        now=to_milliseconds(now),
        table=table,
        you=_build_you(live, stored.viewer),
        chat=chat.build_lines(stored.lines),
        house=announcements.build_site_state(stored.settings, now),
        announcement=announcements.get_table_announcement(row, now),
        present=stored.present,
        missed=_decode_changes(missed, table.number),
    )


def _list_missed(live: LiveTable, seq: int | None) -> list[Change]:
    """The changes since ``seq``."""
    if seq is None or not 0 < live.row.seq - seq <= MOST_MISSED:
        return []
    changes = _list_since(live, seq)
    if live.rules.has_piles:  # nobody may look into the piles
        changes = [one for one in changes if one.round_id == live.game.round_id]
    return changes


def _list_round(live: LiveTable) -> list[Change]:
    """The changes of the last round, from its first bet on."""
    round_id = live.game.round_id
    if round_id is None or (live.rules.has_piles and not live.game.is_playing):
        return []
    seqs = Change.objects.filter(round=round_id).order_by("seq").values_list("seq", flat=True)
    first = seqs.first()
    if first is None or live.row.seq - first >= MOST_MISSED:
        return []
    return _list_since(live, first - 1)


def _list_since(live: LiveTable, seq: int) -> list[Change]:
    changes = Change.objects.filter(table=live.row, seq__gt=seq, seq__lte=live.row.seq)
    return list(changes.select_related("round").order_by("seq"))


def _decode_changes(changes: Iterable[Change], number: int | None) -> tuple[MissedChange, ...]:
    """The events of changes; none if one is damaged. ``number`` is that of the last round: until the deal
    its row has none.
    """
    try:
        return tuple(
            MissedChange(
                (change.round.number or number) if change.round else None, tuple(change.events)
            )
            for change in changes
        )
    except change_body.DamagedBody:
        return ()


def _load(table_id: int, user_id: int | None, now: dt.datetime) -> _Stored:
    with driver.pipeline():
        get_rows, get_seats = _tables.send(table_id), rooms.send_seats(table_id)
        get_queue = rooms.send_queue(table_id)
        get_settings, get_lines = announcements.send_settings(), chat.send_last_lines(table_id)
        get_viewers = _viewers.send(user_id) if user_id else None
        get_present = watchers.send_present_names(table_id, now)
    rows, (settings,) = get_rows(), get_settings()
    if not rows:
        raise Table.DoesNotExist(f"table {table_id}")
    viewers = get_viewers() if get_viewers else []
    viewer = viewers[0] if viewers else None
    return _Stored(rows[0], get_seats(), get_queue(), settings, get_lines(), viewer, get_present())


def snapshot_for_session(
    table_id: int,
    user_id: int | None,
    now: dt.datetime,
    *,
    session: str | None = None,
    seq: int | None = None,
) -> Snapshot:
    """:func:`table_snapshot` for an open page of a user with this session.

    Raises ``sessions.SessionEnded`` if the session has ended: a page that was just opening then is not yet
    registered to be closed.
    """
    if user_id is not None and not sessions.may_act(user_id, session, now):
        raise sessions.SessionEnded
    return table_snapshot(table_id, user_id, now, seq=seq)


def _build_you(live: LiveTable, user: User | None) -> You:
    row = live.row
    if user is None:
        return You(invite=row.code)
    runs, seat = access.may_host_as(row, user), live.seat_of(user.pk)
    balance = _get_balance(user)
    is_alone = live.game.match is not None and live.game.match.is_duplicate
    return You(
        player=user.username,
        balance=balance.amount,
        balance_seq=balance.seq,
        guest=user.is_guest,
        invite=None if is_alone else row.code,
        runs=runs,
        silenced=chat.list_silenced(row) if runs else (),
        banned=access.list_banned(row) if runs else (),
        insurance=live.game.insurance_answers.get(seat.number) if seat else None,
        plan=live.game.plans.get(seat.number) if seat else None,
    )


def _get_balance(user: User) -> Balance:
    try:
        return Balance(user.wallet.balance, user.wallet.seq)
    except Account.DoesNotExist:
        return get_unopened_balance()
