"""Rate limits of e-mails: five in 15 minutes for each recipient and for each requester."""

from __future__ import annotations

import re
from contextlib import suppress

from allauth.core.internal import ratelimit
from django.http import HttpRequest

TAG = re.compile(r"\+.*(?=@)")


def may_request(request: HttpRequest, email: str) -> bool:
    """Whether an e-mail for this request would be sent, without counting."""
    return _consume_limits(request, email, checks_only=True)


def count_request(request: HttpRequest, email: str) -> bool:
    """Count an e-mail; false if it is over a limit and must not be sent."""
    return _consume_limits(request, email, checks_only=False)


def count_notice(request: HttpRequest, email: str) -> bool:
    """Count a notice to a confirmed address, separately from e-mails on request."""
    return _consume(request, "notice", normalize_mailbox(email), checks_only=False)


def normalize_mailbox(email: str) -> str:
    """Normalise an address to its mailbox: without case, and without the part after a plus sign.

    >>> normalize_mailbox("Ann+cards@Example.com")
    'ann@example.com'
    """
    local, _at, domain = TAG.sub("", email.strip().casefold()).rpartition("@")
    with suppress(UnicodeError):
        domain = domain.encode("idna").decode()
    return f"{local}@{domain}"


def _consume_limits(request: HttpRequest, email: str, *, checks_only: bool) -> bool:
    # The requester's limit first: a refused request does not count for the address.
    if not _consume(request, "letters_asked", None, checks_only=checks_only):
        return False
    if request.user.is_authenticated and not _consume(
        request, "letters_of_user", None, checks_only=checks_only
    ):
        return False
    return _consume(request, "letters", normalize_mailbox(email), checks_only=checks_only)


def _consume(request: HttpRequest, action: str, key: str | None, *, checks_only: bool) -> bool:
    usage = ratelimit.consume(
        request, app="allauth.account", action=action, key=key, limit_get=True, dry_run=checks_only
    )
    return usage is not None
