"""The one way to change a table, and what may be asked about it.

Every change is one short transaction: lock the row, apply what is overdue, check, play, write
state, events and money. The caller tells the viewers after the commit.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.db import IntegrityError, connection, transaction
from django.db.models import Q
from django.utils import timezone

from accounts import bank
from accounts.bank import InsufficientFunds
from accounts.models import Account, User
from tables import dealing, messages, protocol, seating
from tables.engine.actions import Action
from tables.engine.errors import RuleViolation
from tables.engine.events import plain_event
from tables.engine.options import customized
from tables.live_table import LiveTable, least_to_match, whole_fills
from tables.messages import AnyCommand, Changed, Done, Err, Snapshot, You
from tables.models import Change, Seat, Table
from tables.public import milliseconds, public_table
from tables.table_events import ClockExtended, PlayerLeft, PlayerSat

GRACE = dt.timedelta(milliseconds=750)
"""A decision that comes this late still counts; nobody is told of it."""
OUTAGE_CLOCK = 20
"""Seconds that an open decision has at least after the server was away."""


@dataclass(frozen=True, slots=True)
class Committed:
    """A change that is in the database, and whom to tell what."""

    table_id: int
    changed: Changed
    wallets: dict[int, int]
    """New balances by user id, each for that user alone."""
    is_lobby_news: bool
    deadline_at: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a command: the answer for its sender, and the changes it made."""

    answer: Done | Err
    changes: tuple[Committed, ...] = ()


class _Overdue(Exception):
    """The table's deadline has passed: it is applied before the command."""


def open_table(
    *,
    name: str,
    rules_key: str,
    rules_options: dict[str, Any] | None = None,
    betting_seconds: int = 20,
    turn_seconds: int = 30,
) -> Table:
    """A new table with a rack and a pot of its own; a dealer who matches bets gets chips.

    Raises :class:`OptionError` when ``rules_options`` cannot be played.
    """
    rules = customized(rules_key, rules_options or {})
    with transaction.atomic():
        table = Table.objects.create(
            name=name,
            rules_key=rules_key,
            rules_options=rules_options or {},
            betting_seconds=betting_seconds,
            turn_seconds=turn_seconds,
            rack=bank.open_account(Account.Kind.RACK),
            pot=bank.open_account(Account.Kind.POT),
        )
        if rules.is_matched:
            chips = whole_fills(least_to_match(rules))
            fill = bank.fill(table.rack_id, chips, f"table:{table.pk}/opening/fill")
            bank.move([fill], at=timezone.now())
    return table


def play(table_id: int, user_id: int, command: AnyCommand, now: dt.datetime) -> Played:
    """Do what ``command`` says for this user, once, or say why not.

    A command that is sent again is answered again and not done again. Raises
    ``Table.DoesNotExist``.
    """
    try:
        return _play(table_id, user_id, command, now)
    except _Overdue:
        overdue = run_out(table_id, now)
        played = _play(table_id, user_id, command, now)
        return Played(played.answer, (*overdue, *played.changes))


def run_out(table_id: int, now: dt.datetime) -> tuple[Committed, ...]:
    """Apply the table's deadline if it has passed; harmless when somebody else did."""
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        if not _is_overdue(live):
            return ()
        dealing.time_is_up(live)
        live.write(user_id=None, command_id=None, command="")
        return (_committed(live),)


def lock_tables(table_ids: Iterable[int]) -> None:
    """Lock these rows in the order of their ids, where the database has row locks."""
    if connection.features.has_select_for_update:
        list(Table.objects.select_for_update().filter(pk__in=table_ids).order_by("pk").only("pk"))


def tables_in_use() -> list[int]:
    """The ids of the tables where somebody sits or a clock runs."""
    tables = Table.objects.filter(Q(deadline_at__isnull=False) | Q(seats__isnull=False))
    return list(tables.order_by("pk").distinct().values_list("pk", flat=True))


def resume(table_id: int, now: dt.datetime) -> tuple[Committed, ...]:
    """Go on after the server was away: time to decide again, and every seat is held anew."""
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        Seat.objects.filter(table=table_id).update(seen_at=now)
        until = now + dt.timedelta(seconds=OUTAGE_CLOCK)
        if live.row.deadline_at is None or live.row.deadline_at >= until:
            return ()
        live.set_clock(OUTAGE_CLOCK)
        live.events.append(ClockExtended())
        live.write(user_id=None, command_id=None, command="")
        return (_committed(live),)


def look_round(table_id: int, present: set[int], now: dt.datetime) -> tuple[Committed, ...]:
    """Note which users have a page open at this table, and free the seats of who is gone."""
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        for seat in live.seats.values():
            if seat.user_id in present:
                seat.seen_at = now
        Seat.objects.filter(table=table_id, user__in=present).update(seen_at=now)
        seating.free_absent(live)
        if not live.events:
            return ()
        live.write(user_id=None, command_id=None, command="")
        return (_committed(live),)


def tables_with_absent_players(now: dt.datetime) -> list[int]:
    """The ids of the tables between rounds where a seat is held for somebody who is gone."""
    gone = Seat.objects.filter(seen_at__lte=now - seating.ABSENCE, table__phase="betting")
    return list(gone.order_by("table").values_list("table", flat=True).distinct())


def overdue_tables(now: dt.datetime) -> list[int]:
    """The ids of the tables whose deadline has passed."""
    overdue = Table.objects.filter(deadline_at__lte=now - GRACE).order_by("deadline_at")
    return list(overdue.values_list("pk", flat=True))


def next_deadline() -> dt.datetime | None:
    """When the next decision of any table runs out."""
    tables = Table.objects.filter(deadline_at__isnull=False).order_by("deadline_at")
    return tables.values_list("deadline_at", flat=True).first()


def snapshot(table_id: int, user_id: int | None, now: dt.datetime) -> Snapshot:
    """The table as it is now, for this viewer. Raises ``Table.DoesNotExist``."""
    live = LiveTable.of(Table.objects.get(pk=table_id), now)
    return Snapshot(live.row.seq, milliseconds(now), public_table(live), _you(user_id))


def _play(table_id: int, user_id: int, command: AnyCommand, now: dt.datetime) -> Played:
    text = protocol.encode(command)
    try:
        with transaction.atomic():
            live = LiveTable.lock(table_id, now)
            seq = live.row.seq
            before = Change.objects.filter(user=user_id, command_id=command.id).first()
            if before is not None:
                return Played(_answer_again(before, table_id, text, command, seq))
            if _is_overdue(live):
                raise _Overdue
            _verify_may_play(user_id)
            _HANDLERS[type(command)](live, user_id, command)
            live.write(user_id=user_id, command_id=command.id, command=text)
            return Played(Done(command.id, live.row.seq), (_committed(live),))
    except RuleViolation as violation:
        return Played(Err(command.id, violation.code, violation.message, seq))
    except InsufficientFunds as shortage:
        if shortage.account.kind != Account.Kind.WALLET:
            raise
        # Spent at another table between our look into the wallet and its lock.
        message = "There is not enough money for that."
        return Played(Err(command.id, "cannot_afford", message, seq))
    except IntegrityError:
        # The same id at two tables at once: each locks its own row, the index decides.
        if Change.objects.filter(user=user_id, command_id=command.id).exists():
            return Played(_id_reused(command, seq))
        raise


def _verify_may_play(user_id: int) -> None:
    if not User.objects.filter(pk=user_id, is_active=True).exists():
        raise RuleViolation("not_allowed", "This account cannot play.")


def _answer_again(
    before: Change, table_id: int, text: str, command: AnyCommand, seq: int
) -> Done | Err:
    if before.table_id == table_id and before.command == text:
        return Done(command.id, before.seq)
    return _id_reused(command, seq)


def _id_reused(command: AnyCommand, seq: int) -> Err:
    return Err(command.id, "id_reused", "This command id was used for something else.", seq)


def _is_overdue(live: LiveTable) -> bool:
    deadline_at = live.row.deadline_at
    return deadline_at is not None and deadline_at + GRACE <= live.now


def _committed(live: LiveTable) -> Committed:
    return Committed(
        table_id=live.row.pk,
        changed=Changed(
            seq=live.row.seq,
            now=milliseconds(live.now),
            events=tuple(plain_event(event) for event in live.events),
            table=public_table(live),
        ),
        wallets=live.new_wallet_balances(),
        is_lobby_news=live.was_playing != live.game.is_playing
        or any(isinstance(event, PlayerSat | PlayerLeft) for event in live.events),
        deadline_at=live.row.deadline_at,
    )


def _you(user_id: int | None) -> You:
    user = User.objects.filter(pk=user_id).first() if user_id else None
    if user is None:
        return You(None, None)
    return You(user.username, bank.balances_of([user.pk]).get(user.pk, bank.STARTING_GRANT))


def _sit(live: LiveTable, user_id: int, command: messages.Sit) -> None:
    seating.sit(live, user_id, command.seat)


def _leave(live: LiveTable, user_id: int, command: messages.Leave) -> None:
    seating.leave(live, user_id)


def _bet(live: LiveTable, user_id: int, command: messages.Bet) -> None:
    dealing.bet(live, user_id, command.turn, command.stake, command.words)


def _act(action: Action) -> Callable[[LiveTable, int, messages.Decision], None]:
    def handler(live: LiveTable, user_id: int, command: messages.Decision) -> None:
        dealing.act(live, user_id, command.turn, action)

    return handler


_HANDLERS: Final[dict[type, Callable[..., None]]] = {
    messages.Sit: _sit,
    messages.Leave: _leave,
    messages.Bet: _bet,
    messages.Hit: _act(Action.HIT),
    messages.Stand: _act(Action.STAND),
    messages.Double: _act(Action.DOUBLE_DOWN),
    messages.Split: _act(Action.SPLIT),
    messages.Surrender: _act(Action.SURRENDER),
    messages.Insure: _act(Action.INSURE),
    messages.Decline: _act(Action.DECLINE),
}
