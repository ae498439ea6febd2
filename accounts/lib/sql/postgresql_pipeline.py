"""A pipeline of PostgreSQL for the statements of commands. Needs psycopg.

psycopg's own pipeline makes a cursor, a poll and a system call for each statement, which takes the
site longer than PostgreSQL takes to execute it. This one uses :mod:`psycopg.pq`, the layer
below: statements are prepared once for each connection, and their results are read at the end.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Sequence
from typing import Any, Final, NoReturn, Self
from weakref import WeakKeyDictionary

from psycopg import Connection, abc, generators
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import (
    DatatypeMismatch,
    FeatureNotSupported,
    InvalidSqlStatementName,
    NotSupportedError,
    error_from_result,
)
from psycopg.pq import ConnStatus, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult

FLUSHED_TOGETHER: Final = 8
"""About so many statements go to PostgreSQL in one system call. While it executes them, the site builds the
next ones; with each alone it would be interrupted too often.
"""
_EXECUTED: Final = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK)
_names: Final[WeakKeyDictionary[Connection[Any], dict[bytes, bytes]]] = WeakKeyDictionary()
"""The names of the prepared statements of each connection, by SQL."""
_numbers: Final = itertools.count()
"""A name is not used again: the statement that had it may still be prepared."""


class SentStatement:
    """A statement that was sent, and its result after the pipeline."""

    def __init__(self, transformer: abc.Transformer) -> None:
        self._transformer = transformer
        self.result: PGresult | None = None
        """``None`` also if the connection broke before it arrived."""

    @property
    def is_executed(self) -> bool:
        """Whether it was executed without an error."""
        return self.result is not None and self.result.status in _EXECUTED

    @property
    def row_count(self) -> int:
        """The number of rows that it wrote or found."""
        assert self.result is not None
        return self.result.command_tuples or 0

    def fetch_rows(self) -> list[tuple[Any, ...]]:
        """The rows that it found."""
        assert self.result is not None, "nothing is read in a pipeline"
        self._transformer.set_pgresult(self.result)
        return self._transformer.load_rows(0, self.result.ntuples, tuple)


class Pipeline:
    """Sends statements, and reads their results at the end of its block.

    Raises psycopg's errors: at the end that of the first statement that failed, after which none was
    executed. An error of the block itself is raised in its place. A
    pipeline that writes needs a transaction: otherwise what was sent before an error is committed.

    A statement that does not fit its table any more, or that is no longer prepared, raises
    ``NotSupportedError`` once.
    """

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection = connection
        self._pgconn = connection.pgconn
        self._transformer: abc.Transformer = Transformer(connection)
        self._prepared = _names.setdefault(connection, {})
        self._expected: list[SentStatement | bytes | None] = []
        """What the results belong to, in their order: a statement, a preparation of this SQL, or
        ``BEGIN``.
        """
        self._new_names: dict[bytes, bytes] = {}

    def __enter__(self) -> Self:
        self._pgconn.enter_pipeline_mode()
        return self

    def send(self, sql: bytes, params: Sequence[Any]) -> SentStatement:
        """Send a statement with ``$1``, ``$2``, … for its parameters."""
        self._begin_if_due()
        statement = SentStatement(self._transformer)
        formats = [PyFormat.TEXT] * len(params)
        values = self._transformer.dump_sequence(params, formats)
        self._pgconn.send_query_prepared(self._prepare(sql), values)
        self._expected.append(statement)
        if len(self._expected) % FLUSHED_TOGETHER == 0:
            self.flush()
        return statement

    def flush(self) -> None:
        """Have PostgreSQL begin with what was sent. What a full socket does not take is sent later."""
        self._pgconn.flush()

    def _begin_if_due(self) -> None:
        """Begin a transaction as a cursor of psycopg would."""
        is_idle = self._pgconn.transaction_status == TransactionStatus.IDLE
        if is_idle and not self._expected and not self._connection.autocommit:
            self._pgconn.send_query_params(b"BEGIN", None)
            self._expected.append(None)

    def _prepare(self, sql: bytes) -> bytes:
        """The name of the prepared statement. Without types PostgreSQL infers them, once for all values."""
        name = self._prepared.get(sql) or self._new_names.get(sql)
        if name is None:
            name = self._new_names[sql] = b"command_%d" % next(_numbers)
            self._pgconn.send_prepare(name, sql)
            self._expected.append(sql)
        return name

    def __exit__(self, kind: object, failure: BaseException | None, trace: object) -> None:
        try:
            self._pgconn.pipeline_sync()
            self._connection.wait(self._read_results())
        except Exception:
            if failure is None:
                raise
        finally:
            if self._pgconn.status != ConnStatus.BAD:
                self._pgconn.exit_pipeline_mode()

    def _read_results(self) -> Generator[Any, Any, None]:
        yield from generators.send(self._pgconn)
        failed: PGresult | None = None
        for expected in self._expected:
            # None of them after the error with which the server closes the connection.
            for result in (yield from generators.fetch_many(self._pgconn)):
                if isinstance(expected, SentStatement):
                    expected.result = result
                elif expected is not None and result.status == ExecStatus.COMMAND_OK:
                    self._prepared[expected] = self._new_names[expected]
                if result.status == ExecStatus.FATAL_ERROR and failed is None:
                    failed = result
        yield from generators.fetch_many(self._pgconn)  # the result of the synchronization
        if failed is not None:
            self._raise_error(failed)

    def _raise_error(self, failed: PGresult) -> NoReturn:
        error = error_from_result(failed)
        if isinstance(error, FeatureNotSupported | DatatypeMismatch | InvalidSqlStatementName):
            # A table was changed, which concerns all connections, or somebody has deallocated them.
            _names.clear()
            raise NotSupportedError(str(error)) from error
        raise error
