"""The bench itself: that the floor writes what the house writes, and that both can be measured."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.bench import recording
from tests.bench.busy_tables import make_busy
from tests.bench.comparison import DAPHNE, RecordedPlace, SideRuns, compared
from tests.bench.databases import SQLITE, Place, recorded_at
from tests.bench.load import Run
from tests.bench.raw_databases import RawSqlite
from tests.bench.throughput import lines
from tests.bench.two_processes import slowest_table
from tests.helpers.servers.process import Server

COMMANDS = 30
RUNS = 5
NOT_OF_THE_GAME = "django_session"
LEAST_WRITTEN = {"tables_table", "tables_change", "tables_result", "accounts_walletentry"}


@pytest.fixture(scope="module")
def place(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Two busy tables."""
    folder = tmp_path_factory.mktemp("bench")
    data = Path(shutil.copytree(prepared, folder / "prepared"))
    return Place(folder, data, make_busy(Server(data), 2))


@pytest.fixture(scope="module")
def recorded(place: Place) -> Path:
    return recorded_at(place, commands=COMMANDS)


def rows_of(database: Path) -> dict[str, list[tuple[object, ...]]]:
    """Everything in it but the bank's balance, by table."""
    with closing(sqlite3.connect(database)) as connection, connection:
        listed = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        )
        return {
            name: sorted(
                (row for row in connection.execute(f'SELECT * FROM "{name}"') if "bank" not in row),
                key=repr,
            )
            for (name,) in listed.fetchall()
        }


@pytest.mark.long
def test_the_floor_leaves_the_very_rows_that_the_house_left(
    place: Place, recorded: Path, tmp_path: Path
) -> None:
    raw = RawSqlite(place.data / "db.sqlite3", tmp_path / "floor.sqlite3")
    raw.begin_anew()
    before = rows_of(tmp_path / "floor.sqlite3")
    played = recording.read(recorded)
    # One table after the other: in which order tables play makes no difference but to the bank.
    for commands in played.commands.values():
        assert len(commands) == COMMANDS
        for command in commands:
            raw.write(raw.transaction(command.writes))
    of_floor = rows_of(tmp_path / "floor.sqlite3")
    of_house = rows_of(recorded.parent / "db.sqlite3")
    for name in of_floor:
        assert of_floor[name] == of_house[name], name
    assert {name for name in of_floor if of_floor[name] != before[name]} >= LEAST_WRITTEN


@pytest.mark.long
def test_a_short_run_measures_product_and_floor(place: Place, recorded: Path) -> None:
    # Of several runs the median counts: the machine may be busy with something else in one.
    ours = RecordedPlace(place, recorded)
    measured = compared(ours, DAPHNE, seconds=20, commands=COMMANDS, runs=RUNS)
    for side in (measured.product, measured.floor):
        assert len(side.runs) == RUNS
        for run in side.runs:
            assert [len(times) for times in run.times] == [COMMANDS] * 2
            assert all(0 < took < 20 for took in run.all_times)
    throughput, processor = lines(measured, DAPHNE, SQLITE)
    assert throughput["name"] == "durable_commands_per_second_twenty_tables_daphne_sqlite"
    assert 0 < throughput["value"] < throughput["floor"] * 2
    assert throughput["ratio"] == pytest.approx(
        throughput["value"] / throughput["floor"], rel=0.02, abs=0.01
    )
    assert processor["floor"] > 0
    assert 0 < processor["value"] < 100


def test_the_slowest_table_is_the_one_that_two_processes_slow_down_most() -> None:
    one = SideRuns([Run(1, [[0.010], [0.002], [0.004]])])
    two = SideRuns([Run(1, [[0.011], [0.003], [0.004]])])
    assert slowest_table(two, one) == pytest.approx((3, 2))
