"""The ids on every log line: of the request, or of the socket, its table and its command.

One context variable has them all, so that work which goes to another thread takes them along for
next to nothing: :func:`get_ids` where it is submitted, :func:`bound` where it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Final, Self

Ids = Mapping[str, object]
NONE: Final[Ids] = {}
_ids: Final[ContextVar[Ids]] = ContextVar("log_ids", default=NONE)


def get_ids() -> Ids:
    """The ids of the current request, socket or command."""
    return _ids.get()


def add_ids(**ids: object) -> None:
    """Add ids for the rest of this task, and for the tasks that it starts."""
    _ids.set({**_ids.get(), **ids})


class bound:
    """Within the block the ids are these and no others."""

    __slots__ = ("_ids", "_token")

    def __init__(self, ids: Ids) -> None:
        self._ids = ids

    def __enter__(self) -> Self:
        self._token: Token[Ids] = _ids.set(self._ids)
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        _ids.reset(self._token)


def merge_ids(_logger: Any, _method: str, event: Any) -> Any:
    """A processor of structlog: add the ids to a line, unless it has them."""
    for name, value in _ids.get().items():
        event.setdefault(name, value if isinstance(value, int) else str(value))
    return event
