"""Middleware: session activity, and a message where a session ended while a form was open."""

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
    "You are not logged in. Nothing was done yet: log in, then do it again."
)


def notice_sessions(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Note who was here, for the list of their own sessions."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        sessions.note_activity(request)
        return response

    return middleware


def tell_logged_out(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Say so where a form leads to the login page: the session ended while it was open."""
    return lambda request: _told(request, get_response(request))


def _told(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    place, _, query = str(response.headers.get("Location", "")).partition("?")
    # Without a way back somebody is led there by a form that needs no login.
    if request.method == "POST" and "next=" in query and place in map(reverse, LOGINS):
        messages.warning(request, NOT_DONE)
    return response
