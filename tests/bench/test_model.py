"""The arithmetic of the growth model. Whether its costs are right is for the bench to say."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest

from tables.realtime import lobby_feed
from tests.bench import model
from tests.bench.capacity import LOBBY_PAUSE_SECONDS, Costs, Evening, House
from tests.bench.limits import LIMITS, Limit, full_at, parts_for

EVENING = Evening()
COSTS = Costs(
    sqlite_ms=2, servers_ms=2, postgresql_ms=1.5, relay_ms=0.4, redis_ms=0.1, clock_ms=2,
    clock_there_ms=1, lobby_frame_ms=0.05, lobby_page_ms=10, socket_ms=0.02, socket_kb=60,
    table_kb=30, round_kb=10, grade_ms=10, books_kb=10, log_kb=5,
)  # fmt: skip
"""Round figures: the arithmetic is the same whatever the bench finds."""


def house(players: float) -> House:
    return House(players, COSTS, EVENING)


def test_twice_the_players_need_twice_of_what_scales() -> None:
    one, two = house(10**5), house(2 * 10**5)
    for of in (
        "online", "tables", "sockets", "commands", "rounds", "lobby_frames", "megabits", "log_mb",
        "books_gb", "late", "everywhere", "alone", "grades",
    ):  # fmt: skip
        assert getattr(two, of) == pytest.approx(2 * getattr(one, of)), of
    assert two.players_of_a_core == pytest.approx(one.players_of_a_core)


def test_what_every_process_hears_of_grows_faster_than_the_players() -> None:
    one, two = house(3 * 10**5), house(6 * 10**5)
    assert two.processes > 2.1 * one.processes
    assert two.redis > 2.1 * one.redis
    assert two.postgresql > 2.1 * one.postgresql


@pytest.mark.parametrize(
    ("cost", "dear", "full"),
    [
        ("sqlite_ms", 50, "one process on SQLite"),
        ("redis_ms", 50, "Redis, one core"),
        ("postgresql_ms", 5_000, "PostgreSQL, a primary's cores"),
        ("books_kb", 5_000, "the disk, in a year"),
        ("round_kb", 10_000_000, "the line to the players"),
    ],
)
def test_what_is_dear_is_full_first_and_stands_first(cost: str, dear: float, full: str) -> None:
    costs = dataclasses.replace(COSTS, **{cost: dear})
    _, after = "\n".join(model.report(costs, EVENING, set())).split("full first")
    assert after.splitlines()[1].startswith(full)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.what)
def test_a_limit_is_full_with_so_many_players_and_not_with_fewer(limit: Limit) -> None:
    players = full_at(limit, COSTS, EVENING)
    assert limit.used(house(players * 0.97)) < 1 < limit.used(house(players * 1.03))


def test_no_part_has_more_of_what_only_parts_help_against_than_there_is() -> None:
    players = 10**8
    part = house(players / parts_for(players, COSTS, EVENING))
    assert [limit.what for limit in LIMITS if limit.is_shared and limit.used(part) > 1] == []
    assert parts_for(1, COSTS, EVENING) == 1


def test_costs_come_from_the_lines_of_a_bench_and_the_others_are_as_written_down(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        {"name": "kb_of_books_per_round", "value": 7.5, "floor": 1},
        {"name": "bytes_of_a_round_casino", "value": 12_000, "floor": 1},
        {"name": "core_with_2000_idle_sockets", "value": 0.1, "floor": 0.05},
        {"name": "something_else", "value": 1, "floor": 1},
    ]
    path = tmp_path / "lines.json"
    path.write_text("\n".join(map(json.dumps, lines)))
    costs, untold = model.costs_in(path)
    values = {"books_kb": 7.5, "round_kb": 12, "socket_ms": 0.05}
    assert dataclasses.asdict(costs) == dataclasses.asdict(Costs()) | values
    assert untold == set(dataclasses.asdict(costs)) - set(values)
    model.main(["--lines", str(path)])
    output = capsys.readouterr().out
    assert re.search(r"^books_kb +7\.5 .* kb_of_books_per_round$", output, re.MULTILINE)
    assert re.search(r"^redis_ms .* as written down$", output, re.MULTILINE)
    assert len(output.splitlines()) <= 48


@pytest.mark.parametrize(
    "text", [None, "no JSON", "[1]", '{"name": "lobby_ms"}', '{"name": "lobby_ms", "value": "x"}']
)
def test_a_file_that_is_none_gets_a_sentence(text: str | None, tmp_path: Path) -> None:
    path = tmp_path / "lines.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(SystemExit) as refused:
        model.main(["--lines", str(path)])
    assert re.search(r"cannot be read|is not what make bench prints", str(refused.value.code))


def test_a_lobby_is_sent_frames_as_often_as_the_model_says() -> None:
    assert lobby_feed.SHORTEST_PAUSE == LOBBY_PAUSE_SECONDS
