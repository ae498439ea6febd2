"""Middleware: session activity, and a message if a session ended while a form was open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy

from accounts.users import sessions

LOGINS: Final = ("account_login", "admin:login")
NOT_DONE: Final = gettext_lazy(
    "You're not logged in, so nothing was changed. Log in and try again."
)


def notice_sessions(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Note the activity of the session, for the user's list of sessions."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        sessions.note_activity(request)
        return response

    return middleware


def tell_logged_out(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Add a message if a POST redirects to the login page: the session has ended."""
    return lambda request: _told(request, get_response(request))


def _told(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    place, _, query = str(response.headers.get("Location", "")).partition("?")
    # Without ``next`` the redirect is from a form that needs no login.
    if request.method == "POST" and "next=" in query and place in map(reverse, LOGINS):
        messages.warning(request, NOT_DONE)
    return response
