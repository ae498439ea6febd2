"""What happens around every page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware

from accounts import sessions


@sync_and_async_middleware
def notice_sessions(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Note who was here, for the list of their own sessions."""
    if iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> HttpResponse:
            response: HttpResponse = await get_response(request)
            sessions.notice(request)
            return response

        return asynchronous

    def synchronous(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        sessions.notice(request)
        return response

    return synchronous
