"""Commands of players: one, or many in one transaction.

A command is decided with the table as this thread remembers it, and written under the condition
that nobody else has changed it: state, events and money. Under load, commands of many tables share
one transaction and its statements.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.db import IntegrityError, transaction
from django.utils.translation import get_language, gettext, override

from accounts.audit_log import Operator
from accounts.ledger.transfers import InsufficientFunds
from accounts.lib import log_context
from accounts.lib.sql import optimistic
from accounts.lib.sql.select import Select
from accounts.maintenance import SiteStatus
from accounts.models import WITH_ENTRIES, User
from accounts.users import sessions
from tables import access
from tables.engine.errors import RuleViolation
from tables.game import commit, deadlines, host_commands, rounds, seats, unreadable_state
from tables.game.behind import bets as bets_behind
from tables.game.chips import stacks
from tables.models import Change, Table, command_ids
from tables.protocol import codec
from tables.protocol.commands import (
    AskTopUp,
    Bet,
    BetBehind,
    Choice,
    Commit,
    DecideAhead,
    Hints,
    Hosting,
    Leave,
    LeaveQueue,
    Playing,
    QueueUp,
    Sit,
    SitOut,
    TableCommand,
    TakeBack,
    TakeBackBehind,
    TopUp,
    TurnCommand,
)
from tables.protocol.frames import Done, Err
from tables.state import rooms
from tables.state.effects import ChangeNotice, Effects
from tables.state.game_state import UnreadableState
from tables.state.live_table import Author, LiveTable
from tables.state.rooms import Room, RoomOrError
from tables.texts.refusals import translate_refusal


@dataclass(frozen=True, slots=True)
class QueuedCommand:
    """A command and where it came from."""

    table_id: int
    user_id: int
    command: TableCommand
    address: str | None = None
    """Recorded in the audit log if an operator sent the command."""
    session: str | None = None
    """The session key of the page that sent it."""
    arrived_at: dt.datetime | None = None
    """The time of arrival, if the command may have waited in a queue. Deadlines use this time."""
    language: str | None = field(default_factory=get_language)
    """The language of a refusal: the one that is active where the command is queued."""
    log_ids: log_context.Ids = field(default_factory=log_context.get_ids)
    """The ids on log lines, in the same way."""


CommandResult = Effects[Done | Err]
"""The reply for the sender of a command, and the changes to publish."""


class Overdue(Exception):
    """The table's deadline has passed: it is applied before the command."""


NEEDS_MORE: Final = (Overdue, UnreadableState)
"""The table needs another change before the command; see :func:`execute_one`."""
Outcome = CommandResult | Exception
_changes = Select(
    lambda user_id, command_id: Change.objects.filter(user=user_id, command_id=command_id)
)
_TICK: Final = dt.timedelta(microseconds=1)


def execute(queue: Sequence[QueuedCommand], now: dt.datetime) -> list[Outcome]:
    """Execute the commands in one transaction. Returns for each its result, one of
    :data:`NEEDS_MORE`, or the exception that :func:`execute_one` raises for it.

    If this raises, nothing was written, and the caller executes the commands one by one.
    """
    with optimistic.transaction(len(queue)):
        batch = _Batch(now, {queued.table_id for queued in queue})
        waiting = list(enumerate(queue))
        while waiting:
            # One command per table: the next one is decided after this one is written.
            first = {queued.table_id: number for number, queued in reversed(waiting)}
            batch.execute({number: queue[number] for number in sorted(first.values())})
            waiting = [one for one in waiting if one[0] not in batch.outcomes]
    rooms.remember(batch.changed.values())
    return [batch.outcomes[number] for number in range(len(queue))]


def execute_one(
    queued: QueuedCommand,
    now: dt.datetime,
    publish: Callable[[Effects[None]], None] = lambda effects: None,
) -> CommandResult:
    """Execute one command in its own transaction; return its result or refusal.

    A command that is sent again gets the same reply and is not executed again. Raises
    ``Table.DoesNotExist``, and ``sessions.SessionEnded`` if the session of the command has ended: then
    nothing was done. If the table needed another change before the command, and the command raises,
    ``publish`` is called with that change, which is committed.
    """
    try:
        return _execute_alone(queued, now)
    except Overdue:
        before = deadlines.apply_deadline(queued.table_id, now)
    except UnreadableState:
        before = unreadable_state.reset_table(queued.table_id, now)
    try:
        played = _execute_alone(queued, now)
    except Exception:
        publish(Effects(None, before))
        raise
    return Effects(played.value, (*before, *played.changes))


def _execute_alone(queued: QueuedCommand, now: dt.datetime) -> CommandResult:
    try:
        (outcome,) = optimistic.run(lambda: execute([queued], now))
    except (RuleViolation, InsufficientFunds, IntegrityError) as failure:
        seq = Table.objects.values_list("seq", flat=True).get(pk=queued.table_id)
        return _build_refusal(queued, failure, seq)
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


class _Batch:
    """Commands that are executed in one transaction."""

    def __init__(self, now: dt.datetime, table_ids: Collection[int]) -> None:
        self._now = now
        self._table_ids = table_ids
        self._site = SiteStatus(now)
        self.outcomes: dict[int, Outcome] = {}
        """By the number of the command."""
        self.changed: dict[int, Room] = {}
        """The tables as they are written, by id."""

    def execute(self, queue: Mapping[int, QueuedCommand]) -> None:
        """Execute commands at different tables, by number."""
        rooms_by_id = rooms.take(
            {
                one.table_id: isinstance(one.command, TurnCommand)
                for one in queue.values()
                if one.table_id not in self.changed
            }
        )
        rooms_by_id |= self.changed
        session_data = sessions.load_unexpired((one.session for one in queue.values()), self._now)
        decided: dict[int, LiveTable] = {}
        for number, queued in queue.items():
            with log_context.bound(queued.log_ids):
                outcome = self._decide(queued, rooms_by_id[queued.table_id], session_data)
            if isinstance(outcome, LiveTable):
                decided[number] = outcome
            else:
                self.outcomes[number] = outcome
        if not decided:
            return
        changes = commit.commit_tables([*decided.values()])
        # Rounds that end at the same time are counted in the order of their ids; later ones end later.
        self._now += _TICK
        for (number, live), change in zip(decided.items(), changes, strict=True):
            self.outcomes[number] = _build_result(queue[number], change)
            self.changed[live.row.pk] = live.room

    def _decide(
        self, queued: QueuedCommand, room: RoomOrError, session_data: Mapping[str, str]
    ) -> LiveTable | Outcome:
        """The table after the command, to be committed, or the outcome without a change."""
        if isinstance(room, Exception):
            return room
        live = LiveTable.from_room(room, self._now, self._site)
        try:
            _decide_in_savepoint(live, queued, session_data)
        except (Overdue, sessions.SessionEnded, RuleViolation) as failure:
            if room.is_remembered:
                # Perhaps another process has changed the table.
                fresh_room = rooms.reload(room.row.pk, self._table_ids)
                return self._decide(queued, fresh_room, session_data)
            self.changed.pop(room.row.pk, None)  # perhaps changed in memory before the refusal
            if not isinstance(failure, RuleViolation):
                return failure
            if live.round_row is not None:
                raise  # something may be written, which the others must not commit
            return _build_refusal(queued, failure, live.row.seq)
        return live


def _decide_in_savepoint(
    live: LiveTable, queued: QueuedCommand, session_data: Mapping[str, str]
) -> None:
    """Decide a command; if it is refused after a write, roll back that write only.

    Bets and other decisions are refused before anything is written, so they need no savepoint.
    """
    if isinstance(queued.command, TurnCommand):
        _apply(live, queued, session_data)
        return
    with transaction.atomic():
        _apply(live, queued, session_data)


def _apply(live: LiveTable, queued: QueuedCommand, session_data: Mapping[str, str]) -> None:
    """Execute the command in memory; the caller commits.

    Raises :class:`RuleViolation`, :class:`Overdue`, ``sessions.SessionEnded``.
    """
    # A decision does not wait for the end of an offer of a seat: it might come too late by that.
    is_overdue = (
        deadlines.is_turn_overdue
        if isinstance(queued.command, TurnCommand)
        else deadlines.is_overdue
    )
    if is_overdue(live, queued.arrived_at or live.now):
        raise Overdue
    _verify_may_play(live, queued, session_data)
    text = codec.encode(queued.command)
    live.author = Author(queued.user_id, queued.command.id, text, queued.address)
    if isinstance(queued.command, Hosting):
        host_commands.apply_host_command(
            live, Operator(queued.user_id, queued.address, queued.session), queued.command
        )
    else:
        _apply_command(live, queued.user_id, queued.command)


def _apply_command(live: LiveTable, user_id: int, command: Playing) -> None:
    match command:
        case Choice():
            rounds.play_action(live, user_id, command.turn, command.action)
        case Bet():
            rounds.place_bet(live, user_id, command)
        case TakeBack():
            rounds.take_bet_back(live, user_id, command.turn)
        case BetBehind():
            bets_behind.place(live, user_id, command)
        case TakeBackBehind():
            bets_behind.take_back(live, user_id, command.turn)
        case DecideAhead():
            rounds.decide_ahead(live, user_id, command)
        case SitOut():
            seats.switch_sit_out(live, user_id, is_on=command.on)
        case Sit():
            seats.sit_down(live, user_id, command.seat, command.commitment)
        case Commit():
            seats.store_commitment(live, user_id, command.commitment)
        case Leave():
            seats.leave(live, user_id)
        case QueueUp():
            seats.queue_up(live, user_id)
        case LeaveQueue():
            seats.leave_queue(live, user_id)
        case Hints():
            seats.switch_hints(live, user_id, is_on=command.on)
        case TopUp():
            stacks.take(live, user_id)
        case AskTopUp():
            stacks.ask(live, user_id)


def _verify_may_play(
    live: LiveTable, queued: QueuedCommand, session_data: Mapping[str, str]
) -> None:
    if live.row.closed_at is not None:
        raise RuleViolation("table_closed", "This table is closed.")
    seat = live.seat_of(queued.user_id)
    user = access.verify_may_play(
        seat.user if seat else User.objects.filter(pk=queued.user_id).first()
    )
    session = queued.session
    if session is not None and not sessions.is_logged_in(user, session_data.get(session)):
        raise sessions.SessionEnded


def _build_result(queued: QueuedCommand, change: ChangeNotice) -> CommandResult:
    return Effects(Done(queued.command.id, change.changed.seq), (change,))


def _build_refusal(
    queued: QueuedCommand, failure: RuleViolation | InsufficientFunds | IntegrityError, seq: int
) -> CommandResult:
    """Handle a failed command. If it was executed before, return the stored reply."""
    with override(queued.language):
        return _reply_to_failed(queued, failure, seq)


def _reply_to_failed(
    queued: QueuedCommand, failure: RuleViolation | InsufficientFunds | IntegrityError, seq: int
) -> CommandResult:
    command = queued.command
    before = _changes.first(queued.user_id, command.id)
    if before is None and not command_ids.is_used_in_chat(queued.user_id, command.id):
        return Effects(_to_err(failure, command, seq))
    is_same = before is not None and before.command == codec.encode(command)
    if before is not None and is_same and before.table_id == queued.table_id:
        return Effects(Done(command.id, before.seq))
    message = gettext("This command id was already used for another command.")
    return Effects(Err(command.id, "id_reused", message, seq))


def _to_err(
    failure: RuleViolation | InsufficientFunds | IntegrityError, command: TableCommand, seq: int
) -> Err:
    """The refusal for this error. Raises it again if it is a program error."""
    if isinstance(failure, RuleViolation):
        return Err(command.id, failure.code, translate_refusal(failure), seq)
    if isinstance(failure, InsufficientFunds) and failure.account.kind in WITH_ENTRIES:
        # Spent at another table after the wallet was read and before it was locked.
        message = gettext("You don't have enough chips for that.")
        return Err(command.id, "cannot_afford", message, seq)
    raise failure
