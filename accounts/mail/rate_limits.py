"""Rate limits of e-mails: five in 15 minutes for each recipient and for each requester."""

from __future__ import annotations

import re
from contextlib import suppress

from allauth.core.internal import ratelimit
from django.http import HttpRequest

TAG = re.compile(r"\+.*(?=@)")


def may_ask(request: HttpRequest, email: str) -> bool:
    """Whether an e-mail for this request would be sent, without counting."""
    return _is_counted(request, email, only_looks=True)


def count(request: HttpRequest, email: str) -> bool:
    """Count an e-mail; false if it is over a limit and must not be sent."""
    return _is_counted(request, email, only_looks=False)


def count_notice(request: HttpRequest, email: str) -> bool:
    """Count a notice to a confirmed address, separately from e-mails that anybody can request."""
    return _consume(request, "notice", mailbox(email), only_looks=False)


def mailbox(email: str) -> str:
    """Normalise an address to its mailbox: without case, and without the part after a plus sign.

    >>> mailbox("Ann+cards@Example.com")
    'ann@example.com'
    """
    local, _at, domain = TAG.sub("", email.strip().casefold()).rpartition("@")
    with suppress(UnicodeError):
        domain = domain.encode("idna").decode()
    return f"{local}@{domain}"


def _is_counted(request: HttpRequest, email: str, *, only_looks: bool) -> bool:
    # The requester's limit first: a refused request does not count for the address.
    if not _consume(request, "letters_asked", None, only_looks=only_looks):
        return False
    if request.user.is_authenticated and not _consume(
        request, "letters_of_user", None, only_looks=only_looks
    ):
        return False
    return _consume(request, "letters", mailbox(email), only_looks=only_looks)


def _consume(request: HttpRequest, action: str, key: str | None, *, only_looks: bool) -> bool:
    usage = ratelimit.consume(
        request, app="allauth.account", action=action, key=key, limit_get=True, dry_run=only_looks
    )
    return usage is not None
