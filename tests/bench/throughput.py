"""Durable commands per second of the house, beside raw SQLite writing the very same rows."""

from __future__ import annotations

import asyncio
import cProfile
import os
import pstats
import shutil
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

RUNS = 5
TABLES = 20
SECONDS = 2.0
RECORDED = 600
"""Commands whose writes are replayed for the floor."""

Writes = list[list[tuple[str, Any]]]


def measure(folder: Path) -> Iterator[dict[str, Any]]:
    """One JSON line a figure, in commands per second."""
    folder.mkdir()
    os.environ["BLACKJACK_DATA"] = str(folder)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    import django

    django.setup()
    fresh = set_up(folder)
    bots = [Bot(table) for table in range(TABLES)]
    writes, statements = record(bots)
    alone, together, raw = [], [], []
    for _ in range(RUNS):
        alone.append(asyncio.run(play(bots, at_once=1)))
        raw.append(replay(fresh, folder / "floor.sqlite3", writes))
        together.append(asyncio.run(play(bots, at_once=TABLES)))
    floor = median(raw)
    floor_is = "raw sqlite3, the same rows, a transaction a command"
    yield {
        "name": "statements_per_command",
        "value": round(statements, 1),
        "floor": round(sum(map(len, writes)) / len(writes), 1),
        "floor_is": "those that write",
        "ratio": round(statements * len(writes) / sum(map(len, writes)), 2),
    }
    share = share_of_the_orm(bots)
    yield {
        "name": "share_of_a_command_spent_in_the_orm",
        "value": share,
        "floor": 1,
        "floor_is": "all the time of a command, by a profile",
        "ratio": share,
    }
    for name, values in (("one_at_a_time", alone), ("twenty_tables", together)):
        yield {
            "name": f"durable_commands_per_second_{name}",
            "value": round(median(values)),
            "floor": round(floor),
            "floor_is": floor_is,
            "ratio": round(median(values) / floor, 2),
        }


def set_up(folder: Path) -> Path:
    """A database with busy tables, and a copy of it from before the first bet."""
    from django.core.management import call_command
    from django.db import connection

    from tables import opening
    from tests.at_table import AtTable, new_player

    call_command("migrate", verbosity=0)
    for table in range(TABLES):
        at = AtTable(opening.open_table(name=f"Table {table}", rules_key="casino").pk)
        for seat in (1, 2, 3):
            at.sit(new_player(f"p{table}-{seat}"), seat)
    connection.close()
    return Path(shutil.copy(folder / "db.sqlite3", folder / "fresh.sqlite3"))


def record(bots: list[Bot]) -> tuple[Writes, float]:
    """What the house writes for :data:`RECORDED` commands, and its statements a command."""
    from django.db import connection

    writes: Writes = []
    statements = 0

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal statements
        statements += 1
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            writes[-1].append((sql.replace("%s", "?"), params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        for number in range(RECORDED):
            writes.append([])
            bots[number % TABLES].do_next()
    connection.close()
    return writes, statements / RECORDED


def share_of_the_orm(bots: list[Bot]) -> float:
    """Which part of the house's time is spent in Django's own database code."""
    profile = cProfile.Profile()
    profile.enable()
    for number in range(RECORDED):
        bots[number % TABLES].do_next()
    profile.disable()
    own_times = [(file, row[2]) for (file, *_), row in pstats.Stats(profile).stats.items()]
    orm = sum(own for file, own in own_times if "/django/db/" in file)
    return round(orm / sum(own for _, own in own_times), 2)


def replay(fresh: Path, path: Path, writes: Writes) -> float:
    """Commands per second of raw sqlite3 on a copy of the database the writes were made on."""
    shutil.copy(fresh, path)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=NORMAL")
    began = time.perf_counter()
    for statements in writes:
        database.execute("BEGIN IMMEDIATE")
        for sql, params in statements:
            database.execute(sql, [plain(value) for value in params])
        database.execute("COMMIT")
    took = time.perf_counter() - began
    database.close()
    return len(writes) / took


def plain(value: Any) -> Any:
    """The value as Django hands it to sqlite3."""
    if isinstance(value, uuid.UUID):
        return value.hex
    return value if isinstance(value, int | str | None) else str(value)


async def play(bots: list[Bot], *, at_once: int) -> float:
    """Commands per second through the writer thread, ``at_once`` of them waiting."""
    from tables.writer import writer

    until = time.perf_counter() + SECONDS
    done = 0

    async def keep_playing(mine: list[Bot]) -> None:
        nonlocal done
        while time.perf_counter() < until:
            for bot in mine:
                await asyncio.wrap_future(writer.submit(bot.do_next, table_id=bot.table_id))
                done += 1

    began = time.perf_counter()
    await asyncio.gather(*(keep_playing(bots[n::at_once]) for n in range(at_once)))
    return done / (time.perf_counter() - began)


class Bot:
    """Decides for all three seats of one table."""

    def __init__(self, number: int) -> None:
        from accounts.models import User
        from tables.models import Table

        self.table_id = Table.objects.order_by("pk")[number].pk
        names = [f"p{number}-{seat}" for seat in (1, 2, 3)]
        self.users = [User.objects.get(username=name) for name in names]
        self.view: Any = None

    def do_next(self) -> None:
        """One command."""
        from django.utils import timezone

        from tables import house, messages

        now = timezone.now()
        if self.view is None:
            self.view = house.snapshot(self.table_id, None, now).table
        asked, turn = self.view.asked, self.view.turn
        if asked is None:
            seat = next(s.seat for s in self.view.seats if s.stake is None)
            command: Any = messages.Bet(uuid.uuid4(), turn, 1000)
        else:
            seat = asked.seat
            total = self.view.seats[seat - 1].hands[asked.hand - 1].total
            kind = messages.Hit if total < 12 else messages.Stand
            command = kind(uuid.uuid4(), turn)
        played = house.play(self.table_id, self.users[seat - 1].pk, command, now)
        assert isinstance(played.answer, messages.Done), played.answer
        self.view = played.changes[-1].changed.table
