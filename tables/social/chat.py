"""Chat at a table. It never changes a round."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib.plain_text import to_plain_line
from accounts.lib.sql.select import Select
from accounts.lib.times import to_milliseconds
from accounts.models import Act, User
from accounts.users import blocked_words, search, sessions
from tables import access
from tables.engine.errors import RuleViolation
from tables.models import Change, ChatChange, ChatLine, Silence, Table, command_ids
from tables.protocol import codec
from tables.protocol.commands import ChatCommand, Say, Unsay
from tables.protocol.commands import Silence as SilenceCommand
from tables.protocol.frames import Done, Err, Line, Muted, Said, Unsaid
from tables.protocol.topics import table_topic
from tables.state.effects import Effects
from tables.texts.refusals import translate_refusal

LAST_LINES: Final = 50
MAX_LENGTH: Final = 200
LINES_AT_ONCE: Final = 5
"""The limit of lines of one person in :data:`WHILE`, over all tables."""
WHILE: Final = dt.timedelta(seconds=10)


def execute(
    table_id: int,
    user_id: int,
    command: ChatCommand,
    now: dt.datetime,
    *,
    address: str | None = None,
    session: str | None = None,
) -> Effects[Done | Err]:
    """Execute a chat command: add, remove or silence. A repeated command gets the same reply.

    ``address`` is the client's address, for the audit log of operators. ``session`` is the session
    key of the page. Raises ``Table.DoesNotExist``, and ``sessions.SessionEnded`` if the session has
    ended.
    """
    who = Operator(user_id, address, session)
    table = Table.objects.select_related("maker").defer("state").get(pk=table_id)
    try:
        with transaction.atomic():
            frames = _apply_command(table, who, command, now)
    except RuleViolation as violation:
        return Effects(Err(command.id, violation.code, translate_refusal(violation), table.seq))
    topic = table_topic(table_id)
    topic_frames = tuple((topic, frame) for frame in frames)
    return Effects(Done(command.id, table.seq), frames=topic_frames)


_last_lines = Select(lambda table_id: _filter_visible(table_id).select_related("user")[:LAST_LINES])


def list_last_lines(table: Table) -> tuple[Line, ...]:
    """The last :data:`LAST_LINES` lines, oldest first."""
    return build_lines(_last_lines(table.pk))


def send_last_lines(table_id: int) -> Callable[[], list[ChatLine]]:
    """Read the last lines, newest first; return a function for them, to be called after a pipeline."""
    return _last_lines.send(table_id)


def build_lines(lines: Sequence[ChatLine]) -> tuple[Line, ...]:
    """These lines as pages show them, oldest first."""
    return tuple(_build_line(line) for line in reversed(lines))


def list_silenced(table: Table) -> tuple[str, ...]:
    """The names of the players silenced at this table."""
    return tuple(table.silences.order_by("pk").values_list("user__username", flat=True))


def _apply_command(
    table: Table, who: Operator, command: ChatCommand, now: dt.datetime
) -> tuple[Said | Unsaid | Muted, ...]:
    if not access.may_see(table, who.user_id, {}):
        raise RuleViolation("table_closed", "You can no longer write in this chat.")
    command_ids.lock_ids(who.user_id)
    user = User.objects.get(pk=who.user_id)
    access.verify_may_play(user)
    if who.session is not None and not sessions.may_act(user.pk, who.session, now):
        raise sessions.SessionEnded
    if _is_done_already(table, user.pk, command):
        return ()
    frames: tuple[Unsaid | Muted, ...]
    match command:
        case Say():
            return _add_line(table, user, command, now)
        case Unsay(line=line):
            frames = _remove_line(table, who, line, now)
        case SilenceCommand(player=player, on=on):
            frames = _silence(table, who, player, now, is_silent=on)
    if frames:
        data = codec.encode(command)
        ChatChange.objects.create(
            table=table, user=user, command_id=command.id, command=data, at=now
        )
    return frames


def _is_done_already(table: Table, user_id: int, command: ChatCommand) -> bool:
    """Whether this command was executed before. Raises :class:`RuleViolation` ``id_reused``."""
    lookup = {"user": user_id, "command_id": command.id}
    line = ChatLine.objects.filter(**lookup).first()
    if line is not None and isinstance(command, Say):
        text = to_plain_line(command.text)
        is_same = line.table_id == table.pk and line.text in (text, _mask(text))
    elif change := ChatChange.objects.filter(**lookup).first():
        is_same = (change.table_id, change.command) == (table.pk, codec.encode(command))
    elif line is None and not Change.objects.filter(**lookup).exists():
        return False
    else:
        is_same = False
    if not is_same:
        raise RuleViolation("id_reused", "This command id was already used for another command.")
    return True


def _add_line(table: Table, user: User, command: Say, now: dt.datetime) -> tuple[Said, ...]:
    text = to_plain_line(command.text)
    _verify_may_chat(table, user, now)
    if not text or len(text) > MAX_LENGTH:
        raise RuleViolation("bad_text", "A message has 1 to %(most)s characters.", most=MAX_LENGTH)
    blocked = blocked_words.load()
    if blocked_words.refuses_lines() and blocked.find(text):
        raise RuleViolation("blocked_word", "That message has a word that is not allowed here.")
    text = blocked.mask(text)
    before = _filter_visible(table).values_list("pk", flat=True).first()
    line = ChatLine.objects.create(table=table, user=user, command_id=command.id, at=now, text=text)
    return (Said(_build_line(line), before or 0),)


def _mask(text: str) -> str:
    return blocked_words.load().mask(text)


def verify_may_speak(table: Table, user: User, now: dt.datetime) -> None:
    """Check that nobody has silenced the user here. Raises :class:`RuleViolation`."""
    if user.is_silenced(now) and user.silenced_until is not None:
        raise RuleViolation(
            "silenced",
            "An operator has muted you at all tables until %(time)s.",
            time=user.silenced_until,
        )
    if user.is_silenced(now):
        raise RuleViolation("silenced", "An operator has muted you at all tables.")
    if not table.has_chat:
        raise RuleViolation("chat_off", "The chat is off at this table.")
    if access.is_banned(table, user.pk):
        raise RuleViolation("banned", "The host has banned you from this table.")
    if table.silences.filter(user=user).exists():
        raise RuleViolation("silenced", "The host has muted you at this table.")


def _verify_may_chat(table: Table, user: User, now: dt.datetime) -> None:
    verify_may_speak(table, user, now)
    if ChatLine.objects.filter(user=user, at__gt=now - WHILE).count() >= LINES_AT_ONCE:
        raise RuleViolation("too_fast", "Too many messages at once. Wait a few seconds.")


def _remove_line(table: Table, who: Operator, line_id: int, now: dt.datetime) -> tuple[Unsaid, ...]:
    line = table.chat_lines.filter(pk=line_id).first()
    is_own = line is not None and line.user_id == who.user_id
    if line is None or not (is_own or access.may_host(table, who.user_id)):
        raise RuleViolation("no_such_line", "You can't remove that message.")
    if not is_own:
        access.verify_recent_login(table, who, now)
    if line.removed_at is not None:
        return ()
    line.removed_at, line.removed_by_id = now, who.user_id
    line.save(update_fields=["removed_at", "removed_by"])
    if not is_own:
        details = {"line": line.pk, "of": line.user_id, "removed": True}
        _record_action(table, who, Act.What.EDIT_TABLE, details, now)
    return (Unsaid(line.pk),)


def _silence(
    table: Table, who: Operator, name: str, now: dt.datetime, *, is_silent: bool
) -> tuple[Muted, ...]:
    """Silence a player, or end it; returns what the table is told, nothing if nothing changed."""
    if not access.may_host(table, who.user_id):
        raise RuleViolation("not_maker", "Only the table host can mute players.")
    access.verify_recent_login(table, who, now)
    user = search.find_by_name(name)
    if user is None or user.pk == who.user_id or access.may_host(table, user.pk):
        raise RuleViolation("no_such_player", "You can't mute that player.")
    if is_silent:
        defaults = {"by_id": who.user_id, "at": now}
        is_new = Silence.objects.get_or_create(table=table, user=user, defaults=defaults)[1]
    else:
        is_new = table.silences.filter(user=user).delete()[0] > 0
    if not is_new:
        return ()
    what = Act.What.SILENCE if is_silent else Act.What.UNSILENCE
    _record_action(table, who, what, {"player": user.pk, "silent": is_silent}, now)
    return (Muted(user.username, is_silent, host=table.maker_id == who.user_id),)


def _record_action(
    table: Table, who: Operator, what: Act.What, details: dict[str, Any], now: dt.datetime
) -> None:
    """Record an operator's action in the audit log, without the text of the chat."""
    if table.maker_id != who.user_id:
        audit_log.record(who, what, audit_log.build_subject(table), after=details, at=now)


def _filter_visible(table: Any) -> QuerySet[ChatLine]:
    """The lines of a table, newest first, without removed ones. ``table`` may be a slot."""
    return ChatLine.objects.filter(table=table, removed_at__isnull=True).order_by("-pk")


def _build_line(line: ChatLine) -> Line:
    return Line(line.pk, to_milliseconds(line.at), line.user.username, line.text, line.user.accent)
