"""The house on a real PostgreSQL: the same tests as on SQLite, and the races."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.multiprocess.postgres import postgresql

NO_DIFFERENCE = (
    "test_hidden_cards", "test_replay", "test_round_page", "test_shoes_opened", "test_history",
    "test_history_files", "test_balance_chart", "test_pages", "test_protocol", "test_simulate",
    "test_sockets", "test_company_sockets", "test_house_machine", "test_insurance",
    "test_vegas_table", "test_money_and_none", "test_shoes", "test_private_tables", "test_home",
    "test_chat", "test_opening_tables", "test_hosting", "test_changing_bets", "test_absence",
    "test_mailbox", "test_lobby_pages", "test_figures", "test_statement", "test_rules_text",
)  # fmt: skip
"""About rules, about what is told of rounds once they have been read, about pages and sockets."""

OF_MONEY_AND_TIME = (
    "test_bank", "test_bookdays", "test_deleted_meanwhile", "test_deleting", "test_limits",
    "test_rebuy", "test_sessions", "test_statements",
)  # fmt: skip
PARTS = {
    "the house": [
        "tests/tables",
        *(f"--ignore=tests/tables/{name}.py" for name in NO_DIFFERENCE),
        "tests/adversarial/test_decisions.py",
    ],
    "the accounts": [
        *(f"tests/accounts/{name}.py" for name in OF_MONEY_AND_TIME),
        "tests/multiprocess/races/races_of_own_accounts.py",
        "tests/multiprocess/races/races_of_rebuys.py",
        "tests/multiprocess/races/races_of_seats.py",
    ],
    "the races": [
        "tests/multiprocess/races/races_on_postgresql.py",
        "tests/multiprocess/races/races_of_rules_and_friends.py",
        "tests/multiprocess/races/races_of_results.py",
        "tests/multiprocess/races/races_of_operators.py",
        "tests/multiprocess/races/races_of_voids.py",
    ],
}
LEAST = {"the house": 150, "the accounts": 50, "the races": 40}
"""So many tests there are at least: fewer, and somebody has lost some."""


@pytest.mark.parametrize("part", PARTS)
def test_on_postgresql(part: str) -> None:
    with postgresql() as url:
        # The whole server is thrown away: nobody has to wait until its last session has ended.
        options = ["-q", "-p", "no:cacheprovider", "--reuse-db"]
        run = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *PARTS[part]],
            # A connection for each of the fifty who want something at once.
            env=os.environ | {"DATABASE_URL": url, "DATABASE_POOL": "64"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    last = run.stdout.strip().rsplit("\n", 1)[-1]
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    counted = re.match(r"(\d+) passed", last)
    assert counted, last
    assert int(counted[1]) >= LEAST[part], last
