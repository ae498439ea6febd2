"""Dispatch of a command: to the writer thread, then to all open pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from tables.game.commands import CommandResult, QueuedCommand
from tables.lib import loop_queue, pending_replies, server_clock
from tables.metrics import Stopwatch
from tables.protocol.commands import AnyCommand, ChatCommand, TableCommand
from tables.protocol.frames import Done, Err
from tables.realtime import runtime
from tables.realtime.publishing import publish_chat
from tables.realtime.runtime import ANSWER_SECONDS, Call
from tables.realtime.writer import writer
from tables.social import chat
from tables.social.chat import Talked


async def execute(
    table_id: int,
    user_id: int,
    command: AnyCommand,
    *,
    address: str | None = None,
    session: str | None = None,
) -> Done | Err:
    """Do the command and tell everybody who looks; the answer is for its sender.

    ``address`` is where it came from, ``session`` the key under which its page is open. Raises
    ``Table.DoesNotExist``, ``sessions.Ended``, and ``OperationalError`` when the database is out
    of reach.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()
    then = partial(_after_commit, loop_queue.queue_for(loop).post, Stopwatch(command), answer)
    if isinstance(command, ChatCommand):
        talk = partial(chat.play, table_id, user_id, command, address=address, session=session)
        writer.do(lambda: talk(server_clock.now()), then, table_id=table_id)
    else:
        order = QueuedCommand(
            table_id, user_id, command, address, session, arrived_at=server_clock.now()
        )
        writer.play(order, then)
    done: CommandResult | Talked = await pending_replies.given_soon(answer)
    return done.answer


def execute_and_wait(
    table_id: int, user_id: int, command: TableCommand, *, address: str | None = None
) -> Done | Err:
    """:func:`play` for code that is not asynchronous."""
    return submit(table_id, user_id, command, address=address).result(ANSWER_SECONDS).answer


def submit(
    table_id: int, user_id: int, command: TableCommand, *, address: str | None = None
) -> Future[CommandResult]:
    """:func:`play` for code that waits later, or not at all."""
    result: Future[CommandResult] = Future()
    order = QueuedCommand(table_id, user_id, command, address, arrived_at=server_clock.now())
    writer.play(order, partial(_after_commit, runtime.on_loop, Stopwatch(command), result))
    return result


def _after_commit(
    post: Callable[[Call], None],
    watch: Stopwatch,
    answer: asyncio.Future[Any] | Future[Any],
    done: CommandResult | Talked | None,
    failure: Exception | None,
) -> None:
    """The loop is woken once, and as the last thing: two threads that want to go on hinder one
    another.
    """
    post(partial(_tell_outcome, watch, answer, done, failure))


def _tell_outcome(
    watch: Stopwatch,
    answer: asyncio.Future[Any] | Future[Any],
    done: CommandResult | Talked | None,
    failure: Exception | None,
) -> None:
    """Everybody is told before the sender of the command."""
    try:
        if isinstance(done, CommandResult):
            runtime.publish(done.changes)
        elif done is not None:
            publish_chat(done)
    finally:
        loop_queue.resolve(answer, done, failure)
        watch.stop(done, failure)
