"""Actions on a running table: pause, resume, close, free a seat, chat."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.models import Act
from tables.game import commit, host_commands, pauses
from tables.game.commit import ChangeNotice
from tables.models import Table
from tables.protocol.commands import Silence, Unsay
from tables.protocol.frames import Err
from tables.realtime.publishing import publish_chat
from tables.realtime.runtime import ANSWER_SECONDS, publish_threadsafe
from tables.realtime.writer import writer
from tables.social import chat
from tables.state.live_table import LiveTable


def pause(operator: Operator, table_id: int, because: str) -> bool:
    """Let no round begin after the one that is played. Everybody at the table is told why.

    False when the table is paused or closed already. Raises ``Table.DoesNotExist``, and
    ``DatabaseError`` or ``TimeoutError`` when the house is too busy, like all of these.
    """
    return _run(operator, table_id, Act.What.PAUSE_TABLE, because, _pause)


def resume(operator: Operator, table_id: int, reason: str = "") -> bool:
    """Take bets again. False when the table is not paused, or closed."""
    return _run(operator, table_id, Act.What.RESUME_TABLE, reason, _resume)


def close(operator: Operator, table_id: int, reason: str) -> bool:
    """Put the table away for good after the round that is played.

    False when it is closed, or closes after its round already.
    """
    return _run(operator, table_id, Act.What.CLOSE_TABLE, reason, _close)


def unsay(operator: Operator, table_id: int, line: int) -> str:
    """Remove a line of the table's chat. Why that is not possible; empty when it is done."""
    return _talk(operator, table_id, Unsay(uuid.uuid4(), line))


def silence(operator: Operator, table_id: int, player: str, *, on: bool) -> str:
    """Let a person talk at this table no more, or again. Why that cannot be; empty when done."""
    return _talk(operator, table_id, Silence(uuid.uuid4(), player, on))


# Under the table's lock

Step = Callable[[LiveTable, str], None]


def _pause(live: LiveTable, because: str) -> None:
    pauses.pause(live, because)


def _resume(live: LiveTable, reason: str) -> None:
    pauses.resume(live)


def _close(live: LiveTable, reason: str) -> None:
    host_commands.close(live)


def _run(operator: Operator, table_id: int, what: Act.What, reason: str, step: Step) -> bool:
    work = writer.submit(
        lambda: _in_transaction(operator, table_id, what, reason, step, timezone.now()),
        table_id=table_id,
        tell=_tell,
    )
    return work.result(ANSWER_SECONDS) is not None


def _in_transaction(
    operator: Operator, table_id: int, what: Act.What, reason: str, step: Step, now: dt.datetime
) -> ChangeNotice | None:
    """The change, or none where it was so already."""
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        before = _standing(live.row)
        if live.row.closed_at is not None:
            return None
        step(live, reason)
        if _standing(live.row) == before:
            return None
        change = commit.commit_table(live)
        audit_log.record(
            operator,
            what,
            audit_log.subject_of(live.row),
            before=before,
            after=_standing(live.row),
            reason=reason,
            at=now,
        )
        return change


def _standing(row: Table) -> dict[str, Any]:
    """What these acts change, as the trail keeps it."""
    return {
        "paused": row.paused_because if row.paused_at else None,
        "closing": row.is_closing,
        "closed": row.closed_at is not None,
    }


def _tell(change: ChangeNotice | None) -> None:
    if change is not None:
        publish_threadsafe((change,))


# Beside the game


def _talk(operator: Operator, table_id: int, command: Unsay | Silence) -> str:
    who = operator.user_id
    work = writer.submit(
        lambda: chat.play(table_id, who, command, timezone.now(), address=operator.address),
        table_id=table_id,
        tell=publish_chat,
    )
    answer = work.result(ANSWER_SECONDS).answer
    return answer.message if isinstance(answer, Err) else ""
