"""The house on a real PostgreSQL: the same tests as on SQLite, and the races."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from tests.scale.postgres import postgresql

SUITES = [
    "tests/accounts",
    "tests/tables",
    "tests/scale/races_on_postgresql.py",
    "tests/scale/races_of_rules_and_friends.py",
    "tests/scale/races_of_results.py",
    "tests/scale/races_of_own_accounts.py",
    "tests/scale/races_of_rebuys.py",
]


def test_the_house_and_its_races_on_postgresql() -> None:
    with postgresql() as url:
        # The whole server is thrown away: nobody has to wait until its last session has ended.
        options = ["-q", "-p", "no:cacheprovider", "--reuse-db"]
        run = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *SUITES],
            env=os.environ | {"DATABASE_URL": url, "DATABASE_POOL": "40"},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    last = run.stdout.strip().rsplit("\n", 1)[-1]
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    counted = re.match(r"(\d+) passed", last)
    assert counted, last
    assert int(counted[1]) > 150, last
