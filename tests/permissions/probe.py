"""Asking for a page without a trace: what it did is undone, and what it wrote to is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from tables.realtime.writers.writer import Writer
from tests.operators.test_matrix import at_once
from tests.permissions import actors as worlds
from tests.permissions.actors import World
from tests.permissions.matrix_rows import Row

WRITES = re.compile(r'(?:INSERT INTO|UPDATE|DELETE FROM) "(\w+)"')
OF_SESSIONS = {"django_session", "usersessions_usersession"}
"""Who is logged in where, and what was said to them last."""


@pytest.fixture
def world(db: None) -> Iterator[World]:
    with patch.object(Writer, "_put", at_once):
        yield worlds.build()


@pytest.fixture
def clients(world: World) -> dict[str, Client]:
    return worlds.browsers(world)


def path_of(row: Row, world: World) -> str:
    if row.name.startswith("/"):
        return row.name
    values: dict[str, Any] = {
        **world.ids, "rules": "vegas", "tables_app": "tables", "user": world.users["outsider"].pk,
    }  # fmt: skip
    return reverse(row.name, kwargs={name: values.get(str(at), at) for name, at in row.at.items()})


def ask(client: Client, method: str, path: str, data: Any = None, **options: Any) -> Any:
    """The answer. Whatever it did is undone, and what the browser was told is forgotten."""
    cache.clear()
    cookies = client.cookies.copy()
    with transaction.atomic():
        answer = getattr(client, method.lower())(path, data or {}, **options)
        content = b"".join(answer) if answer.streaming else answer.content
        if "Content-Length" in answer.headers and method.upper() != "HEAD":
            # Another length ends the connection, or makes of the rest the next answer.
            assert int(answer.headers["Content-Length"]) == len(content), f"{method} {path}"
        transaction.set_rollback(True)
    client.cookies = cookies
    return answer


@contextmanager
def writing() -> Iterator[set[str]]:
    """The tables of the database that are written to meanwhile, but for those of sessions."""
    written: set[str] = set()

    def watch(execute: Any, sql: str, *rest: Any) -> Any:
        match = WRITES.match(sql)
        if match and match[1] not in OF_SESSIONS:
            written.add(match[1])
        return execute(sql, *rest)

    with connection.execute_wrapper(watch):
        yield written
