"""What is too long is not read by the site itself either, whatever server it runs on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.conf import settings
from django.core.signals import request_finished

from blackjack_site.asgi import pages, size_limited_pages


def request(**headers: str) -> dict[str, Any]:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http", "http_version": "1.1", "method": "POST", "path": "/accounts/login/",
        "query_string": b"", "headers": [(b"host", b"localhost"), *pairs],
    }  # fmt: skip


async def test_a_request_that_says_it_is_too_long_is_refused_unread() -> None:
    scope = request(content_length=str(settings.MOST_BODY_BYTES + 1))
    communicator = ApplicationCommunicator(size_limited_pages, scope)
    assert (await communicator.receive_output(5))["status"] == 413
    assert b"more than any page" in (await communicator.receive_output(5))["body"]
    await communicator.wait(5)


async def test_one_that_does_not_say_so_is_refused_when_it_is() -> None:
    communicator = ApplicationCommunicator(size_limited_pages, request())
    for _ in range(settings.MOST_BODY_BYTES // 8192 + 1):
        await communicator.send_input(
            {"type": "http.request", "body": b"x" * 8192, "more_body": True}
        )
    refused = await communicator.receive_output(5)
    assert (refused["status"], dict(refused["headers"])[b"connection"]) == (413, b"close")
    assert b"more than any page" in (await communicator.receive_output(5))["body"]
    await communicator.wait(5)
    assert await communicator.receive_nothing()


@pytest.mark.parametrize("fails_at", ["http.response.start", "http.response.body"])
async def test_a_request_whose_response_cannot_be_sent_is_ended(fails_at: str) -> None:
    """What the end of a request does, is done: above all its database connection is closed."""
    ended = []

    def note(**_: Any) -> None:
        ended.append(True)

    async def receive() -> dict[str, Any]:
        if not received:
            received.append(True)
            return {"type": "http.request", "body": b""}
        await asyncio.sleep(60)
        raise AssertionError("nothing else comes")

    async def send(message: Any) -> None:
        if message["type"] == fails_at:
            raise ConnectionError("cut")

    received: list[bool] = []
    request_finished.connect(note)
    try:
        with pytest.raises(ConnectionError):
            await pages(request() | {"path": "/livez", "method": "GET"}, receive, send)
    finally:
        request_finished.disconnect(note)
    assert ended == [True]
