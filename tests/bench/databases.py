"""Where busy tables are kept: data from before the first bet, on SQLite or PostgreSQL."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg

from tests.bench import recording
from tests.bench.busy_tables import BusyTable, make_busy
from tests.helpers.servers.process import ROOT, Server
from tests.multiprocess.postgres import postgresql

SQLITE, POSTGRESQL = "sqlite", "postgresql"


@dataclass(frozen=True)
class Place:
    """``url``: of the database, on PostgreSQL. ``root``: of the code that made it."""

    folder: Path
    data: Path
    busy: list[BusyTable]
    url: str | None = None
    root: Path = ROOT

    @property
    def fresh(self) -> str:
        """The database that nobody uses, to be copied."""
        return self.url or str(self.data / "db.sqlite3")

    def copy(self) -> tuple[Path, dict[str, str]]:
        """Data of a server's own, and what its environment says of the database."""
        name = f"copy_{uuid4().hex}"
        data = Path(shutil.copytree(self.data, self.folder / name))
        if self.url is None:
            return data, {}
        return data, {"DATABASE_URL": copied(self.url, name)}

    def server(self, data: Path, **environment: str) -> Server:
        """A server of this code, for its commands."""
        server = Server(data, **environment)
        server.root = self.root
        return server


def place_in(folder: Path, *, tables: int, root: Path = ROOT) -> Place:
    """Busy tables on SQLite, made by the code in ``root``."""
    folder.mkdir(exist_ok=True)
    place = Place(folder, folder / "prepared", [], root=root)
    server = place.server(place.data)
    process = server.manage("prepare")
    assert process.returncode == 0, process.stderr
    return replace(place, busy=make_busy(server, tables))


def recorded_at(place: Place, *, commands: int) -> Path:
    """What the house writes from here, on SQLite, for so many commands at each table."""
    data, _ = place.copy()
    return recording.record(place.server(data), place.busy, commands=commands)


@contextmanager
def place_on(database: str, place: Place) -> Iterator[Place]:
    """The same tables and players on this database, with the same ids."""
    if database == SQLITE:
        yield place
        return
    with postgresql() as url:
        be_durable(url)
        server = place.server(place.data, DATABASE_URL=url)
        process = server.manage("prepare")
        assert process.returncode == 0, process.stderr
        busy = make_busy(server, len(place.busy))
        assert list(map(_ids, busy)) == list(map(_ids, place.busy))
        yield replace(place, busy=busy, url=url)


def be_durable(url: str) -> None:
    """Have the server wait for the disk as PostgreSQL does by itself: tests need not."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM RESET ALL")
        connection.execute("SELECT pg_reload_conf()")


def copied(url: str, name: str) -> str:
    """The URL of a new copy of a database that nobody uses."""
    place = urlsplit(url)
    with psycopg.connect(place._replace(path="/template1").geturl(), autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {place.path[1:]}")
    return place._replace(path=f"/{name}").geturl()


def _ids(table: BusyTable) -> Any:
    return table.table_id, table.user_ids
