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
"""Headers of requests that came through a proxy, also one without ``X-Forwarded-For``."""
MACHINES_ASK = ("/livez", "/readyz", "/metrics")


def is_local(request: HttpRequest) -> bool:
    """Whether a program on this machine sent the request, directly or through a trusted proxy.

    A request through an unknown proxy never counts as local.
    """
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR")
    if "HTTP_FORWARDED" in request.META:
        return False
    if forwarded is None:
        is_passed_on = any(name in request.META for name in PROXIES_SAY)
        return not is_passed_on and _is_loopback(request.META.get("REMOTE_ADDR", ""))
    # All addresses must be local: clients can forge the first ones.
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
    """Accept any Host header on the health and metrics URLs; their responses contain no links."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path_info in MACHINES_ASK:
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0]
        response: HttpResponse = get_response(request)
        return response

    return middleware
