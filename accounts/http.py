"""Helpers for views: the client's address, the logged-in user, rate limits, and what a browser asks for."""

from __future__ import annotations

import datetime as dt
import math
import time
from http import HTTPStatus
from io import BytesIO
from typing import Any, Final

from allauth.account.adapter import get_adapter
from allauth.core.internal import ratelimit
from allauth.core.internal.ratelimit import RateLimitUsage
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.timesince import timeuntil

from accounts.models import User

LOGINS: Final = ("account_login", "admin:login")
GOES_ON: Final = "goes_on_after_login"
"""The attribute of a response that :func:`goes_on_after_login` sets."""


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
    return render_too_many_requests(request, action)


def consume_rate_limit(request: HttpRequest, action: str, *, counts_get: bool = False) -> bool:
    """Count a request of ``action``; false over the limit."""
    return count_request(request, action, counts_get=counts_get) is not None


def count_request(
    request: HttpRequest, action: str, *, counts_get: bool = False
) -> RateLimitUsage | None:
    """Count a request of ``action``; ``None`` over the limit. ``rollback()`` gives it back."""
    return ratelimit.consume(request, app="allauth.account", action=action, limit_get=counts_get)


def find_wait(request: HttpRequest, action: str) -> float | None:
    """Seconds until a request of ``action`` is allowed again; ``None`` if it never is, or at once."""
    now = time.time()
    waits: list[float] = []
    for rate in ratelimit.get_rates(app="allauth.account", action=action):
        key = ratelimit.get_cache_key(request, app="allauth.account", action=action, rate=rate)
        counted = cache.get(key, [])  # the newest first
        if rate.amount == 0:
            return None
        if len(counted) >= rate.amount:
            waits.append(counted[rate.amount - 1] + rate.duration - now)
    return max(waits, default=0) or None


def describe_wait(seconds: float) -> str:
    """A time to wait in words, rounded up to whole minutes, such as "12 minutes"."""
    now = timezone.now()
    minutes = max(1, math.ceil(seconds / 60))
    return timeuntil(now + dt.timedelta(minutes=minutes), now, depth=1)


def render_too_many_requests(request: HttpRequest, action: str = "") -> HttpResponse:
    """The 429 page. It says when a request of ``action`` is allowed again."""
    seconds = find_wait(request, action) if action else None
    page = render(
        request, "429.html", {"wait": seconds and describe_wait(seconds)},
        status=HTTPStatus.TOO_MANY_REQUESTS,
    )  # fmt: skip
    add_retry_after(page, seconds)
    return page


def add_retry_after(page: HttpResponse, seconds: float | None) -> None:
    """Tell programs as well when to try again."""
    if seconds is not None:
        page.headers["Retry-After"] = str(math.ceil(seconds))


_ACTIONS = {
    "account_signup": "signup",
    "account_change_password": "change_password",
    "account_reauthenticate": "reauthenticate",
}
"""The actions of the pages whose requests allauth counts."""


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """The 429 page of allauth's own views."""
    match = request.resolver_match
    return render_too_many_requests(request, _ACTIONS.get((match and match.url_name) or "", ""))


def goes_on_after_login(response: HttpResponse) -> None:
    """Mark a redirect to the login page of a request that is done after the login."""
    setattr(response, GOES_ON, True)
