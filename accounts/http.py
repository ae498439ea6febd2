"""Helpers for views: the client's address, the logged-in user, rate limits, and what a browser asks for."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.core.internal import ratelimit
from allauth.core.internal.ratelimit import RateLimitUsage
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse

from accounts.models import User


def get_user(request: HttpRequest) -> User:
    """The logged-in user, in a view with ``login_required``."""
    assert isinstance(request.user, User)
    return request.user


def get_client_address(request: HttpRequest) -> str | None:
    """The client's address; ``None`` if it is unknown."""
    try:
        address: str = get_adapter().get_client_ip(request)
    except PermissionDenied:
        return None
    return address


def get_socket_address(scope: dict[str, Any]) -> str | None:
    """The client's address of a socket, determined as for its handshake request.

    ``None`` if it is unknown, also behind other proxies than configured: the page stays open.
    """
    try:
        return get_client_address(ASGIRequest({**scope, "method": "GET"}, BytesIO()))
    except ImproperlyConfigured:
        return None


def is_prefetch(request: HttpRequest) -> bool:
    """Whether a browser only loads the page in case somebody follows a link to it."""
    purposes = (request.headers.get(name, "") for name in ("Sec-Purpose", "Purpose"))
    return any("prefetch" in purpose.lower() for purpose in purposes)


def is_cross_site(request: HttpRequest) -> bool:
    """Whether a page of another site made the browser send the request."""
    return request.headers.get("Sec-Fetch-Site") == "cross-site"


def is_for_page(request: HttpRequest) -> bool:
    """Whether the answer is to be a page of its own: not an image, a frame or data for a script.
    Older browsers do not say.
    """
    return request.headers.get("Sec-Fetch-Dest", "document") == "document"


def check_rate_limit(
    request: HttpRequest, action: str, *, counts_get: bool = False
) -> HttpResponse | None:
    """Count a request of ``action``; return the 429 page if it is over its limit, else ``None``.

    The limits are in ``ACCOUNT_RATE_LIMITS``. A GET is counted only with ``counts_get``.
    """
    if consume_rate_limit(request, action, counts_get=counts_get):
        return None
    return render_too_many_requests(request)


def consume_rate_limit(request: HttpRequest, action: str, *, counts_get: bool = False) -> bool:
    """Count a request of ``action``; false over the limit."""
    return count_request(request, action, counts_get=counts_get) is not None


def count_request(
    request: HttpRequest, action: str, *, counts_get: bool = False
) -> RateLimitUsage | None:
    """Count a request of ``action``; ``None`` over the limit. ``rollback()`` gives it back."""
    return ratelimit.consume(request, app="allauth.account", action=action, limit_get=counts_get)


def render_too_many_requests(request: HttpRequest) -> HttpResponse:
    """The 429 page."""
    page: HttpResponse = ratelimit.respond_429(request)
    return page
