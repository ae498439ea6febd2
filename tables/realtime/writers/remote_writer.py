"""Bets and decisions that another process executes: the one that changed the table last.

That process, the owner of the table, has it in memory; this one would have to lock and read it
first. So a command goes to the owner through Redis, and the reply comes back, after the frames of
its change. Nothing relies on this: if the owner is gone, stops, does not answer in time or fails,
this process executes the command itself, and a command is executed once whoever executes it. A
process without a page of the table returns commands, so that the owner is one that has.

A request holds the session key of a page, so requests and replies are encrypted: who can read Redis
learns no key, and who can write to it cannot play for others. Each is for one sender, one receiver and
one number, and the owner takes a request once: a refused command leaves no trace, so it could be
executed if it was sent again.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, Final

import msgspec
import structlog
from msgspec import Struct

from accounts.lib import server_clock
from tables import metrics
from tables.game.commands import CommandResult, QueuedCommand
from tables.lib import loop_queue
from tables.lib.encrypted_messages import UnreadableMessage, decrypt, encrypt
from tables.protocol.commands import Decision, TableCommand
from tables.protocol.frames import Done, Err
from tables.protocol.topics import table_topic
from tables.realtime import publishing
from tables.realtime.hub import hub
from tables.realtime.writers.writer import JobCallback, writer
from tables.state.effects import Effects

log = structlog.get_logger()

VALID_SECONDS: Final = 1.0
"""The owner executes a request that is not older than this."""
REMEMBERED_SECONDS: Final = 60.0
"""For this long an owner knows a request again: longer than any clock is wrong."""
PATIENCE_SECONDS: Final = 1.5
"""After this time without a reply, this process executes the command itself."""


class Request(Struct, tag="request", frozen=True):
    """A command for the owner of its table."""

    number: int
    order: bytes
    """An encrypted :class:`_Order`."""


class Reply(Struct, tag="reply", frozen=True):
    """The reply of the owner."""

    number: int
    frame: bytes
    """The encrypted frame for the sender of the command; empty if it was not executed."""


class _Order(Struct, array_like=True, frozen=True):
    """A :class:`QueuedCommand` in a request."""

    table_id: int
    user_id: int
    command: TableCommand
    address: str | None
    session: str
    arrived_at: dt.datetime | None
    expires_at: dt.datetime
    language: str | None
    log_ids: dict[str, Any]


_decode_message: Final = msgspec.json.Decoder(Request | Reply).decode
_decode_order: Final = msgspec.json.Decoder(_Order).decode
_decode_frame: Final[Callable[[bytes], Done | Err]] = msgspec.json.Decoder(Done | Err).decode
_encode: Final = msgspec.json.Encoder().encode
_RETURNED: Final = b""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A command whose reply has not come."""

    owner: str
    order: QueuedCommand
    then: JobCallback[CommandResult]
    timer: asyncio.TimerHandle


class RemoteWriter:
    """The requests of one process, and those to it. For the event loop only."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_open = False
        """Whether requests are sent and executed."""
        self._numbers = count(1)
        self._waiting: dict[int, _Waiting] = {}
        self._taken: dict[tuple[str, int], float] = {}
        """When a request of a process was taken, by its number, for as long as it may be valid."""

    def start(self) -> None:
        """Send requests, and execute those of others, on the running loop. Before the hub starts."""
        self._loop, self._is_open = asyncio.get_running_loop(), True
        hub.on_message = self._receive
        hub.on_undelivered = self._handle_undelivered

    def stop(self) -> None:
        """Return further requests, and leave the own ones to the writer thread. What the owner of a
        table has begun is still published.
        """
        self._is_open = False
        hub.leave_messages()
        for number in [*self._waiting]:
            self._execute_here(number, "stopped")

    # Requests of this process

    def accepts(self, order: QueuedCommand) -> bool:
        """Whether another process owns the table of a command, and may execute it."""
        return (
            self._is_open
            and isinstance(order.command, Decision)
            and order.session is not None  # the owner has nothing else to know the player by
            and hub.find_owner(order.table_id) is not None
        )

    def submit_command(self, order: QueuedCommand, then: JobCallback[CommandResult]) -> None:
        """Have the owner execute a command that :meth:`accepts` has let through.

        ``then`` is called as by :meth:`tables.realtime.writers.writer.Writer.submit_command`, here with a
        reply that has no changes: they came as frames.
        """
        owner, number = hub.find_owner(order.table_id), next(self._numbers)
        assert owner is not None
        assert order.session is not None
        assert self._loop is not None
        content = _Order(
            order.table_id, order.user_id, order.command, order.address, order.session,
            order.arrived_at, server_clock.now() + dt.timedelta(seconds=VALID_SECONDS),
            order.language, dict(order.log_ids),
        )  # fmt: skip
        purpose = _get_purpose("order", hub.process, owner, number)
        request = Request(number, encrypt(_encode(content), purpose))
        timer = self._loop.call_later(PATIENCE_SECONDS, self._give_up, number)
        self._waiting[number] = _Waiting(owner, order, then, timer)
        hub.send_message(owner, _encode(request).decode())

    def _take_reply(self, reply: Reply) -> None:
        waiting = self._waiting.get(reply.number)
        if waiting is None:
            return  # it came too late
        try:
            text = decrypt(
                reply.frame, _get_purpose("reply", waiting.owner, hub.process, reply.number)
            )
        except UnreadableMessage as error:
            log.warning("reply_unreadable", error=repr(error))
            return  # perhaps a forged one, so the right one may still come
        if text == _RETURNED:
            hub.forget_owner(waiting.order.table_id)
            self._execute_here(reply.number, "returned")
            return
        waiting.timer.cancel()
        del self._waiting[reply.number]
        metrics.REMOTE_COMMANDS.labels("executed").inc()
        waiting.then(Effects(_decode_frame(text)), None)

    def _handle_undelivered(self, text: str) -> None:
        """Execute a command here whose owner is gone."""
        message = _decode_message(text)
        if isinstance(message, Request) and message.number in self._waiting:
            hub.forget_owners(self._waiting[message.number].owner)
            self._execute_here(message.number, "undelivered")

    def _give_up(self, number: int) -> None:
        """Execute a command here whose owner does not answer, and send it no others for a while."""
        hub.forget_owners(self._waiting[number].owner)
        self._execute_here(number, "late")

    def _execute_here(self, number: int, why: str) -> None:
        waiting = self._waiting.pop(number)
        waiting.timer.cancel()
        metrics.REMOTE_COMMANDS.labels(why).inc()
        writer.submit_command(waiting.order, waiting.then)

    # Requests of other processes

    def _receive(self, sender: str, text: str) -> None:
        try:
            message = _decode_message(text)
        except (msgspec.MsgspecError, RecursionError) as error:
            log.warning("message_unreadable", error=repr(error))
            return
        if isinstance(message, Reply):
            self._take_reply(message)
        else:
            self._take_request(sender, message)

    def _take_request(self, sender: str, request: Request) -> None:
        """Execute the command of a request, or return it."""
        number = request.number
        try:
            text = decrypt(request.order, _get_purpose("order", sender, hub.process, number))
            content = _decode_order(text)
        except (UnreadableMessage, msgspec.MsgspecError) as error:
            # Of a process with another key or release, which executes the command after a while.
            log.warning("request_unreadable", error=repr(error))
            return
        if not self._is_first(sender, number):
            return
        if not (self._is_open and hub.has_sockets(table_topic(content.table_id))):
            self._reply(sender, number, _RETURNED)
            return
        order = QueuedCommand(
            content.table_id, content.user_id, content.command, content.address, content.session,
            arrived_at=content.arrived_at, expires_at=content.expires_at,
            language=content.language, log_ids=content.log_ids,
        )  # fmt: skip
        writer.submit_command(order, partial(self._after_commit, sender, number))

    def _is_first(self, sender: str, number: int) -> bool:
        """Whether a request comes for the first time. Those that are no longer valid are forgotten."""
        now = time.monotonic()
        while self._taken and next(iter(self._taken.values())) < now - REMEMBERED_SECONDS:
            del self._taken[next(iter(self._taken))]
        is_first = (sender, number) not in self._taken
        self._taken.setdefault((sender, number), now)
        return is_first

    def _after_commit(
        self, sender: str, number: int, effects: CommandResult | None, failure: Exception | None
    ) -> None:
        assert self._loop is not None
        queue = loop_queue.get_queue(self._loop)
        queue.run(partial(self._publish_outcome, sender, number, effects, failure))

    def _publish_outcome(
        self, sender: str, number: int, effects: CommandResult | None, failure: Exception | None
    ) -> None:
        """Publish the changes, then reply. A failure is found again by the process that asked."""
        text = _RETURNED
        try:
            if effects is not None:
                publishing.publish(effects)
                text = _encode(effects.value)
            else:
                log.info("request_failed", error=repr(failure))
        finally:
            self._reply(sender, number, text)

    def _reply(self, receiver: str, number: int, text: bytes) -> None:
        frame = encrypt(text, _get_purpose("reply", hub.process, receiver, number))
        hub.send_message(receiver, _encode(Reply(number, frame)).decode())


def _get_purpose(kind: str, sender: str, receiver: str, number: int) -> bytes:
    """What a message is encrypted for: one request, from one process to another."""
    return f"{kind} {sender} {receiver} {number}".encode()


remote_writer: Final = RemoteWriter()
"""The remote writer of this process."""
