"""Reactions of seated players. They are stored nowhere."""

from __future__ import annotations

import datetime as dt
from typing import Final

from accounts.models import User
from accounts.users import sessions
from tables import access
from tables.engine.errors import RuleViolation
from tables.lib.token_bucket import TokenBuckets
from tables.models import Table
from tables.protocol.commands import React
from tables.protocol.frames import Done, Err, Reacted
from tables.protocol.topics import table_topic
from tables.social import chat
from tables.state.effects import Effects
from tables.texts.refusals import translate_refusal

SECONDS_BETWEEN: Final = 2
AT_ONCE: Final = 10
"""How many a player may send in a minute."""

_pauses = TokenBuckets(per_second=1 / SECONDS_BETWEEN, at_once=1)
_minutes = TokenBuckets(per_second=AT_ONCE / 60, at_once=AT_ONCE)
"""The limits of each player in this process, over all tables."""


def execute(
    table_id: int,
    user_id: int,
    command: React,
    now: dt.datetime,
    *,
    session: str | None = None,
) -> Effects[Done | Err]:
    """Show a reaction to everybody at the table. It writes nothing, so one that is sent again is
    shown again.

    ``session`` is the session key of the page. Raises ``Table.DoesNotExist``, and
    ``sessions.SessionEnded`` if the session has ended.
    """
    table = Table.objects.select_related("maker").defer("state").get(pk=table_id)
    try:
        frame = _build_frame(table, user_id, command, now, session)
    except RuleViolation as violation:
        return Effects(Err(command.id, violation.code, translate_refusal(violation), table.seq))
    return Effects(Done(command.id, table.seq), frames=((table_topic(table_id), frame),))


def _build_frame(
    table: Table, user_id: int, command: React, now: dt.datetime, session: str | None
) -> Reacted:
    if not access.may_see(table, user_id, {}):
        raise RuleViolation("table_closed", "You can no longer write in this chat.")
    user = User.objects.get(pk=user_id)
    access.verify_may_play(user)
    if session is not None and not sessions.may_act(user.pk, session, now):
        raise sessions.SessionEnded
    chat.verify_may_speak(table, user, now)
    seat = table.seats.filter(user=user).first()
    if seat is None:
        raise RuleViolation("not_seated", "Take a seat first.")
    if not (_pauses.get_bucket(user.pk).take() and _minutes.get_bucket(user.pk).take()):
        raise RuleViolation("too_fast", "One at a time. Wait a moment.")
    return Reacted(seat.number, user.username, command.reaction)
