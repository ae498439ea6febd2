"""Forms that were sent after their session had ended.

The browser keeps, in a signed cookie, which user was logged in under which secret of its form tokens. A
sent form has a token of the secret under which its page was shown, so its user is known although
the session is gone; a form of another site has none. The form is stored in the browser's new session,
shown after the login to the same user for confirmation, and never sent without that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import SESSION_KEY
from django.core import signing
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CSRF_SECRET_LENGTH, CSRF_TOKEN_LENGTH
from django.middleware.csrf import (  # type: ignore[attr-defined]  # it has no public name
    _unmask_cipher_token as unmask_token,
)
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from accounts.http import LOGINS, goes_on_after_login
from accounts.users import reauthentication

COOKIE: Final = "forms"
SALT: Final = "accounts.users.lost_forms"
MOST_SECRETS: Final = 3
"""A browser that logs in again has a new secret; open pages have the one before."""
COOKIE_AGE: Final = 12 * 3600
"""How long a form may be open, in seconds."""
RENEWED: Final = COOKIE_AGE // 2
STORED_FOR: Final = 3600
"""How long a form waits for the login, in seconds."""
MOST_STORED: Final = 20
"""The limit of stored forms of one user in :data:`STORED_FOR`."""
EXCLUDED_PAGES: Final = ("account_", "mfa_", "login", "keep-account", "guest", "ask-again", "sit")
"""Pages of passwords and codes, by the beginning of their names: their forms are not stored. A seat
is taken after the login without asking again (``tables/social/seat_requests.py``).
"""

Entry = tuple[str, int, int]
"""The digest of a secret, the id of the user, and the time in seconds."""


def keep_lost_forms(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Note the user of each page with forms, and store a form that is sent without a login."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        place, _mark, query = str(response.headers.get("Location", "")).partition("?")
        if request.method == "POST" and "next=" in query and place in map(reverse, LOGINS):
            response = store_lost_form(request) or response
        _note_user(request, response)
        return response

    return middleware


def store_lost_form(request: HttpRequest) -> HttpResponse | None:
    """Store the sent form for its user; return a redirect to its confirmation, by way of the login.

    ``None`` if it cannot be stored: its user is not known, somebody else is logged in, it is too large,
    or it has secrets.
    """
    user_id = _find_user(request)
    at = request.resolver_match
    if user_id is None or at is None or (at.url_name or "").startswith(EXCLUDED_PAGES):
        return None
    is_logged_in = request.user.is_authenticated
    if is_logged_in and request.user.pk != user_id:
        return None
    if not is_logged_in and not _count(user_id):
        return None
    onward = reauthentication.store_form(request, user_id=user_id)
    if onward == request.get_full_path():
        return None
    if is_logged_in:
        return redirect(onward)
    # Only the form is to be forgotten so soon: :func:`restore_expiry`.
    request.session.set_expiry(STORED_FOR)
    messages.warning(
        request, _("You were logged out. Log in again as the same user: your form is not lost.")
    )
    response = redirect(f"{reverse('account_login')}?{urlencode({'next': onward})}")
    goes_on_after_login(response)
    return response


def restore_expiry(request: HttpRequest) -> None:
    """Let a new login last as long as any other."""
    if reauthentication.SESSION_KEY in request.session and "_session_expiry" in request.session:
        request.session.set_expiry(None)


def find_place(request: HttpRequest, onward: str) -> str:
    """The page to which a login leads: that of a stored form instead of its confirmation."""
    for token, form in reauthentication.load_stored_forms(request).items():
        if onward == reverse("ask-again", args=[token]):
            return str(form["path"])
    return onward


def _note_user(request: HttpRequest, response: HttpResponse) -> None:
    """Have the browser keep whose the page is, if it has a form."""
    secret = request.META.get("CSRF_COOKIE")
    is_page = response.headers.get("Content-Type", "").startswith("text/html")
    if not secret or not is_page or not request.session.accessed:
        return
    user_id = request.session.get(SESSION_KEY)
    if user_id is None:
        return
    now, entries, digest = int(time.time()), _read(request), _digest(secret)
    if any(one[:2] == (digest, int(user_id)) and now - one[2] < RENEWED for one in entries):
        return
    others = [one for one in entries if one[0] != digest]
    response.set_cookie(
        COOKIE,
        signing.dumps([(digest, int(user_id), now), *others][:MOST_SECRETS], salt=SALT),
        max_age=COOKIE_AGE,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )


def _find_user(request: HttpRequest) -> int | None:
    """The user to whom the sent form was shown, by its token."""
    token = request.POST.get("csrfmiddlewaretoken", "")
    if not token.isascii() or not token.isalnum():
        return None
    if len(token) == CSRF_TOKEN_LENGTH:
        token = unmask_token(token)
    if len(token) != CSRF_SECRET_LENGTH:
        return None
    digest = _digest(token)
    return next((user_id for other, user_id, _at in _read(request) if other == digest), None)


def _digest(secret: str) -> str:
    return salted_hmac(SALT, secret, algorithm="sha256").hexdigest()[:32]


def _read(request: HttpRequest) -> list[Entry]:
    """The entries of the cookie that are not too old; none if it is not the site's."""
    try:
        stored = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=COOKIE_AGE)
    except signing.BadSignature:
        return []
    oldest = time.time() - COOKIE_AGE
    return [(digest, user_id, at) for digest, user_id, at in stored if at > oldest]


def _count(user_id: int) -> bool:
    """Count a form that is stored without a login; false over the limit."""
    key = f"lost-forms:{user_id}"
    cache.add(key, 0, STORED_FOR)
    try:
        return cache.incr(key) <= MOST_STORED
    except ValueError:  # it expired in between
        return True
