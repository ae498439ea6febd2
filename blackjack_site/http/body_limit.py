"""The size limit of request bodies: refused unread, or cut if the size is not declared."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]

TOO_LARGE = b"That is more than any page here asks for.\n"


class BodyLimit:
    """An ASGI wrapper that refuses bodies of more than ``most`` bytes."""

    def __init__(self, application: Application, most: int) -> None:
        self._application = application
        self._most = most

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve a request. A declared length over the limit gets a 413."""
        if _content_length(scope) > self._most:
            await _refuse(send)
            return
        rest, has_begun = self._most, False

        async def counted() -> Message:
            nonlocal rest
            message = await receive()
            rest -= len(message.get("body", b""))
            # An undeclared length: for the application as if nobody waited for its answer.
            return message if rest >= 0 else {"type": "http.disconnect"}

        async def noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        await self._application(scope, counted, noted)
        if rest < 0 and not has_begun:
            await _refuse(send, (b"connection", b"close"))


def _content_length(scope: dict[str, Any]) -> int:
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    try:
        return max(map(int, lengths), default=0)
    except ValueError:
        return 0


async def _refuse(send: Send, *more: tuple[bytes, bytes]) -> None:
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"x-content-type-options", b"nosniff"),
        (b"content-length", str(len(TOO_LARGE)).encode()),
        *more,
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": TOO_LARGE})
