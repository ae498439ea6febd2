"""The writer thread: batches, failures, and that nothing is answered before it is committed."""

from __future__ import annotations

import datetime as dt
import json
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection
from django.utils import timezone

from accounts.lib import server_clock
from accounts.models import User
from accounts.users import sessions
from tables.game import commands, deadlines
from tables.game.commands import CommandResult, QueuedCommand
from tables.models import Seat, Table
from tables.protocol.commands import Sit, Stand
from tables.protocol.frames import Done
from tables.protocol.topics import table_topic
from tables.realtime import publishing
from tables.realtime.connections.connection import Connection
from tables.realtime.hub import Hub
from tables.realtime.writers import writer as writer_module
from tables.realtime.writers.writer import MAX_ATTEMPTS, Writer
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import TableClient, code

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def writer() -> Iterator[Writer]:
    opened = Writer()
    yield opened
    opened.stop()


def together(writer: Writer, *works: Callable[[], Any] | QueuedCommand) -> list[Future[Any]]:
    """Have jobs and commands wait while the writer is busy, so that it takes them together."""
    go_on = threading.Event()
    writer.submit(go_on.wait)
    results = [
        played_by(writer, work) if isinstance(work, QueuedCommand) else writer.submit(work)
        for work in works
    ]
    go_on.set()
    for result in results:
        result.exception(10)
    return results


def played_by(writer: Writer, order: QueuedCommand) -> Future[Any]:
    result: Future[Any] = Future()

    def then(value: object, failure: Exception | None) -> None:
        if failure is None:
            result.set_result(value)
        else:
            result.set_exception(failure)

    writer.submit_command(order, then)
    return result


def sitting(at: TableClient, user: User, seat: int) -> QueuedCommand:
    return QueuedCommand(at.table_id, user.pk, Sit(uuid.uuid4(), seat))


def bad_sql() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT no_such_function()")


def test_a_job_that_fails_takes_nothing_else_of_its_batch_with_it(
    writer: Writer, casino: TableClient, ann: User, ben: User
) -> None:
    anns, bad, bens = together(
        writer,
        sitting(casino, ann, 1),
        bad_sql,
        sitting(casino, ben, 2),
    )
    assert isinstance(anns.result().value, Done)
    assert isinstance(bad.exception(), DatabaseError)
    assert isinstance(bens.result().value, Done)
    assert list(Seat.objects.values_list("number", flat=True)) == [1, 2]


def test_an_error_of_the_writer_itself_ends_no_thread(
    writer: Writer, casino: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_error: Exception) -> None:
        raise ValueError("of the writer")

    def lose_connection() -> None:
        raise OperationalError("lost")

    monkeypatch.setattr(writer_module, "_close_broken_connection", fail)
    broken = writer.submit(lose_connection)
    with pytest.raises(ValueError, match="of the writer"):
        broken.result(10)
    monkeypatch.undo()
    assert isinstance(played_by(writer, sitting(casino, ann, 1)).result(10).value, Done)


def test_a_job_that_comes_during_a_stop_is_executed_once(writer: Writer) -> None:
    """The thread that ends and the next one have a queue each."""
    has_begun, may_end, jobs = threading.Event(), threading.Event(), list[str]()
    slow = writer.submit(lambda: (has_begun.set(), may_end.wait(10)))
    assert has_begun.wait(10)
    earlier = writer.submit(lambda: jobs.append("earlier"))
    first = writer._thread
    assert first is not None
    writer.stop(0.05)
    later = writer.submit(lambda: jobs.append("later"))
    later.result(10)
    assert jobs == ["later"]
    may_end.set()
    earlier.result(10)
    assert slow.result(10)
    assert jobs == ["later", "earlier"]
    first.join(10)
    assert not first.is_alive()


def test_what_is_answered_is_committed(
    writer: Writer, casino: TableClient, ann: User, ben: User
) -> None:
    counts: list[int] = []

    def look(*_: object) -> None:
        def count() -> None:
            counts.append(Seat.objects.count())
            connection.close()

        thread = threading.Thread(target=count)  # on a connection of its own
        thread.start()
        thread.join()

    has_begun, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        has_begun.set()
        go_on.wait(10)

    writer.submit(wait)
    assert has_begun.wait(10), "or the thread takes the first command with it, and the second later"
    for seat, user in enumerate((ann, ben), start=1):
        writer.submit_command(sitting(casino, user, seat), look)
    go_on.set()
    writer.stop()
    assert counts == [2, 2]


def test_a_batch_that_fails_as_a_whole_is_done_one_by_one(
    writer: Writer, casino: TableClient, ann: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes, execute = [], commands.execute

    def unlucky(queue: Sequence[QueuedCommand], now: dt.datetime) -> list[Any]:
        sizes.append(len(queue))
        outcomes = execute(queue, now)
        if len(queue) > 1:
            raise OperationalError("deadlock detected")
        return outcomes

    monkeypatch.setattr(commands, "execute", unlucky)
    anns, bens = together(writer, sitting(casino, ann, 1), sitting(casino, ben, 2))
    assert isinstance(anns.result().value, Done)
    assert isinstance(bens.result().value, Done)
    assert sizes == [2, 1, 1]


def test_other_work_is_done_in_its_turn_and_outside_of_a_batch(
    writer: Writer, casino: TableClient, ann: User, ben: User
) -> None:
    seats, work, _ = together(
        writer,
        sitting(casino, ann, 1),
        lambda: (connection.in_atomic_block, Seat.objects.count()),
        sitting(casino, ben, 2),
    )
    assert isinstance(seats.result().value, Done)
    assert work.result() == (False, 1)


def test_what_was_done_is_told_before_the_next_work_begins(writer: Writer) -> None:
    reports: list[str] = []

    def tell(result: str) -> None:
        reports.append(f"{result} by {threading.current_thread().name}")

    for number in range(3):
        first = writer.submit(lambda n=number: f"{n} after {len(reports)}", on_commit=tell)
    assert first.result(10) == "2 after 2"
    assert reports == ["0 after 0 by writer", "1 after 1 by writer", "2 after 2 by writer"]


def test_what_was_not_done_is_told_to_nobody(writer: Writer) -> None:
    results: list[None] = []

    def refused() -> None:
        raise ValueError("no")

    assert isinstance(writer.submit(refused, on_commit=results.append).exception(10), ValueError)
    assert results == []


def test_who_waits_has_an_answer_also_when_the_others_cannot_be_told(writer: Writer) -> None:
    def out_of_reach(result: str) -> None:
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
    go_on, results = threading.Event(), SimpleQueue[CommandResult | None]()
    writer.submit(go_on.wait)
    for order in orders:
        writer.submit_command(order, lambda played, failure: results.put(played))
    go_on.set()
    for _ in orders:
        played = results.get(timeout=10)
        assert played is not None
        assert code(played) == answer


def frames_of_page(hub: Hub, table_id: int) -> list[dict[str, Any]]:
    """The frames that an open page of a table is sent, as they come."""
    frames: list[dict[str, Any]] = []

    def write(text: str) -> bool:
        frames.append(json.loads(text))
        return True

    page = Connection()
    page._write_now = write
    hub.register(page)
    hub.join(page, [table_topic(table_id)])
    return frames


def test_a_deadline_that_a_command_applies_is_published_also_if_the_command_fails(
    writer: Writer,
    ann: User,
    ben: User,
    stack: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The clock of Ben's hand runs out, and his session has ended when his late command comes."""
    stack("6h 7h 8d Kc 2c 3c 9s")
    at = new_table("casino", seats=2)
    sit_down(at, ann, ben)
    at.bet(ann, 1000)
    at.bet(ben, 1000)
    monkeypatch.setattr(publishing, "hub", hub := Hub())
    row, frames = at.row, frames_of_page(hub, at.table_id)
    late = timezone.now() - dt.timedelta(seconds=1)
    Table.objects.filter(pk=at.table_id).update(deadline_at=late)
    stand = Stand(uuid.uuid4(), row.turn)
    order = QueuedCommand(at.table_id, ben.pk, stand, session="ended")
    with pytest.raises(sessions.SessionEnded):
        played_by(writer, order).result(10)
    (frame,) = frames
    assert frame["seq"] == row.seq + 1 == at.row.seq
    assert [event["type"] for event in frame["events"]][:2] == ["clock_ran_out", "hand_stood"]


@pytest.mark.parametrize(("redis_url", "size"), [("redis://elsewhere", 2), ("", 1)])
def test_a_busy_process_of_several_gathers_commands_for_a_transaction(
    writer: Writer,
    casino: TableClient,
    ann: User,
    ben: User,
    monkeypatch: pytest.MonkeyPatch,
    redis_url: str,
    size: int,
) -> None:
    """A command that comes while it waits is in the same transaction."""
    monkeypatch.setattr("tables.realtime.writers.writer.settings.REDIS_URL", redis_url)
    together(writer, lambda: None, lambda: None)
    second: list[Future[Any]] = []

    # In the place of the pause: the second command comes exactly then.
    def send_second(seconds: float) -> None:
        second.append(played_by(writer, sitting(casino, ben, 2)))

    monkeypatch.setattr("tables.realtime.writers.writer.time.sleep", send_second)
    batches: list[int] = []
    run = writer_module._run_jobs
    monkeypatch.setattr(
        writer_module, "_run_jobs", lambda jobs: [batches.append(len(jobs)), run(jobs)]
    )
    played_by(writer, sitting(casino, ann, 1)).result(10)
    for one in second:
        one.result(10)
    assert batches[0] == size
    assert Seat.objects.count() == size
