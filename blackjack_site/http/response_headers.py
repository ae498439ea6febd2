"""Security and cache headers of every response; unsupported requests are refused."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseNotAllowed,
    UnreadablePostError,
)
from django.http.multipartparser import MultiPartParserError
from django.template.loader import render_to_string

METHODS: Final = ("GET", "HEAD", "POST")
"""All other methods are refused, also for views of libraries."""

HEADERS: Final = {
    "Cache-Control": "private, no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(
        f"{feature}=()"
        for feature in ("camera", "geolocation", "microphone", "payment", "usb", "midi")
    ),
}
"""Defaults, which a response may override: static files allow caching. Other sites may not embed
responses, and the site uses none of these browser features.
"""


def _is_readable(request: HttpRequest) -> bool:
    """Whether Django can parse the query and the form. Browsers send UTF-8 only.

    It is checked first: an error page that parses them would fail again.
    """
    if request.encoding is not None and request.encoding.lower() != "utf-8":
        return False
    try:
        for fields in ("GET", "POST"):
            getattr(request, fields)
    except (BadRequest, SuspiciousOperation, UnreadablePostError, MultiPartParserError):
        return False
    return True


def security_headers(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Refuse unsupported requests, and add :data:`HEADERS` to every response."""

    def find_refusal(request: HttpRequest) -> HttpResponse | None:
        if request.method not in METHODS:
            return HttpResponseNotAllowed(METHODS)
        if not _is_readable(request):
            return HttpResponseBadRequest(render_to_string("400.html"))
        return None

    def add_headers(response: HttpResponse) -> HttpResponse:
        is_not_allowed = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED
        # The refusal of a static file is a stream without content.
        if is_not_allowed and not response.streaming and not response.content:
            response.content = render_to_string("405.html")
            response.headers["Content-Length"] = str(len(response.content))
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return lambda request: add_headers(find_refusal(request) or get_response(request))
