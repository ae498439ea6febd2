"""Dispatch of a command: to the writer thread, then to all open pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from tables import answers, chat, house_time, mailbox, runtime
from tables.chat import Talked
from tables.messages import AnyCommand, ChatCommand, Done, Err, TableCommand
from tables.metrics import Stopwatch
from tables.playing import Order, Played
from tables.runtime import ANSWER_SECONDS, Call
from tables.telling import tell_talk
from tables.writer import writer


async def play(
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
    then = partial(_after_commit, mailbox.of(loop).post, Stopwatch(command), answer)
    if isinstance(command, ChatCommand):
        talk = partial(chat.play, table_id, user_id, command, address=address, session=session)
        writer.do(lambda: talk(house_time.now()), then, table_id=table_id)
    else:
        order = Order(table_id, user_id, command, address, session, arrived_at=house_time.now())
        writer.play(order, then)
    done: Played | Talked = await answers.given_soon(answer)
    return done.answer


def play_and_wait(
    table_id: int, user_id: int, command: TableCommand, *, address: str | None = None
) -> Done | Err:
    """:func:`play` for code that is not asynchronous."""
    return play_soon(table_id, user_id, command, address=address).result(ANSWER_SECONDS).answer


def play_soon(
    table_id: int, user_id: int, command: TableCommand, *, address: str | None = None
) -> Future[Played]:
    """:func:`play` for code that waits later, or not at all."""
    result: Future[Played] = Future()
    order = Order(table_id, user_id, command, address, arrived_at=house_time.now())
    writer.play(order, partial(_after_commit, runtime.on_loop, Stopwatch(command), result))
    return result


def _after_commit(
    post: Callable[[Call], None],
    watch: Stopwatch,
    answer: asyncio.Future[Any] | Future[Any],
    done: Played | Talked | None,
    failure: Exception | None,
) -> None:
    """The loop is woken once, and as the last thing: two threads that want to go on hinder one
    another.
    """
    post(partial(_tell_outcome, watch, answer, done, failure))


def _tell_outcome(
    watch: Stopwatch,
    answer: asyncio.Future[Any] | Future[Any],
    done: Played | Talked | None,
    failure: Exception | None,
) -> None:
    """Everybody is told before the sender of the command."""
    try:
        if isinstance(done, Played):
            runtime.tell(done.changes)
        elif done is not None:
            tell_talk(done)
    finally:
        mailbox.hand_over(answer, done, failure)
        watch.stop(done, failure)
