"""The cast and the tables that tests play at."""

from __future__ import annotations

import fcntl
import gc
import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import pytest_asyncio
from allauth.account.internal.flows.login import record_authentication
from django.conf import settings
from django.contrib.auth import user_logged_in
from django.contrib.auth.models import Group
from django.db import connection
from django.http import HttpRequest
from django.test import TransactionTestCase
from django.utils import translation
from pytest_django import DjangoDbBlocker

from accounts.lib.sql import optimistic
from accounts.models import User
from accounts.users import staff_sessions
from accounts.users.second_factor import requirement
from tables.advice import game_odds
from tables.engine.cards import Card
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe
from tables.game import lifecycle, shoes
from tables.records import rounds
from tables.state.game_state import SealedShoe
from tests.helpers.pipeline_guard import forbid_reads_in_pipelines
from tests.helpers.rounds import new_table
from tests.helpers.second_factor import give_app
from tests.helpers.servers.process import prepare
from tests.helpers.site import forget_settings
from tests.helpers.table_client import TableClient, new_player
from tests.multiprocess import migrated_rows
from tests.multiprocess.postgres import prepare_cluster

LONG_PARTS = 28
"""The number of parts of the tests with the mark ``long``: one part for each day of four weeks."""
SECONDS = 6
"""What a long test takes about, unless its mark says more: ``long(seconds=60)``."""
SLOW_ROOMS = ("tests/multiprocess/", "tests/upgrades/")
"""Begun early, though not all of their tests are ``long``."""
WHOLE = ("tests/adversarial/", "tests/bench/", "tests/multiprocess/test_faults_of_postgresql.py")
"""The tests of one of these files share servers, and are not divided."""
collect_ignore = ["helpers/servers/loaded_packages.py", "helpers/servers/loaded_site.py"]
"""Only fork servers load these: they are about what is loaded when."""
IS_STRICT = bool(os.environ.get("BLACKJACK_TEST_STRICT"))


def skip_or_fail(reason: str) -> None:
    """Skip where a user's machine lacks something; fail where CI should have had it."""
    if IS_STRICT:
        pytest.fail(reason)
    pytest.skip(reason)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--long=2``: of the long tests that part alone, from 0 to 27."""
    parser.addoption("--long", default="all", choices=["all", *map(str, range(LONG_PARTS))])


def pytest_report_header(config: pytest.Config) -> str:
    part = config.getoption("long")
    others = "" if part == "all" else f" of 0 to {LONG_PARTS - 1}; make test LONG=all runs all"
    return f"long tests: {part}{others}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The slow tests first, so that one of several processes does not work on alone in the end.

    pytest-xdist gives each process one part of the list, and a process that has finished takes tests
    from the end of the longest part. So each part begins with its share of the slow tests.
    """
    long = sorted((item for item in items if _is_long(item)), key=lambda item: item.nodeid)
    others = [item for item in items if not _is_long(item)]
    if (part := config.getoption("long")) != "all":
        chosen = _divide(long)[int(part)]
        config.hook.pytest_deselected(items=[item for item in long if item not in chosen])
        long = chosen
    slow = long + [item for item in others if item.nodeid.startswith(SLOW_ROOMS)]
    others = [item for item in others if not item.nodeid.startswith(SLOW_ROOMS)]
    processes = getattr(config, "workerinput", {}).get("workercount", 1)
    units = [[*unit] for _, unit in groupby(slow, key=_unit_of)]
    remaining = len(slow) + len(others)
    items.clear()
    for number in range(processes):
        share = [item for unit in units[number::processes] for item in unit]
        after = max(0, remaining // (processes - number) - len(share))
        items += share + others[:after]
        del others[:after]
        remaining -= len(share) + after


def _divide(long: list[pytest.Item]) -> list[list[pytest.Item]]:
    """The parts of the long tests, which take about the same time: each test goes to the part that has
    the least so far, and those that take most go first.
    """
    parts: list[list[pytest.Item]] = [[] for _ in range(LONG_PARTS)]
    seconds = [0] * LONG_PARTS
    for item in sorted(long, key=_seconds_of, reverse=True):
        part = seconds.index(min(seconds))
        parts[part].append(item)
        seconds[part] += _seconds_of(item)
    return parts


def _seconds_of(item: pytest.Item) -> int:
    mark = item.get_closest_marker("long")
    assert mark is not None
    seconds: int = mark.kwargs.get("seconds", SECONDS)
    return seconds


def _is_long(item: pytest.Item) -> bool:
    return item.get_closest_marker("long") is not None


def _unit_of(item: pytest.Item) -> str:
    return str(item.path) if item.nodeid.startswith(WHOLE) else item.nodeid


def pytest_collection() -> None:
    """Collect garbage less often: nearly all that is made from here on stays."""
    gc.set_threshold(50_000, 20, 20)


def pytest_collection_finish() -> None:
    """Leave the thousands of collected tests out of every garbage collection."""
    gc.collect()
    gc.freeze()


# Django empties the database after a test that commits: the books refuse that, and what the
# migrations made would be gone. So SQLite gets a copy of the migrated database instead, and
# PostgreSQL the rows that were changed.

_migrated = sqlite3.connect(":memory:", check_same_thread=False)
"""The database as the migrations leave it."""


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest, django_db_blocker: DjangoDbBlocker, run_folder: Path
) -> None:
    """Migrate a database. SQLite's is copied for the other processes of a test run, and to restore
    it; of PostgreSQL's the rows are remembered.
    """
    if connection.vendor != "sqlite":
        request.getfixturevalue("django_db_setup")
        with django_db_blocker.unblock():
            migrated_rows.remember()
        return
    shared = run_folder / "migrated.sqlite3"
    with _one_process_at_once(shared), django_db_blocker.unblock():
        if not shared.exists():
            request.getfixturevalue("django_db_setup")
            with closing(sqlite3.connect(shared)) as copy:
                connection.connection.backup(copy)
        else:
            connection.close()
            name = connection.creation._get_test_db_name()
            settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name
            connection.ensure_connection()
        with closing(sqlite3.connect(shared)) as copy:
            copy.backup(_migrated)
        _migrated.backup(connection.connection)


def _restore_database(self: TransactionTestCase) -> None:
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        # No id comes twice: this process knows players and tables of earlier tests by theirs.
        sequences = connection.connection.execute(
            "SELECT name, seq FROM sqlite_sequence"
        ).fetchall()
        _migrated.backup(connection.connection)
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM sqlite_sequence")
            cursor.executemany("INSERT INTO sqlite_sequence VALUES (%s, %s)", sequences)
    else:
        migrated_rows.restore()


TransactionTestCase._fixture_teardown = _restore_database


def _came_by_password(request: HttpRequest, user: User, **_kwargs: object) -> None:
    """Who is logged in by a test's ``force_login`` has just entered the password once more; who has
    a second factor, or needs one for the role, has just shown it, too.
    """
    if request.method is not None:
        return
    record_authentication(request, user, method="password", reauthenticated=True)
    staff_sessions.note_login(request.session)
    if user.is_staff:
        staff_sessions.limit(request.session)
    if requirement.needs_one(user) or requirement.load_authenticators(user.pk):
        app = give_app(user)
        record_authentication(
            request, user, method="mfa", id=app.pk, type=app.type, reauthenticated=True
        )


user_logged_in.connect(_came_by_password)


@pytest.fixture(autouse=True)
def _forget_rows() -> Iterator[None]:
    """What a test wrote is rolled back, and its ids come again."""
    forget_settings()
    yield
    optimistic.forget_all()
    game_odds.forget()
    rounds.forget_played_tables()


@pytest.fixture(autouse=True, scope="session")
def _forbid_reads_in_pipelines() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        forbid_reads_in_pipelines(patch)
        yield


@pytest.fixture(autouse=True)
def _speak_english() -> Iterator[None]:
    """The language of a request stays active in the thread of a test."""
    yield
    translation.deactivate()


@pytest.fixture
def ann(db: None) -> User:
    """Sits in seat 1 where a test has her sit."""
    return new_player("ann")


@pytest.fixture
def ben(db: None) -> User:
    """Sits in seat 2."""
    return new_player("ben")


@pytest.fixture
def cleo(db: None) -> User:
    """Sits in seat 3."""
    return new_player("cleo")


@pytest.fixture
def dora(db: None) -> User:
    """The outsider: has an account, and no seat."""
    return new_player("dora")


@pytest.fixture
def operator(db: None) -> Callable[..., User]:
    """``operator("floor")``: somebody who has that role and no other, under its name."""

    def with_role(role: str, name: str = "") -> User:
        user = new_player(name or role)
        user.is_staff = True
        user.save(update_fields=["is_staff"])
        user.groups.add(Group.objects.get(name=role))
        return user

    return with_role


@pytest.fixture
def casino(db: None) -> TableClient:
    """A table with stakes."""
    return TableClient(lifecycle.open_table(name="Casino", rules_key="casino").pk)


@pytest.fixture
def classic(db: None) -> TableClient:
    """A table without."""
    return TableClient(lifecycle.open_table(name="Classic", rules_key="classic").pk)


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Stack the next shoes: ``stack("As Kd …", "9h …")``; then it is shuffled."""

    def stack_shoes(*stacked: str) -> None:
        waiting = list(stacked)
        shuffled = shoes.shuffle_sealed
        cards_by_secret: dict[bytes, tuple[Card, ...]] = {}

        def cards_in_order(rules: Ruleset, sealed: SealedShoe, words: list[Any]) -> Shoe:
            """A deal that another process was faster than is dealt again from the same shoe."""
            if sealed.secret not in cards_by_secret:
                shoe = Shoe.parse(waiting.pop(0)) if waiting else shuffled(rules, sealed, words)
                cards_by_secret[sealed.secret] = shoe.cards
            return Shoe(cards_by_secret[sealed.secret])

        monkeypatch.setattr(shoes, "shuffle_sealed", cards_in_order)

    return stack_shoes


@pytest_asyncio.fixture
async def running(transactional_db: None) -> AsyncIterator[None]:
    """Writer, hub and clock of this process, stopped again after the test. Nothing checks the alerts:
    a test does that when it wants.
    """
    from tables.realtime import runtime

    with patch.object(runtime, "workers", []):
        runtime.ensure_started()
        yield
        await runtime.stop()


@pytest.fixture
def stopped_writer(transactional_db: None) -> Iterator[None]:
    """For tests that use the writer without a loop: its thread ends with the test."""
    from tables.realtime.writers.writer import writer

    yield
    writer.stop()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory, run_folder: Path) -> Path:
    """Data as the first start leaves it: migrated, files collected, tables opened. To be copied:
    all processes of a test run share it.
    """
    return _make_once(run_folder / "prepared", prepare, tmp_path_factory)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory, run_folder: Path, prepared: Path) -> Path:
    """The same for PostgreSQL: data of a server with the databases ``migrated`` and ``prepared``."""

    def make(folder: Path) -> Path:
        return prepare_cluster(folder, prepared)

    return _make_once(run_folder / "cluster", make, tmp_path_factory)


def _make_once(
    shared: Path, make: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder that one process of a test run makes, and all may read."""
    with _one_process_at_once(shared):
        if not shared.exists():
            make(tmp_path_factory.mktemp("making")).rename(shared)
    return shared


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that all processes of a test run share."""
    own = tmp_path_factory.getbasetemp()
    return own if worker_id == "master" else own.parent


@contextmanager
def _one_process_at_once(shared: Path) -> Iterator[None]:
    with shared.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


# Tables of the other rule sets; the casino and the classic are above.


@pytest.fixture
def heads_up(db: None) -> TableClient:
    """One player against the dealer, nothing staked."""
    return new_table("heads-up")


@pytest.fixture
def piles(db: None) -> TableClient:
    """Cards are the score, and the deck is played through."""
    return new_table("piles")


@pytest.fixture
def pot(db: None) -> TableClient:
    """The dealer matches every bet."""
    return new_table("pot")


@pytest.fixture
def vegas(db: None) -> TableClient:
    """Six decks, insurance, surrender, splits to four hands."""
    return new_table("vegas")
