"""Storing what changes have made of tables: money first, all in the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from accounts import bank, untouched
from accounts.bank import Balance, Movement
from accounts.models import Transfer
from accounts.statement import plain
from accounts.writes import Insert, Update
from tables import kept_tables, protocol, results, stored, takings
from tables.engine.events import plain_event
from tables.kept_tables import Kept
from tables.live_table import LiveTable
from tables.models import Change, Hand, Round, Seat, Table
from tables.results import Settled

_SELDOM = (
    "watchers", "maker_id", "code", "is_locked", "has_chat", "is_closing", "closed_at",
    "paused_at", "paused_because", "coming", "auto_filled",
)  # fmt: skip
_OF_A_ROUND = ("shoe_id", "first_card", "dealt_at", "finished_at", "dealer_cards")

_write_often = Update(Table, stored.OFTEN)
_write_seldom = Update(Table, _SELDOM)
_write_rounds = Update(Round, _OF_A_ROUND)
_write_seats = Update(Seat, stored.OF_A_SEAT)
_insert_hands = Insert(Hand)
insert_changes = Insert(
    Change, ("table", "seq", "round", "at", "user", "command_id", "command", "events")
)


def write(lives: Sequence[LiveTable]) -> None:
    """Store what has changed of these tables, all at the same moment.

    Raises ``bank.InsufficientFunds``, and :class:`RuleViolation` ``loss_limit``.
    """
    with untouched.in_step():
        _move_money(lives)
        _write_rounds_played(lives)
        _write_seats_taken(lives)
        _write_tables(lives)
        for live in lives:
            live.wallets = _wallets(live)
            live.told = tuple(plain_event(event) for event in live.events)
        insert_changes.values([_change(live) for live in lives])
    for live in lives:
        _keep(live)


def _move_money(lives: Sequence[LiveTable]) -> None:
    movements = [one for live in lives for one in _movements(live)]
    if not movements:
        return
    balances = bank.move(movements, at=lives[0].now)
    for live in lives:
        live.balances |= balances
        staked = {m.debit for m in live.movements if m.kind == Transfer.Kind.STAKE}
        users = [seat.user for seat in live.everybody() if seat.user.wallet.pk in staked]
        live.loss_limits.verify(users)


def _movements(live: LiveTable) -> list[Movement]:
    """Those of its author, who may have been told only after some of them were made."""
    by = live.author.user_id
    return [one if one.by == by else replace(one, by=by) for one in live.movements]


def _wallets(live: LiveTable) -> dict[int, Balance]:
    if not live.balances:
        return {}
    users = {seat.user.wallet.pk: seat.user_id for seat in live.everybody()}
    return {users[pk]: balance for pk, balance in live.balances.items() if pk in users}


def _write_rounds_played(lives: Sequence[LiveTable]) -> None:
    now = lives[0].now
    touched = [(live, live.round_row) for live in lives if live.round_row is not None]
    _write_rounds(
        row for live, row in touched if not live.as_read.changed(row).isdisjoint(_OF_A_ROUND)
    )
    settled = [
        Settled(live.row, row, live.settled_hands, live.game.decisions)
        for live, row in touched
        if live.settled_hands
    ]
    if settled:
        _insert_hands(hand for one in settled for hand in one.hands)
        results.write(settled, now)
        for one in settled:
            takings.write(one.table, one.round, one.hands, now)
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
    _write_seldom([live.row for live in lives if not live.changed.isdisjoint(_SELDOM)])


def _change(live: LiveTable) -> tuple[Any, ...]:
    author = live.author
    return (
        live.row.pk, live.row.seq, live.game.round_id, plain(live.now), author.user_id,
        plain(author.command_id), author.command, protocol.encode(live.told),
    )  # fmt: skip


def _keep(live: LiveTable) -> None:
    """Have row, game and seats at hand for the next change.

    If this change is taken back, the database says something else of them than they do.
    """
    read = live.read
    has_row = bool(read.raw) and live.changed.issubset(stored.OFTEN)
    row = (read.raw, live.row) if has_row else None
    seats = read.seats
    if live.seats_freed:
        seats = tuple((raw, seat) for raw, seat in seats if seat not in live.seats_freed)
    if live.balances:
        for _, seat in seats:
            bank.follow(seat.user.wallet, live.balances)
    spell = read.spell if has_row and not live.seats_taken else 0
    round_row = live.round_row or read.round_row
    kept = Kept(live.row.state, live.game, row, seats, round_row, spell)
    kept_tables.keep(live.row.pk, kept, moved=live.wallets)
