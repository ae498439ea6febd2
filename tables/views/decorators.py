"""What views do when the site is too busy, and decorators of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import wraps
from typing import Any

import structlog
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.doors import access
from accounts.lib import server_clock
from accounts.lib.errors import BUSY, explain_busy
from tables.realtime import publishing
from tables.social.notices import Frames
from tables.state.effects import Effects

View = Callable[..., HttpResponse]
log = structlog.get_logger()


def require_table_maker(view: View) -> View:
    """Lead who may not create tables at this site to the lobby, with the reason."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not access.may_create_tables(request.user):
            messages.error(request, access.explain_no_tables())
            return redirect("lobby")
        return view(request, *args, **kwargs)

    return wrapped


def redirect_get_to(page: str) -> Callable[[View], View]:
    """Redirect a GET to ``page`` with the view's form. This happens after a login on the way."""

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method != "POST":
                return redirect(page)
            return view(request, *args, **kwargs)

        return wrapped

    return decorate


def mark_notices_seen(mark: Callable[[dt.datetime], Frames]) -> None:
    """Mark notices as seen with a function of the time. If the site is too busy for that, they are new
    again next time.
    """
    try:
        frames = mark(server_clock.now())
    except BUSY:
        log.warning("notices_not_marked")
    else:
        publishing.publish_threadsafe(Effects(None, frames=frames))


def redirect_busy_to(page: str) -> Callable[[View], View]:
    """Redirect a POST to ``page`` with a message if the database does not answer in time."""

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            try:
                return view(request, *args, **kwargs)
            except BUSY as error:
                if request.method != "POST":
                    raise
                log.warning("house_is_busy", path=request.path, error=repr(error))
                messages.error(request, explain_busy(error))
                return redirect(page)

        return wrapped

    return decorate
