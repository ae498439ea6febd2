"""The host of absolute links and redirects, from ``SITE_URL``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse

from accounts.lib.site_links import site_host


def use_site_host(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Replace an allowed Host header by the host of ``SITE_URL``.

    Django and libraries build URLs from that header, and an allowed one may have any port or a
    trailing dot. Other names are refused later with 400, where responses get their headers.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.SITE_URL:  # otherwise only names of this machine are allowed
            with suppress(DisallowedHost):
                request.get_host()
                request.META["HTTP_HOST"] = site_host()
        response: HttpResponse = get_response(request)
        return response

    return middleware
