"""Notes on players, by operators and for them."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from accounts import trail
from accounts.models import Act, User
from accounts.trail import Operator


def note(operator: Operator, user_id: int, text: str, *, key: UUID) -> bool:
    """Write a note on a player. It stays: a note is an entry of the trail.

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
