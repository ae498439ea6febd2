"""Several processes count the rounds that are settled, voided, hidden and deleted at that moment."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from accounts.audit_log import Operator
from accounts.models import HouseSettings, User
from tables.game import account_deletion
from tables.game.history_reset import reset_history
from tables.models import Round, Standing, Table, Takings, Tally, UncountedRound
from tables.operators.rounds import voids
from tables.results import projector, uncounted_rounds
from tests.helpers.recomputed_stats import reckoned, written
from tests.helpers.rounds import new_table, play_round, sit_down
from tests.helpers.table_client import TableClient, code, new_player
from tests.multiprocess.parallel import at_once
from tests.results.test_results import LOST, WON, assert_all_is_written

pytestmark = pytest.mark.django_db(transaction=True)

Stack = Callable[..., None]


@pytest.fixture
def by(operator: Callable[..., User]) -> Operator:
    HouseSettings.objects.update(void_limit=10**9)
    return Operator(operator("manager").pk)


def seated(user: User, stack: Stack, *shoes: str) -> list[TableClient]:
    """One table per shoe. The player has placed a bet at each and has a decision to make."""
    stack(*shoes)
    tables = [new_table("casino") for _ in shoes]
    for at in tables:
        sit_down(at, user)
        at.bet(user, 1000)
    return tables


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_round_that_is_committed_after_a_later_one_is_counted_too(
    ann: User, stack: Stack
) -> None:
    """Its id is lower and its end is earlier: a win, before the loss that is counted first."""
    first, second = seated(ann, stack, WON, LOST)
    first.now = timezone.now()
    second.now = first.now + dt.timedelta(seconds=1)
    is_written, may_commit = threading.Event(), threading.Event()

    def settle_first() -> None:
        try:
            with transaction.atomic():
                # Money would make the other wait for the wallet.
                assert code(first.act(ann, "stand")) == "done"
                is_written.set()
                assert may_commit.wait(20)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        settled = pool.submit(settle_first)
        try:
            assert is_written.wait(20)
            assert code(second.act(ann, "stand")) == "done"
            projector.catch_up()
            assert (Tally.objects.get(user=ann, rules_key="").lost, Standing.objects.get().net) == (
                1,
                -1000,
            )
        finally:
            may_commit.set()
        settled.result(20)
    assert UncountedRound.objects.count() == 1
    projector.catch_up()
    day = Tally.objects.get(user=ann, rules_key="")
    assert (day.rounds, day.won, day.lost, day.streak, day.longest_streak) == (2, 1, 1, 0, 1)
    assert sum(Takings.objects.values_list("rounds", flat=True)) == 2
    assert_all_is_written(reckoned())
    call_command("audit")


def test_many_processes_count_each_round_once(
    ann: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projector, "ROUNDS", 3)
    tables = [new_table("casino") for _ in range(4)]
    for at in tables:
        sit_down(at, ann, ben)

    def play(at: TableClient) -> None:
        chance = Random(at.table_id)
        for _ in range(6):
            play_round(at, [ann, ben], chance)

    def count() -> None:
        for _ in range(12):
            projector.catch_up()

    at_once([*(partial(play, at) for at in tables), *[count] * 4])
    assert_all_is_written(reckoned())
    assert Standing.objects.get(user=ann).rounds == 24
    call_command("audit")


@pytest.mark.parametrize("attempt", range(3))
def test_nothing_is_counted_wrong_or_locked_out_whatever_else_happens_meanwhile(
    attempt: int, ann: User, ben: User, by: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Voids, an emptied history, a deleted account, and a table that becomes private."""
    monkeypatch.setattr(projector, "ROUNDS", 3)
    cleo = new_player("cleo")
    tables, chance = [new_table("casino") for _ in range(3)], Random(attempt)
    for at in tables:
        sit_down(at, ann, ben)
        for _ in range(4):
            play_round(at, [ann, ben], chance)
    cleos_table = new_table("casino")
    sit_down(cleos_table, cleo, ann)
    for _ in range(3):
        play_round(cleos_table, [cleo, ann], chance)

    def void(at: TableClient) -> None:
        for round_ in Round.objects.filter(table=at.table_id, dealt_at__isnull=False)[1:4]:
            voids.request_void(round_.pk, by, "A race.", timezone.now())

    def make_private(at: TableClient) -> None:
        Table.objects.filter(pk=at.table_id).update(coming={"is_private": True})
        play_round(at, [ann, ben], Random(9))

    def count() -> None:
        for _ in range(8):
            projector.catch_up()

    at_once([
        partial(void, tables[0]),
        partial(void, cleos_table),
        partial(make_private, tables[1]),
        partial(reset_history, ann.pk),
        partial(account_deletion.delete_account, cleo.pk, timezone.now()),
        *[count] * 3,
    ])  # fmt: skip
    there, expected = written(), reckoned()
    assert {key for key in there.tallies if key[0] == cleo.pk} == set()
    of_cleo = {key for key in expected.tallies if key[0] == cleo.pk}
    assert there.tallies == {
        key: row for key, row in expected.tallies.items() if key not in of_cleo
    }
    assert cleo.pk not in there.standings
    expected.standings.pop(cleo.pk, None)
    assert there.standings == expected.standings
    call_command("audit")


def test_who_counts_does_not_wait_for_a_table_that_waits_for_who_counts(
    casino: TableClient, ann: User, by: Operator, stack: Stack
) -> None:
    """A void has locked table and player. Rows that refer to them can be inserted nevertheless."""
    stack(WON, WON)
    sit_down(casino, ann)
    for _ in range(2):
        casino.bet(ann, 1000)
        casino.act(ann, "stand")
    voided = Round.objects.earliest("pk")

    def void() -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '20s'")
            voids.request_void(voided.pk, by, "A race.", timezone.now())
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            uncounted_rounds.lock_figures()
            future = pool.submit(void)
            wait_until(_somebody_waits)
            projector._count([voided.pk])
        future.result(20)
    assert_all_is_written(reckoned())
    call_command("audit")


def _somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        return bool(cursor.fetchone()[0])
