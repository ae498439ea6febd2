"""What a round leaves in the books, what its grades cost, and the clocks of many processes: for the
model.

``python -m tests.bench.storage_cost ROUNDS`` plays at the busy tables that it reads from its input, and
prints what was written as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.busy_tables import make_busy
from tests.bench.comparison import cpu_seconds, line
from tests.bench.databases import be_durable
from tests.helpers.servers.process import ROOT, Server
from tests.multiprocess.postgres import postgresql

TABLES = 4
ROUNDS = 400
"""Enough that a page of the database more or less is nothing."""
LOOKS = 500
GRADED = 300
"""Rounds of three players. The books are measured without their grades, which come later and can be
computed again.
"""


@dataclass(frozen=True)
class Written:
    """By so many rounds; ``log`` is what PostgreSQL wrote into its own. The rest is in bytes."""

    commands: int
    rounds: int
    rows: int
    books: int
    log: int
    clock_ms: float
    """Of the processor, for a decision that ran out and that another process saw to."""
    clock_there_ms: float
    """The same, of PostgreSQL's processor."""
    grade_ms: float
    """Of the processor, for a round that is graded."""
    grades: float
    """Of the grades of a round."""


def measure(folder: Path, *, rounds: int = ROUNDS) -> Iterator[dict[str, Any]]:
    """One JSON line a figure."""
    sqlite = written(folder / "sqlite", rounds)
    with postgresql() as url:
        be_durable(url)
        written_there = written(folder / "postgresql", rounds, DATABASE_URL=url)
    yield from lines(sqlite, written_there)


def lines(sqlite: Written, postgresql: Written) -> Iterator[dict[str, Any]]:
    commands = postgresql.commands / postgresql.rounds
    yield line("commands_per_round", commands, 6, "a bet and one decision for each of three")
    rows = postgresql.rows / postgresql.rounds
    yield line("rows_per_round", rows, commands, "one for each command")
    books, same = (each.books / each.rounds / 1000 for each in (postgresql, sqlite))
    yield line("kb_of_books_per_round", books, same, "the same on SQLite")
    log = postgresql.log / postgresql.commands / 1000
    yield line("kb_of_wal_per_command", log, books / commands, "by how much the books grow")
    yield line(
        "server_cpu_ms_per_clock_of_another_process",
        postgresql.clock_ms,
        sqlite.clock_ms,
        "the same on SQLite",
    )
    yield line(
        "postgresql_cpu_ms_per_clock_of_another_process",
        postgresql.clock_there_ms,
        postgresql.clock_ms,
        "the server process's share",
    )
    yield line(
        "server_cpu_ms_per_graded_round",
        postgresql.grade_ms,
        sqlite.grade_ms,
        "the same on SQLite",
    )
    grades, same = (each.grades / 1000 for each in (postgresql, sqlite))
    yield line("kb_of_grades_per_round", grades, same, "the same on SQLite")


def written(data: Path, rounds: int, **environment: str) -> Written:
    """Play so many rounds on a database of its own."""
    data.mkdir(parents=True)
    server = Server(data, **environment)
    prepared = server.manage("prepare")
    if prepared.returncode:
        raise RuntimeError(prepared.stderr)
    busy = [table.__dict__ for table in make_busy(server, TABLES)]
    process = subprocess.run(
        [sys.executable, "-m", "tests.bench.storage_cost", str(rounds)],
        input=json.dumps(busy),
        cwd=ROOT, env=server.environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    if process.returncode:
        raise RuntimeError(process.stderr)
    return Written(**json.loads(process.stdout))


def main(rounds: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    import django

    django.setup()
    from tests.bench.busy_tables import BusyTable
    from tests.bench.recording import Bot

    bots = [Bot(BusyTable(**table)) for table in json.load(sys.stdin)]
    for bot in bots:
        bot.look()
    play(bots, rounds // 8)  # new databases grow by whole pages at first
    vacuum()
    before = sizes()
    commands = play(bots, rounds)
    log = sizes()["log"]
    vacuum()
    after = sizes() | {"log": log}
    grown = {name: after[name] - before[name] for name in before}
    figures = {"commands": commands, **grade(), **clocks(bots[0].table_id), **grown}
    json.dump(figures, sys.stdout)


def play(bots: list[Any], rounds: int) -> int:
    """So many rounds more, by all tables together, and counted; how many commands that took."""
    from tables.models import Round
    from tables.results import projector

    target = Round.objects.filter(finished_at__isnull=False).count() + rounds
    commands = 0
    while Round.objects.filter(finished_at__isnull=False).count() < target:
        for bot in bots:
            bot.do_next()
            commands += 1
    projector.catch_up()
    return commands


def vacuum() -> None:
    """Run VACUUM on PostgreSQL. Autovacuum does this on a real site, but the run is too short for it."""
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")


def sizes() -> dict[str, int]:
    """How much there is of everything that grows."""
    from django.apps import apps
    from django.db import connection

    from tables.models import Round

    queries = {
        "sqlite": (
            "SELECT (page_count - freelist_count) * page_size, 0"
            " FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        ),
        "postgresql": (
            "SELECT sum(pg_total_relation_size(relid)), pg_current_wal_insert_lsn() - '0/0'"
            " FROM pg_stat_user_tables"
        ),
    }
    with connection.cursor() as cursor:
        cursor.execute(queries[connection.vendor])
        books, log = map(int, cursor.fetchone())
    return {
        "rounds": Round.objects.filter(finished_at__isnull=False).count(),
        "rows": sum(model._default_manager.count() for model in apps.get_models()),
        "books": books,
        "log": log,
    }


def grade() -> dict[str, float]:
    """What the grades of a round cost, in milliseconds of the processor (rests cost nothing) and in
    bytes.
    """
    from tables.realtime.grading_worker import grade_batch
    from tables.results.grades import list_waiting_rounds

    grade_batch()  # what is computed at the first use
    waiting = len(list_waiting_rounds(10**9))
    remaining, began, before = waiting, time.process_time(), sizes()["books"]
    while waiting - remaining < GRADED:
        grade_batch()
        remaining = len(list_waiting_rounds(10**9))
    took, grown = time.process_time() - began, sizes()["books"] - before
    graded = waiting - remaining
    return {"grade_ms": 1000 * took / graded, "grades": grown / graded}


def look_at_the_clock(table_id: int) -> None:
    """What each process does when a decision has run out, if another one is quicker."""
    from django.utils import timezone

    from tables.game import deadlines

    deadlines.list_overdue_tables(timezone.now(), [table_id])
    deadlines.apply_deadline(table_id, timezone.now())


def clocks(table_id: int) -> dict[str, float]:
    """What one such look costs here and there, in milliseconds of the processor."""
    from django.db import connection

    look_at_the_clock(table_id)
    there = None
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (there,) = cursor.fetchone()
    began, began_there = time.process_time(), cpu_seconds(there) if there else 0
    for _ in range(LOOKS):
        look_at_the_clock(table_id)
    took = time.process_time() - began
    took_there = cpu_seconds(there) - began_there if there else 0
    return {"clock_ms": 1000 * took / LOOKS, "clock_there_ms": 1000 * took_there / LOOKS}


if __name__ == "__main__":
    main(int(sys.argv[1]))
