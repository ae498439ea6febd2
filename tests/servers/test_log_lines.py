"""Log lines name the request, or the socket with its table, user and command."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import closing
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
import structlog
from django.db import OperationalError

from accounts.lib import log_context
from accounts.models import User
from tables.game import commands
from tables.lib.database.move_marker import UnservableDatabase
from tables.protocol.commands import Bet
from tables.realtime import dispatch
from tests.helpers.servers.failing import FAILING_TEXT, HIDDEN
from tests.helpers.servers.process import Server, serving
from tests.helpers.socket_player import SocketPlayer
from tests.helpers.table_client import TableClient
from tests.servers.conftest import CASINO

FAILING = "tests.helpers.servers.failing"


@pytest.fixture
def failing(tmp_path: Path, prepared: Path) -> Iterator[Server]:
    with serving(
        tmp_path, prepared, module=FAILING, LOG_FORMAT="json", TRUSTED_PROXIES="1"
    ) as running:
        yield running


def lines(server: Server, event: str) -> list[dict[str, Any]]:
    """The log lines with this event."""
    logged = [line for line in server.log.read_text().splitlines() if line.startswith("{")]
    entries = [json.loads(line) for line in logged]
    return [line for line in entries if event in line["event"]]


def find_user(data: Path, name: str) -> int:
    """The id of a user."""
    with closing(sqlite3.connect(data / "db.sqlite3")) as rows:
        ((user_id,),) = rows.execute("SELECT id FROM accounts_user WHERE username = ?", (name,))
    return int(user_id)


def get(url: str, **headers: str) -> tuple[int, str]:
    """The status and the id of a request."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, headers=named)
    try:
        answer = urllib.request.urlopen(request)
    except HTTPError as error:
        answer = error
    with answer:
        return answer.status, answer.headers["X-Request-ID"]


async def test_lines_of_requests_and_of_commands_in_threads_have_their_ids(
    failing: Server,
) -> None:
    ann = SocketPlayer(failing.url, "ann")
    await asyncio.to_thread(ann.sign_up)
    cookie = "; ".join(f"{cookie.name}={cookie.value}" for cookie in ann.cookies)
    page = f"{failing.url}/leaderboard/"
    status, own = await asyncio.to_thread(lambda: get(page, Cookie=cookie))
    assert status == HTTPStatus.INTERNAL_SERVER_ERROR
    sent_id = "0123456789abcdef-by-nginx"
    _, answer_id = await asyncio.to_thread(lambda: get(page, Cookie=cookie, X_Request_ID=sent_id))
    _, other = await asyncio.to_thread(
        lambda: get(page, Cookie=cookie, X_Request_ID="a b\tc{}" * 9)
    )
    assert answer_id == sent_id
    assert "a b" not in other
    failed = lines(failing, "Internal Server Error")
    assert [line["request_id"] for line in failed] == [own, sent_id, other]
    assert len({own, sent_id, other}) == 3

    await ann.open(CASINO)
    command = str(uuid.uuid4())
    answer = await ann.send(t="say", text=FAILING_TEXT, id=command)
    assert (answer["t"], answer["code"]) == ("err", "internal")
    (line,) = lines(failing, "command_failed")
    assert (line["command_id"], line["table_id"]) == (command, CASINO)
    assert line["user_id"] == find_user(failing.data, "ann")
    assert line["connection_id"]
    assert "request_id" not in line
    await ann.close()


def test_without_a_trusted_proxy_nobody_chooses_an_id(server: Server) -> None:
    _, first = get(f"{server.url}/livez", X_Request_ID="0123456789abcdef")
    _, second = get(f"{server.url}/livez")
    assert "0123456789abcdef" not in (first, second)
    assert first != second
    assert len(first) == 16


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_ids_are_in_both_formats(log_format: str, capsys: pytest.CaptureFixture[str]) -> None:
    from blackjack_site.conf.logging import _RENDERERS  # what configure_logs takes

    command = uuid.uuid4()
    with log_context.bound({"table_id": 7, "command_id": command}):
        event: Any = log_context.merge_ids(None, "info", {"event": "it", "level": "info"})
    for render in _RENDERERS[log_format]:
        event = render(logging.getLogger(), "info", event)
    assert str(command) in event
    assert "7" in event


@pytest.mark.usefixtures("running")
async def test_each_command_of_a_batch_has_its_own_ids(
    casino: TableClient, vegas: TableClient, ann: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite both are decided in one turn of the loop."""
    await asyncio.to_thread(casino.sit, ann, 1)
    await asyncio.to_thread(vegas.sit, ben, 1)
    decided: list[tuple[Any, ...]] = []
    decide = commands._decide_in_savepoint

    def note(live: Any, queued: Any, *rest: Any) -> Any:
        decided.append((queued.table_id, dict(log_context.get_ids())))
        return decide(live, queued, *rest)

    monkeypatch.setattr(commands, "_decide_in_savepoint", note)

    async def bet(table: TableClient, user: User) -> dict[str, Any]:
        command = Bet(uuid.uuid4(), turn=0, stake=1000)
        ids = {"table_id": table.table_id, "user_id": user.pk, "command_id": command.id}
        with log_context.bound(ids):
            await dispatch.execute(table.table_id, user.pk, command)
        return ids

    all_ids = await asyncio.gather(bet(casino, ann), bet(vegas, ben))
    assert dict(decided) == {ids["table_id"]: ids for ids in all_ids}
    assert log_context.get_ids() == {}


def test_a_line_keeps_the_id_that_it_names_itself() -> None:
    with log_context.bound({"table_id": 7}):
        line = log_context.merge_ids(None, "info", {"event": "it", "table_id": 8})
    assert line["table_id"] == 8
    assert structlog.contextvars.get_contextvars() == {}


def test_hidden_values_are_a_word_that_tests_can_find() -> None:
    assert HIDDEN not in FAILING_TEXT


def test_a_database_that_was_moved_away_is_one_line_wherever_it_is_met() -> None:
    """It ends the process with a sentence; a traceback beside it would hide that."""
    from blackjack_site.conf.logging import shorten_outage

    try:
        raise UnservableDatabase("This house was moved.")
    except UnservableDatabase:
        line = shorten_outage(None, "error", {"event": "register_process_failed", "exc_info": True})
    assert line == {"event": "register_process_failed", "error": "This house was moved."}
    try:
        raise OperationalError("no such table")
    except OperationalError:
        other = {"event": "register_process_failed", "exc_info": True}
        assert shorten_outage(None, "error", dict(other)) == other


def test_the_same_line_about_an_outage_is_logged_once_a_minute() -> None:
    from blackjack_site.conf.logging import drop_repeated_outage

    outage: dict[str, Any] = {"exc_info": UnservableDatabase("This house was moved.")}
    program_error: dict[str, Any] = {"exc_info": OperationalError("no such table")}
    for event, expected in (
        (outage | {"event": "first_task_failed"}, [True, False, False]),
        (outage | {"event": "second_task_failed"}, [True, False, False]),
        (program_error | {"event": "first_task_failed"}, [True, True, True]),
        ({"event": "first_task_failed", "error": "told"}, [True, True, True]),
    ):
        actual = []
        for _ in expected:
            try:
                actual.append(drop_repeated_outage(None, "error", dict(event)) == event)
            except structlog.DropEvent:
                actual.append(False)
        assert actual == expected, event
