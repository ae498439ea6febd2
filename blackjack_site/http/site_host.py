"""The host of every absolute link and redirect: the site's own, from ``SITE_URL``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware

from accounts.lib.site_links import site_host


@sync_and_async_middleware
def use_site_host(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Put the site's own name and port in the place of the Host header.

    Django and its libraries build addresses from that header. A name that is not allowed stays,
    and is refused (400) further in, where refusals get their headers. What is allowed may still
    have any port, or a dot at the end of the name.
    """

    def rename(request: HttpRequest) -> None:
        if not settings.SITE_URL:  # only this machine's own names are allowed
            return
        with suppress(DisallowedHost):
            request.get_host()
            request.META["HTTP_HOST"] = site_host()

    if iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> HttpResponse:
            rename(request)
            response: HttpResponse = await get_response(request)
            return response

        return asynchronous

    def synchronous(request: HttpRequest) -> HttpResponse:
        rename(request)
        response: HttpResponse = get_response(request)
        return response

    return synchronous
