"""The challenge of a login by passkey. The browser keeps it in a signed cookie; it is valid once."""

from __future__ import annotations

import hashlib
from typing import Any, Final

from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse

COOKIE: Final = "passkey"
SALT: Final = "accounts.users.second_factor.challenges"
LIFETIME_SECONDS: Final = 10 * 60
"""How long a browser may ask for the passkey."""


def store(response: HttpResponse, state: dict[str, Any]) -> None:
    """Have the browser keep a challenge."""
    response.set_cookie(
        COOKIE,
        signing.dumps(state, salt=SALT),
        max_age=LIFETIME_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def take(request: HttpRequest) -> dict[str, Any] | None:
    """The challenge that the browser keeps; ``None`` without one, or if it was taken before."""
    cookie = request.COOKIES.get(COOKIE, "")
    try:
        state: dict[str, Any] = signing.loads(cookie, salt=SALT, max_age=LIFETIME_SECONDS)
    except signing.BadSignature:
        return None
    digest = hashlib.sha256(str(state.get("challenge")).encode()).hexdigest()
    return state if cache.add(f"passkey-challenge:{digest}", 1, LIFETIME_SECONDS) else None
