"""Changes of tables, written in the transaction of the caller: due actions, money, rows, and the
notice for open pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from accounts.ledger import transfers
from accounts.ledger.transfers import Balance
from accounts.lib.sql import driver, optimistic
from accounts.lib.sql.driver import to_driver_value
from accounts.lib.sql.write import DeleteRows, InsertRows, UpdateRows
from accounts.lib.times import to_milliseconds
from accounts.models import Account, Transfer
from tables.engine.events import event_to_dict
from tables.game import (
    aborted_rounds,
    pauses,
    pending_settings,
    rounds,
    seats,
    shoes,
)
from tables.game.chips import racks, stacks
from tables.game.matches import progress
from tables.models import Change, PileGame, QueueEntry, Result, Round, Seat, Table
from tables.protocol import change_body, codec
from tables.protocol.events import (
    InviteRenewed,
    MatchEnded,
    MatchRoundEnded,
    MatchStarted,
    OfferLapsed,
    PlayerBanned,
    PlayerLeft,
    PlayerSat,
    QueueLeft,
    Reason,
    SeatOffered,
    TableChanged,
    TableClosed,
    TableHandedOn,
    TableLocked,
    TablePaused,
    TableResumed,
    TableUnlocked,
)
from tables.protocol.frames import Changed
from tables.results import leaderboard_totals, recording
from tables.results.recording import SettledRound
from tables.state import locking, plans, rooms, waiting_line, watchers
from tables.state.effects import ChangeNotice
from tables.state.live_table import ROUND_FIELDS, WRITTEN_RARELY, Author, LiveTable
from tables.state.public_view import build_public_table

WRITTEN_OFTEN: Final = (
    "seq", "turn", "phase", "deadline_at", "state", "used_at", "round_count", "shoe_count", "staked",
    "rack_due",
)  # fmt: skip

_write_often = UpdateRows(Table, WRITTEN_OFTEN, counted="seq")
_write_rarely = UpdateRows(Table, WRITTEN_RARELY)
_write_rounds = UpdateRows(Round, ROUND_FIELDS)
_write_seats = UpdateRows(Seat, rooms.SEAT_FIELDS)
_delete_seats = DeleteRows(Seat)
_write_queue = UpdateRows(QueueEntry, ("seat", "until"))
_delete_queue = DeleteRows(QueueEntry)
_insert_games = InsertRows(PileGame)
insert_changes = InsertRows(Change, ("table", "seq", "round", "at", "user", "command_id", "body"))


def _write_changes(lives: Sequence[LiveTable]) -> list[ChangeNotice]:
    """Store the changes of these tables with the same time; return their notices, which are built
    while the database writes. In an optimistic transaction on PostgreSQL all of it is one pipeline.

    Raises ``transfers.InsufficientFunds``, :class:`RuleViolation` ``loss_limit``, and
    ``optimistic.Conflict``.
    """
    in_order, lives = lives, sorted(lives, key=lambda live: live.row.id)  # the order of locks
    now = lives[0].now
    settled = [
        SettledRound(
            live.row,
            live.round_row,
            live.settled_hands,
            live.game.decisions,
            live.game.seats_with_hints,
        )
        for live in lives
        if live.settled_hands and live.round_row is not None
    ]
    results = recording.build_results(settled, now)
    for live in lives:
        _prepare_row(live)
        live.load_limits()
    if any(live.movements for live in lives):
        # Fills lock the bank now: the tables come first.
        locking.lock_tables([live.row.id for live in lives])
    # In an optimistic transaction the balances need not be read: they are as it has left them so far. After
    # a conflict they are read, with the wallets locked, so that they cannot change again.
    accounts: list[Account] = []
    if optimistic.is_inside() and not optimistic.is_again():
        for live in lives:
            accounts += live.list_accounts()
            _apply_balances(live)
    postings = transfers.apply([one for live in lives for one in live.list_movements()], accounts)
    for live in lives:
        live.balances |= postings.balances
        live.wallets = _list_balances(live)
    # The first write fails before others do if another process was faster. It locks the tables, and with
    # them their seats and numbers of watchers: these do not change after they are checked.
    with optimistic.pipeline(lambda: _write_often([live.row for live in lives])):
        _write_rarely([live.row for live in lives if live.is_rarely_written_changed])
        postings.write(at=now)
        for live in lives:
            live.send_writes()
        _write_rounds(
            [live.round_row for live in lives if live.round_row and live.is_round_changed]
        )
        _write_settled(settled, results)
        _insert_games([live.ended_game for live in lives if live.ended_game is not None])
        _write_seats([seat for live in lives for seat in live.seats_changed.values()])
        _delete_seats([seat.pk for live in lives for seat in live.seats_freed])
        _write_queue([entry for live in lives for entry in live.queue_changed])
        _delete_queue([entry.pk for live in lives for entry in live.queue_left])
        insert_changes.insert_values([_change_row(live) for live in lives])
        driver.flush_pipeline()
        notices = [build_change_notice(live) for live in in_order]
    for live in lives:
        _verify_loss_limits(live)
        _update_room(live)
    return notices


def _prepare_row(live: LiveTable) -> None:
    row = live.row
    row.seq += 1
    row.phase = Table.Phase.PLAYING if live.game.is_playing else Table.Phase.BETTING
    row.state = live.game.to_text()
    row.staked, row.rack_due = live.game.staked, live.game.rack_due
    row.used_at = live.now
    live.event_dicts = tuple(event_to_dict(event) for event in live.events)


def _verify_loss_limits(live: LiveTable) -> None:
    """Check the limits again with the wallets locked: other tables may have taken bets."""
    if live.row.has_chips:
        return
    staked = {play.wallet for play in live.plays if play.kind == Transfer.Kind.STAKE}
    if not staked:
        return
    # A raised bet behind needs no second check, which would refuse the player's command: its funds
    # are read with the wallet locked, or the wallet has not changed since.
    by = live.author.user_id
    users = [seat.user for seat in live.seats_before_and_now() if seat.user.wallet.id in staked]
    users += [user for pk, user in live.backers.items() if pk == by and user.wallet.id in staked]
    live.loss_limits.verify(users)


def _list_balances(live: LiveTable) -> dict[int, Balance]:
    if not live.balances or live.row.has_chips:
        return {}
    return {
        account.user_id: live.balances[account.id]
        for account in live.list_accounts()
        if account.user_id is not None and account.id in live.balances
    }


def _write_settled(settled: Sequence[SettledRound], results: Sequence[Result]) -> None:
    if not settled:
        return
    recording.record_results(settled, results)


def _change_row(live: LiveTable) -> tuple[Any, ...]:
    author = live.author
    return (
        live.row.id, live.row.seq, live.game.round_id, to_driver_value(live.now), author.user_id,
        to_driver_value(author.command_id),
        change_body.encode(author.command, author.command_id, codec.encode(live.event_dicts)),
    )  # fmt: skip


def _update_room(live: LiveTable) -> None:
    """Bring the room to what was written, for the next change."""
    live.room.seats = dict(sorted(live.seats.items()))
    live.room.new_seats, live.room.queue = live.seats_taken, live.queue
    live.room.round_row = live.round_row or live.room.round_row
    open_ids = live.game.backer_ids
    live.room.backers = {pk: user for pk, user in live.backers.items() if pk in open_ids}
    _apply_balances(live)


def _apply_balances(live: LiveTable) -> None:
    if live.balances:
        for account in live.list_accounts():
            transfers.apply_balances(account, live.balances)


# Notices for open pages

LOBBY_NEWS: Final = (
    PlayerSat, PlayerLeft, TableLocked, TableUnlocked, TableHandedOn, TablePaused, TableResumed,
    TableChanged, TableClosed, PlayerBanned, SeatOffered, OfferLapsed, QueueLeft, MatchStarted,
    MatchRoundEnded, MatchEnded,
)  # fmt: skip
ENDS_VISITS: Final = (InviteRenewed, PlayerBanned, TableChanged, TableClosed)


def build_change_notice(live: LiveTable) -> ChangeNotice:
    """The notice of the change that is written. It reads nothing."""
    return ChangeNotice(
        table_id=live.row.id,
        changed=Changed(
            seq=live.row.seq,
            now=to_milliseconds(live.now),
            events=live.event_dicts,
            table=build_public_table(live),
        ),
        wallets=live.wallets,
        is_lobby_news=live.was_playing != live.game.is_playing
        or any(isinstance(event, LOBBY_NEWS) for event in live.events),
        became_private=live.became_private,
        shut_out=live.shut_out,
        other_cards=live.other_cards,
        ends_visits=any(isinstance(event, ENDS_VISITS) for event in live.events),
        deadline_at=live.next_deadline,
        plans=live.plans_changed,
        best_turn=live.row.turn if plans.is_best_play_due(live) else None,
    )


def commit_table(live: LiveTable, user_id: int | None = None) -> ChangeNotice:
    """:func:`commit_tables` of one table, without a command of a player. Without a user it is the site's
    own doing.
    """
    live.author = Author(user_id)
    (change,) = commit_tables([live])
    return change


def commit_tables(lives: Sequence[LiveTable]) -> list[ChangeNotice]:
    """Apply due actions of these tables and write all their changes. The caller has a transaction.

    Raises ``transfers.InsufficientFunds``, :class:`RuleViolation` ``loss_limit``, and
    ``optimistic.Conflict``.
    """
    for live in lives:
        _apply_due_actions(live)
    notices = _write_changes(lives)
    for live in lives:
        if live.became_private:
            leaderboard_totals.drop_private_table(live.row)
    return notices


def _apply_due_actions(live: LiveTable) -> None:
    """Close, pause, apply pending settings, top up the rack, return the chips of a table that closes,
    and offer free seats if due.
    """
    aborted_rounds.abort_if_out_of_cards(live)
    is_closed = _close_if_due(live)
    pauses.hold_if_paused(live)
    progress.apply_due(live)
    changed = pending_settings.apply_pending(live)
    live.became_private = live.row.is_private and "is_private" in changed
    if racks.top_up_if_low(live, has_new_rules="rules_options" in changed):
        pauses.pause(live, racks.WAITS)
    rounds.call_off_if_empty(live)
    if is_closed:
        stacks.return_all(live)
    waiting_line.offer_free_seats(live)
    watchers.update_count(live)


def _close_if_due(live: LiveTable) -> bool:
    """Close the table if it is closing and no round is in play. Returns whether it does."""
    row = live.row
    if not row.is_closing or live.game.is_playing:
        return False
    rounds.refund_all_bets(live)
    for seat in list(live.seats):
        seats.free_seat(live, seat, Reason.CLOSED)
    shoes.retire_in_use(live)
    row.is_closing, row.closed_at = False, live.now
    live.events.append(TableClosed())
    return True
