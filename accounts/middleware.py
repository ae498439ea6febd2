"""Middleware: language, time zone, session activity, messages about ended sessions, and those who are
kept out.
"""

from __future__ import annotations

import datetime as dt
import zoneinfo
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import activate, gettext, gettext_lazy, pgettext

from accounts.doors import approvals, bans
from accounts.http import GOES_ON, LOGINS
from accounts.lib import date_forms, languages, server_clock, times, zones
from accounts.models import Approval, User
from accounts.users import sessions, staff_sessions

ZONE_COOKIE: Final = "zone"
NOT_DONE: Final = gettext_lazy(
    "You're not logged in, so nothing was changed. Log in and try again."
)
LOGGED_OUT: Final = gettext_lazy(
    "You were logged out, here or on another device. Log in to continue."
)
PROBES: Final = ("/livez", "/readyz", "/metrics")
ACCOUNTS: Final = "/accounts/"
OPEN_TO_HELD: Final = (
    ACCOUNTS, *PROBES, "/account/", "/rules/", "/fairness/", "/practice/", "/staff/", "/jsi18n/",
    "/offline/", "/manifest.webmanifest", "/service-worker.js", "/robots.txt",
)  # fmt: skip
"""The pages of an account that waits for approval, or was refused."""


def speak_language_of_browser(
    get_response: Callable[[HttpRequest], Any],
) -> Callable[[HttpRequest], Any]:
    """Answer in the language that this browser has chosen or asks for; operators' pages in English.

    It comes before everything that writes a sentence. The language stays active after it, because
    a streamed response is written later.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        _speak(request, "")
        response: HttpResponse = get_response(request)
        if "public" not in response.headers.get("Cache-Control", ""):
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response

    return middleware


def speak_language_of_account(
    get_response: Callable[[HttpRequest], Any],
) -> Callable[[HttpRequest], Any]:
    """Answer in the language that the account has chosen, on every device."""

    def middleware(request: HttpRequest) -> HttpResponse:
        # Probes and scripts have no session: they need no query for a user.
        if user := _find_user(request):
            _speak(request, user.language)
        response: HttpResponse = get_response(request)
        return response

    return middleware


def _speak(request: HttpRequest, account: str) -> None:
    if request.path_info.startswith(reverse("admin:index")):
        activate(languages.OPERATORS)
    else:
        accepted = request.META.get("HTTP_ACCEPT_LANGUAGE", "")
        activate(languages.choose(account, request.COOKIES, accepted))


def refuse_banned(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Answer a banned address with one page for everything: until when, and why.

    A logged-in operator keeps the operators' pages, to lift a ban made by mistake.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        ban = bans.find_for(request)
        if ban is None or request.path_info in PROBES or _is_operator_at_work(request):
            response: HttpResponse = get_response(request)
            return response
        style = pgettext("date format", "j F Y, H:i")
        context = {"until": times.format_time(ban.until, style), "reason": ban.reason}
        page = render_to_string("banned.html", context)
        return HttpResponse(page, status=HTTPStatus.FORBIDDEN)

    return middleware


def _is_operator_at_work(request: HttpRequest) -> bool:
    places = (reverse("admin:index"), ACCOUNTS)
    return request.path_info.startswith(places) and getattr(request.user, "is_staff", False)


def hold_unapproved(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Lead an account that no operator has approved to the page that says so, from all pages but
    those about the account, the rules and practice. Tell an approved one on its next page.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        has_session = settings.SESSION_COOKIE_NAME in request.COOKIES
        user = request.user if has_session else None
        if isinstance(user, User) and user.approval:
            if user.is_held and not request.path_info.startswith(OPEN_TO_HELD):
                return redirect("waiting")
            if user.approval == Approval.APPROVED and _asks_for_page(request):
                _tell_approved(request, user)
        response: HttpResponse = get_response(request)
        return response

    return middleware


def _tell_approved(request: HttpRequest, user: User) -> None:
    if approvals.note_told(user):
        messages.success(request, gettext("Your account is approved. You can play now."))


def track_sessions(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Note the activity of the session, for the user's list of sessions."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        sessions.note_activity(request)
        return response

    return middleware


def end_staff_sessions(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """End sessions of operators that are older than they may be, and let cookies end in time."""

    def middleware(request: HttpRequest) -> HttpResponse:
        has_cookie = settings.SESSION_COOKIE_NAME in request.COOKIES
        if has_cookie and request.user.is_staff and _is_staff_session_over(request):
            request.session.flush()
            request.user = AnonymousUser()
        response: HttpResponse = get_response(request)
        # Who is logged in now: the request may have been the login.
        if (has_cookie or request.session.modified) and request.user.is_authenticated:
            staff_sessions.note_login(request.session)
            if request.user.is_staff:
                staff_sessions.limit(request.session)
        return response

    return middleware


def _is_staff_session_over(request: HttpRequest) -> bool:
    return staff_sessions.is_over(dict(request.session.items()), server_clock.now())


def use_viewers_zone(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Show times in the zone and the form that the account has chosen; without a choice in the zone
    that the browser has stored in a cookie, or in UTC.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        with timezone.override(zone_of(request)), date_forms.use(_date_form_of(request)):
            response: HttpResponse = get_response(request)
            return response

    return middleware


def zone_of(request: HttpRequest) -> dt.tzinfo:
    """The zone of the viewer: that of the account or of the cookie; UTC without one."""
    user = _find_user(request)
    own = user.time_zone if user else ""
    name = own if zones.is_zone(own) else request.COOKIES.get(ZONE_COOKIE, "")
    return zoneinfo.ZoneInfo(name) if zones.is_zone(name) else dt.UTC


def _date_form_of(request: HttpRequest) -> str:
    user = _find_user(request)
    return user.date_form if user else ""


def _find_user(request: HttpRequest) -> User | None:
    """The user of a request that has a session; others need no query."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return None
    return request.user if isinstance(request.user, User) else None


def keep_newer_session(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Delete the cookie of an ended session only in answer to a page or a form.

    What a page GETs beside, such as scripts, may be sent before a login and answered after it: then it
    would delete the cookie of the new session.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        cookie = response.cookies.get(settings.SESSION_COOKIE_NAME)
        is_beside = request.method in ("GET", "HEAD") and not _asks_for_page(request)
        if cookie is not None and not cookie.value and is_beside:
            del response.cookies[settings.SESSION_COOKIE_NAME]
        return response

    return middleware


def warn_logged_out(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Add a message if the browser's session has ended, on the first page after that, and if a
    POST redirects to the login page.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if _asks_for_page(request) and _has_ended(request):
            messages.warning(request, LOGGED_OUT)
        return _with_message(request, get_response(request))

    return middleware


def _asks_for_page(request: HttpRequest) -> bool:
    return request.method == "GET" and "text/html" in request.headers.get("Accept", "")


def _has_ended(request: HttpRequest) -> bool:
    """Whether the browser has the cookie of a session that ended elsewhere. A log-out in this
    browser deletes the cookie, and this response does as well.
    """
    if not request.COOKIES.get(settings.SESSION_COOKIE_NAME) or request.user.is_authenticated:
        return False
    return request.session.session_key is None


def _with_message(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    place, _, query = str(response.headers.get("Location", "")).partition("?")
    # Without ``next`` the redirect is from a form that needs no login.
    is_left_undone = request.method == "POST" and not hasattr(response, GOES_ON)
    if is_left_undone and "next=" in query and place in map(reverse, LOGINS):
        messages.warning(request, NOT_DONE)
    return response
