"""A page is made in one thread from the first middleware to the last."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from asgiref.testing import ApplicationCommunicator
from django.http import HttpRequest
from django.utils.decorators import sync_and_async_middleware
from pytest_django import Settings

from blackjack_site.http.sync_handler import SyncASGIHandler

asked_in: list[threading.Thread] = []


@sync_and_async_middleware
def note(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Notes the thread in which it is asked, whichever way it is put together."""

    async def asynchronous(request: HttpRequest) -> Any:
        asked_in.append(threading.current_thread())
        return await get_response(request)

    def synchronous(request: HttpRequest) -> Any:
        asked_in.append(threading.current_thread())
        return get_response(request)

    return asynchronous if iscoroutinefunction(get_response) else synchronous


async def test_a_page_is_made_in_one_thread_and_not_on_the_event_loop(settings: Settings) -> None:
    noted = f"{__name__}.note"
    settings.MIDDLEWARE = [step for each in settings.MIDDLEWARE for step in (noted, each)] + [noted]
    asked_in.clear()
    assert await status_of("/livez") == 200
    assert len(asked_in) == len(settings.MIDDLEWARE) // 2 + 1
    assert len(set(asked_in)) == 1
    assert asked_in[0] is not threading.current_thread()


async def test_what_a_view_raises_is_a_page_all_the_same() -> None:
    assert await status_of("/nothing/is/here/") == 404


async def status_of(path: str) -> int:
    """What a browser would be answered."""
    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(),
        "query_string": b"", "headers": [(b"host", b"localhost")], "client": ["127.0.0.1", 1],
    }  # fmt: skip
    page = ApplicationCommunicator(SyncASGIHandler(), scope)
    await page.send_input({"type": "http.request"})
    head = await page.receive_output(10)
    await page.receive_output(10)
    await page.wait(10)
    status: int = head["status"]
    return status
