"""Helpers for views: the client's address, the logged-in user, rate limits."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.core.internal import ratelimit
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse

from accounts.models import User


def user_of(request: HttpRequest) -> User:
    """Who is logged in; behind ``login_required`` somebody is."""
    assert isinstance(request.user, User)
    return request.user


def address_of(request: HttpRequest) -> str | None:
    """Where a request comes from; ``None`` on a server that does not know."""
    try:
        address: str = get_adapter().get_client_ip(request)
    except PermissionDenied:
        return None
    return address


def address_of_socket(scope: dict[str, Any]) -> str | None:
    """Where a socket comes from, found out as for the request that it began as.

    ``None`` where nobody knows, also behind other proxies than the settings say: a page stays open.
    """
    try:
        return address_of(ASGIRequest({**scope, "method": "GET"}, BytesIO()))
    except ImproperlyConfigured:
        return None


def too_many(request: HttpRequest, action: str, *, counts_get: bool = False) -> HttpResponse | None:
    """The answer to who asks for too much of ``action`` in a short time; ``None`` before that.

    The rates are in ``ACCOUNT_RATE_LIMITS``. A GET is counted only where that is wanted.
    """
    if is_counted(request, action, counts_get=counts_get):
        return None
    return slowed_down(request)


def is_counted(
    request: HttpRequest, action: str, *, counts_get: bool = False, only_looks: bool = False
) -> bool:
    """Count the request against the rate of ``action``, or look whether it could be; false when
    there were too many.
    """
    usage = ratelimit.consume(
        request, app="allauth.account", action=action, limit_get=counts_get, dry_run=only_looks
    )
    return bool(usage)


def slowed_down(request: HttpRequest) -> HttpResponse:
    """The page that asks for some patience."""
    page: HttpResponse = ratelimit.respond_429(request)
    return page
