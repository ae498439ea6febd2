"""Storing what a change has made of a table: money first, all in the caller's transaction."""

from __future__ import annotations

from uuid import UUID

from accounts import bank
from accounts.models import Transfer
from accounts.statements import Insert, Update
from tables import kept_tables, protocol, results, takings
from tables.kept_tables import Kept
from tables.live_table import LiveTable
from tables.models import Change, Hand, Round, Seat, Table

_OFTEN = ("seq", "turn", "phase", "deadline_at", "state", "used_at")
_SELDOM = (
    "watchers", "maker_id", "code", "is_locked", "has_chat", "is_closing", "closed_at",
    "paused_at", "paused_because", "coming", "auto_filled",
)  # fmt: skip
_OF_A_ROUND = ("shoe_id", "first_card", "dealt_at", "finished_at", "dealer_cards")
_OF_A_SEAT = ("missed_rounds", "is_leaving", "away_since", "won", "lost", "pushed", "net")

_write_often = Update(Table, _OFTEN)
_write_seldom = Update(Table, _SELDOM)
_write_rounds = Update(Round, _OF_A_ROUND)
_write_seats = Update(Seat, _OF_A_SEAT)
_insert_hands = Insert(Hand)
insert_changes = Insert(
    Change, ("table", "seq", "round", "at", "user", "command_id", "command", "events")
)


def write(live: LiveTable, *, user_id: int | None, command_id: UUID | None, command: str) -> None:
    """Store the change.

    Raises ``bank.InsufficientFunds``, and :class:`RuleViolation` ``loss_limit``.
    """
    _move_money(live, user_id)
    _write_round(live)
    if live.ended_game is not None:
        live.ended_game.save(force_insert=True)
    _write_seats(live.seats_changed)
    for seat in live.seats_freed:
        seat.delete()
    for seat in live.seats_taken:
        seat.save(force_insert=True)
    _write_row(live)
    insert_changes.values(
        [
            (
                live.row.pk, live.row.seq, live.game.round_id, live.now, user_id, command_id,
                command, protocol.encode(live.plain_events()),
            )
        ]
    )  # fmt: skip
    _keep(live)


def _move_money(live: LiveTable, user_id: int | None) -> None:
    if not live.movements:
        return
    live.balances = bank.move(live.movements, at=live.now, by=user_id)
    staked = {m.debit for m in live.movements if m.kind == Transfer.Kind.STAKE}
    live.loss_limits.verify(seat.user for seat in live.everybody() if seat.user.wallet.pk in staked)


def _write_round(live: LiveTable) -> None:
    round_, hands = live.round_row, live.settled_hands
    if round_ is None:
        return
    if live.has_changed(round_, _OF_A_ROUND):
        _write_rounds([round_])
    if hands:
        _insert_hands(hands)
        results.write(live.row, round_, hands, live.game.decisions, live.now)
        takings.write(live.row, round_, hands, live.now)


def _write_row(live: LiveTable) -> None:
    row = live.row
    row.seq += 1
    row.phase = Table.Phase.PLAYING if live.game.is_playing else Table.Phase.BETTING
    row.state = live.game.to_text()
    row.used_at = live.now
    _write_often([row])
    if live.has_changed(row, _SELDOM):
        _write_seldom([row])


def _keep(live: LiveTable) -> None:
    """Have game and seats at hand for the next change.

    Not the seats that were changed now: if this change is taken back, the database says of them
    again what it said before.
    """
    changed = [*live.seats_changed, *live.seats_freed]
    seats = {raw: seat for raw, seat in live.seats_read.items() if seat not in changed}
    kept_tables.keep(live.row.pk, Kept(live.row.state, live.game, seats))
