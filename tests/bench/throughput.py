"""Durable commands a second of twenty busy tables, beside the floor that writes the same rows.

Where and how long is measured can be told: see :mod:`tests.bench.options`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench import recording
from tests.bench.comparison import (
    DAPHNE,
    UVICORN,
    Comparison,
    RecordedPlace,
    SideRuns,
    compared,
    line,
)
from tests.bench.databases import POSTGRESQL, SQLITE, Place, place_in, place_on, recorded_at
from tests.bench.last_release import check_out
from tests.bench.options import is_wanted
from tests.bench.orm_share import share_of_the_orm
from tests.helpers.servers.process import Server

TABLES = 20
RECORDED = 400
"""Commands of each table that the floor has to write; where that is not enough its run is shorter.
"""
RAW = {SQLITE: "sqlite3", POSTGRESQL: "psycopg"}


def measure(folder: Path) -> Iterator[dict[str, Any]]:
    """One JSON line a figure."""
    folder.mkdir()
    prepared = place_in(folder / "ours", tables=TABLES)
    released = place_in(folder / "last", tables=TABLES, root=check_out(folder / "release"))
    ours, last = (recorded_at(place, commands=RECORDED) for place in (prepared, released))
    yield from of_recording(prepared, recording.read(ours), recording.read(last))
    for database in (SQLITE, POSTGRESQL):
        programs = [one for one in (DAPHNE, UVICORN) if is_wanted(f"{one}_{database}")]
        if not programs:
            continue
        with place_on(database, prepared) as place, place_on(database, released) as last_place:
            for program in programs:
                measured = compared(
                    RecordedPlace(place, ours),
                    program,
                    last_release=RecordedPlace(last_place, last),
                )
                yield from lines(measured, program, database)


def of_recording(
    place: Place, recorded: recording.Recording, of_last_release: recording.Recording
) -> Iterator[dict[str, Any]]:
    """What a command takes the house, beside what it must take."""
    rows, rows_before = map(rows_per_command, (recorded, of_last_release))
    yield line(
        "statements_per_command", recorded.statements, rows, "the rows that it writes", 1,
        last_release=of_last_release.statements,
    )  # fmt: skip
    yield line("rows_per_command", rows, rows_before, "those of the last release", 1)
    data, _ = place.copy()
    share = share_of_the_orm(Server(data), place.busy)
    floor_is = "all the time of a command, by a profile"
    yield line("share_of_a_command_spent_in_the_orm", share, 1, floor_is)


def rows_per_command(recorded: recording.Recording) -> float:
    writes = [command.writes for commands in recorded.commands.values() for command in commands]
    return sum(map(len, writes)) / len(writes)


def lines(measured: Comparison, program: str, database: str) -> Iterator[dict[str, Any]]:
    """What one comparison came to."""
    on = f"twenty_tables_{program}_{database}"
    floor_is = (
        f"raw ASGI on {program} telling three sockets, raw {RAW[database]} in a writer thread"
        " writing the same rows, a transaction a command"
    )
    yield measured.line(f"durable_commands_per_second_{on}", SideRuns.per_second, floor_is, 0)
    yield measured.line(f"cpu_ms_per_command_{on}", SideRuns.cpu_ms, floor_is, 3)
