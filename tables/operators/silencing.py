"""Players who may talk at no table, because an operator said so; and notes on players."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts import closing, trail
from accounts.models import Act, User
from accounts.refused import Refused
from accounts.trail import Operator
from tables.own_account import tell_renamed


def silence(operator: Operator, user_id: int, reason: str, *, is_silent: bool) -> bool:
    """Let the player talk nowhere, or everywhere again. False when that was so already.

    Their open pages are loaded again and say so. Raises :class:`Refused`, ``User.DoesNotExist``.
    """
    now = timezone.now()
    with transaction.atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=user_id)
        _verify(operator, user)
        if (user.silenced_at is not None) == is_silent:
            return False
        user.silenced_at = now if is_silent else None
        user.save(update_fields=["silenced_at"])
        what = Act.What.SILENCE if is_silent else Act.What.UNSILENCE
        trail.write(operator, what, trail.subject_of(user), reason=reason, at=now)
    tell_renamed(user_id)
    return True


def note(operator: Operator, user_id: int, text: str, *, key: UUID) -> bool:
    """Write a note on a player, for operators. It stays: a note is an entry of the trail.

    False when the form with this ``key`` brought it before. Raises ``User.DoesNotExist``.
    """
    written = {"form": str(key)}
    with transaction.atomic():
        user = User.objects.select_for_update(no_key=True).only("pk").get(pk=user_id)
        subject = trail.subject_of(user)
        notes = trail.of(subject).filter(what=Act.What.NOTE, after=written)
        if notes.filter(reason=text).exists():
            return False
        trail.write(operator, Act.What.NOTE, subject, after=written, reason=text)
    return True


def _verify(operator: Operator, user: User) -> None:
    if operator.user_id == user.pk:
        raise Refused(gettext("Nobody silences themselves."))
    if user.is_staff and not User.objects.get(pk=operator.user_id).is_superuser:
        raise Refused(gettext("That is an operator: only a superuser may do that."))
    if closing.is_gone(user):
        raise Refused(gettext("This account was deleted. Nobody can talk with it."))
