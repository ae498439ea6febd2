"""Settled rounds are counted later, each once, as if they had been counted as they ended."""

from __future__ import annotations

import datetime as dt
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from random import Random

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import User
from tables.audit import rounds as tables_audit
from tables.game.account_deletion import delete_account
from tables.game.history_reset import reset_history
from tables.models import Result, Standing, Takings, Tally, UncountedRound
from tables.results import leaderboard_totals, projector
from tests.helpers.recomputed_stats import reckoned, written
from tests.helpers.rounds import faults, new_table, sit_down
from tests.helpers.table_client import TableClient, code
from tests.results.test_results import LOST, WON, Week, assert_all_is_written, tally

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]


def play(at: TableClient, user: User) -> None:
    """A round of one player, which is not counted."""
    assert code(at.bet(user, 1000)) == "done"
    assert code(at.act(user, "stand")) == "done"


def figures() -> int:
    return Tally.objects.count() + Standing.objects.count() + Takings.objects.count()


def test_a_settled_round_waits_to_be_counted(casino: TableClient, ann: User, stack: Stack) -> None:
    stack(WON)
    sit_down(casino, ann)
    play(casino, ann)
    assert (UncountedRound.objects.count(), figures()) == (1, 0)
    assert not projector.count_rounds()
    assert (UncountedRound.objects.count(), figures()) == (0, 4)
    assert (tally(ann).rounds, Standing.objects.get().net) == (1, 1000)
    assert not projector.count_rounds()
    assert_all_is_written(reckoned())


@pytest.mark.parametrize("text", ["no JSON", "[1]", '[["8s",1]]', '{"a":1}'])
def test_a_round_whose_hands_are_damaged_holds_up_no_other(
    text: str, casino: TableClient, ann: User, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projector, "_damaged", set())
    stack(WON, LOST, WON)
    sit_down(casino, ann)
    for _ in range(3):
        play(casino, ann)
    damaged = Result.objects.order_by("pk")[1]
    Result.objects.filter(pk=damaged.pk).update(hands=text)
    projector.catch_up()
    assert list(UncountedRound.objects.values_list("pk", flat=True)) == [damaged.round_id]
    assert tally(ann).rounds == 2
    texts = faults()
    assert any(f"round {damaged.round_id}: its hands staked 0" in fault for fault in texts), texts


def test_a_round_that_was_called_off_does_not_wait(
    casino: TableClient, ann: User, ben: User
) -> None:
    sit_down(casino, ann, ben)
    casino.bet(ann, 1000)
    casino.take_back(ann)
    assert not UncountedRound.objects.exists()


@pytest.mark.parametrize("path", ["/figures/", "/leaderboard/"])
def test_a_page_counts_them_first(
    path: str, client: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    stack(WON)
    sit_down(casino, ann)
    play(casino, ann)
    client.force_login(ann)
    client.get(path)
    assert not UncountedRound.objects.exists()
    assert Standing.objects.get().rounds == 1


def test_many_rounds_are_counted_in_pieces(
    casino: TableClient, ann: User, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All at the same time, as far as the clock of the table can tell."""
    monkeypatch.setattr(projector, "ROUNDS", 2)
    stack(WON, WON, LOST, WON, WON)
    sit_down(casino, ann)
    for _ in range(5):
        play(casino, ann)
    for remaining in (3, 1):
        assert projector.count_rounds()
        assert UncountedRound.objects.count() == remaining
    assert not projector.count_rounds()
    day = tally(ann)
    assert (day.rounds, day.streak, day.longest_streak) == (5, 2, 2)
    assert_all_is_written(reckoned())


@pytest.mark.parametrize("seed", range(6))
def test_rounds_that_are_counted_in_any_order_and_number_come_to_the_same(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clocks are set back, over days too, and pieces end anywhere."""
    week, chance = Week(seed + 50), Random(seed)
    for _ in range(18):
        week.now -= dt.timedelta(minutes=chance.choice([0, 0, 100, 1500]))
        week.play(2)
        monkeypatch.setattr(projector, "ROUNDS", chance.randint(1, 4))
        for _ in range(chance.randint(0, 2)):
            projector.count_rounds()
    # Which hand opens a game of piles is decided as it is settled, whatever the clock says.
    there, expected = written(), reckoned()
    assert there.tallies == expected.tallies
    assert there.standings == expected.standings
    assert faults() == []


def test_a_piece_that_fails_is_counted_again(
    casino: TableClient, ann: User, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack(WON, LOST)
    sit_down(casino, ann)
    for _ in range(2):
        play(casino, ann)
    with monkeypatch.context() as patch:
        patch.setattr(leaderboard_totals, "add_results", lambda _results: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            projector.catch_up()
    assert (UncountedRound.objects.count(), figures()) == (2, 0)
    assert_all_is_written(reckoned())


def test_the_audit_leaves_out_what_is_not_counted_and_does_not_count_it(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack(WON, LOST)
    sit_down(casino, ann)
    play(casino, ann)
    projector.catch_up()
    play(casino, ann)
    assert list(tables_audit.find_round_faults()) == []
    assert UncountedRound.objects.count() == 1
    UncountedRound.objects.all().delete()
    text = " ".join(tables_audit.find_round_faults())
    for figure in ("takings of table", f"tallies of user {ann.pk}", f"standing of user {ann.pk}"):
        assert figure in text


def test_what_was_not_counted_when_the_history_was_emptied_is_not_shown_later(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack(WON)
    sit_down(casino, ann)
    play(casino, ann)
    reset_history(ann.pk)
    projector.catch_up()
    assert not Tally.objects.exists()
    assert Standing.objects.get().rounds == Takings.objects.get().rounds == 1
    assert_all_is_written(reckoned())


def test_an_account_that_is_deleted_first_has_no_figures_later(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("Ts Th 9h 9d 8d 8h Kc")
    sit_down(casino, ann, ben)
    for user in (ann, ben):
        casino.bet(user, 1000)
    for user in (ann, ben):
        casino.act(user, "stand")
    delete_account(ann.pk, timezone.now())
    projector.catch_up()
    assert {row.user_id for row in Tally.objects.all()} == {ben.pk}
    assert Standing.objects.get().user == ben
    assert Takings.objects.get().plays == 2
    assert faults() == []


def test_rounds_of_a_table_that_becomes_private_are_on_no_leaderboard(
    ann: User, stack: Stack
) -> None:
    stack(WON, WON, WON)
    here, there = new_table("casino"), new_table("casino")
    for at in (here, there):
        sit_down(at, ann)
        play(at, ann)
    projector.catch_up()
    play(here, ann)
    here.row.__class__.objects.filter(pk=here.table_id).update(is_private=True)
    leaderboard_totals.drop_private_table(here.row)
    assert Standing.objects.get().rounds == 1
    projector.catch_up()
    assert Standing.objects.get().rounds == 1
    assert tally(ann).rounds == 3
    assert faults() == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has no lock of the file")
@pytest.mark.django_db(transaction=True)
def test_a_page_shows_what_is_counted_while_the_file_is_locked(
    client: Client, casino: TableClient, ann: User, stack: Stack
) -> None:
    stack(WON, WON)
    sit_down(casino, ann)
    play(casino, ann)
    projector.catch_up()
    play(casino, ann)
    client.force_login(ann)
    began = time.monotonic()
    with closing(sqlite3.connect(connection.settings_dict["NAME"], uri=True)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = client.get("/figures/")
        other.rollback()
    assert answer.context["in_all"].rounds == 1
    assert time.monotonic() - began < 10
    assert client.get("/figures/").context["in_all"].rounds == 2
