"""Moderation: players silenced at all tables, and notes on players."""

from __future__ import annotations

import datetime as dt
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from accounts.models import Act, User
from tables.realtime.publishing import reload_pages

DURATIONS: Final[tuple[tuple[str, dt.timedelta | None, str | Promise], ...]] = (
    ("10m", dt.timedelta(minutes=10), gettext_lazy("10 minutes")),
    ("1h", dt.timedelta(hours=1), gettext_lazy("1 hour")),
    ("1d", dt.timedelta(days=1), gettext_lazy("1 day")),
    ("1w", dt.timedelta(weeks=1), gettext_lazy("1 week")),
    ("ever", None, gettext_lazy("Until it is taken back")),
)
"""How long a silence may last: value of a form, time, and label."""
_SAME: Final = dt.timedelta(minutes=1)
"""An end that differs by less is that of a form that was sent twice."""


def silence(
    operator: Operator,
    user_id: int,
    reason: str,
    now: dt.datetime,
    lasts: dt.timedelta | None = None,
) -> bool:
    """Silence a player at all tables, for a time or until it is taken back; replace an earlier end.

    False if nothing had to change. The player's open pages reload and show it. Raises
    :class:`OperationRefused`, ``User.DoesNotExist``.
    """
    until = None if lasts is None else now + lasts
    with transaction.atomic():
        user = _lock_for_moderation(operator, user_id)
        if user.is_silenced(now) and _is_same(user.silenced_until, until):
            return False
        before = {"until": _format(user.silenced_until)} if user.is_silenced(now) else None
        user.silenced_at, user.silenced_until = now, until
        user.save(update_fields=["silenced_at", "silenced_until"])
        subject = audit_log.build_subject(user)
        after = {"until": _format(until)} if until or before else None
        audit_log.record(
            operator, Act.What.SILENCE, subject, before=before, after=after, reason=reason, at=now
        )
    reload_pages(user_id)
    return True


def end_silence(operator: Operator, user_id: int, reason: str, now: dt.datetime) -> bool:
    """End the silence of a player. False if there was none, or it has ended. Raises as :func:`silence`."""
    with transaction.atomic():
        user = _lock_for_moderation(operator, user_id)
        if not user.is_silenced(now):
            return False
        user.silenced_at = user.silenced_until = None
        user.save(update_fields=["silenced_at", "silenced_until"])
        subject = audit_log.build_subject(user)
        audit_log.record(operator, Act.What.UNSILENCE, subject, reason=reason, at=now)
    reload_pages(user_id)
    return True


def _is_same(end: dt.datetime | None, other: dt.datetime | None) -> bool:
    if end is None or other is None:
        return end is other
    return abs(end - other) < _SAME


def _format(moment: dt.datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _lock_for_moderation(operator: Operator, user_id: int) -> User:
    user = User.objects.select_for_update(no_key=True).get(pk=user_id)
    _verify_may_moderate(operator, user)
    return user


def _verify_may_moderate(operator: Operator, user: User) -> None:
    if operator.user_id == user.pk:
        raise OperationRefused(gettext("You can't mute yourself."))
    if user.is_staff and not User.objects.get(pk=operator.user_id).is_superuser:
        raise OperationRefused(gettext("This player is an operator. Only a superuser can do that."))
    if user.is_deleted:
        raise OperationRefused(gettext("This account was deleted. Nobody can chat with it."))


# Notes


def add_note(operator: Operator, user_id: int, text: str, *, key: UUID) -> bool:
    """Write a note on a player, a permanent entry of the audit log.

    False if the form with this ``key`` was sent before. Raises ``User.DoesNotExist``.
    """
    written = {"form": str(key)}
    with transaction.atomic():
        user = User.objects.select_for_update(no_key=True).only("pk").get(pk=user_id)
        subject = audit_log.build_subject(user)
        notes = audit_log.list_entries(subject).filter(what=Act.What.NOTE, after=written)
        if notes.filter(reason=text).exists():
            return False
        audit_log.record(operator, Act.What.NOTE, subject, after=written, reason=text)
    return True
