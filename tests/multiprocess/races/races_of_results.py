"""Rounds of the same players that are settled at several tables at the same moment."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.models import User
from tables.game.commands import CommandResult, QueuedCommand
from tables.game.history_reset import reset_history
from tables.lib.loop_queue import resolve
from tables.models import Result, Standing, Tally
from tables.protocol.commands import Stand
from tables.realtime.writers.writer import Writer
from tables.results import projector
from tests.helpers.recomputed_stats import reckoned, written
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, code
from tests.multiprocess.parallel import at_once

pytestmark = pytest.mark.django_db(transaction=True)

Stack = Callable[..., None]
AT_TABLES = 8
LOST_BY_ONE, LOST_BY_TWO = "Ts 9h 8d Kc", "Ts Kh 9h 8d 8s Kc"
"""18 against 19. A win would lock the wallet, and let one table after the other be settled."""


def in_play(stack: Stack, shoe: str, *players: User) -> list[TableClient]:
    """Tables at which these players have to decide, and then the round is over."""
    stack(*[shoe] * AT_TABLES)
    tables = []
    for number in range(AT_TABLES):
        at = new_table("casino")
        # Who sits left at one table sits right at the next.
        seated = players if number % 2 else players[::-1]
        sit_down(at, *seated)
        for user in seated:
            at.bet(user, 1000)
        for user in seated[:-1]:
            at.act(user, "stand")
        tables.append(at)
    return tables


def stand(at: TableClient) -> CommandResult:
    """Whoever is asked stands."""
    at.now = timezone.now()
    decision = at.view.asked
    assert decision is not None
    return at.act(at.live.seats[decision.seat].user, "stand")


def standing(at: TableClient) -> QueuedCommand:
    """The same, as a browser orders it."""
    decision = at.view.asked
    assert decision is not None
    user = at.live.seats[decision.seat].user
    return QueuedCommand(at.table_id, user.pk, Stand(uuid.uuid4(), at.row.turn))


def assert_all_is_written() -> None:
    there, expected = written(), reckoned()
    assert there.tallies == expected.tallies
    assert there.standings == expected.standings
    call_command("audit")


def each_by_a_writer_of_its_own(works: list[Callable[[], CommandResult]]) -> list[str]:
    """As many processes do it: each has a writer, which tries again where it was in the way."""
    writers = [Writer() for _ in works]

    def submit(writer: Writer, work: Callable[[], CommandResult]) -> str:
        return code(writer.submit(work).result(20))

    try:
        pairs = zip(writers, works, strict=True)
        return at_once([partial(submit, writer, work) for writer, work in pairs])
    finally:
        for writer in writers:
            writer.stop()


def test_the_first_rounds_of_a_day_are_all_counted(ann: User, stack: Stack) -> None:
    tables = in_play(stack, LOST_BY_ONE, ann)
    works = [partial(stand, at) for at in tables]
    assert set(each_by_a_writer_of_its_own(works)) == {"done"}
    projector.catch_up()
    day = Tally.objects.get(user=ann, rules_key="")
    assert (day.rounds, day.lost, day.net) == (AT_TABLES, AT_TABLES, -AT_TABLES * 1000)
    assert Standing.objects.get(user=ann).rounds == AT_TABLES
    assert_all_is_written()


def test_the_next_rounds_of_a_day_are_all_counted(ann: User, stack: Stack) -> None:
    for _ in range(2):
        works = [partial(stand, at) for at in in_play(stack, LOST_BY_ONE, ann)]
        assert set(each_by_a_writer_of_its_own(works)) == {"done"}
    projector.catch_up()
    assert Tally.objects.get(user=ann, rules_key="casino").rounds == 2 * AT_TABLES
    assert_all_is_written()


def test_two_players_who_sit_crosswise_do_not_lock_each_other_out(
    ann: User, ben: User, stack: Stack
) -> None:
    for _ in range(2):
        works = [partial(stand, at) for at in in_play(stack, LOST_BY_TWO, ann, ben)]
        assert set(each_by_a_writer_of_its_own(works)) == {"done"}
    projector.catch_up()
    assert {day.rounds for day in Tally.objects.all()} == {2 * AT_TABLES}
    assert_all_is_written()


def played_by(writer: Writer, order: QueuedCommand) -> Future[CommandResult]:
    result: Future[CommandResult] = Future()
    writer.submit_command(order, partial(resolve, result))
    return result


@pytest.mark.parametrize("are_played_together", [False, True])
def test_batches_of_two_processes_are_all_counted(
    ann: User, ben: User, stack: Stack, *, are_played_together: bool
) -> None:
    tables = in_play(stack, LOST_BY_TWO, ann, ben)
    writers, both_wait = [Writer(), Writer()], threading.Barrier(2)

    def submit(number: int) -> list[str]:
        own = tables[number::2]
        all_wait = threading.Event()
        writers[number].submit(all_wait.wait)
        waiting = [
            played_by(writers[number], standing(at))
            if are_played_together
            else writers[number].submit(partial(stand, at))
            for at in (own if number else own[::-1])
        ]
        both_wait.wait(20)
        all_wait.set()
        return [code(result.result(20)) for result in waiting]

    try:
        answers = at_once([partial(submit, 0), partial(submit, 1)])
    finally:
        for writer in writers:
            writer.stop()
    assert answers == [["done"] * (AT_TABLES // 2)] * 2
    projector.catch_up()
    assert {day.rounds for day in Tally.objects.all()} == {AT_TABLES}
    assert_all_is_written()


def test_a_history_that_is_emptied_meanwhile_counts_what_it_shows(
    ann: User, ben: User, stack: Stack
) -> None:
    tables = in_play(stack, LOST_BY_TWO, ann, ben)
    emptying = Writer()

    def empty() -> str:
        emptying.submit(partial(reset_history, ann.pk)).result(20)
        return "done"

    writers = [Writer() for _ in tables]

    def submit(writer: Writer, at: TableClient) -> str:
        return code(writer.submit(partial(stand, at)).result(20))

    try:
        works = [partial(submit, w, at) for w, at in zip(writers, tables, strict=True)]
        assert set(at_once([*works, empty])) == {"done"}
    finally:
        for writer in (emptying, *writers):
            writer.stop()
    ann.refresh_from_db()
    projector.catch_up()
    count = Result.objects.filter(user=ann, finished_at__gt=ann.history_since).count()
    assert sum(day.rounds for day in Tally.objects.filter(user=ann, rules_key="")) == count
    assert Tally.objects.get(user=ben, rules_key="").rounds == AT_TABLES
    assert Standing.objects.get(user=ann).rounds == AT_TABLES
    call_command("audit")
