"""What the bench measures of idle, growing and busy houses can be measured: a quick look at one."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench import bare, growth, idle, lobby_cost, many_tables
from tests.bench.bulk_ledger import BLOCKS, Books
from tests.bench.growth import SizedHouse
from tests.bench.servers import opened

HANDS = 2 * 3 * BLOCKS
TABLES = 20
NAMES = {"name", "value", "floor", "floor_is", "ratio"}


@pytest.fixture(scope="module")
def house(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SizedHouse]:
    """A house with a few rounds in its books, and people at most of its tables."""
    folder = tmp_path_factory.mktemp("bench")
    shutil.copytree(prepared, folder / "prepared")

    def furnish(path: Path) -> None:
        Books(path).fill(hands=HANDS, rounds_of={"regular": BLOCKS}, others=4)
        many_tables.furnish(path, tables=TABLES, is_seated=True)

    players = ("regular", "ben", "cleo")
    with opened(folder / "house", players=players, furnish=furnish) as (server, socket_players):
        yield SizedHouse(TABLES, HANDS, server, socket_players)


@pytest.mark.long
def test_the_books_that_the_bench_fills_add_up(house: SizedHouse) -> None:
    audit = house.server.manage("audit")
    match = re.search(r"(\d+) rounds: everything adds up.", audit.stdout)
    assert match, audit
    assert int(match[1]) >= 2 * BLOCKS


@pytest.mark.long
def test_pages_and_a_login_stand_beside_a_bare_view(house: SizedHouse) -> None:
    floors = [bare.get(house.server, path) for path in ("/bare/", bare.BEHIND)]
    page = bare.get(house.server, "/history/", house.players[0])
    lines = [
        *bare.beside(house.server, "history", page, floors, runs=1, requests=9, seconds=0.1),
        bare.password_check(house.server, runs=1),
    ]
    assert [line["name"] for line in lines] == ["history_ms", "history_per_second", "login_ms"]
    *of_pages, of_login = lines
    behind = "ratio_to_one_behind_our_middleware"
    assert all(line.keys() == NAMES | {behind} and line["ratio"] > 0 for line in of_pages)
    assert of_login.keys() == NAMES
    assert lines[0]["ratio"] > 1


@pytest.mark.long
def test_commands_of_houses_of_two_sizes_stand_beside_each_other(house: SizedHouse) -> None:
    asyncio.run(growth.commands_by_turns([house], runs=1, commands=6))
    lines = list(growth.figures([house, house]))
    size = f"with_{TABLES}_tables_{HANDS}_hands"
    assert [line["name"] for line in lines] == [f"command_ms_{size}", f"command_cpu_ms_{size}"]
    assert all(line["value"] > 0 and line["ratio"] == 1 for line in lines)


@pytest.mark.long(seconds=15)
def test_idle_sockets_are_counted_by_their_heartbeats(house: SizedHouse) -> None:
    path = f"ws/tables/{idle.HOUSE_TABLE}/"
    for_two = 11  # seconds: each socket hears one every five
    _, share, alive = asyncio.run(idle.idle_sockets(house.server, path, 5, seconds=for_two))
    assert alive == 5
    assert 0 <= share < 1


@pytest.mark.long
def test_frames_of_the_lobby_stand_beside_requests_for_its_list(
    prepared: Path, tmp_path: Path
) -> None:
    shutil.copytree(prepared, tmp_path / "prepared")
    (line,) = lobby_cost.measure(tmp_path / "house", lobbies=20, news=2)
    assert line.keys() == NAMES
    assert line["ratio"] < 1  # of so few frames it may be nothing
