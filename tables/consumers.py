"""Sockets: frames in become commands, answers go back. Nothing is decided here."""

from __future__ import annotations

from concurrent.futures import Future
from uuid import UUID

import structlog
from django.db import Error as DatabaseError
from django.utils import timezone
from django.utils.translation import gettext as _

from tables import access, house, metrics, news, protocol, runtime
from tables.groups import HOUSE, LOBBY, table_topic, user_topic
from tables.hub import hub
from tables.messages import AnyCommand, CloseCode, Done, Err, Resync, Snapshot
from tables.models import Table
from tables.protocol import Unreadable
from tables.translated import sentence
from tables.viewer import Viewer

log = structlog.get_logger()

LARGEST_ID = 2**63 - 1


class NowhereConsumer(Viewer):
    """For addresses that do not exist: accepts, so that the browser can be told."""

    async def connect(self) -> None:
        await self.accept()
        self.hang_up(CloseCode.NO_SUCH_TABLE)


class LobbyConsumer(Viewer):
    """Says when a table in the lobby looks different, and what holds for the whole house."""

    async def connect(self) -> None:
        """Join first, then read, as at a table."""
        await self.accept()
        hub.join(self, [LOBBY, HOUSE])
        try:
            house_news = await runtime.in_writer_thread(lambda: news.frame(timezone.now()))
        except DatabaseError:
            self.hang_up(CloseCode.TRY_LATER)
            return
        self.push(protocol.encode(house_news))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        self.hang_up(CloseCode.PROTOCOL)


class TableConsumer(Viewer):
    """One page that shows a table, of a player or of somebody who watches."""

    async def connect(self) -> None:
        """Join first, then read: what happens in between arrives as a frame."""
        await self.accept()
        user = self.scope["user"]
        if user.is_authenticated:
            self.user_id = user.pk
            self.session_key = self.scope["session"].session_key
        self.codes = access.codes_in(self.scope["session"])
        self.table_id: int = self.scope["url_route"]["kwargs"]["table_id"]
        self.seq = 0
        try:
            is_let_in = await runtime.in_writer_thread(self._is_let_in)
        except DatabaseError:
            self.hang_up(CloseCode.TRY_LATER)
            return
        if not is_let_in:
            self.hang_up(CloseCode.NO_SUCH_TABLE)
            return
        topics = [table_topic(self.table_id), HOUSE]
        if self.user_id is not None:
            topics.append(user_topic(self.user_id))
        hub.join(self, topics)
        self.send_snapshot()

    def _is_let_in(self) -> bool:
        if self.table_id > LARGEST_ID:
            return False
        table = Table.objects.defer("state").filter(pk=self.table_id).first()
        return table is not None and self.may_see(table)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Parse, play, answer. Whatever comes in, the socket stays good."""
        if self.is_too_fast():
            self.hang_up(CloseCode.RATE)
            return
        try:
            message = protocol.parse(text_data)
        except Unreadable as unreadable:
            metrics.COMMANDS.labels(metrics.UNREADABLE, unreadable.code).inc()
            self.refuse(protocol.command_id_in(text_data), unreadable.code, sentence(unreadable))
            if self.is_hopeless():
                self.hang_up(CloseCode.PROTOCOL)
            return
        if isinstance(message, Resync):
            metrics.RESYNCS.inc()
            self.send_snapshot()
        elif self.user_id is None:
            metrics.COMMANDS.labels(message.__struct_config__.tag, "login_required").inc()
            self.refuse(message.id, "login_required", _("Log in to play."))
        else:
            await self.play(self.user_id, message)

    async def play(self, user_id: int, command: AnyCommand) -> None:
        try:
            answer: Done | Err = await runtime.play(self.table_id, user_id, command)
        except DatabaseError:
            self.refuse(command.id, "busy", _("The house is busy. Try again in a moment."))
        except Exception:
            log.exception("command_failed", table_id=self.table_id)
            message = _("Something went wrong here. Nothing was changed.")
            self.refuse(command.id, "internal", message)
        else:
            self.push(protocol.encode(answer))

    def send_snapshot(self) -> None:
        runtime.snapshot_soon(self.table_id, self.user_id, self._greet)

    def _greet(self, work: Future[Snapshot]) -> None:
        failure = work.exception()
        if isinstance(failure, Table.DoesNotExist):
            self.hang_up(CloseCode.NO_SUCH_TABLE)
        elif isinstance(failure, house.SwitchedOff):
            self.hang_up(CloseCode.SESSION_ENDED)
        elif failure is not None:
            log.error("snapshot_failed", table_id=self.table_id, exc_info=failure)
            self.hang_up(CloseCode.TRY_LATER)
        else:
            self.seq = work.result().seq
            self.push(protocol.encode(work.result()))

    def refuse(self, command_id: UUID | None, code: str, message: str) -> None:
        self.push(protocol.encode(Err(command_id, code, message, self.seq)))
