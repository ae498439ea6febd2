"""Has a test fail in which something is read in a pipeline, on every database: on PostgreSQL the
statements of a pipeline have no results before its end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from django.db.backends.utils import CursorWrapper

from accounts.lib.sql import driver


class _Thread(threading.local):
    depth = 0


_thread = _Thread()


def forbid_reads_in_pipelines(patch: pytest.MonkeyPatch) -> None:
    """Replace ``driver.pipeline``, the ORM's cursor and ``Statement.send`` by ones that look."""
    usual = driver.pipeline

    @contextmanager
    def pipeline() -> Iterator[None]:
        _thread.depth += 1
        try:
            with usual():
                yield
        finally:
            _thread.depth -= 1

    patch.setattr(driver, "pipeline", pipeline)
    execute, send = CursorWrapper.execute, driver.Statement.send

    def execute_outside(self: CursorWrapper, *arguments: Any) -> Any:
        if not driver.is_logged(self.db):  # then Django's cursor runs the compiled statements, too
            _verify_is_outside(arguments)
        return execute(self, *arguments)

    def send_and_read_outside(
        self: driver.Statement, params: Sequence[Any]
    ) -> Callable[[], list[driver.Raw]]:
        get_rows = send(self, params)

        def get_rows_outside() -> list[driver.Raw]:
            _verify_is_outside((self._sql, params))
            return get_rows()

        return get_rows_outside

    patch.setattr(CursorWrapper, "execute", execute_outside)
    patch.setattr(driver.Statement, "send", send_and_read_outside)


def _verify_is_outside(what: Sequence[Any]) -> None:
    assert not _thread.depth, f"read in a pipeline: {what}"
