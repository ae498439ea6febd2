"""A PostgreSQL that is out of reach is one sentence, and exit 1."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tables.servers.command_lines import format_command_line
from tests.helpers.servers.fork_server import ROOT, own_environment, with_packages
from tests.helpers.servers.process import own_port
from tests.multiprocess.postgres import postgresql, postgresql_server

REFUSED = "postgres://house:not-to-be-shown@127.0.0.1:1/house"
PLACES = {"refused": REFUSED, "no such host": REFUSED.replace("127.0.0.1", "nowhere.invalid")}
COMMANDS = (
    ["audit"], ["prepare"], ["migrate"], ["open_tables"], ["edges"], ["showmigrations"],
    ["createsuperuser", "--noinput", "--username", "op", "--email", "op@example.com"],
    ["backup", "backups"],
)  # fmt: skip


def environment(url: str, folder: Path) -> dict[str, str]:
    return own_environment() | {"DATABASE_URL": url, "BLACKJACK_DATA": str(folder)}


def run(url: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return with_packages().run(["manage.py", *words], environment(url, folder), folder=folder)


def verify_one_sentence(result: subprocess.CompletedProcess[str]) -> None:
    assert result.returncode == 1, result.stderr
    (sentence,) = result.stderr.splitlines()
    assert re.match("The database cannot be used: |CommandError: There is no backup: ", sentence)
    assert "not-to-be-shown" not in sentence


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_case_50_a_command_says_in_a_sentence_that_postgresql_is_out_of_reach(
    words: list[str], tmp_path: Path
) -> None:
    verify_one_sentence(run(REFUSED, tmp_path, *words))


@pytest.mark.long
def test_case_50_wherever_it_is_looked_for(tmp_path: Path) -> None:
    verify_one_sentence(run(PLACES["no such host"], tmp_path, "audit"))
    with postgresql() as url:
        elsewhere = urlsplit(url)._replace(path="/nothing").geturl()
        result = run(elsewhere, tmp_path, "audit")
        assert 'database "nothing" does not exist' in result.stderr
        verify_one_sentence(result)
        new = run(url, tmp_path, "audit")
        verify_one_sentence(new)
        assert new.stderr.endswith("A new one is made ready by: manage.py prepare\n")


@pytest.mark.long
def test_the_sentence_says_what_to_do(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    damaged = tmp_path / "no.sqlite3"
    damaged.write_text("This is no database. " * 100)
    remedies = {
        REFUSED: "Start PostgreSQL, or correct the host and the port in DATABASE_URL.",
        PLACES["no such host"]: "Correct the host in DATABASE_URL.",
        f"sqlite:///{tmp_path}/nowhere/db.sqlite3": "Make its folder",
        f"sqlite:///{damaged}": "Correct DATABASE_URL, or restore a backup.",
    }
    with postgresql_server() as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("CREATE ROLE house LOGIN PASSWORD 'right'")
            (hba,) = connection.execute("SHOW hba_file").fetchone() or ("",)
            Path(hba).write_text("local all postgres trust\nlocal all all scram-sha-256\n")
            connection.execute("SELECT pg_reload_conf()")
        place = urlsplit(server.url)
        wrong = place._replace(netloc="house:not-to-be-shown@").geturl()
        remedies[wrong] = "Correct the user and the password in DATABASE_URL."
        remedies[place._replace(path="/nothing").geturl()] = "Create the database with createdb"
        for url, remedy in remedies.items():
            result = run(url, folder, "audit")
            assert remedy in result.stderr, url
            verify_one_sentence(result)
        for url in list(remedies)[
            -2:
        ]:  # a server waits for one that will let it in, and no longer for these
            port = {"PORT": str(own_port())}
            served = with_packages().run(
                ["manage.py", "serve"], environment(url, folder) | port, folder=folder
            )
            assert served.returncode == 1
            sentence = served.stderr.splitlines()[-1]
            assert sentence.startswith("The database cannot be used: ")
            assert remedies[url] in sentence
            assert "not-to-be-shown" not in served.stderr
            assert "Traceback" not in served.stderr


def test_a_new_sqlite_file_is_a_sentence_as_well(tmp_path: Path) -> None:
    result = run("", tmp_path, "audit")
    verify_one_sentence(result)
    assert "manage.py prepare" in result.stderr


@contextmanager
def waiting_server(folder: Path) -> Iterator[Path]:
    """A server that waits for its database, and what it says."""
    log = folder / "log"
    with log.open("w") as writes:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"], cwd=ROOT, stdout=writes, stderr=writes,
            env=environment(REFUSED, folder) | {"PORT": str(own_port())},
        )  # fmt: skip
        try:
            yield log
        finally:
            process.terminate()
            process.wait(30)


@pytest.mark.long(seconds=15)
def test_case_50_a_server_advises_the_command_for_its_own_database(tmp_path: Path) -> None:
    with waiting_server(tmp_path) as log:
        until = time.monotonic() + 90  # its pool gives up after 30 seconds
        while "is made by" not in log.read_text() and time.monotonic() < until:
            time.sleep(0.1)
    text = log.read_text()
    advised = format_command_line(environment(REFUSED, tmp_path), "createsuperuser")
    assert f"is made by: {advised}\n" in text
    assert f"BLACKJACK_DATA={tmp_path}" in advised
    assert "The database cannot be used yet." in text
    assert "not-to-be-shown" not in text
    assert "Traceback" not in text
