"""An ASGI extension of the servers of this site: frames that need not wait are written at once.

A frame for the pages of a table is usually small and the connection has room for it. By ASGI's ``send``
each would pass through several coroutines, which take longer than the frame itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

WRITE_NOW: Final = "blackjack.write_now"
"""The name of the extension in the scope of a websocket; its ``write`` is a :data:`WriteNow`."""

WriteNow = Callable[[str], bool]
"""Writes a text frame, unless the frame would have to wait or the socket is not open. Returns whether it
was written."""


def get_write_now(scope: dict[str, Any]) -> WriteNow:
    """The extension of this site's server. For another server, a function that writes nothing."""
    extension = scope.get("extensions", {}).get(WRITE_NOW, {})
    write: WriteNow = extension.get("write", _write_never)
    return write


def _write_never(text: str) -> bool:
    return False
