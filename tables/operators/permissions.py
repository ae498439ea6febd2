"""Permissions of the operators' pages: each page names the one that it needs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from http import HTTPStatus
from typing import Any

import structlog
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.views.decorators.http import require_http_methods

from accounts.lib import server_clock
from accounts.lib.errors import BUSY
from tables.operators.alerts import check

log = structlog.get_logger()

View = Callable[..., HttpResponseBase]


class MissingPermission(PermissionDenied):
    """A page was requested without its permission."""

    def __init__(self, permission: str) -> None:
        self.permission = permission
        super().__init__(permission)


def operator_page(
    permission: str, *methods: str, needs_recent_login: bool = True
) -> Callable[[View], View]:
    """A page of the admin site for operators who have ``permission``; 403 for the others.

    ``methods`` are GET and HEAD by default. Users who are no operators are asked to log in.
    ``needs_recent_login``: whether the password or the second factor must have been entered recently.
    """

    def guard(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.has_perm(permission):
                raise MissingPermission(permission)
            answer = view(request, *args, **kwargs)
            if request.method == "POST" and answer.status_code < HTTPStatus.BAD_REQUEST:
                _check_alerts()
            return answer

        http_methods = methods or ("GET", "HEAD")
        checked_view = _redirect_get(require_http_methods(http_methods)(wrapped))
        vars(checked_view).update(needs_recent_login=needs_recent_login)
        page = admin.site.admin_view(checked_view)
        # For the tests that compare pages and permissions: no page may lack one.
        vars(page).update(permission=permission, methods=http_methods)
        return page

    return guard


def _check_alerts() -> None:
    """Compare the alerts with what holds now, so that what an operator has seen to is off the badge of
    the next page. If the site is too busy, the thread does it later.
    """
    try:
        check.check(server_clock.now())
    except BUSY:
        log.warning("alerts_failed", exc_info=True)


def _redirect_get(view: View) -> View:
    """Redirect a GET of a POST-only URL, after a login on the way, to the page above."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        answer = view(request, *args, **kwargs)
        if answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED and request.method == "GET":
            return redirect(_find_parent_page(request.path_info))
        return answer

    return wrapped


def _find_parent_page(path: str) -> str:
    """The nearest parent URL that is a page."""
    index = reverse("admin:index")
    while path.startswith(index) and path != index:
        path = path.rstrip("/").rpartition("/")[0] + "/"
        with suppress(Resolver404):
            if "GET" in getattr(resolve(path).func, "methods", ()):
                return path
    return index


def render_page(
    request: HttpRequest,
    template: str,
    title: str,
    context: dict[str, Any] | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    """Render an operators' page with the context of the admin site."""
    around = {**admin.site.each_context(request), "title": title}
    return render(
        request, f"admin/operators/{template}", {**around, **(context or {})}, status=status
    )
