"""The writer thread: batches, failures, and that nothing is answered before it is committed."""

from __future__ import annotations

import datetime as dt
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection

from accounts.lib import server_clock
from accounts.models import User
from tables.game import deadlines
from tables.game.commands import CommandResult, QueuedCommand
from tables.models import Seat, Table
from tables.protocol.commands import Stand
from tables.protocol.frames import Done
from tables.realtime.writer import MAX_ATTEMPTS, Writer
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, code

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def writer() -> Iterator[Writer]:
    opened = Writer()
    yield opened
    opened.stop()


def together(writer: Writer, *works: tuple[int, Callable[[], Any]]) -> list[Future[Any]]:
    """Have the works wait while the writer is busy, so that it takes them as one batch."""
    go_on = threading.Event()
    writer.submit(go_on.wait)
    results = [writer.submit(work, table_id=table_id) for table_id, work in works]
    go_on.set()
    for result in results:
        result.exception(10)
    return results


def bad_sql() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT no_such_function()")


def test_a_job_that_fails_takes_nothing_else_of_its_batch_with_it(
    writer: Writer, casino: TableClient, ann: User, ben: User
) -> None:
    anns, bens, bad = together(
        writer,
        (casino.table_id, lambda: casino.sit(ann, 1)),
        (casino.table_id, lambda: casino.sit(ben, 2)),
        # Last: PostgreSQL answers the COMMIT of a broken transaction with a silent rollback.
        (casino.table_id, bad_sql),
    )
    assert isinstance(anns.result().value, Done)
    assert isinstance(bad.exception(), DatabaseError)
    assert isinstance(bens.result().value, Done)
    assert list(Seat.objects.values_list("number", flat=True)) == [1, 2]


def test_what_is_answered_is_committed(
    writer: Writer, casino: TableClient, ann: User, ben: User
) -> None:
    seen: list[int] = []

    def look(_: Future[Any]) -> None:
        def count() -> None:
            seen.append(Seat.objects.count())
            connection.close()

        thread = threading.Thread(target=count)  # on a connection of its own
        thread.start()
        thread.join()

    go_on = threading.Event()
    writer.submit(go_on.wait)
    results = [
        writer.submit(lambda: casino.sit(ann, 1), table_id=casino.table_id),
        writer.submit(lambda: casino.sit(ben, 2), table_id=casino.table_id),
    ]
    for result in results:
        result.add_done_callback(look)
    go_on.set()
    writer.stop()
    assert seen == [2, 2]


def test_a_batch_that_fails_as_a_whole_is_done_one_by_one(
    writer: Writer, casino: TableClient, ann: User
) -> None:
    failures = [OperationalError("deadlock detected")]

    def unlucky() -> str:
        if failures:
            raise failures.pop()
        return "done at last"

    anns, other = together(
        writer, (casino.table_id, lambda: casino.sit(ann, 1)), (casino.table_id, unlucky)
    )
    assert isinstance(anns.result().value, Done)
    assert other.result() == "done at last"
    assert casino.row.seq == 1


def test_a_job_that_is_to_be_done_alone_stands_behind_the_batch(
    writer: Writer, casino: TableClient, ann: User
) -> None:
    done: list[tuple[str, bool]] = []

    def work(name: str) -> Callable[[], None]:
        return lambda: done.append((name, connection.in_atomic_block))

    is_busy, go_on = threading.Event(), threading.Event()
    writer.submit(lambda: is_busy.set() or go_on.wait(10))
    is_busy.wait(10)
    alone = writer.submit(work("alone"), alone=True)
    for name in ("first", "second"):
        writer.submit(work(name), table_id=casino.table_id)
    go_on.set()
    alone.result(10)
    assert done == [("first", True), ("second", True), ("alone", False)]


def test_what_was_done_is_told_before_the_next_work_begins(writer: Writer) -> None:
    told: list[str] = []

    def tell(done: str) -> None:
        told.append(f"{done} by {threading.current_thread().name}")

    for number in range(3):
        first = writer.submit(lambda n=number: f"{n} after {len(told)}", alone=True, on_commit=tell)
    assert first.result(10) == "2 after 2"
    assert told == ["0 after 0 by writer", "1 after 1 by writer", "2 after 2 by writer"]


def test_what_was_not_done_is_told_to_nobody(writer: Writer) -> None:
    told: list[None] = []

    def refused() -> None:
        raise ValueError("no")

    assert isinstance(writer.submit(refused, on_commit=told.append).exception(10), ValueError)
    assert told == []


def test_who_waits_has_an_answer_also_when_the_others_cannot_be_told(writer: Writer) -> None:
    def out_of_reach(done: str) -> None:
        raise OperationalError("the database is out of reach")

    assert writer.submit(lambda: "done", on_commit=out_of_reach).result(10) == "done"


def test_it_gives_up_after_some_attempts_and_goes_on(writer: Writer, casino: TableClient) -> None:
    attempts = []

    def hopeless() -> None:
        attempts.append(1)
        raise OperationalError("the database is out of reach")

    assert isinstance(writer.submit(hopeless).exception(10), OperationalError)
    assert len(attempts) == MAX_ATTEMPTS
    assert writer.submit(lambda: "well").result(10) == "well"


def test_a_stopped_writer_finishes_what_waits_and_starts_again(
    writer: Writer, casino: TableClient, ann: User
) -> None:
    waiting = writer.submit(lambda: casino.sit(ann, 1))
    writer.stop()
    assert isinstance(waiting.result(0).value, Done)
    assert writer.submit(lambda: casino.row.seats.count()).result(10) == 1


@pytest.mark.parametrize("are_many", [False, True], ids=["alone", "among others"])
@pytest.mark.parametrize(("waited", "answer"), [("in time", "done"), ("late", "stale_turn")])
def test_what_a_command_waited_for_in_the_house_is_not_the_players_delay(
    writer: Writer, ann: User, ben: User, stack: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    waited: str, answer: str, are_many: bool,
) -> None:  # fmt: skip
    """The clock that was running when it came has run out when it is its turn."""
    stack(*["8s 6h 8d Kc 5c"] * 2)
    now = server_clock.now()
    monkeypatch.setattr(server_clock, "now", lambda: now)
    deadline_at = now - dt.timedelta(seconds=1)
    in_time = deadline_at + deadlines.GRACE - dt.timedelta(milliseconds=1)
    arrived_at = in_time if waited == "in time" else deadline_at + deadlines.GRACE
    orders = []
    for user in (ann, ben)[: 1 + are_many]:
        at = new_table("casino", seats=2)
        sit_down(at, user)
        at.bet(user, 1000)
        Table.objects.filter(pk=at.table_id).update(deadline_at=deadline_at)
        stand = Stand(uuid.uuid4(), at.row.turn)
        orders.append(QueuedCommand(at.table_id, user.pk, stand, arrived_at=arrived_at))
    go_on, told = threading.Event(), SimpleQueue[CommandResult | None]()
    writer.submit(go_on.wait)
    for order in orders:
        writer.submit_command(order, lambda played, failure: told.put(played))
    go_on.set()
    for _ in orders:
        played = told.get(timeout=10)
        assert played is not None
        assert code(played) == answer
