"""A PostgreSQL whose machine is cut off without a word: nothing is refused, and nothing is confirmed."""

from __future__ import annotations

import asyncio
import time
import uuid
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.helpers.servers.process import Server
from tests.helpers.socket_player import SocketPlayer
from tests.multiprocess.cut_line import line_to
from tests.multiprocess.postgres import postgresql_server

CASINO = 1
FIRST_WAIT = 16
"""Seconds in which the first command is answered: five until the silence is noticed, five in which the
pool tries again, two for one more attempt, and a slow machine.
"""
NEXT_WAIT = 5
"""Seconds in which the others are."""


def status_of(player: SocketPlayer, path: str) -> int:
    try:
        with player.opener.open(player.url + path, timeout=60) as page:
            return int(page.status)
    except HTTPError as error:
        return error.code


@pytest.mark.long(seconds=40)
async def test_a_postgresql_that_is_cut_off_without_a_word_is_noticed_and_used_again(
    tmp_path: Path, cluster: Path
) -> None:
    with postgresql_server(cluster) as postgres:
        folder = parse_qs(urlsplit(postgres.database("prepared")).query)["host"][0]
        with line_to(Path(folder) / ".s.PGSQL.5432", "prepared") as line:
            server = Server(tmp_path / "data", DATABASE_URL=line.url)
            prepared = server.manage("prepare")
            assert prepared.returncode == 0, prepared.stderr
            server.start()
            try:
                ann = SocketPlayer(server.url, "ann")
                await asyncio.to_thread(ann.sign_up)
                await ann.open(CASINO)
                command = {"t": "sit", "seat": 1, "id": str(uuid.uuid4())}
                line.cut()
                for longest in (FIRST_WAIT, NEXT_WAIT, NEXT_WAIT, NEXT_WAIT):
                    began = time.monotonic()
                    page = asyncio.to_thread(status_of, ann, "/rules/")
                    reply, status = await asyncio.gather(ann.send(**command), page)
                    assert (reply["code"], status) == ("busy", 503)
                    assert time.monotonic() - began < longest
                    await asyncio.sleep(2)
                line.mend()
                began = time.monotonic()
                while await asyncio.to_thread(status_of, ann, "/readyz") != 200:
                    assert time.monotonic() - began < NEXT_WAIT
                    await asyncio.sleep(0.1)
                assert (await ann.send(**command))["t"] == "done"
                await ann.close()
            finally:
                server.end()
        lines = server.log.read_text().splitlines()
    for once in ("database_out_of_reach", "database_back", "heartbeat_failed", "not_ready"):
        assert sum(once in line for line in lines) == 1, lines
