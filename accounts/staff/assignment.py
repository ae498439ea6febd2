"""Operators give and take roles."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from accounts.models import Act, User
from accounts.staff import roles, waiting_changes


@dataclass(frozen=True, slots=True)
class Assignment:
    """What became of the roles of a user."""

    user: User
    is_changed: bool
    waits: bool
    """Whether the role of managers waits for a second operator."""


def verify_may_assign(by: User, user: User) -> None:
    """Raise :class:`OperationRefused` if this operator may not change any role of this user."""
    if not (by.is_active and by.has_perm(roles.MANAGE)):
        raise OperationRefused(gettext("Your role does not have access to this."))
    if user.is_deleted:
        raise OperationRefused(gettext("This account was deleted. Nobody can log in to it."))
    if not by.is_superuser and by.pk == user.pk:
        raise OperationRefused(gettext("You can't change your own role. Ask another operator."))
    if not by.is_superuser and user.is_superuser:
        raise OperationRefused(gettext("This operator is a superuser. Ask another superuser."))


def assign(
    operator: Operator,
    user_id: int,
    names: Collection[str],
    now: dt.datetime,
    *,
    is_superuser: bool | None = None,
) -> Assignment:
    """Give a user the roles ``names`` and no other; ``is_superuser`` is left as it is by default.

    Who loses a role also loses the one that was requested for them, unless it is among ``names``.
    The role of managers waits for a second operator, unless a superuser gives it. Raises
    ``User.DoesNotExist``, :class:`OperationRefused`.
    """
    with transaction.atomic():
        users = roles.lock_users(operator.user_id, user_id)
        if user_id not in users:
            raise User.DoesNotExist
        by, user = users[operator.user_id], users[user_id]
        verify_may_assign(by, user)
        before, after = set(roles.list_roles(user)), set(names)
        is_to_be = user.is_superuser if is_superuser is None else is_superuser
        _verify_roles(by, user, before, after, is_superuser=is_to_be)
        waits = roles.MANAGER in after - before and not by.is_superuser
        if waits:
            after.discard(roles.MANAGER)
            waiting_changes.ask_role(operator, user, roles.MANAGER, now)
        elif roles.MANAGER in after:
            waiting_changes.replace_role(user, roles.MANAGER, operator, now)
        is_changed = after != before or is_to_be != user.is_superuser
        if is_changed:
            is_less = bool(before - after) or (user.is_superuser and not is_to_be)
            store(operator, user, after, now, is_superuser=is_to_be)
            if is_less and roles.MANAGER not in names:
                waiting_changes.withdraw_for(user.pk, operator, now)
        return Assignment(user, is_changed, waits)


def store(
    operator: Operator, user: User, names: Collection[str], now: dt.datetime, *,
    is_superuser: bool,
) -> None:  # fmt: skip
    """Store and record the roles of a locked user. Who no longer approves has no requests left."""
    before: dict[str, object] = {"groups": roles.list_roles(user)}
    after: dict[str, object] = {"groups": sorted(names)}
    if is_superuser != user.is_superuser:
        before["is_superuser"], after["is_superuser"] = user.is_superuser, is_superuser
    roles.store(user, names, now, is_superuser=is_superuser)
    subject = audit_log.build_subject(user)
    audit_log.record(operator, Act.What.EDIT_USER, subject, before=before, after=after, at=now)
    if not User.objects.get(pk=user.pk).has_perm(roles.APPROVE):
        waiting_changes.withdraw_by(user.pk, operator, now)


def _verify_roles(
    by: User, user: User, before: set[str], after: set[str], *, is_superuser: bool
) -> None:
    if after - before or (is_superuser and not user.is_superuser):
        roles.verify_may_have_role(user, is_held=user.is_held)
    if by.is_superuser:
        if by.pk == user.pk and not is_superuser:
            raise OperationRefused(
                gettext("You can't remove your own superuser status. Ask another superuser.")
            )
        return
    if is_superuser != user.is_superuser:
        raise OperationRefused(gettext("Only a superuser can make superusers."))
    if roles.MANAGER in before - after:
        raise OperationRefused(
            gettext("Only a superuser can take the role manager from an operator.")
        )
