"""The host of every absolute link and redirect: the site's own, from ``SITE_URL``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse

from accounts.lib.site_links import site_host


def use_site_host(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Put the site's own name and port in the place of the Host header.

    Django and its libraries build addresses from that header. A name that is not allowed stays,
    and is refused (400) further in, where refusals get their headers. What is allowed may still
    have any port, or a dot at the end of the name.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.SITE_URL:  # without one only this machine's own names are allowed
            with suppress(DisallowedHost):
                request.get_host()
                request.META["HTTP_HOST"] = site_host()
        response: HttpResponse = get_response(request)
        return response

    return middleware
