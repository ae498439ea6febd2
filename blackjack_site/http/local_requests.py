"""Requests from this machine: health probes and metrics."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

PROXIES_SAY = (
    "HTTP_X_REAL_IP", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_PROTO", "HTTP_VIA"
)  # fmt: skip
"""What a request has that came through a proxy, even one that does not say for whom it asks."""
MACHINES_ASK = ("/livez", "/readyz", "/metrics")


def is_from_here(request: HttpRequest) -> bool:
    """Whether a program on this machine sent the request: itself, or through a trusted proxy.

    What came through a proxy that nobody told us of is from anywhere.
    """
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR")
    if "HTTP_FORWARDED" in request.META:
        return False
    if forwarded is None:
        is_passed_on = any(name in request.META for name in PROXIES_SAY)
        return not is_passed_on and _is_loopback(request.META.get("REMOTE_ADDR", ""))
    # All of them: the first ones say what their sender liked.
    return settings.ALLAUTH_TRUSTED_PROXY_COUNT > 0 and all(
        _is_loopback(address.strip())
        for address in (*forwarded.split(","), request.META.get("REMOTE_ADDR", ""))
    )


def _is_loopback(address: str) -> bool:
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    return (getattr(ip, "ipv4_mapped", None) or ip).is_loopback


def allow_any_host_for_probes(
    get_response: Callable[[HttpRequest], Any],
) -> Callable[[HttpRequest], Any]:
    """Let programs ask each process under the name that they know: ``localhost``, that of a
    container, an address. What they are told has nothing to do with the site's own name.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path_info in MACHINES_ASK:
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0]
        response: HttpResponse = get_response(request)
        return response

    return middleware
