"""Sockets: frames in become commands, answers go back. Nothing is decided here."""

from __future__ import annotations

from uuid import UUID

from django.db import Error as DatabaseError

from tables import protocol, runtime
from tables.groups import LOBBY, table_topic, user_topic
from tables.hub import hub
from tables.messages import AnyCommand, CloseCode, Err, Resync
from tables.models import Table
from tables.protocol import Unreadable
from tables.viewer import Viewer


class LobbyConsumer(Viewer):
    """Says when a table in the lobby looks different."""

    async def connect(self) -> None:
        await self.accept()
        hub.join(self, [LOBBY])

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        self.hang_up(CloseCode.PROTOCOL)


class TableConsumer(Viewer):
    """One page that shows a table, of a player or of somebody who watches."""

    async def connect(self) -> None:
        """Join first, then read: what happens in between arrives as a frame."""
        await self.accept()
        user = self.scope["user"]
        self.user_id = user.pk if user.is_authenticated else None
        self.table_id: int = self.scope["url_route"]["kwargs"]["table_id"]
        self.seq = 0
        topics = [table_topic(self.table_id)]
        if self.user_id is not None:
            topics.append(user_topic(self.user_id))
        hub.join(self, topics)
        await self.send_snapshot()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Parse, play, answer. Whatever comes in, the socket stays good."""
        if self.is_too_fast():
            self.hang_up(CloseCode.RATE)
            return
        try:
            message = protocol.parse(text_data)
        except Unreadable as unreadable:
            self.refuse(protocol.command_id_in(text_data), unreadable.code, unreadable.message)
            if self.is_hopeless():
                self.hang_up(CloseCode.PROTOCOL)
            return
        if isinstance(message, Resync):
            await self.send_snapshot()
        elif self.user_id is None:
            self.refuse(message.id, "login_required", "Log in to play.")
        else:
            await self.play(self.user_id, message)

    async def play(self, user_id: int, command: AnyCommand) -> None:
        try:
            answer = await runtime.play(self.table_id, user_id, command)
        except DatabaseError:
            self.refuse(command.id, "busy", "The house is busy. Try again in a moment.")
            return
        self.push(protocol.encode(answer))

    async def send_snapshot(self) -> None:
        try:
            snapshot = await runtime.snapshot(self.table_id, self.user_id)
        except Table.DoesNotExist:
            self.hang_up(CloseCode.NO_SUCH_TABLE)
            return
        except DatabaseError:
            self.hang_up(CloseCode.TRY_LATER)
            return
        self.seq = snapshot.seq
        self.push(protocol.encode(snapshot))

    def refuse(self, command_id: UUID | None, code: str, message: str) -> None:
        self.push(protocol.encode(Err(command_id, code, message, self.seq)))
