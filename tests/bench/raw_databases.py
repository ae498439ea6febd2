"""The databases of the floor: recorded rows written with plain sqlite3 or psycopg."""

from __future__ import annotations

import os
import shutil
import sqlite3
from abc import ABC, abstractmethod
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import psycopg

from tests.bench.recording import Write

Transaction = list[tuple[str, list[tuple[Any, ...]]]]
"""Statements, and the rows that each of them writes."""


class Raw(ABC):
    """One connection, used by one thread."""

    mark: ClassVar[str]
    """What stands for a value in a statement."""

    def transaction(self, writes: list[Write]) -> Transaction:
        """The writes of a command; rows in a row that are written alike share a statement."""
        return [
            (statement, [self.values(write) for write in alike])
            for statement, alike in groupby(writes, key=self._statement)
        ]

    def values(self, write: Write) -> tuple[Any, ...]:
        return write.values

    @abstractmethod
    def begin_anew(self) -> None:
        """Connect to a fresh copy of the database."""

    @abstractmethod
    def write(self, transaction: Transaction) -> None:
        """Write and commit."""

    def _statement(self, write: Write) -> str:
        where = f'WHERE "{write.key}" = {self.mark}'
        if write.kind == "delete":
            return f'DELETE FROM "{write.table}" {where}'
        if write.kind == "update":
            changes = ", ".join(f'"{name}" = {self.mark}' for name in write.columns)
            return f'UPDATE "{write.table}" SET {changes} {where}'
        columns = ", ".join(f'"{name}"' for name in write.columns)
        marks = ", ".join(self.mark for _ in write.columns)
        return f'INSERT INTO "{write.table}" ({columns}) VALUES ({marks})'


class RawSqlite(Raw):
    """As the settings have it: WAL, the same ``synchronous``, foreign keys checked."""

    mark = "?"

    def __init__(self, fresh: Path, path: Path) -> None:
        self._fresh = fresh
        self._path = path
        self._connection: sqlite3.Connection | None = None

    def begin_anew(self) -> None:
        if self._connection is not None:
            self._connection.close()
        for leftover in self._path.parent.glob(f"{self._path.name}*"):
            leftover.unlink()
        shutil.copy(self._fresh, self._path)
        self._connection = sqlite3.connect(self._path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        synchronous = os.environ.get("SQLITE_SYNCHRONOUS", "NORMAL")
        self._connection.execute(f"PRAGMA synchronous={synchronous}")
        self._connection.execute("PRAGMA foreign_keys=ON")

    def write(self, transaction: Transaction) -> None:
        assert self._connection is not None
        self._connection.execute("BEGIN IMMEDIATE")
        for statement, rows in transaction:
            if len(rows) == 1:
                cursor = self._connection.execute(statement, rows[0])
            else:
                cursor = self._connection.executemany(statement, rows)
            assert cursor.rowcount == len(rows), statement
        self._connection.execute("COMMIT")


class RawPostgresql(Raw):
    """``fresh``: the URL of a database that nobody uses, to be copied."""

    mark = "%s"

    def __init__(self, fresh: str, name: str) -> None:
        place = urlsplit(fresh)
        self._template = place.path[1:]
        self._name = name
        self._server = place._replace(path="/template1").geturl()
        self._url = place._replace(path=f"/{name}").geturl()
        self._connection: psycopg.Connection | None = None
        with psycopg.connect(fresh) as connection:
            self._flags = set(
                connection.execute(
                    "SELECT table_name, column_name FROM information_schema.columns"
                    " WHERE data_type = 'boolean'"
                )
            )

    def values(self, write: Write) -> tuple[Any, ...]:
        """SQLite keeps flags as numbers."""
        named = zip(write.columns, write.values, strict=False)
        flags = [
            bool(value) if (write.table, name) in self._flags else value for name, value in named
        ]
        return (*flags, *write.values[len(write.columns) :])

    def begin_anew(self) -> None:
        if self._connection is not None:
            self._connection.close()
        with psycopg.connect(self._server, autocommit=True) as server:
            server.execute(f"DROP DATABASE IF EXISTS {self._name}")
            server.execute(f"CREATE DATABASE {self._name} TEMPLATE {self._template}")
        options = "-c timezone=UTC"
        self._connection = psycopg.connect(self._url, autocommit=True, options=options)

    def write(self, transaction: Transaction) -> None:
        assert self._connection is not None
        with self._connection.transaction(), self._connection.cursor() as cursor:
            for statement, rows in transaction:
                if len(rows) == 1:
                    cursor.execute(statement, rows[0])
                else:
                    cursor.executemany(statement, rows)
                assert cursor.rowcount == len(rows), statement


def raw_database() -> Raw:
    """The one that the environment of the floor names."""
    fresh = os.environ["FLOOR_FRESH"]
    if fresh.startswith("postgres"):
        return RawPostgresql(fresh, f"floor_{os.environ['PORT']}")
    return RawSqlite(Path(fresh), Path(os.environ["BLACKJACK_DATA"]) / "floor.sqlite3")
