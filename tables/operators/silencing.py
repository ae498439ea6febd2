"""Players who may talk at no table, because an operator said so."""

from __future__ import annotations

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


def _verify(operator: Operator, user: User) -> None:
    if operator.user_id == user.pk:
        raise Refused(gettext("Nobody silences themselves."))
    if user.is_staff and not User.objects.get(pk=operator.user_id).is_superuser:
        raise Refused(gettext("That is an operator: only a superuser may do that."))
    if closing.is_gone(user):
        raise Refused(gettext("This account was deleted. Nobody can talk with it."))
