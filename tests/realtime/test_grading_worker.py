"""Settled rounds are graded later, each once; a void and a deletion take the grade out again."""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import replace

import pytest
from asgiref.sync import sync_to_async

from accounts.models import User
from tables.game.account_deletion import delete_account
from tables.game.history_reset import reset_history
from tables.models import Grade, Result, SkillStanding, Table, UngradedRound
from tables.models.grades import decode_decisions, encode_decisions
from tables.protocol.commands import Hints
from tables.realtime import grading_worker, runtime
from tables.results import leaderboard_totals, projector, reversal
from tables.results.grades import NewGrade
from tests.helpers.rounds import faults, new_table, sit_down
from tests.helpers.table_client import TableClient, code, new_player

pytestmark = pytest.mark.django_db

Stack = Callable[..., None]
WON = "Ts 9h 9d 7c Tc"
"""With pot's rules 19 wins against a bust dealer; standing was right."""
LOST = "5s 6h 9d Tc 2d"
"""11 that stands loses to 19."""


@pytest.fixture
def pot(ann: User, stack: Stack) -> TableClient:
    """A table whose game is worth something that takes no time to compute."""
    stack(WON, LOST, LOST)
    at = new_table("pot")
    sit_down(at, ann)
    return at


def play(at: TableClient, user: User, rounds: int = 1, *, is_counted: bool = True) -> None:
    for _ in range(rounds):
        assert code(at.bet(user, 1000)) == "done"
        assert code(at.act(user, "stand")) == "done"
    if is_counted:
        projector.catch_up()


def grade_all() -> None:
    while grading_worker.grade_batch():
        pass


def totals(user: User) -> tuple[int, int]:
    own = SkillStanding.objects.get(user=user)
    return own.decisions, own.cost


def test_a_counted_round_waits_for_its_grade(pot: TableClient, ann: User) -> None:
    play(pot, ann, rounds=2)
    assert not Grade.objects.exists()
    assert UngradedRound.objects.count() == 2
    grade_all()
    right, wrong = Grade.objects.order_by("pk")
    assert (right.decisions, right.mistakes, right.cost, right.money_cost) == (1, 0, 0, 0)
    assert (wrong.decisions, wrong.mistakes) == (1, 1)
    assert wrong.money_cost == round(wrong.cost / 1000) > 300
    assert (right.stake, right.expectation) == (1000, -131)
    for grade in (right, wrong):
        assert grade.expectation + grade.luck - grade.money_cost == grade.result.net
    assert totals(ann) == (2, wrong.cost)
    assert not UngradedRound.objects.exists()
    assert faults() == []


def test_a_batch_that_was_computed_twice_counts_once(
    pot: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(pot, ann, rounds=2)
    store = grading_worker.grades.store
    monkeypatch.setattr(grading_worker.grades, "store", lambda *args: [store(*args), store(*args)])
    grade_all()
    assert totals(ann)[0] == 2
    assert faults() == []


def test_a_batch_has_whole_rounds(
    ann: User, ben: User, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grading_worker, "ROUNDS_AT_ONCE", 1)
    at = new_table("pot")
    sit_down(at, ann, ben)
    for _ in range(2):
        stack("Ts Th 9h 9s 9d 7c Tc")
        for user in (ann, ben):
            at.bet(user, 1000)
        for user in (ann, ben):
            at.act(user, "stand")
    projector.catch_up()
    graded = []
    while grading_worker.grade_batch():
        graded.append(Grade.objects.done().count())
    assert graded == [2, 4]


def test_the_worker_rests_as_long_as_the_process_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    others, rests, is_over = grading_worker.OtherThreads(), 0, threading.Event()
    pause = time.sleep

    def rest(seconds: float) -> None:
        nonlocal rests
        rests += 1
        pause(seconds)

    monkeypatch.setattr(time, "sleep", rest)
    monkeypatch.setattr(grading_worker, "LONGEST_REST", 0.5)
    playing = threading.Thread(target=use_a_core, args=(is_over,))
    playing.start()
    try:
        while others.share < grading_worker.BUSY:  # it is smoothed
            others.measure()
        grading_worker.rest(others, None)
        assert rests > 5
        is_over.set()
        stopped = threading.Event()
        stopped.set()
        rests = 0
        grading_worker.rest(others, stopped)
        assert rests == 0
    finally:
        is_over.set()
        playing.join()
    while others.share > grading_worker.BUSY / 2:
        others.measure()
    grading_worker.rest(others, None)
    assert rests == 1


def use_a_core(is_over: threading.Event) -> None:
    while not is_over.is_set():
        hashlib.sha256(bytes(100_000))


def test_a_stop_leaves_rounds_to_the_next_start(pot: TableClient, ann: User) -> None:
    play(pot, ann)
    over = threading.Event()
    over.set()
    assert not grading_worker.grade_batch(over)
    assert UngradedRound.objects.count() == 1
    grade_all()
    assert totals(ann)[0] == 1


def test_a_round_that_cannot_be_graded_holds_up_no_other(pot: TableClient, ann: User) -> None:
    play(pot, ann, rounds=2)
    first = Result.objects.earliest("pk")
    first.round.changes.latest("seq").delete()
    grade_all()
    assert [bool(grade.fault) for grade in Grade.objects.order_by("pk")] == [True, False]
    assert list(Grade.objects.done().values_list("result", flat=True)) != [first.pk]
    assert totals(ann)[0] == 1


def test_an_error_of_the_program_holds_up_no_other_round(
    pot: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(pot, ann, rounds=2)
    first = Result.objects.earliest("pk")
    grade = grading_worker.grade_stored_round

    def fail_once(round_id: int) -> object:
        return 1 / 0 if round_id == first.round_id else grade(round_id)

    monkeypatch.setattr(grading_worker, "grade_stored_round", fail_once)
    grade_all()
    faults_of = dict(Grade.objects.values_list("result", "fault"))
    assert faults_of.pop(first.pk) == "ZeroDivisionError('division by zero')"
    assert list(faults_of.values()) == [""]


def test_a_grade_that_cannot_be_stored_holds_up_no_other_round(
    pot: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(pot, ann, rounds=3)
    refused = Result.objects.order_by("pk")[1]
    grade = grading_worker.grade_round

    def grade_wrongly(round_id: int) -> list[NewGrade]:
        grades = grade(round_id)
        if round_id != refused.round_id:
            return grades
        return [replace(one, values={**one.values, "decisions": -1}) for one in grades]

    monkeypatch.setattr(grading_worker, "grade_round", grade_wrongly)
    grade_all()
    assert UngradedRound.objects.get().pk == refused.round_id
    assert Grade.objects.done().count() == 2
    monkeypatch.undo()
    grading_worker._refused.clear()  # as after a start
    grade_all()
    assert Grade.objects.done().count() == 3


def test_a_void_takes_the_grade_out(pot: TableClient, ann: User) -> None:
    play(pot, ann, rounds=2)
    grade_all()
    wrong = Grade.objects.latest("pk").result
    reversal.remove_round(wrong.round, wrong.list_hands())
    assert totals(ann) == (1, 0)
    assert Grade.objects.count() == 1


def test_a_round_that_is_voided_before_it_is_graded_gets_no_grade(
    pot: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(pot, ann)
    result = Result.objects.get()
    store = grading_worker.grades.store

    def void_first(*args: object) -> None:
        reversal.remove_round(result.round, result.list_hands())
        store(*args)

    monkeypatch.setattr(grading_worker.grades, "store", void_first)
    grade_all()
    assert not Grade.objects.exists()
    assert not SkillStanding.objects.exists()


def test_a_table_that_becomes_private_counts_no_longer(pot: TableClient, ann: User) -> None:
    play(pot, ann, rounds=2)
    grade_all()
    table = Table.objects.get(pk=pot.table_id)
    leaderboard_totals.drop_private_table(table)
    Table.objects.filter(pk=table.pk).update(is_private=True)
    assert totals(ann) == (0, 0)
    assert Grade.objects.done().count() == 2
    assert faults() == []


def test_a_table_that_becomes_private_before_the_grading_does_not_count(
    pot: TableClient, ann: User
) -> None:
    play(pot, ann)
    leaderboard_totals.drop_private_table(Table.objects.get(pk=pot.table_id))
    Table.objects.filter(pk=pot.table_id).update(is_private=True)
    grade_all()
    assert not SkillStanding.objects.exists()
    assert Grade.objects.done().count() == 1
    assert faults() == []


def test_an_account_that_is_deleted_while_its_round_is_graded_gets_no_grade(
    pot: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(pot, ann)
    store = grading_worker.grades.store

    def delete_first(*args: object) -> None:
        pot.leave(ann)
        delete_account(ann.pk, pot.now)
        store(*args)

    monkeypatch.setattr(grading_worker.grades, "store", delete_first)
    grade_all()
    assert not Grade.objects.exists()
    assert not SkillStanding.objects.exists()
    assert not UngradedRound.objects.exists()
    assert faults() == []


def test_who_lets_the_clock_decide_is_no_better_on_the_leaderboard(
    pot: TableClient, ann: User
) -> None:
    for stake in (1000, 1000):
        pot.bet(ann, stake)
        pot.time_is_up()
    projector.catch_up()
    grade_all()
    wrong = Grade.objects.latest("pk")
    assert (wrong.decisions, wrong.mistakes) == (1, 1)
    assert totals(ann) == (2, wrong.cost)
    assert wrong.cost > 0
    assert faults() == []


def test_hints_are_not_skill(pot: TableClient, ann: User) -> None:
    pot.send(ann, Hints(uuid.uuid4(), True))
    play(pot, ann)
    grade_all()
    assert not SkillStanding.objects.exists()
    assert Grade.objects.get().decisions == 1
    assert faults() == []


@pytest.mark.parametrize("is_on_at_deal", [True, False])
def test_hints_that_are_off_before_the_end_are_not_skill_either(
    pot: TableClient, ann: User, is_on_at_deal: bool
) -> None:
    if is_on_at_deal:
        pot.send(ann, Hints(uuid.uuid4(), True))
    pot.bet(ann, 1000)
    pot.send(ann, Hints(uuid.uuid4(), True))
    pot.send(ann, Hints(uuid.uuid4(), False))
    pot.act(ann, "stand")
    play(pot, ann)
    grade_all()
    with_hints, without = Grade.objects.order_by("pk")
    assert (with_hints.had_hints, without.had_hints) == (True, False)
    assert totals(ann) == (1, without.cost)
    assert faults() == []


def test_hints_before_the_deal_are_none(pot: TableClient, ann: User) -> None:
    pot.send(ann, Hints(uuid.uuid4(), True))
    pot.send(ann, Hints(uuid.uuid4(), False))
    play(pot, ann)
    grade_all()
    assert not Grade.objects.get().had_hints


def test_a_cleared_history_removes_the_grades_and_keeps_the_total(
    pot: TableClient, ann: User
) -> None:
    play(pot, ann, rounds=2)
    grade_all()
    before = totals(ann)
    reset_history(ann.pk)
    assert not Grade.objects.exists()
    assert totals(ann) == before
    assert faults() == []


@pytest.mark.parametrize("is_counted", [True, False])
def test_a_history_that_is_cleared_at_once_wipes_no_mistake_away(
    pot: TableClient, ann: User, is_counted: bool
) -> None:
    """The round still waits for the worker, or even to be counted."""
    play(pot, ann, rounds=2, is_counted=is_counted)
    reset_history(ann.pk)
    projector.catch_up()
    grade_all()
    assert not Grade.objects.exists()
    decisions, cost = totals(ann)[:2]
    assert decisions == 2
    assert cost > 0
    assert faults() == []


def test_a_deleted_account_leaves_no_grade(pot: TableClient, ann: User) -> None:
    play(pot, ann)
    grade_all()
    pot.leave(ann)
    delete_account(ann.pk, pot.now)
    assert not Grade.objects.exists()
    assert not SkillStanding.objects.exists()
    assert faults() == []


def test_the_audit_finds_what_was_changed(pot: TableClient, ann: User) -> None:
    play(pot, ann, rounds=2)
    grade_all()
    grade = Grade.objects.latest("pk")
    whose = f"round {grade.result.round_id}"

    Grade.objects.filter(pk=grade.pk).update(luck=grade.luck + 1)
    assert faults() == [
        f"{whose}: the parts of user {ann.pk} make -999, but the net is -1000",
    ]
    Grade.objects.filter(pk=grade.pk).update(luck=grade.luck, cost=grade.cost - 5)
    report = faults()
    assert f"{whose}: the grade of user {ann.pk} is not that of its decisions" in report
    assert any(fault.startswith(f"the skill of user {ann.pk} has 2 decisions") for fault in report)

    (decision,) = decode_decisions(grade.details)
    flattered = encode_decisions([replace(decision, values={"stand": 0, "hit": -9})])
    Grade.objects.filter(pk=grade.pk).update(
        details=flattered, cost=0, mistakes=0, money_cost=0, luck=grade.luck - grade.money_cost
    )
    SkillStanding.objects.update(cost=0, per_hundred=0)
    assert faults() == [f"{whose}: the cards make another grade for user {ann.pk}"]


def _play_alone(stack: Stack) -> None:
    stack(WON, LOST)
    ann, at = new_player("ann"), new_table("pot")
    sit_down(at, ann)
    play(at, ann, rounds=2)


@pytest.mark.asyncio
@pytest.mark.django_db(transaction=True)
async def test_a_process_grades_what_an_earlier_one_has_left(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grading_worker.worker, "seconds", 0.05)
    await sync_to_async(_play_alone)(stack)
    runtime.ensure_started()
    try:
        for _ in range(400):
            if not await UngradedRound.objects.aexists():
                break
            await asyncio.sleep(0.05)
    finally:
        await runtime.stop()
    assert await Grade.objects.done().acount() == 2
    assert "grading" not in [thread.name for thread in threading.enumerate()]
