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
from accounts.models import Act
from tables.game import commit, host_commands, pauses
from tables.models import Table
from tables.protocol.commands import Silence, Unsay
from tables.protocol.frames import Err
from tables.realtime import dispatch
from tables.social import chat
from tables.state.effects import Effects
from tables.state.live_table import LiveTable


def pause(operator: Operator, table_id: int, because: str) -> bool:
    """Let no round begin after the one that is played. Everybody at the table is told why.

    False when the table is paused or closed already. Raises ``Table.DoesNotExist``, and
    ``DatabaseError`` or ``TimeoutError`` when the house is too busy, like all of these.
    """
    step = partial(pauses.pause, because=because)
    return _run(operator, table_id, Act.What.PAUSE_TABLE, because, step)


def resume(operator: Operator, table_id: int, reason: str = "") -> bool:
    """Take bets again. False when the table is not paused, or closed."""
    return _run(operator, table_id, Act.What.RESUME_TABLE, reason, pauses.resume)


def close(operator: Operator, table_id: int, reason: str) -> bool:
    """Put the table away for good after the round that is played.

    False when it is closed, or closes after its round already.
    """
    return _run(operator, table_id, Act.What.CLOSE_TABLE, reason, host_commands.close)


def unsay(operator: Operator, table_id: int, line: int) -> str:
    """Remove a line of the table's chat. Why that is not possible; empty when it is done."""
    return _talk(operator, table_id, Unsay(uuid.uuid4(), line))


def silence(operator: Operator, table_id: int, player: str, *, on: bool) -> str:
    """Let a person talk at this table no more, or again. Why that cannot be; empty when done."""
    return _talk(operator, table_id, Silence(uuid.uuid4(), player, on))


Step = Callable[[LiveTable], None]


def _run(operator: Operator, table_id: int, what: Act.What, reason: str, step: Step) -> bool:
    """Have the step done under the table's lock. False where it was so already."""

    def in_transaction(now: dt.datetime) -> Effects[bool]:
        with transaction.atomic():
            live = LiveTable.lock(table_id, now)
            before = _standing(live.row)
            if live.row.closed_at is not None:
                return Effects(value=False)
            step(live)
            if _standing(live.row) == before:
                return Effects(value=False)
            change = commit.commit_table(live)
            subject, after = audit_log.subject_of(live.row), _standing(live.row)
            audit_log.record(
                operator, what, subject, before=before, after=after, reason=reason, at=now
            )
            return Effects(True, (change,))

    return dispatch.run(in_transaction, table_id=table_id)


def _standing(row: Table) -> dict[str, Any]:
    """What these acts change, as the trail keeps it."""
    return {
        "paused": row.paused_because if row.paused_at else None,
        "closing": row.is_closing,
        "closed": row.closed_at is not None,
    }


def _talk(operator: Operator, table_id: int, command: Unsay | Silence) -> str:
    who, address = operator.user_id, operator.address
    answer = dispatch.run(
        lambda now: chat.play(table_id, who, command, now, address=address), table_id=table_id
    )
    return answer.message if isinstance(answer, Err) else ""
