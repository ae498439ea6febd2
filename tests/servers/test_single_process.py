"""Where one process is all that can serve, a second one says so and ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from deploy.part import is_listening
from deploy.web import WEB
from tests.helpers.servers.process import ROOT, own_port
from tests.multiprocess.postgres import postgresql_server
from tests.multiprocess.redis import RedisServer

PLAIN_UVICORN = ("-m", "uvicorn", "blackjack_site.asgi:application", "--port", "0")
OWN_KEY = "-a-key-of-fifty-characters-and-more-that-is-of-nobody-else"
WHAT_TO_DO = "for several processes set DATABASE_URL to PostgreSQL and REDIS_URL to Redis"


def start(data: Path, *command: str, **environment: str) -> subprocess.Popen[str]:
    (data / "static").mkdir(parents=True, exist_ok=True)
    inherited = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    own = {"BLACKJACK_DATA": str(data), "PORT": str(own_port()), "LOG_LEVEL": "ERROR"}
    return subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, env=inherited | own | environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def refusal(process: subprocess.Popen[str]) -> str:
    """What it says when it ends, as it has to."""
    try:
        message: str = process.communicate(timeout=60)[1]
    finally:
        end(process)
    return message


def end(process: subprocess.Popen[str]) -> None:
    """Kill it, and the workers that it has, however it is."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.mark.long
def test_a_second_process_on_sqlite_is_refused_until_the_first_has_ended_or_was_killed(
    tmp_path: Path, prepared: Path
) -> None:
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    with serving(tmp_path) as first:
        for command, redis in ((WEB, ""), (PLAIN_UVICORN, "redis://x:1/0")):
            second = start(tmp_path, *command, REDIS_URL=redis)
            message = refusal(second)
            assert second.returncode == 1
            assert message.startswith(f"This cannot start: Process {first.pid} serves this site")
            assert WHAT_TO_DO in message
        first.send_signal(signal.SIGKILL)
        first.wait()
    with serving(tmp_path):
        pass


@pytest.mark.long
def test_uvicorn_with_workers_on_sqlite_ends_with_the_sentence(tmp_path: Path) -> None:
    parent = start(tmp_path, *PLAIN_UVICORN, "--workers", "2")
    message = refusal(parent)
    assert message.count("This cannot start") == 1
    assert WHAT_TO_DO in message
    assert "Stopping parent process" in message


@pytest.mark.long
def test_on_postgresql_without_redis_another_machine_is_refused(tmp_path: Path) -> None:
    with postgresql_server() as postgres:
        url = postgres.url
        with serving(tmp_path / "here", DATABASE_URL=url) as first:
            second = start(tmp_path / "there", "manage.py", "serve", DATABASE_URL=url)
            message = refusal(second)
            assert second.returncode == 1
            assert message.startswith("This cannot start: Another process serves this site already")
            assert "set REDIS_URL to Redis, for all of them" in message
            postgres.restart("fast")
            until = time.monotonic() + 60
            while not locks(url):
                assert time.monotonic() < until, "the first has not come back to its lock"
                time.sleep(0.1)
            first.send_signal(signal.SIGKILL)
            first.wait()
        with serving(tmp_path / "there", DATABASE_URL=url):
            assert locks(url) == 1


@pytest.mark.long
@pytest.mark.parametrize("first_has_redis", [True, False])
def test_a_process_without_redis_and_one_with_it_do_not_serve_the_same_house(
    first_has_redis: bool, tmp_path: Path
) -> None:
    redis = RedisServer(tmp_path)
    redis.start()
    with_redis, without = {"REDIS_URL": redis.url}, dict[str, str]()
    one, other = (with_redis, without) if first_has_redis else (without, with_redis)
    try:
        with postgresql_server() as postgres:
            place = {"DATABASE_URL": postgres.url, "SECRET_KEY": "one" + OWN_KEY}
            with serving(tmp_path / "here", **place, **one):
                second = start(tmp_path / "there", "manage.py", "serve", **place, **other)
                message = refusal(second)
                assert second.returncode == 1
                assert message.startswith("This cannot start: A")
                assert "process" in message
                assert "set REDIS_URL" in message
            with (
                serving(tmp_path / "here", **place, **with_redis),
                serving(tmp_path / "there", **place, **with_redis),
            ):
                assert locks(postgres.url) == 2
    finally:
        redis.kill()


@pytest.mark.long
def test_a_process_with_another_secret_key_is_refused_until_the_others_have_ended(
    tmp_path: Path,
) -> None:
    redis = RedisServer(tmp_path)
    redis.start()
    old, new = {"SECRET_KEY": "old" + OWN_KEY}, {"SECRET_KEY": "new" + OWN_KEY}
    try:
        with postgresql_server() as postgres:
            place = {"DATABASE_URL": postgres.url, "REDIS_URL": redis.url}
            with serving(tmp_path / "here", **place, **old):
                second = start(tmp_path / "there", "manage.py", "serve", **place, **new)
                message = refusal(second)
                assert second.returncode == 1
                assert message.startswith("This cannot start: A process with another SECRET_KEY")
                with serving(tmp_path / "there", **place, **old):
                    assert locks(postgres.url) == 2
            with serving(tmp_path / "there", **place, **new):
                assert locks(postgres.url) == 1
    finally:
        redis.kill()


def locks(url: str) -> int:
    """How many processes hold the lock of the house."""
    import psycopg

    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1"
        )
        return int(row.fetchone()[0])


@contextmanager
def serving(data: Path, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A process that serves. On a PostgreSQL that nobody has migrated nothing is asked of it."""
    port = own_port()
    process = start(data, "manage.py", "serve", PORT=str(port), **environment)
    until = time.monotonic() + 30
    try:
        while not is_listening(port):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        yield process
    finally:
        end(process)


def test_the_file_that_is_locked_is_closed_at_the_end(tmp_path: Path) -> None:
    """Python 3.14 warns of each file that is not."""
    looks = "import atexit; atexit.register(lambda: print(single_process._held[0].closed)); "
    served = start(
        tmp_path, "-W", "always::ResourceWarning",
        "-c", f"{looks}from blackjack_site import asgi; from blackjack_site.conf import single_process",
        DJANGO_SETTINGS_MODULE="blackjack_site.settings",
    )  # fmt: skip
    output, errors = served.communicate(timeout=60)
    assert output == "True\n"
    assert "ResourceWarning" not in errors
