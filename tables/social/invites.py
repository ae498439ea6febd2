"""Invites that a browser has followed, kept in a cookie until its player logs in.

Without a login the codes are stored in a cookie, so that following a link writes nothing to the
database.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from tables import access
from tables.access import Codes
from tables.models import Table

COOKIE: Final = "invites"


def of_request(request: HttpRequest) -> Codes:
    """The codes in the cookie of a request, by table id."""
    return {**_in_cookie(request.COOKIES), **access.codes_in(request.session)}


def of_socket(scope: Mapping[str, Any]) -> Codes:
    """The codes in the cookie of a socket, by table id."""
    return {**_in_cookie(scope["cookies"]), **access.codes_in(scope["session"])}


def remember(request: HttpRequest, response: HttpResponse, table: Table) -> None:
    """Store the invite to a table in the cookie of a browser without a login."""
    kept: dict[str, Any] = {access.SESSION_KEY: _in_cookie(request.COOKIES)}
    before = kept[access.SESSION_KEY]
    access.remember(kept, table)
    if kept[access.SESSION_KEY] != before:
        response.set_cookie(
            COOKIE,
            signing.dumps(kept[access.SESSION_KEY], salt=COOKIE, compress=True),
            max_age=settings.SESSION_COOKIE_AGE,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )


def forget(response: HttpResponse) -> None:
    """Delete the cookie."""
    response.delete_cookie(COOKIE, samesite="Lax")


def _in_cookie(cookies: Mapping[str, str]) -> Codes:
    try:
        codes: Codes = signing.loads(
            cookies.get(COOKIE, ""), salt=COOKIE, max_age=settings.SESSION_COOKIE_AGE
        )
    except signing.BadSignature:
        return {}
    return codes
