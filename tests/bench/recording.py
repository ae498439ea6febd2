"""What the real house writes, command by command: rows that the floor writes after it.

Temporary triggers note every row as it is written, by whatever statement: the product may change
how it writes, and the floor goes on writing the very same rows with one plain statement each.
``python -m tests.bench.recording FILE`` plays at the busy tables that it reads from its input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from tests.bench.busy_tables import BusyTable
from tests.bench.load import STAKE, next_command
from tests.helpers.servers.process import Server


class Write(Struct, array_like=True, frozen=True):
    """One row. ``kind``: insert, update or delete; the key's value is the last of an update."""

    kind: str
    table: str
    key: str
    columns: tuple[str, ...]
    values: tuple[Any, ...]


class Command(Struct, array_like=True):
    """The frame that everybody at the table was sent, and the rows."""

    frame: str
    writes: list[Write]


class Recording(Struct):
    """By table: how it was, and the commands in order. ``statements``: of the house a command."""

    snapshots: dict[int, str]
    commands: dict[int, list[Command]]
    statements: float


def record(server: Server, busy: list[BusyTable], *, commands: int) -> Path:
    """Play so many commands at each table in the data of ``server``, which does not run."""
    path = server.data / "recording"
    process = subprocess.run(
        [sys.executable, "-m", "tests.bench.recording", str(path), str(commands)],
        input=json.dumps([table.__dict__ for table in busy]),
        cwd=server.root, env=server.environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    if process.returncode:
        raise RuntimeError(process.stderr)
    return path


def read(path: Path) -> Recording:
    return msgspec.msgpack.decode(path.read_bytes(), type=Recording)


def main(path: Path, commands: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blackjack_site.settings")
    import django

    django.setup()
    bots = [Bot(BusyTable(**table)) for table in json.load(sys.stdin)]
    snapshots = {bot.table_id: bot.look() for bot in bots}
    with Notes() as notes:
        played: dict[int, list[Command]] = {bot.table_id: [] for bot in bots}
        for _ in range(commands):
            for bot in bots:
                frame = bot.do_next()
                played[bot.table_id].append(Command(frame, list(notes.take_writes())))
    statements = notes.statements / (commands * len(bots))
    recording = Recording(snapshots, played, statements)
    path.write_bytes(msgspec.msgpack.encode(recording))


class Notes:
    """Every row that this process writes through Django's connection, on SQLite."""

    def __init__(self) -> None:
        self.statements = 0
        self._keys: dict[str, str] = {}
        self._columns: dict[str, list[str]] = {}

    def __enter__(self) -> Notes:
        from django.db import connection

        connection.ensure_connection()
        self._database = connection.connection
        self._counting = connection.execute_wrapper(self._count)
        self._counting.__enter__()
        self._read_schema()
        self._width = max(map(len, self._columns.values()))
        places = ", ".join(f"new{n}, old{n}" for n in range(self._width))
        self._database.execute(f"CREATE TEMP TABLE written (place, kind, {places})")
        for table in self._columns:
            for kind in ("insert", "update", "delete"):
                self._database.execute(self._trigger(table, kind))
        return self

    def __exit__(self, *failure: object) -> None:
        self._counting.__exit__(None, None, None)
        self._database.close()
        from django.db import connection

        connection.close()

    def take_writes(self) -> Iterator[Write]:
        """The rows written since the last look, in order."""
        rows = list(self._database.execute("SELECT * FROM written ORDER BY rowid"))
        self._database.execute("DELETE FROM written")
        for table, kind, *values in rows:
            write = self._write(table, kind, values[0::2], values[1::2])
            if write is not None:
                yield write

    def _write(self, table: str, kind: str, new: list[Any], old: list[Any]) -> Write | None:
        key, columns = self._keys[table], self._columns[table]
        if kind == "insert":
            return Write(kind, table, key, tuple(columns), tuple(new[: len(columns)]))
        own = old[columns.index(key)]
        if kind == "delete":
            return Write(kind, table, key, (), (own,))
        changed = {
            name: value
            for name, value, before in zip(columns, new, old, strict=False)
            if value != before
        }
        if not changed:  # an update that changes nothing is nothing to repeat
            return None
        return Write(kind, table, key, tuple(changed), (*changed.values(), own))

    def _read_schema(self) -> None:
        listed = self._database.execute(
            "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        )
        for (table,) in list(listed):
            rows = list(self._database.execute(f'PRAGMA main.table_info("{table}")'))
            self._columns[table] = [row[1] for row in rows]
            self._keys[table] = next(row[1] for row in rows if row[5] == 1)

    def _trigger(self, table: str, kind: str) -> str:
        columns = self._columns[table]
        noted = []
        if kind != "delete":
            noted += [(f"new{n}", f'NEW."{name}"') for n, name in enumerate(columns)]
        if kind != "insert":
            noted += [(f"old{n}", f'OLD."{name}"') for n, name in enumerate(columns)]
        into = ", ".join(place for place, _ in noted)
        values = ", ".join(value for _, value in noted)
        return (
            f'CREATE TEMP TRIGGER "written_{table}_{kind}" AFTER {kind} ON main."{table}" BEGIN '
            f"INSERT INTO written (place, kind, {into}) VALUES ('{table}', '{kind}', {values}); END"
        )

    def _count(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.statements += 1
        return execute(sql, params, many, context)


class Bot:
    """Decides for all three seats of one table, as the load does."""

    def __init__(self, busy: BusyTable) -> None:
        self.table_id = busy.table_id
        self.user_ids = busy.user_ids
        self.view: Any = None

    def look(self) -> str:
        """The snapshot of the table as it is."""
        from django.utils import timezone

        from tables.protocol import codec as protocol_codec
        from tables.realtime import snapshots

        snapshot = snapshots.table_snapshot(self.table_id, None, timezone.now())
        self.view = snapshot.table
        return protocol_codec.encode(snapshot)

    def do_next(self) -> str:
        """One command; the frame that tells of it."""
        from django.utils import timezone

        from tables.game import commands
        from tables.game.commands import QueuedCommand
        from tables.protocol import codec as protocol_codec
        from tables.protocol.commands import Bet, Hit, Stand, TableCommand
        from tables.protocol.frames import Done

        seat, kind = next_command(self.view)
        turn = self.view.turn
        command: TableCommand
        if kind == "bet":
            command = Bet(uuid.uuid4(), turn, STAKE)
        else:
            decision = Hit if kind == "hit" else Stand
            command = decision(uuid.uuid4(), turn)
        user_id = self.user_ids[seat - 1]
        played = commands.execute_one(
            QueuedCommand(self.table_id, user_id, command), timezone.now()
        )
        assert isinstance(played.value, Done), played.value
        changed = played.changes[-1].changed
        self.view = changed.table
        return protocol_codec.encode(changed)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
