"""The commit of tables: due actions, money, rows, and the notice for open pages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from accounts.ledger import transfers
from accounts.ledger.transfers import Balance, Posting
from accounts.lib.sql import sqlite_cache
from accounts.lib.sql.driver import to_driver_value
from accounts.lib.sql.write import InsertRows, UpdateRows
from accounts.models import Transfer
from tables.engine.events import event_to_dict
from tables.game import (
    aborted_rounds,
    pauses,
    pending_settings,
    racks,
    rounds,
    seats,
    shoes,
)
from tables.models import Change, Hand, Round, Seat, Table
from tables.protocol import codec
from tables.protocol.events import (
    InviteRenewed,
    PlayerLeft,
    PlayerSat,
    Reason,
    TableChanged,
    TableClosed,
    TableHandedOn,
    TableLocked,
    TablePaused,
    TableResumed,
    TableUnlocked,
)
from tables.protocol.frames import Changed
from tables.results import leaderboard_totals, recording, revenue
from tables.results.recording import SettledRound
from tables.state import cache, loading, watchers
from tables.state.cache import CachedTable
from tables.state.effects import ChangeNotice
from tables.state.live_table import Author, LiveTable
from tables.state.public_view import build_public_table, to_milliseconds

FIELDS_WRITTEN_RARELY = (
    "watchers", "maker_id", "code", "is_locked", "has_chat", "is_closing", "closed_at",
    "paused_at", "paused_because", "coming", "auto_filled",
)  # fmt: skip
ROUND_FIELDS = ("number", "shoe_id", "first_card", "dealt_at", "finished_at", "dealer_cards")

_write_often = UpdateRows(Table, loading.OFTEN)
_write_seldom = UpdateRows(Table, FIELDS_WRITTEN_RARELY)
_write_rounds = UpdateRows(Round, ROUND_FIELDS)
_write_seats = UpdateRows(Seat, loading.SEAT_FIELDS)
_insert_hands = InsertRows(Hand)
insert_changes = InsertRows(
    Change, ("table", "seq", "round", "at", "user", "command_id", "command", "events")
)


def _write_changes(lives: Sequence[LiveTable]) -> None:
    """Store the changes of these tables with the same time.

    Raises ``transfers.InsufficientFunds``, and :class:`RuleViolation` ``loss_limit``.
    """
    with sqlite_cache.keep_cache_valid():
        _move_money(lives)
        _write_rounds_played(lives)
        _write_seats_taken(lives)
        _write_tables(lives)
        for live in lives:
            live.wallets = _list_balances(live)
            live.told = tuple(event_to_dict(event) for event in live.events)
        insert_changes.insert_values([_change_row(live) for live in lives])
    for live in lives:
        _cache_table(live)


def _move_money(lives: Sequence[LiveTable]) -> None:
    movements = [one for live in lives for one in _list_postings(live)]
    if not movements:
        return
    balances = transfers.post(movements, at=lives[0].now)
    for live in lives:
        live.balances |= balances
        staked = {m.debit for m in live.movements if m.kind == Transfer.Kind.STAKE}
        users = [seat.user for seat in live.seats_before_and_now() if seat.user.wallet.pk in staked]
        live.loss_limits.verify(users)


def _list_postings(live: LiveTable) -> list[Posting]:
    """The postings of the change, with its user: some were created before the user was known."""
    by = live.author.user_id
    return [one if one.by == by else replace(one, by=by) for one in live.movements]


def _list_balances(live: LiveTable) -> dict[int, Balance]:
    if not live.balances:
        return {}
    users = {seat.user.wallet.pk: seat.user_id for seat in live.seats_before_and_now()}
    return {users[pk]: balance for pk, balance in live.balances.items() if pk in users}


def _write_rounds_played(lives: Sequence[LiveTable]) -> None:
    now = lives[0].now
    touched = [(live, live.round_row) for live in lives if live.round_row is not None]
    _write_rounds(
        row for live, row in touched if not live.as_read.changed(row).isdisjoint(ROUND_FIELDS)
    )
    settled = [
        SettledRound(live.row, row, live.settled_hands, live.game.decisions)
        for live, row in touched
        if live.settled_hands
    ]
    if settled:
        _insert_hands(hand for one in settled for hand in one.hands)
        recording.record_results(settled, now)
        for one in settled:
            revenue.add_round_revenue(one.table, one.round, one.hands, now)
    for live in lives:
        if live.ended_game is not None:
            live.ended_game.save(force_insert=True)


def _write_seats_taken(lives: Sequence[LiveTable]) -> None:
    _write_seats([seat for live in lives for seat in live.seats_changed])
    for live in lives:
        for seat in live.seats_freed:
            seat.delete()


def _write_tables(lives: Sequence[LiveTable]) -> None:
    for live in lives:
        row = live.row
        row.seq += 1
        row.phase = Table.Phase.PLAYING if live.game.is_playing else Table.Phase.BETTING
        row.state = live.game.to_text()
        row.used_at = live.now
        live.changed = live.as_read.changed(row)
    _write_often([live.row for live in lives])
    _write_seldom(
        [live.row for live in lives if not live.changed.isdisjoint(FIELDS_WRITTEN_RARELY)]
    )


def _change_row(live: LiveTable) -> tuple[Any, ...]:
    author = live.author
    return (
        live.row.pk, live.row.seq, live.game.round_id, to_driver_value(live.now), author.user_id,
        to_driver_value(author.command_id), author.command, codec.encode(live.told)
    )  # fmt: skip


def _cache_table(live: LiveTable) -> None:
    """Cache row, game and seats for the next change.

    After a rollback they differ from the database row, so the cache is not used.
    """
    read = live.read
    has_row = bool(read.raw) and live.changed.issubset(loading.OFTEN)
    row = (read.raw, live.row) if has_row else None
    seats = read.seats
    if live.seats_freed:
        seats = tuple((raw, seat) for raw, seat in seats if seat not in live.seats_freed)
    if live.balances:
        for _, seat in seats:
            transfers.apply_balances(seat.user.wallet, live.balances)
    generation = read.generation if has_row and not live.seats_taken else 0
    round_row = live.round_row or read.round_row
    kept = CachedTable(live.row.state, live.game, row, seats, round_row, generation)
    cache.put(live.row.pk, kept, moved=live.wallets)


# Notices for open pages

LOBBY_NEWS: Final = (
    PlayerSat, PlayerLeft, TableLocked, TableUnlocked, TableHandedOn, TablePaused, TableResumed,
    TableChanged, TableClosed,
)  # fmt: skip
ENDS_VISITS: Final = (InviteRenewed, TableChanged, TableClosed)


def build_change_notice(live: LiveTable) -> ChangeNotice:
    """The notice of the change that was just written."""
    return ChangeNotice(
        table_id=live.row.pk,
        changed=Changed(
            seq=live.row.seq,
            now=to_milliseconds(live.now),
            events=live.told,
            table=build_public_table(live),
        ),
        wallets=live.wallets,
        is_lobby_news=live.was_playing != live.game.is_playing
        or any(isinstance(event, LOBBY_NEWS) for event in live.events),
        ends_visits=any(isinstance(event, ENDS_VISITS) for event in live.events),
        deadline_at=live.row.deadline_at,
    )


def commit_table(
    live: LiveTable, user_id: int | None = None, command_id: UUID | None = None, command: str = ""
) -> ChangeNotice:
    """:func:`commit_tables` of one table. Without a user it is the site's own doing."""
    live.author = Author(user_id, command_id, command)
    (change,) = commit_tables([live])
    return change


def commit_tables(lives: Sequence[LiveTable]) -> list[ChangeNotice]:
    """Apply due actions of these tables and write all their changes. The caller has a transaction.

    Raises ``transfers.InsufficientFunds``, and :class:`RuleViolation` ``loss_limit``.
    """
    changed = [_apply_due_actions(live) for live in lives]
    _write_changes(lives)
    for live, names in zip(lives, changed, strict=True):
        if live.row.is_private and "is_private" in names:
            settled = live.game.round_id if live.settled_hands else None
            leaderboard_totals.drop_private_table(live.row, but=settled)
    return [build_change_notice(live) for live in lives]


def _apply_due_actions(live: LiveTable) -> Collection[str]:
    """Close, pause, apply pending settings and top up the rack if due; the changed field names."""
    aborted_rounds.abort_if_out_of_cards(live)
    _close_if_due(live)
    pauses.hold_if_paused(live)
    changed = pending_settings.apply_pending(live)
    if racks.top_up_if_low(live, has_new_rules="rules_options" in changed):
        pauses.pause(live, racks.WAITS)
    watchers.update_count(live)
    return changed


def _close_if_due(live: LiveTable) -> None:
    """Close the table if it is closing and no round is in play."""
    row = live.row
    if not row.is_closing or live.game.is_playing:
        return
    for seat in live.seats:
        rounds.refund_bet(live, seat)
    for seat in list(live.seats):
        seats.free_seat(live, seat, Reason.CLOSED)
    shoes.retire_in_use(live)
    row.is_closing, row.closed_at = False, live.now
    live.events.append(TableClosed())
