"""The seat that a visitor pressed, kept in a signed cookie until the log-in.

The form that sets it has a CSRF token, so a link from elsewhere cannot seat anybody: without the
cookie, the address of a seat only leads to its table. It is used once.
"""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

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
    try:
        wanted = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=LIFETIME_SECONDS
        )
    except signing.BadSignature:
        return False
    return bool(wanted == [table_id, number])


def forget(response: HttpResponse) -> None:
    """Delete the cookie."""
    response.delete_cookie(COOKIE, samesite="Lax")
