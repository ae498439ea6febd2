"""What is too long is not read by the site itself either, whatever server it runs on."""

from __future__ import annotations

from typing import Any

from asgiref.testing import ApplicationCommunicator
from django.conf import settings

from blackjack_site.asgi import size_limited_pages


def request(**headers: str) -> dict[str, Any]:
    told = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http", "http_version": "1.1", "method": "POST", "path": "/accounts/login/",
        "query_string": b"", "headers": [(b"host", b"localhost"), *told],
    }  # fmt: skip


async def test_a_request_that_says_it_is_too_long_is_refused_unread() -> None:
    scope = request(content_length=str(settings.MOST_BODY_BYTES + 1))
    asked = ApplicationCommunicator(size_limited_pages, scope)
    assert (await asked.receive_output(5))["status"] == 413
    assert b"more than any page" in (await asked.receive_output(5))["body"]
    await asked.wait(5)


async def test_one_that_does_not_say_so_is_given_up_when_it_is() -> None:
    asked = ApplicationCommunicator(size_limited_pages, request())
    for _ in range(settings.MOST_BODY_BYTES // 8192 + 1):
        await asked.send_input({"type": "http.request", "body": b"x" * 8192, "more_body": True})
    await asked.wait(5)
    assert await asked.receive_nothing()
