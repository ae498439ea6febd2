"""From every released state to this one, in the middle of rounds."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.helpers.servers.fork_server import own_environment, with_packages
from tests.multiprocess.postgres import postgresql

STATES = sorted(Path(__file__).parent.glob("*.sql"))


def released(state: Path, data: Path) -> dict[str, str]:
    """The environment of a house with the data of an earlier version."""
    data.mkdir()
    with closing(sqlite3.connect(data / "db.sqlite3")) as database, database:
        database.executescript(state.read_text())
    database.close()
    return own_environment() | {"BLACKJACK_DATA": str(data)}


def run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return with_packages().run(arguments, environment, timeout=120)


@pytest.mark.long
@pytest.mark.parametrize("state", STATES, ids=lambda path: path.stem)
def test_an_older_house_is_migrated_and_played_on(state: Path, tmp_path: Path) -> None:
    process = run(released(state, tmp_path / "data"), "-m", "tests.upgrades.play_on")
    assert process.returncode == 0, process.stderr
    report: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    assert report["faults_before"] == []
    assert report["faults_after"] == []
    assert len(report["tables"]) >= 3
    for table in report["tables"].values():
        assert table["is_finished"], table
        if table["is_forgotten"]:
            assert (table["is_void"], table["hands"]) == (True, 0)
        else:
            assert table["was_given_time"], table
            assert not table["is_void"], table
            assert table["hands"] > 0, table
        assert table["same_cards"] or not table["was_playing"], table
    assert report["results"] == report["played"] > 0
    assert report["graded"]["after"] > report["graded"]["before"]
    assert {page: status for page, status in report["pages"].items() if status != 200} == {}


def test_each_state_is_older_than_the_next() -> None:
    """Whoever adds a migration adds the state before it: make.py says how."""
    applied = [set(migrations_of(state)) for state in STATES]
    assert all(older < newer for older, newer in pairwise(applied))


def migrations_of(state: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as database, database:
        database.executescript(state.read_text())
        own = "SELECT app, name FROM django_migrations WHERE app IN ('accounts', 'tables')"
        return database.execute(own).fetchall()


KILLED = (
    "tables.0003_company", "tables.0006_operators", "accounts.0011_wallet_entries",
    "tables.0017_change_bodies", "tables.0019_plays", "tables.0020_pots",
)  # fmt: skip
"""In the order in which they are run."""


@pytest.mark.long(seconds=15)
def test_case_35_a_migration_that_is_killed_is_begun_again(tmp_path: Path) -> None:
    """One house of the first version, whose way to this one is interrupted at each of them."""
    data = tmp_path / "data"
    environment = released(STATES[0], data)
    migrations: set[str] = list_migrations(data)
    for number, migration in enumerate(KILLED):
        died = run(environment, "-m", "tests.upgrades.migrate_and_die", migration)
        assert died.returncode == -signal.SIGKILL, died.stderr
        before, migrations = migrations, list_migrations(data)
        assert before < migrations, migration
        assert {name for name in KILLED if name in migrations} == {*KILLED[:number]}
    again = run(environment, "manage.py", "migrate", "--verbosity", "0")
    assert again.returncode == 0, again.stderr
    assert list_migrations(data).issuperset(KILLED)


def last_state_without(text: str) -> Path:
    return next(state for state in reversed(STATES) if text not in state.read_text())


@pytest.mark.long
@pytest.mark.parametrize(
    ("state", "balance_query"),
    [
        pytest.param(
            last_state_without("accounts_walletentry"),
            "SELECT SUM(balance) FROM accounts_account WHERE kind <> 'bank'",
            id="with transfers for play",
        ),
        pytest.param(
            STATES[-1],
            "SELECT (SELECT SUM(balance) FROM accounts_account WHERE kind <> 'bank')"
            " + (SELECT SUM(staked + rack_due) FROM tables_table)",
            id="the last one",
        ),
    ],
)
def test_money_stays_where_it_is_on_postgresql_as_well(
    state: Path, balance_query: str, tmp_path: Path
) -> None:
    """In the middle of rounds."""
    with postgresql() as url:
        data = {"BLACKJACK_DATA": str(tmp_path), "DATABASE_URL": url}
        environment = own_environment() | data
        filled = run(environment, "-m", "tests.upgrades.on_postgresql", str(state))
        assert filled.returncode == 0, filled.stderr
        with psycopg.connect(url) as old:
            (balance,) = old.execute(balance_query).fetchone() or (None,)
        for command in ("migrate", "audit"):
            process = run(environment, "manage.py", command)
            assert process.returncode == 0, process.stdout + process.stderr
        with psycopg.connect(url) as new:
            after = new.execute(
                "SELECT (SELECT SUM(balance) FROM accounts_account WHERE kind <> 'bank')"
                " + (SELECT SUM(staked + rack_due) FROM tables_table)"
            )
            assert after.fetchone() == (balance,)


@pytest.mark.long
def test_rounds_that_wait_for_their_grades_wait_on(tmp_path: Path) -> None:
    """The last state in which a grade that waits has a row."""
    state = next(state for state in reversed(STATES) if "grades_to_do" in state.read_text())
    environment = released(state, tmp_path / "data")
    file = tmp_path / "data" / "db.sqlite3"
    with closing(sqlite3.connect(file)) as old:
        waiting = old.execute(
            "SELECT DISTINCT round_id, is_public FROM tables_grade"
            " JOIN tables_result ON id = result_id WHERE graded_at IS NULL ORDER BY 1"
        ).fetchall()
        graded = old.execute("SELECT result_id FROM tables_grade WHERE graded_at > ''").fetchall()
    assert waiting
    assert graded
    migrated = run(environment, "manage.py", "migrate")
    assert migrated.returncode == 0, migrated.stderr
    with closing(sqlite3.connect(file)) as new:
        ungraded = new.execute("SELECT round_id, is_public FROM tables_ungradedround ORDER BY 1")
        assert ungraded.fetchall() == waiting
        assert new.execute("SELECT result_id FROM tables_grade").fetchall() == graded
    played = run(environment, "-m", "tests.upgrades.play_on")
    assert played.returncode == 0, played.stderr
    report = json.loads(played.stdout.splitlines()[-1])
    assert report["graded"]["before"] == len(graded)
    assert report["graded"]["after"] >= len(graded) + len(waiting)


@pytest.mark.long
def test_who_is_called_for_everything_is_called_for_new_kinds_too(tmp_path: Path) -> None:
    """And who chose some kinds keeps the choice."""
    state = next(state for state in STATES if "alert_webhook_kinds" in state.read_text())
    environment = released(state, tmp_path / "data")
    file = tmp_path / "data" / "db.sqlite3"
    with closing(sqlite3.connect(file)) as old, old:
        old.execute("UPDATE accounts_housesettings SET alert_webhook_kinds = 'void,audit'")
    migrated = run(environment, "manage.py", "migrate")
    assert migrated.returncode == 0, migrated.stderr
    with closing(sqlite3.connect(file)) as new:
        kinds = "SELECT alert_email_kinds, alert_webhook_kinds FROM accounts_housesettings"
        (by_email, by_webhook) = new.execute(kinds).fetchone()
    assert {"void", "process", "account", "change"} <= {*by_email.split(",")}
    assert by_webhook == "void,audit"


def list_migrations(data: Path) -> set[str]:
    with closing(sqlite3.connect(data / "db.sqlite3")) as database, database:
        return {
            row for (row,) in database.execute("SELECT app || '.' || name FROM django_migrations")
        }


@pytest.mark.long
def test_roles_keep_the_permission_to_see_hands(tmp_path: Path) -> None:
    """It was one about rows of their own."""
    migrated = run(released(STATES[-1], tmp_path / "data"), "manage.py", "migrate")
    assert migrated.returncode == 0, migrated.stderr
    with closing(sqlite3.connect(tmp_path / "data" / "db.sqlite3")) as database, database:
        rows = database.execute("""
            SELECT auth_group.name, model FROM auth_permission
            JOIN django_content_type ON django_content_type.id = content_type_id
            LEFT JOIN auth_group_permissions ON permission_id = auth_permission.id
            LEFT JOIN auth_group ON auth_group.id = group_id
            WHERE codename = 'view_hand' ORDER BY auth_group.name
        """)
        assert rows.fetchall() == [(name, "result") for name in ("cashier", "floor", "manager")]
        query = (
            "SELECT count(*) FROM django_content_type WHERE app_label = 'tables' AND model = 'hand'"
        )
        assert database.execute(query).fetchone() == (0,)
