"""The seat that a visitor pressed, kept in a signed cookie until the log-in.

The form that sets it has a CSRF token, so a link from elsewhere cannot seat anybody: without the
cookie, the address of a seat only leads to its table. It is used once, and kept neither by a log-out
nor by a log-in that leads elsewhere: the next person at the browser has not asked for a seat.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

COOKIE: Final = "seat"
LIFETIME_SECONDS: Final = 30 * 60
"""How long the log-in or sign-up may take."""


def remember(response: HttpResponse, table_id: int, number: int) -> None:
    """Store the seat in the cookie."""
    response.set_cookie(
        COOKIE,
        signing.dumps([table_id, number], salt=COOKIE),
        max_age=LIFETIME_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def is_for(request: HttpRequest, table_id: int, number: int) -> bool:
    """Whether this browser has asked for exactly this seat."""
    return _read_seat(request) == [table_id, number]


def forget(response: HttpResponse) -> None:
    """Delete the cookie."""
    response.delete_cookie(COOKIE, samesite="Lax")


def forget_unused(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Delete the cookie when the user of the browser changes and the response does not lead on to the
    seat.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if COOKIE not in request.COOKIES:
            other: HttpResponse = get_response(request)
            return other
        before = request.user.pk
        response: HttpResponse = get_response(request)
        if request.user.pk != before and not _leads_to_seat(request, response):
            forget(response)
        return response

    return middleware


def _leads_to_seat(request: HttpRequest, response: HttpResponse) -> bool:
    seat = _read_seat(request)
    return seat is not None and response.headers.get("Location") == reverse("sit", args=seat)


def _read_seat(request: HttpRequest) -> list[int] | None:
    """Table and number of the seat that this browser has asked for."""
    try:
        seat: list[int] = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=LIFETIME_SECONDS
        )
    except signing.BadSignature:
        return None
    return seat
