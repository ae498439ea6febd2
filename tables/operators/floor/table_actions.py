"""Actions on a running table: pause, resume, close, and its chat."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import transaction

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from accounts.models import Act
from tables.engine.errors import RuleViolation
from tables.game import commit, host_commands, pauses
from tables.models import Table
from tables.protocol.commands import Silence, Unsay
from tables.protocol.frames import Err
from tables.realtime import dispatch
from tables.social import chat
from tables.state.effects import Effects
from tables.state.live_table import LiveTable
from tables.texts.refusals import translate_refusal


def pause(operator: Operator, table_id: int, because: str) -> bool:
    """Pause the table after the round in play; its pages show the reason.

    False if the table is paused or closed. Raises ``Table.DoesNotExist``, and like all functions
    here ``DatabaseError`` or ``TimeoutError`` if the database does not answer in time.
    """
    step = partial(pauses.pause, because=because)
    return _run(operator, table_id, Act.What.PAUSE_TABLE, because, step)


def resume(operator: Operator, table_id: int, reason: str = "") -> bool:
    """Resume the table. False if it is not paused, or closed."""
    return _run(operator, table_id, Act.What.RESUME_TABLE, reason, pauses.resume)


def close(operator: Operator, table_id: int, reason: str) -> bool:
    """Close the table permanently after the round in play. False if it is closed or closing."""
    return _run(operator, table_id, Act.What.CLOSE_TABLE, reason, host_commands.close_table)


def keep_open(operator: Operator, table_id: int, reason: str = "") -> bool:
    """Take back a closing that waits for the round in play. False if none waits, or it is closed.

    Raises :class:`OperationRefused` if its host has deleted the account.
    """

    def step(live: LiveTable) -> None:
        try:
            host_commands.keep_open(live)
        except RuleViolation as refused:
            raise OperationRefused(translate_refusal(refused)) from refused

    return _run(operator, table_id, Act.What.KEEP_OPEN, reason, step)


def remove_line(operator: Operator, table_id: int, line: int) -> str:
    """Remove a line of the table's chat. Returns the reason of a refusal, or an empty text."""
    return _run_chat_command(operator, table_id, Unsay(uuid.uuid4(), line))


def set_silence(operator: Operator, table_id: int, player: str, *, on: bool) -> str:
    """Block a player's chat at this table, or allow it. Returns the reason of a refusal."""
    return _run_chat_command(operator, table_id, Silence(uuid.uuid4(), player, on))


TableStep = Callable[[LiveTable], None]


def _run(operator: Operator, table_id: int, what: Act.What, reason: str, step: TableStep) -> bool:
    """Run and record a step under the table's lock. False if nothing had to change."""

    def in_transaction(now: dt.datetime) -> Effects[bool]:
        with transaction.atomic():
            live = LiveTable.lock(table_id, now)
            before = _log_values(live.row)
            if live.row.closed_at is not None:
                return Effects(value=False)
            step(live)
            if _log_values(live.row) == before:
                return Effects(value=False)
            change = commit.commit_table(live)
            subject, after = audit_log.build_subject(live.row), _log_values(live.row)
            audit_log.record(
                operator, what, subject, before=before, after=after, reason=reason, at=now
            )
            return Effects(True, (change,))

    return dispatch.run(in_transaction)


def _log_values(row: Table) -> dict[str, Any]:
    """The changed values as stored in the audit log."""
    return {
        "paused": row.paused_because if row.paused_at else None,
        "closing": row.is_closing,
        "closed": row.closed_at is not None,
    }


def _run_chat_command(operator: Operator, table_id: int, command: Unsay | Silence) -> str:
    who, address = operator.user_id, operator.address
    answer = dispatch.run(lambda now: chat.execute(table_id, who, command, now, address=address))
    return answer.message if isinstance(answer, Err) else ""
