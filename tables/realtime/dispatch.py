"""Choose who executes a command or other work, and publish the effects to open pages."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, Final, TypeVar

from django.utils.translation import get_language, override

from accounts.lib import server_clock
from tables.game.commands import QueuedCommand
from tables.lib import loop_queue, pending_replies
from tables.metrics import Stopwatch
from tables.protocol.commands import AnyCommand, ChatCommand, React, TableCommand
from tables.protocol.frames import Done, Err
from tables.realtime import publishing
from tables.realtime.writers.loop_writer import loop_writer
from tables.realtime.writers.writer import writer
from tables.social import chat, reactions
from tables.state.effects import Effects

T = TypeVar("T")
Work = Callable[[dt.datetime], Effects[T]]
"""A function of the site's time. It opens its own transaction."""

ANSWER_SECONDS: Final = 10
"""How long a request waits for the writer thread."""


def run(work: Work[T]) -> T:
    """Run ``work`` in the writer thread, publish its effects, and return their value.

    Raises what ``work`` does, and ``DatabaseError`` or ``TimeoutError`` when the site is too busy.
    """
    return _submit(work).result(ANSWER_SECONDS).value


async def run_async(work: Work[T]) -> T:
    """:func:`run` for code on the event loop, which waits for as long as it takes."""
    return (await _await_result(_submit(work))).value


async def run_without_publishing(work: Callable[[dt.datetime], T]) -> T:
    """:func:`run_async` for work without effects for open pages, such as a query."""
    return await _await_result(writer.submit(lambda: work(server_clock.now())))


def _await_result(submitted: Future[T]) -> asyncio.Future[T]:
    return loop_queue.get_queue(asyncio.get_running_loop()).await_future(submitted)


def _submit(work: Work[T]) -> Future[Effects[T]]:
    return writer.submit(_in_language_of_caller(work), on_commit=publishing.publish_threadsafe)


def _in_language_of_caller(work: Callable[[dt.datetime], T]) -> Callable[[], T]:
    """``work`` at the time when it runs, with its sentences in the language that is active now: the
    writer thread has none.
    """
    language = get_language()

    def run_work() -> T:
        with override(language):
            return work(server_clock.now())

    return run_work


async def execute(
    table_id: int,
    user_id: int,
    command: AnyCommand,
    *,
    address: str | None = None,
    session: str | None = None,
) -> Done | Err:
    """Execute a command and publish its changes; return the reply for its sender, in the active
    language.

    ``address`` is the client's address, ``session`` the session key of its page. Raises
    ``Table.DoesNotExist``, ``sessions.SessionEnded``, and ``OperationalError`` when the database is out
    of reach.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()
    then = partial(_after_commit, loop_queue.get_queue(loop).run, Stopwatch(command), answer)
    if isinstance(command, ChatCommand):
        talk = partial(chat.execute, table_id, user_id, command, address=address, session=session)
        writer.submit_then(_in_language_of_caller(talk), then)
    elif isinstance(command, React):
        show = partial(reactions.execute, table_id, user_id, command, session=session)
        writer.submit_then(_in_language_of_caller(show), then)
    else:
        queued = QueuedCommand(
            table_id, user_id, command, address, session, arrived_at=server_clock.now()
        )
        if loop_writer.accepts(queued):
            loop_writer.submit_command(queued, then)
        else:
            writer.submit_command(queued, then)
    effects: Effects[Done | Err] = await pending_replies.track_reply(answer)
    return effects.value


def execute_and_wait(
    table_id: int, user_id: int, command: TableCommand, *, address: str | None = None
) -> Done | Err:
    """:func:`execute` for code that is not asynchronous."""
    return submit(table_id, user_id, command, address=address).result(ANSWER_SECONDS).value


def submit(
    table_id: int, user_id: int, command: TableCommand, *, address: str | None = None
) -> Future[Effects[Done | Err]]:
    """:func:`execute` for code that waits later, or not at all."""
    result: Future[Effects[Done | Err]] = Future()
    queued = QueuedCommand(table_id, user_id, command, address, arrived_at=server_clock.now())
    writer.submit_command(
        queued, partial(_after_commit, publishing.run_on_loop, Stopwatch(command), result)
    )
    return result


def _after_commit(
    post: Callable[[Callable[[], None]], None],
    watch: Stopwatch,
    answer: asyncio.Future[Any] | Future[Any],
    effects: Effects[Done | Err] | None,
    failure: Exception | None,
) -> None:
    """Resolve the reply on the event loop, as the last step, because the loop then competes."""
    post(partial(_publish_outcome, watch, answer, effects, failure))


def _publish_outcome(
    watch: Stopwatch,
    answer: asyncio.Future[Any] | Future[Any],
    effects: Effects[Done | Err] | None,
    failure: Exception | None,
) -> None:
    """Publish the changes, then resolve the reply for the sender."""
    try:
        if effects is not None:
            publishing.publish(effects)
    finally:
        loop_queue.resolve(answer, effects, failure)
        watch.stop(effects.value if effects else None, failure)
