"""A house of 100,000 rounds that moves to PostgreSQL and back, beside copies by the databases' own programs.

``BENCH_HANDS=300000 make bench PART=move``: three hands a round.
"""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.bench.bulk_ledger import Books
from tests.bench.databases import be_durable
from tests.bench.servers import line
from tests.helpers.servers.fork_server import ROOT, own_environment
from tests.helpers.servers.process import Server, prepare
from tests.helpers.socket_player import SocketPlayer
from tests.multiprocess.postgres import postgresql_server

HANDS = int(os.environ.get("BENCH_HANDS", 300_000))
OTHERS = 200
REGULARS = ("ann", "ben", "cleo")


def measure(folder: Path, *, hands: int = HANDS) -> Iterator[dict[str, Any]]:
    """Seconds each way, and megabytes of memory."""
    data = prepare(folder)
    server = Server(data)
    server.start()
    for name in REGULARS:
        SocketPlayer(server.url, name).sign_up()
    server.stop()
    rounds = dict.fromkeys(REGULARS, hands // 3 // 100)
    Books(data / "db.sqlite3").fill(hands=hands, rounds_of=rounds, others=OTHERS)
    server.start()
    server.stop()
    began = time.monotonic()
    with (
        closing(sqlite3.connect(data / "db.sqlite3")) as old,
        closing(sqlite3.connect(folder / "copy.sqlite3")) as new,
    ):
        old.backup(new)
    copied = time.monotonic() - began
    name = f"{hands // 3}_rounds"
    with postgresql_server() as postgres:
        be_durable(postgres.url)
        url = postgres.create("house")
        back = f"sqlite:///{folder}/back.sqlite3"
        for way, source, target in (("postgresql", "", url), ("sqlite", url, back)):
            seconds, output, peak = _move(data, source, target)
            sys.stderr.write(output)
            yield line(f"move_of_{name}_to_{way}_s", seconds, copied, "a copy of the SQLite file")
            yield line(f"memory_of_the_move_to_{way}_mb", peak, 100, "a program of the site")
    shutil.rmtree(folder)


def _move(data: Path, source: str, target: str) -> tuple[float, str, float]:
    """The seconds, what it said, and the most memory it had, in MB."""
    began = time.monotonic()
    environment = own_environment() | {"BLACKJACK_DATA": str(data), "DATABASE_URL": source}
    program = [sys.executable, "manage.py", "move_database", target]
    with subprocess.Popen(
        program, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, output
    assert isinstance(used, resource.struct_rusage)
    return time.monotonic() - began, output, used.ru_maxrss / 1024
