"""Who has a second factor, who needs one, and what a session has shown of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from allauth.mfa.models import Authenticator

from accounts import site_settings
from accounts.models import User
from accounts.staff import roles

Type = Authenticator.Type
Authenticators = Mapping[int, str]
"""The types of a user's authenticators by their ids, recovery codes among them."""


def load_authenticators(user_id: int) -> Authenticators:
    """The authenticators of a user; empty without a second factor. One query."""
    rows = Authenticator.objects.filter(user=user_id).order_by("pk")
    types: dict[int, str] = dict(rows.values_list("pk", "type"))
    # Recovery codes are in place of another factor, and none themselves.
    return types if any(each != Type.RECOVERY_CODES for each in types.values()) else {}


def needs_one(user: User) -> bool:
    """Whether a role of this operator needs a second factor by the settings of the site."""
    if not (user.is_active and user.is_staff):
        return False
    role_names: list[str] = site_settings.get().second_factor_roles
    if user.is_superuser and roles.MANAGER in role_names:
        return True
    return bool(role_names) and user.groups.filter(name__in=role_names).exists()


def is_shown(records: Iterable[Mapping[str, Any]], authenticators: Authenticators) -> bool:
    """Whether a session with these authentication records has shown one of the authenticators."""
    return any(is_of(record, authenticators) for record in records)


def is_of(record: Mapping[str, Any], authenticators: Authenticators) -> bool:
    """Whether an authentication record is about one of the authenticators, which still exists."""
    return record.get("method") == "mfa" and record.get("id") in authenticators


def remove_all(user_id: int) -> int:
    """Remove the second factor of a user; return how many authenticators it had."""
    rows = Authenticator.objects.filter(user=user_id)
    number: int = rows.exclude(type=Type.RECOVERY_CODES).count()
    rows.delete()
    return number
