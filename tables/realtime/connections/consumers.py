"""Channels consumers: authorise pages, decode commands, dispatch them and send the replies."""

from __future__ import annotations

import asyncio
from typing import Final
from uuid import UUID

import structlog
from django.conf import settings
from django.utils.translation import activate
from django.utils.translation import gettext as _

from accounts.lib import languages, log_context
from accounts.lib.errors import BUSY, TRY_AGAIN
from accounts.users import sessions
from tables import access, metrics
from tables.models import Table
from tables.protocol import codec
from tables.protocol.codec import FrameError
from tables.protocol.commands import AnyCommand, Resync, Sight
from tables.protocol.frames import CloseCode, Done, Err, Noticed, Snapshot
from tables.protocol.topics import LOBBY_PAGES, SITE, table_topic, user_topic
from tables.realtime import dispatch, heartbeats, hints, runtime
from tables.realtime.connections import rate_limits, socket_url
from tables.realtime.connections.connection import Connection, players_allowances
from tables.realtime.connections.rate_limits import crowd
from tables.realtime.hub import hub
from tables.social import announcements, invites, notices
from tables.texts.refusals import translate_refusal

log = structlog.get_logger()

LOOK_LATER_SECONDS: Final = 2.0
"""The delay of a snapshot over the limit."""
MOST_OVERTAKEN: Final = 5


class UnknownUrlConsumer(Connection):
    """For unknown URLs: accepts, and closes with a code that the browser can read."""

    async def connect(self) -> None:
        await self.accept()
        self.close_socket(CloseCode.NO_SUCH_TABLE)


class PageConsumer(Connection):
    """The page of a user or a visitor, in one language."""

    language = ""

    def _identify(self) -> bool:
        """Read user, session and language. False: the page was rendered for another user than the
        one logged in now, or under an ended session, and has to reload.

        A frozen account and a new password leave session rows in place, so the page names its
        player in the URL.
        """
        user = self.scope["user"]
        self.language = self._choose_language(user.language if user.is_authenticated else "")
        # For this socket alone: the active language belongs to its task, and to those that it starts.
        activate(self.language)
        if user.is_authenticated:
            self.user_id = user.pk
            log_context.add_ids(user_id=user.pk)
            self.session_key = self.scope["session"].session_key
        drawn_for = socket_url.parse_player_id(self.scope["query_string"])
        if drawn_for is not None:
            return drawn_for == str(self.user_id)
        has_cookie = settings.SESSION_COOKIE_NAME in self.scope["cookies"]
        return not has_cookie or self.scope["session"].session_key is not None

    def _choose_language(self, account: str) -> str:
        """The language of the page; without one in the URL, the one that a page would have now."""
        headers = dict(self.scope["headers"])
        accepted = headers.get(b"accept-language", b"").decode("latin-1")
        page = languages.known(socket_url.language_in(self.scope["query_string"]))
        return page or languages.choose(account, self.scope["cookies"], accepted)

    def _list_topics(self, *topics: str) -> list[str]:
        """These topics, and that of the user."""
        return [*topics, SITE, *([user_topic(self.user_id)] if self.user_id is not None else [])]


class LobbyConsumer(PageConsumer):
    """Sends changes of the list of tables and of the site's status."""

    async def connect(self) -> None:
        """Join the topics first, then read, as at a table."""
        await self.accept()
        if not self._identify():
            self.close_socket(CloseCode.SESSION_ENDED)
            return
        hub.join(self, self._list_topics(LOBBY_PAGES))
        try:
            house_news = await dispatch.run_without_publishing(announcements.build_frame)
        except BUSY:
            self.close_socket(CloseCode.TRY_LATER)
            return
        self.push(codec.encode(house_news))
        since = socket_url.parse_since(self.scope["query_string"])
        runtime.get_lobby_feed().add_page(self, since)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        self.close_socket(CloseCode.PROTOCOL)


class NoticesConsumer(PageConsumer):
    """Sends the notices of a user to a page that shows neither a table nor the lobby."""

    async def connect(self) -> None:
        """Join the topic first, then read, as at a table."""
        await self.accept()
        if not self._identify() or self.user_id is None:
            self.close_socket(CloseCode.SESSION_ENDED)
            return
        user_id = self.user_id
        hub.join(self, [user_topic(user_id)])
        try:
            count = await dispatch.run_without_publishing(lambda _now: notices.count_new(user_id))
        except BUSY:
            self.close_socket(CloseCode.TRY_LATER)
            return
        self.push(codec.encode(Noticed(count)))

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        self.close_socket(CloseCode.PROTOCOL)


class TableConsumer(PageConsumer):
    """The page of a table, of a player or a watcher."""

    _is_asking = False
    _asks_again = False
    _page_seq: int | None = None
    """The last change that the page has."""
    _overtaken = 0
    """How many snapshots in a row were overtaken by a change."""

    async def connect(self) -> None:
        """Join the topics first, then read: changes in between arrive as frames."""
        await self.accept()
        if not self._identify():
            self.close_socket(CloseCode.SESSION_ENDED)
            return
        if self.user_id is not None:
            self.allowance = players_allowances.get_bucket(self.user_id)
        self.codes = invites.get_socket_codes(self.scope)
        self.table_id: int = self.scope["url_route"]["kwargs"]["table_id"]
        log_context.add_ids(table_id=self.table_id)
        self.log_ids = log_context.get_ids()
        self.seq = 0
        self._page_seq = socket_url.parse_seq(self.scope["query_string"])
        try:
            is_let_in = await dispatch.run_without_publishing(lambda _now: self._is_admitted())
        except BUSY:
            self.close_socket(CloseCode.TRY_LATER)
            return
        if not is_let_in:
            self.close_socket(CloseCode.NO_SUCH_TABLE)
            return
        if self.user_id is not None:
            self._close_oldest_page(self.user_id)
        hub.join(self, self._list_topics(table_topic(self.table_id)))
        self.send_snapshot()

    def _close_oldest_page(self, user_id: int) -> None:
        """Close the player's oldest page if this one is over the limit."""
        oldest = None if self.is_hung_up else crowd.add_page(user_id, self)
        if oldest is not None:
            oldest.close_socket(CloseCode.TOO_MANY_PAGES)

    def _is_admitted(self) -> bool:
        if self.is_gone():
            return False
        tables = Table.objects.defer("state")
        return access.find_visible(tables, self.table_id, self.user_id, self.codes) is not None

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Decode a frame, execute it and reply. No input raises."""
        try:
            message = codec.decode_command(text_data)
        except FrameError as unreadable:
            metrics.COMMANDS.labels(metrics.UNREADABLE, unreadable.code).inc()
            self.refuse(
                codec.find_command_id(text_data), unreadable.code, translate_refusal(unreadable)
            )
            if self.has_too_many_errors():
                self.close_socket(CloseCode.PROTOCOL)
            return
        if isinstance(message, Resync):
            metrics.RESYNCS.inc()
            self._page_seq = message.seq
            self._send_snapshot_again()
        elif isinstance(message, Sight):
            self._note_sight(message.on)
        elif self.user_id is None:
            metrics.COMMANDS.labels(message.__struct_config__.tag, "login_required").inc()
            self.refuse(message.id, "login_required", _("Log in to play."))
        elif rate_limits.is_over_command_rate(self.address, message):
            metrics.COMMANDS.labels(message.__struct_config__.tag, "too_fast").inc()
            self.refuse(message.id, "too_fast", _("Too many messages at once. Wait a few seconds."))
        else:
            await self.execute(self.user_id, message)

    async def execute(self, user_id: int, command: AnyCommand) -> None:
        with log_context.bound({**log_context.get_ids(), "command_id": command.id}):
            await self._execute(user_id, command)

    async def _execute(self, user_id: int, command: AnyCommand) -> None:
        try:
            answer: Done | Err = await dispatch.execute(
                self.table_id, user_id, command, address=self.address, session=self.session_key
            )
        except sessions.SessionEnded:
            # Without a reply: the page reloads and resends the command under its new session.
            self.close_socket(CloseCode.SESSION_ENDED)
        except BUSY:
            self.refuse(command.id, "busy", str(TRY_AGAIN))
        except Exception:
            log.exception("command_failed")
            message = _("Something went wrong. Nothing was changed. Try again.")
            self.refuse(command.id, "internal", message)
        else:
            self.push(codec.encode(answer))

    def send_snapshot(self) -> None:
        """Request a snapshot, unless one is pending: then request another one after it."""
        if self._is_asking:
            self._asks_again = True
            return
        self._is_asking = True
        self._request_snapshot()

    def _note_sight(self, is_in_sight: bool) -> None:
        """Note whether the page is in sight. Of visitors nobody asks."""
        if self.user_id is not None and is_in_sight != self.is_in_sight:
            self.is_in_sight = is_in_sight
            hub.note_sight(table_topic(self.table_id))

    def _send_snapshot_again(self) -> None:
        """Send a further snapshot; over the limit, after :data:`LOOK_LATER_SECONDS`."""
        if self._is_asking or not rate_limits.is_over_snapshot_rate(self.address, self.user_id):
            self.send_snapshot()
            return
        self._is_asking = True
        asyncio.get_running_loop().call_later(LOOK_LATER_SECONDS, self._request_snapshot)

    def _request_snapshot(self) -> None:
        session = self.session_key
        runtime.request_snapshot(
            self.table_id,
            self.user_id,
            self._deliver_snapshot,
            is_gone=self.is_gone,
            session=session,
            seq=self._page_seq,
        )

    def _deliver_snapshot(self, snapshot: Snapshot | None, failure: Exception | None) -> None:
        self._is_asking = False
        if isinstance(failure, Table.DoesNotExist):
            self.close_socket(CloseCode.NO_SUCH_TABLE)
        elif isinstance(failure, sessions.SessionEnded):
            self.close_socket(CloseCode.SESSION_ENDED)
        elif failure is not None:
            with log_context.bound(self.log_ids):
                log.error("snapshot_failed", exc_info=failure)
            self.close_socket(CloseCode.TRY_LATER)
        elif snapshot is not None and self._is_overtaken(snapshot):
            self._is_asking = True
            self._request_snapshot()
            return
        elif snapshot is not None:
            self.seq = snapshot.seq
            heartbeats.of_process.note_seq(self.table_id, snapshot.seq, snapshot.epoch)
            self.push(codec.encode(snapshot))
            hints.of_process.note_snapshot(self, self.table_id, snapshot)
        if self._asks_again and not self.is_gone():
            self._asks_again = False
            self._send_snapshot_again()

    def _is_overtaken(self, snapshot: Snapshot) -> bool:
        """Whether a change that the snapshot lacks was published while it was read. At a table that
        changes all the time this is false in the end: then the page asks again.
        """
        is_older = heartbeats.of_process.get_seq(self.table_id) > snapshot.seq
        self._overtaken = self._overtaken + 1 if is_older else 0
        return 0 < self._overtaken <= MOST_OVERTAKEN

    def refuse(self, command_id: UUID | None, code: str, message: str) -> None:
        self.push(codec.encode(Err(command_id, code, message, self.seq)))
