"""Middleware: session activity, the viewer's time zone, and a message about an ended session."""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.users import sessions

ZONE_COOKIE: Final = "zone"
LOGINS: Final = ("account_login", "admin:login")
NOT_DONE: Final = gettext_lazy(
    "You are not logged in. Nothing was done yet: log in, then do it again."
)


def notice_sessions(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Note the activity of the session, for the user's list of sessions."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        sessions.note_activity(request)
        return response

    return middleware


def use_viewers_zone(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Show times in the zone that the browser has stored in a cookie, or in UTC."""

    def middleware(request: HttpRequest) -> HttpResponse:
        with timezone.override(zone_of(request)):
            response: HttpResponse = get_response(request)
            return response

    return middleware


def zone_of(request: HttpRequest) -> dt.tzinfo:
    """The zone of the viewer; UTC without a cookie, or with one that names no zone."""
    name = request.COOKIES.get(ZONE_COOKIE, "")
    return zoneinfo.ZoneInfo(name) if name in _zones() else dt.UTC


@cache
def _zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


def tell_logged_out(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Add a message if a POST redirects to the login page: the session has ended."""
    return lambda request: _told(request, get_response(request))


def _told(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    place, _, query = str(response.headers.get("Location", "")).partition("?")
    # Without ``next`` the redirect is from a form that needs no login.
    if request.method == "POST" and "next=" in query and place in map(reverse, LOGINS):
        messages.warning(request, NOT_DONE)
    return response
