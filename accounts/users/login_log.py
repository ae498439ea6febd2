"""Logins and log-outs of operators in the audit log; those of players are not recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from allauth.core.internal import ratelimit
from allauth.mfa.models import Authenticator
from django.http import HttpRequest

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.http import get_client_address
from accounts.models import Act, User

WAYS: Final = {
    "password": "password",
    Authenticator.Type.TOTP: "authenticator app",
    Authenticator.Type.RECOVERY_CODES: "recovery code",
    Authenticator.Type.WEBAUTHN: "passkey",
}
"""How the audit log calls the ways to log in."""


def record(
    request: HttpRequest | None, user: User, what: Act.What, after: dict[str, Any] | None = None
) -> None:
    """Record what happened to an operator's own account."""
    if user.is_staff:
        address = get_client_address(request) if request else None
        operator, subject = Operator(user.pk, address), audit_log.build_subject(user)
        audit_log.record(operator, what, subject, after=after)


def record_failure(request: HttpRequest, user: User, what: Act.What, by: str) -> None:
    """Record a failed login or confirmation, but not each one of many.

    Entries are never removed, and everybody can type a wrong password: one entry in a minute for an
    account and an address, and 60 in an hour for an account.
    """
    if not user.is_staff:
        return
    address = get_client_address(request) or ""
    limits = {"failure_recorded": f"{user.pk}:{address}", "failures_recorded": str(user.pk)}
    for action, key in limits.items():
        if ratelimit.consume(request, app="allauth.account", action=action, key=key) is None:
            return
    record(request, user, what, {"by": by})


def name_ways(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """The ways of a session's authentication records: password, authenticator app."""
    keys = [record.get("type") or record.get("method", "") for record in records]
    return list(dict.fromkeys(WAYS.get(key, key) for key in keys))
