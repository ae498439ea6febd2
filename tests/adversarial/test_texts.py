"""Texts that are none, and texts that look like something else: in names, chat and forms."""

from __future__ import annotations

import asyncio
import html
import json
import re
import sqlite3
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio

from tests.adversarial.abused_server import IllTreated
from tests.adversarial.raw_socket import RawSocket, frame
from tests.helpers.servers.process import serving
from tests.helpers.socket_player import PASSWORD, SocketPlayer

pytestmark = pytest.mark.asyncio(loop_scope="module")

MARKS = "Z" + "\u0334" * 10_000
NO_NAMES = [b"ann\0", b"ann\xed\xa0\x80", "ann\u202e".encode(), MARKS.encode()]
"""A NUL, half a surrogate pair, a sign that turns what follows around, and a pile of marks."""
NASTY = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "javascript:alert(1)", "{{7*7}}",
    '"><b>',
]  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(
    tmp_path_factory: pytest.TempPathFactory, prepared: Path
) -> AsyncIterator[IllTreated]:
    """One for all of these tests."""
    with serving(tmp_path_factory.mktemp("texts"), prepared) as running:
        opened = IllTreated(running)
        await opened.settle_in()
        yield opened
        await opened.close()


@pytest_asyncio.fixture(autouse=True, loop_scope="module")
async def nobody_notices(server: IllTreated) -> AsyncIterator[None]:
    """As for all frames: no traceback, no restart, and the next table plays on."""
    yield
    await server.verify_is_well()


async def answer_to(raw: RawSocket, text: str) -> dict[str, object]:
    """Say something, written as ``text`` stands in JSON; what is said of it."""
    await raw.send(frame(f'{{"t":"say","id":"{uuid.uuid4()}","text":"{text}"}}'))
    while (message := await raw.message())["t"] not in {"said", "err"}:
        pass
    return message


async def test_case_08_what_no_database_keeps_is_no_text_to_say(server: IllTreated) -> None:
    raw = await server.line("ann")
    for text in ("\\u0000", "null\\u0000", "half \\ud83d a pair", "\\udfff"):
        assert (await answer_to(raw, text))["code"] == "bad_text", text
    other = await server.line("ann")
    assert other.messages[-1]["chat"] == []


async def test_case_08_what_would_spill_over_or_turn_around_is_said_without_it(
    server: IllTreated,
) -> None:
    raw = await server.line("ben", 2)
    assert (await answer_to(raw, MARKS[:900]))["line"]["text"] == MARKS[:4]
    turned = await answer_to(raw, "\\u202enihton \\u2066here")
    assert turned["line"]["text"] == "nihton here"
    assert (await answer_to(raw, MARKS[:1900]))["code"] == "bad_cmd"  # longer than any line
    assert (await answer_to(raw, "\\u202e\\u200d"))["code"] == "bad_text"


async def test_case_08_nobody_gets_such_a_name(server: IllTreated) -> None:
    before = _ask(server, "SELECT username FROM accounts_user")
    for name in NO_NAMES:
        form = {"username": name, "password1": PASSWORD.encode()}
        page = await asyncio.to_thread(
            submit, SocketPlayer(server.server.url, ""), "/accounts/signup/", form
        )
        assert 'name="password1"' in page  # the form again
    assert _ask(server, "SELECT username FROM accounts_user") == before


async def test_case_08_no_table_gets_such_a_name(server: IllTreated) -> None:
    cleo = await server.player("cleo")
    for name in NO_NAMES:
        await asyncio.to_thread(submit, cleo, "/tables/new/", _table(name))
    names = {str(name) for (name,) in _ask(server, "SELECT name FROM tables_table")}
    assert not [name for name in names if re.search("[\0\u202e\ud800-\udfff]|\u0334", name)]


async def test_case_10_what_looks_like_code_is_shown_as_text(server: IllTreated) -> None:
    dora = await server.player("dora")
    for name in NASTY:
        page = await asyncio.to_thread(submit, dora, "/tables/new/", _table(name.encode()))
        assert html.escape(name) in page
        assert name not in page or name == html.escape(name)
    raw = await server.line("dora", 2)
    for text in NASTY:
        message = await answer_to(raw, json.dumps(text)[1:-1])
        assert message["line"]["text"] == text
    with dora.opener.open(f"{server.server.url}/tables/2/") as answer:
        page, policy = answer.read().decode(), answer.headers["Content-Security-Policy"]
    assert "<img src=" not in page
    assert "<script>" not in page
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy


async def test_case_10_nobody_is_called_like_that(server: IllTreated) -> None:
    before = _ask(server, "SELECT username FROM accounts_user")
    for name in NASTY:
        form = {"username": name.encode(), "password1": PASSWORD.encode()}
        page = await asyncio.to_thread(
            submit, SocketPlayer(server.server.url, ""), "/accounts/signup/", form
        )
        assert "<img src=" not in page
        assert f'value="{html.escape(name)}"' in page
    assert _ask(server, "SELECT username FROM accounts_user") == before


def submit(player: SocketPlayer, path: str, form: dict[str, bytes]) -> str:
    """Send a form whose fields are any bytes; the page that comes back, also one that refuses."""
    form_page = player.opener.open(f"{player.url}{path}").read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form_page)
    assert token
    body = urllib.parse.urlencode({"csrfmiddlewaretoken": token[1], **form}).encode()
    try:
        answer: str = player.opener.open(f"{player.url}{path}", body).read().decode()
    except urllib.error.HTTPError as refused:
        if refused.code >= 500:
            raise
        answer = refused.read().decode()
    return answer


def _table(name: bytes) -> dict[str, bytes]:
    fields = {"rules_key": "classic", "betting_seconds": "20", "turn_seconds": "30"}
    return {"name": name, **{key: value.encode() for key, value in fields.items()}}


def _ask(server: IllTreated, query: str) -> list[tuple[object, ...]]:
    place = f"file:{server.server.data}/db.sqlite3?mode=ro"
    with closing(sqlite3.connect(place, uri=True)) as database, database:
        return database.execute(query).fetchall()
