"""Roles of a user. The role is the permission to enter the operators' pages: ``is_staff`` follows it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Final

from django.contrib.auth.models import Group
from django.utils.translation import gettext

from accounts.lib.errors import OperationRefused
from accounts.models import User

MANAGER: Final = "manager"
"""The role that decides as a second operator. Giving it needs one, unless a superuser gives it.
Superusers count as managers."""
MANAGE: Final = "accounts.manage_staff"
"""The permission to invite operators, and to give and take roles."""
APPROVE: Final = "accounts.approve_change"
"""The permission to decide as a second operator."""


def verify_may_have_role(user: User, *, is_held: bool) -> None:
    """Raise :class:`OperationRefused` if this user can get no role. ``is_held``: whether an operator
    still has to approve the account.
    """
    if not user.is_active:
        raise OperationRefused(gettext("An operator has frozen this account."))
    if user.is_guest or not user.has_usable_password():
        raise OperationRefused(
            gettext("A guest can't be an operator. Save this account with a password first.")
        )
    if is_held:
        raise OperationRefused(gettext("An operator has to approve this account first."))


def list_roles(user: User) -> list[str]:
    """The names of the user's roles."""
    return sorted(user.groups.values_list("name", flat=True))


def store(
    user: User, names: Iterable[str], now: dt.datetime, *, is_superuser: bool | None = None
) -> None:
    """Give the user these roles and no other, in the caller's transaction. ``user`` is locked.

    ``is_superuser`` is left as it is by default. The time in the role begins with the first role, and
    anew when the user becomes a manager or superuser.
    """
    before, after = set(list_roles(user)), set(names)
    was_superuser = user.is_superuser
    if is_superuser is not None:
        user.is_superuser = is_superuser
    user.groups.set(Group.objects.filter(name__in=after))
    user.is_staff = bool(after) or user.is_superuser
    if not user.is_staff:
        user.role_since = None
    elif not was_superuser and (not before or user.is_superuser or MANAGER in after - before):
        user.role_since = now
    user.save(update_fields=["is_staff", "is_superuser", "role_since"])


def lock_users(*user_ids: int | None) -> dict[int, User]:
    """Lock these users in the order of their ids; each may be named twice."""
    ids = {user_id for user_id in user_ids if user_id is not None}
    users = User.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
    return {user.pk: user for user in users}
