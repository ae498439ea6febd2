"""Durable commands a second of twenty busy tables, beside the floor that writes the same rows.

Where and how long is measured can be told: see :mod:`tests.bench.options`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench import recording
from tests.bench.comparison import DAPHNE, UVICORN, Measured, compared, line
from tests.bench.databases import POSTGRESQL, SQLITE, Place, place_in, place_on, recorded_at
from tests.bench.options import is_wanted
from tests.bench.orm_share import share_of_the_orm
from tests.helpers.servers.process import Server

TABLES = 20
RECORDED = 250
"""Commands of each table that the floor has to write; where that is not enough its run is shorter.
"""
RAW = {SQLITE: "sqlite3", POSTGRESQL: "psycopg"}


def measure(folder: Path) -> Iterator[dict[str, Any]]:
    """One JSON line a figure."""
    folder.mkdir()
    prepared = place_in(folder, tables=TABLES)
    recorded = recorded_at(prepared, commands=RECORDED)
    yield from of_recording(prepared, recording.read(recorded))
    for database in (SQLITE, POSTGRESQL):
        programs = [one for one in (DAPHNE, UVICORN) if is_wanted(f"{one}_{database}")]
        if not programs:
            continue
        with place_on(database, prepared) as place:
            for program in programs:
                yield from lines(*compared(place, recorded, program), program, database)


def of_recording(place: Place, recorded: recording.Recording) -> Iterator[dict[str, Any]]:
    """What a command takes the house, beside what it must take."""
    writes = [command.writes for commands in recorded.commands.values() for command in commands]
    rows = sum(map(len, writes)) / len(writes)
    yield line("statements_per_command", recorded.statements, rows, "the rows that it writes", 1)
    data, _ = place.copy()
    share = share_of_the_orm(Server(data), place.busy)
    floor_is = "all the time of a command, by a profile"
    yield line("share_of_a_command_spent_in_the_orm", share, 1, floor_is)


def lines(
    product: Measured, floor: Measured, program: str, database: str
) -> Iterator[dict[str, Any]]:
    """What one comparison came to."""
    on = f"twenty_tables_{program}_{database}"
    floor_is = (
        f"raw ASGI on {program} telling three sockets, raw {RAW[database]} in a writer thread"
        " writing the same rows, a transaction a command"
    )
    per_second = product.per_second(), floor.per_second()
    yield line(f"durable_commands_per_second_{on}", *per_second, floor_is, 0)
    yield line(f"cpu_ms_per_command_{on}", product.cpu_ms(), floor.cpu_ms(), floor_is, 3)
