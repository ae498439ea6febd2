"""Who does not read, or sends faster than the house can answer, costs the others nothing."""

from __future__ import annotations

import asyncio
import sqlite3
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio

from tests.adversarial.abused_server import CASINO, SECONDS_TO_ANSWER, IllTreated
from tests.adversarial.raw_socket import frame
from tests.helpers.servers.process import serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

RESYNC = frame('{"t":"resync"}')
READERS = 5


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(
    tmp_path_factory: pytest.TempPathFactory, prepared: Path
) -> AsyncIterator[IllTreated]:
    """A server at whose first table much was said, so that its snapshot has 30 KB and more."""
    with serving(tmp_path_factory.mktemp("readers"), prepared) as running:
        opened = IllTreated(running)
        await opened.settle_in()
        _fill_chat(running.data)
        yield opened
        await opened.close()


def _fill_chat(data: Path) -> None:
    with closing(sqlite3.connect(data / "db.sqlite3")) as database, database:
        query = "SELECT id FROM accounts_user WHERE username = 'neighbour'"
        user = database.execute(query).fetchone()[0]
        rows = [(CASINO, user, uuid.uuid4().hex, "2026-01-01", "€" * 200) for _ in range(50)]
        database.executemany(
            "INSERT INTO tables_chatline (table_id, user_id, command_id, at, text)"
            " VALUES (?, ?, ?, ?, ?)",
            rows,
        )


@pytest_asyncio.fixture(autouse=True, loop_scope="module")
async def nobody_notices(server: IllTreated) -> AsyncIterator[None]:
    """As for all frames: no traceback, no restart, and the next table plays on."""
    yield
    await server.verify_is_well()


async def test_a_table_at_which_much_was_said_is_shown_all_the_same(server: IllTreated) -> None:
    raw = await server.line()
    assert [len(line["text"]) for line in raw.messages[-1]["chat"]] == [200] * 50
    raw.drop()


@pytest.mark.long
async def test_who_does_not_read_is_cut_off_and_the_others_at_the_table_do_not_notice(
    server: IllTreated,
) -> None:
    friend = await server.player("ann")
    await friend.open(CASINO)
    assert (await friend.send(t="sit", seat=1))["t"] == "done"
    before, cut_before = server.memory(), server.measured("blackjack_slow_readers_total")
    slow = [await server.line(receive_buffer=4096) for _ in range(READERS)]
    for raw in slow:
        raw.read_nothing()
    waits = []
    async with asyncio.timeout(25):
        while not all(raw.is_cut() for raw in slow):
            for raw in slow:
                if not raw.is_cut():
                    await raw.send(RESYNC)
            began = time.monotonic()
            assert (await friend.send(t="lock", on=True))["t"] == "err"  # not hers to lock
            waits.append(time.monotonic() - began)
            await asyncio.sleep(0.15)
    assert server.measured("blackjack_slow_readers_total") - cut_before == READERS
    assert server.memory() - before < 5 + READERS
    assert max(waits) < SECONDS_TO_ANSWER
    assert (await friend.send(t="leave"))["t"] == "done"
    await friend.close()


@pytest.mark.long
async def test_what_waits_for_a_slow_house_is_bounded(server: IllTreated) -> None:
    """While the database is locked, commands wait; the thirty-fourth is one too many."""
    raw = await server.line("ben")
    lock = sqlite3.connect(server.server.data / "db.sqlite3", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    try:
        for _ in range(45):
            command = f'{{"t":"sit","id":"{uuid.uuid4()}","seat":3}}'
            await raw.send(frame(command))
            await asyncio.sleep(0.12)  # slower than the ten a second that are allowed
            if raw.ended.is_set() or raw.close_code:
                break
        assert await raw.closed() == 4429  # while nothing can be answered yet
    finally:
        lock.execute("ROLLBACK")
        lock.close()
