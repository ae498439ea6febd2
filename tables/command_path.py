"""The way of a command: to the writer thread, and what came of it back to everybody."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from tables import answers, chat, house_time, mailbox, protocol, runtime
from tables.chat import Talked
from tables.groups import table_topic
from tables.hub import hub
from tables.messages import AnyCommand, ChatCommand, Done, Err, TableCommand
from tables.metrics import Stopwatch
from tables.playing import Order, Played
from tables.runtime import ANSWER_SECONDS, Call
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
    if isinstance(command, ChatCommand):
        talked = await answers.of(_talk(table_id, user_id, command, address, session))
        return talked.answer
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Played] = loop.create_future()
    order = Order(table_id, user_id, command, address, session, arrived_at=house_time.now())
    _submit(order, answer, mailbox.of(loop).post)
    return (await answers.given_soon(answer)).answer


def play_and_wait(table_id: int, user_id: int, command: TableCommand) -> Done | Err:
    """:func:`play` for code that is not asynchronous."""
    return play_soon(table_id, user_id, command).result(ANSWER_SECONDS).answer


def play_soon(table_id: int, user_id: int, command: TableCommand) -> Future[Played]:
    """:func:`play` for code that waits later, or not at all."""
    result: Future[Played] = Future()
    order = Order(table_id, user_id, command, arrived_at=house_time.now())
    _submit(order, result, runtime.on_loop)
    return result


def _submit(
    order: Order, answer: asyncio.Future[Played] | Future[Played], post: Callable[[Call], None]
) -> None:
    """Have a command done, and everybody told of it before its sender."""
    writer.play(order, partial(_after_commit, post, Stopwatch(order.command), answer))


def _after_commit(
    post: Callable[[Call], None],
    watch: Stopwatch,
    answer: asyncio.Future[Played] | Future[Played],
    played: Played | None,
    failure: Exception | None,
) -> None:
    """The loop is woken once, and as the last thing: two threads that want to go on hinder one
    another.
    """
    post(partial(_tell_outcome, watch, answer, played, failure))


def _tell_outcome(
    watch: Stopwatch,
    answer: asyncio.Future[Played] | Future[Played],
    played: Played | None,
    failure: Exception | None,
) -> None:
    try:
        if played is not None:
            runtime.tell(played.changes)
    finally:
        mailbox.hand_over(answer, played, failure)
        watch.stop(played, failure)


def _talk(
    table_id: int, user_id: int, command: ChatCommand, address: str | None, session: str | None
) -> Future[Talked]:
    watch = Stopwatch(command)
    return writer.submit(
        lambda: chat.play(
            table_id, user_id, command, house_time.now(), address=address, session=session
        ),
        table_id=table_id,
        then=lambda done: _after_talk(watch, table_id, done),
    )


def _after_talk(watch: Stopwatch, table_id: int, work: Future[Talked]) -> None:
    failure = work.exception()
    watch.stop(None if failure else work.result(), failure)
    if failure is None:
        topic = table_topic(table_id)
        hub.publish_soon([(topic, protocol.encode(frame)) for frame in work.result().frames])
