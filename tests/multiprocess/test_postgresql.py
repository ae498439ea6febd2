"""Tables and accounts on a real PostgreSQL: the same tests as on SQLite, and the races."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.servers.process import ROOT
from tests.multiprocess.postgres import postgresql_server

ROOMS = ("audit", "game", "realtime", "records", "results", "state")
NO_DIFFERENCE = (
    "game/test_absence", "game/test_bans", "game/test_betting", "game/test_changed_bets",
    "game/test_dishonest_site", "game/test_hints", "game/test_host_commands", "game/test_idle_seats",
    "game/test_insurance", "game/test_lifecycle", "game/test_money", "game/test_out_of_cards",
    "game/test_pauses", "game/test_pauses_by_hosts", "game/test_plans", "game/test_pot_table",
    "game/test_revealed_shoes", "game/test_rows_written", "game/test_settings_by_hosts",
    "game/test_shoes", "game/test_sitting_out", "game/test_time_bank", "game/test_vegas_table",
    "game/test_watchers", "realtime/test_best_play", "realtime/test_calls", "realtime/test_hints",
    "realtime/test_lobby_feed", "realtime/test_odds_of_tables",
    "realtime/test_order", "realtime/test_overload", "realtime/test_people", "realtime/test_presence",
    "realtime/test_publishing", "realtime/test_site_settings", "realtime/test_sockets",
    "realtime/writers/test_loop_writer",
    "records/test_balance_chart", "records/test_graded_round", "records/test_player_stats",
    "records/test_replay", "records/test_round_costs", "records/test_round_export",
    "records/test_round_page", "records/test_rounds", "records/test_session_card",
    "records/test_settlement_sheet", "records/test_statement", "records/test_what_if",
    "records/test_what_if_page", "state/test_hidden_cards", "state/test_round_bets",
)  # fmt: skip
"""About rules, about what is told of rounds once they have been read, about pages and sockets."""
OTHER_SEEDS = (
    *(f"results/test_projector.py::test_rounds_that_are_counted_in_any_order_and_number_come_to_the_same[{seed}]"
      for seed in range(1, 6)),
    "results/test_results.py::test_weeks_at_all_tables_are_written_down_as_they_were_played[1]",
    "results/test_revenue.py::test_the_takings_of_a_week_are_what_was_played[2]",
    "game/test_commands.py::test_an_evening_at_all_tables_at_once_adds_up[1]",
    "game/test_commands.py::test_an_evening_at_all_tables_at_once_adds_up[2]",
)  # fmt: skip
"""More rounds at random, which send the same SQL. SQLite has them all."""

OF_MONEY_AND_TIME = (
    "ledger/test_daily_totals", "ledger/test_rebuys", "ledger/test_transfers", "lib/test_select",
    "lib/test_server_clock", "users/test_concurrent_deletion", "users/test_deletion",
    "users/test_limits",
)  # fmt: skip
PARTS = {
    "the tables": [
        *(f"tests/{room}" for room in ROOMS),
        *(f"--ignore=tests/{name}.py" for name in NO_DIFFERENCE),
        *(f"--deselect=tests/{name}" for name in OTHER_SEEDS),
    ],
    "the accounts": [
        *(f"tests/accounts/{name}.py" for name in OF_MONEY_AND_TIME),
        "tests/multiprocess/races/races_of_own_accounts.py",
        "tests/multiprocess/races/races_of_rebuys.py",
        "tests/multiprocess/races/races_of_seats.py",
        "tests/multiprocess/races/races_of_stacks.py",
    ],
    "the races of rounds": [
        "tests/multiprocess/races/pipelines_on_postgresql.py",
        "tests/multiprocess/races/keys_on_postgresql.py",
        "tests/multiprocess/races/races_on_postgresql.py",
        "tests/multiprocess/races/races_of_plans.py",
        "tests/multiprocess/races/races_of_results.py",
        "tests/multiprocess/races/races_of_figures.py",
        "tests/multiprocess/races/races_of_matches.py",
        "tests/multiprocess/races/races_of_voids.py",
        "tests/multiprocess/races/races_of_bets_behind.py",
        "tests/multiprocess/races/races_of_command_ids.py",
    ],
    "the races of people": [
        "tests/multiprocess/races/races_of_rules_and_friends.py",
        "tests/multiprocess/races/races_of_friends.py",
        "tests/multiprocess/races/races_of_doors.py",
        "tests/multiprocess/races/races_of_operators.py",
        "tests/multiprocess/races/races_of_staff.py",
        "tests/multiprocess/races/races_of_hosts.py",
        "tests/multiprocess/races/races_of_alerts.py",
    ],
}
LEAST = {
    "the tables": 150, "the accounts": 50, "the races of rounds": 80, "the races of people": 70,
}  # fmt: skip
"""So many tests there are at least: fewer, and somebody has lost some."""


@pytest.mark.parametrize(
    "part",
    [
        pytest.param("the tables", marks=pytest.mark.long(seconds=80)),
        pytest.param("the accounts", marks=pytest.mark.long(seconds=45)),
        pytest.param("the races of people", marks=pytest.mark.long(seconds=20)),
        "the races of rounds",
    ],
)
def test_on_postgresql(part: str, cluster: Path) -> None:
    with postgresql_server(cluster) as server:
        server.create("test_postgres", "migrated")  # Django's name for the tests' database
        # The whole server is thrown away: nobody has to wait until its last session has ended.
        options = ["-q", "-p", "no:cacheprovider", "--reuse-db"]
        run = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *PARTS[part]],
            # A connection for each of the fifty who want something at once.
            env=os.environ | {"DATABASE_URL": server.url, "DATABASE_POOL": "64"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    last = run.stdout.strip().rsplit("\n", 1)[-1]
    named = [re.sub("^--[a-z]+=|::.*", "", path) for path in PARTS[part]]
    assert [path for path in named if not (ROOT / path).exists()] == []
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    counted = re.match(r"(\d+) passed", last)
    if part == "the tables":
        assert f" {len(OTHER_SEEDS)} deselected" in last
    assert counted, last
    assert int(counted[1]) >= LEAST[part], last
