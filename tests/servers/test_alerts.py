"""A real server calls its operators, also after it was killed."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.helpers.receivers import mail_server, webhook_receiver
from tests.helpers.servers.process import Server, serving


def database_of(server: Server) -> Path:
    return server.data / "db.sqlite3"


def write(database: Path, *statements: tuple[str, tuple[object, ...]]) -> None:
    with closing(sqlite3.connect(database, timeout=20)) as connection, connection:
        for statement, values in statements:
            assert connection.execute(statement, values).rowcount == 1


def read(database: Path) -> list[tuple[str, int]]:
    """Status and attempts of each message."""
    with closing(sqlite3.connect(database, timeout=20)) as connection:
        rows = connection.execute("SELECT status, attempts FROM tables_alertdelivery ORDER BY id")
        return [(str(status), int(attempts)) for status, attempts in rows]


def until(server: Server, expected: list[tuple[str, int]]) -> None:
    """Wait until the messages are like this."""
    end = time.monotonic() + 30
    while (messages := read(database_of(server))) != expected:
        assert time.monotonic() < end, (messages, server.log.read_text())
        time.sleep(0.1)


@pytest.mark.long(seconds=10)
def test_a_message_that_failed_outlasts_a_kill(tmp_path: Path, prepared: Path) -> None:
    now = datetime.now(UTC)
    with (
        webhook_receiver() as receiver,
        serving(tmp_path, prepared, WEBHOOK_PRIVATE="on") as server,
    ):
        receiver.status = 503
        write(
            database_of(server),
            ("UPDATE accounts_housesettings SET alert_webhook = ?", (receiver.url,)),
            (
                "UPDATE tables_table SET paused_at = ?, fill_limit = 1, auto_filled = 2 WHERE id = 1",
                (str(now),),
            ),
        )
        until(server, [("waiting", 1)])
        first = receiver.take()
        server.end()  # a kill
        # The minute until the next attempt is over.
        write(
            database_of(server),
            ("UPDATE tables_alertdelivery SET due_at = ?", (str(now - timedelta(minutes=1)),)),
        )
        receiver.status = 200
        server.start()
        until(server, [("sent", 2)])
        second = receiver.take()
        assert first.headers["webhook-id"] == second.headers["webhook-id"]
        assert json.loads(second.body)["data"]["kind"] == "rack"
        assert server.stop() == 0
        assert "Traceback" not in server.log.read_text()


@pytest.mark.long
def test_an_email_is_sent_by_the_mail_server_of_the_site(tmp_path: Path, prepared: Path) -> None:
    with (
        mail_server() as box,
        serving(tmp_path, prepared, EMAIL_URL=f"smtp://127.0.0.1:{box.port}") as server,
    ):
        began_at = datetime.now(UTC) - timedelta(hours=27)
        write(
            database_of(server),
            ("UPDATE accounts_housesettings SET alert_emails = ?", ("ops@example.com",)),
            ("UPDATE tables_databaseidentity SET began_at = ?", (str(began_at),)),
        )
        letter = box.take(40)
        assert letter["To"] == "ops@example.com"
        assert "No backup has been made" in letter["Subject"]
        result = server.manage("backup", str(tmp_path / "backups"))
        assert result.returncode == 0, result.stderr
        with closing(sqlite3.connect(database_of(server))) as connection:
            rows = connection.execute("SELECT name FROM tables_backup").fetchall()
        assert rows == [(path.name,) for path in (tmp_path / "backups").iterdir()]
