"""Moderation: players silenced at all tables, and notes on players."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib import server_clock
from accounts.lib.errors import OperationRefused
from accounts.models import Act, User
from tables.realtime.publishing import reload_pages


def set_silence(operator: Operator, user_id: int, reason: str, *, is_silent: bool) -> bool:
    """Silence a player at all tables, or end it. False if nothing had to change.

    The player's open pages reload and show it. Raises :class:`OperationRefused`, ``User.DoesNotExist``.
    """
    now = server_clock.now()
    with transaction.atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=user_id)
        _verify_may_moderate(operator, user)
        if (user.silenced_at is not None) == is_silent:
            return False
        user.silenced_at = now if is_silent else None
        user.save(update_fields=["silenced_at"])
        what = Act.What.SILENCE if is_silent else Act.What.UNSILENCE
        audit_log.record(operator, what, audit_log.build_subject(user), reason=reason, at=now)
    reload_pages(user_id)
    return True


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
