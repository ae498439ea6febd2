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


def get_request_codes(request: HttpRequest) -> Codes:
    """The codes in the cookie of a request, by table id."""
    return {**_decode_cookie(request.COOKIES), **access.get_session_codes(request.session)}


def get_socket_codes(scope: Mapping[str, Any]) -> Codes:
    """The codes in the cookie of a socket, by table id."""
    return {**_decode_cookie(scope["cookies"]), **access.get_session_codes(scope["session"])}


def store_invite(request: HttpRequest, response: HttpResponse, table: Table) -> None:
    """Store the invite to a table in the cookie of a browser without a login."""
    cookie_data: dict[str, Any] = {access.SESSION_KEY: _decode_cookie(request.COOKIES)}
    before = cookie_data[access.SESSION_KEY]
    access.store_invite(cookie_data, table)
    if cookie_data[access.SESSION_KEY] != before:
        response.set_cookie(
            COOKIE,
            signing.dumps(cookie_data[access.SESSION_KEY], salt=COOKIE, compress=True),
            max_age=settings.SESSION_COOKIE_AGE,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )


def delete_cookie(response: HttpResponse) -> None:
    """Delete the cookie."""
    response.delete_cookie(COOKIE, samesite="Lax")


def _decode_cookie(cookies: Mapping[str, str]) -> Codes:
    try:
        codes: Codes = signing.loads(
            cookies.get(COOKIE, ""), salt=COOKIE, max_age=settings.SESSION_COOKIE_AGE
        )
    except signing.BadSignature:
        return {}
    return codes
