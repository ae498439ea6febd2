"""/readyz asks the database, the writer, the clock and Redis, each of them really ended or blocked."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError
from uuid import uuid4

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from blackjack_site.monitoring import readiness
from tests.helpers.servers.process import Server, serving
from tests.helpers.socket_player import SocketPlayer
from tests.multiprocess.postgres import PostgresServer, postgresql_server
from tests.multiprocess.redis import RedisServer
from tests.servers.conftest import CASINO

SOON = 30.0


def ask(server: Server) -> tuple[int, list[str]]:
    """The status, and the lines of the parts that fail."""
    try:
        with urllib.request.urlopen(f"http://localhost:{server.port}/readyz", timeout=5) as answer:
            return answer.status, []
    except HTTPError as refusal:
        with refusal:
            return refusal.code, json.load(refusal)["because"]


def wait_for(server: Server, status: int, *lines: str) -> list[str]:
    """Ask until these lines are among those that fail, and no others."""
    until = time.monotonic() + SOON
    answer: tuple[int, list[str]] = (0, [])
    while time.monotonic() < until:
        answer = ask(server)
        if answer[0] == status and set(lines) <= set(answer[1]):
            return answer[1]
        time.sleep(0.1)
    raise AssertionError(f"{status} {lines} and not {answer}")


@pytest.fixture
def postgres(cluster: Path) -> Iterator[PostgresServer]:
    with postgresql_server(cluster) as server:
        yield server


@pytest.mark.long
def test_redis_and_postgresql_are_asked(
    tmp_path: Path, prepared: Path, postgres: PostgresServer
) -> None:
    redis = RedisServer(tmp_path)
    redis.start()
    data = tmp_path / "data"
    shutil.copytree(prepared, data, ignore=shutil.ignore_patterns("db.sqlite3*"))
    url = postgres.create(f"ready_{uuid4().hex}", "prepared")
    server = Server(data, DATABASE_URL=url, REDIS_URL=redis.url)
    try:
        server.start()
        redis.kill()
        assert wait_for(server, 503, "Redis is out of reach") == ["Redis is out of reach"]
        redis.start()
        wait_for(server, 200)
        postgres.stop("immediate")
        faults = wait_for(server, 503)
        assert any("the database" in fault for fault in faults), faults
        assert url not in str(faults)
        began = time.monotonic()
        ask(server)
        assert time.monotonic() - began < 4
        postgres._server.ensure_postgres_running()
        wait_for(server, 200)
    finally:
        server.end()
        redis.kill()


@pytest.mark.long(seconds=15)
async def test_a_writer_that_waits_for_a_lock_and_a_clock_behind_it_are_named(
    tmp_path: Path, prepared: Path
) -> None:
    with serving(tmp_path, prepared) as server:
        ann = SocketPlayer(server.url, "ann")
        ann.sign_up()
        await ann.open(CASINO)
        with closing(sqlite3.connect(server.data / "db.sqlite3", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            await ann.socket.send(json.dumps({"t": "say", "text": "Hm.", "id": str(uuid4())}))
            faults = wait_for(server, 503, "the writer does not answer")
            assert "the database does not answer" not in faults
            wait_for(server, 503, "the clock has not looked at the deadlines lately")
            other.execute("ROLLBACK")
        wait_for(server, 200)
        await ann.close()


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_not_migrated_is_named(client: Client) -> None:
    ready = readiness.of_process
    ready.forget()
    assert client.get("/readyz").status_code == 200
    last = MigrationRecorder.Migration.objects.filter(app="tables").latest("id")
    MigrationRecorder.Migration.objects.filter(pk=last.pk).delete()
    try:
        assert client.get("/readyz").status_code == 200, "the answer holds for a second"
        ready.forget()
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert answer.json()["because"] == ["the database is not migrated"]
    finally:
        last.save(force_insert=True)
        ready.forget()
