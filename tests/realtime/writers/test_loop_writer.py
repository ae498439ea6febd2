"""Commands that run in the event loop: with SQLite, without waiting for its lock, in their order."""

from __future__ import annotations

import asyncio
import datetime as dt
import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from django.core.exceptions import SynchronousOnlyOperation
from django.db import OperationalError, ProgrammingError, connection

from accounts.lib.sql import driver
from accounts.models import OwnLimit, User
from accounts.users import limits
from tables.game import commands
from tables.game.commands import QueuedCommand
from tables.models import Seat, Table
from tables.protocol.commands import TakeBack
from tables.realtime import epochs, runtime
from tables.realtime.writers import loop_writer
from tables.realtime.writers.loop_writer import LoopWriter
from tables.realtime.writers.writer import writer
from tests.helpers.rounds import sit_down
from tests.helpers.table_client import TableClient
from tests.realtime.test_sockets import current, page

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("running"),
    pytest.mark.skipif("connection.vendor != 'sqlite'", reason="on SQLite alone"),
]


@pytest.fixture
def where(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The threads in which commands were executed."""
    threads: list[str] = []
    execute = commands.execute

    def noted(queue: Any, now: Any) -> Any:
        threads.append(threading.current_thread().name)
        if len(queue) > 1:
            threads[-1] += f" {len(queue)}"
        return execute(queue, now)

    monkeypatch.setattr(commands, "execute", noted)
    return threads


@pytest.fixture(autouse=True)
def _no_natural(stack: Callable[..., None]) -> None:
    """A first deal that settles nothing: to pay a natural from an empty rack takes the ORM."""
    stack(*["8s Td 6h 8d 9c Kc 2c 3d 9s Th"] * 4)


LOOP = threading.main_thread().name


@contextmanager
def locked_elsewhere() -> Iterator[None]:
    """Another program has begun to write to the file."""
    with closing(sqlite3.connect(str(connection.settings_dict["NAME"]))) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.rollback()


async def test_a_round_is_played_in_the_loop_and_the_rest_in_the_writer_thread(
    casino: TableClient, ann: User, where: list[str]
) -> None:
    async with page(casino.table_id, ann) as anns, page(casino.table_id) as watcher:
        await watcher.frame_of("snapshot")
        await anns.send(t="sit", seat=1)
        assert where == ["writer"]
        assert (await anns.send(t="bet", turn=1, stake=1000))["t"] == "done"
        assert (await anns.send(t="hit", turn=2))["t"] == "done"
        assert where[1:] == [LOOP, LOOP]
        seqs = [(await watcher.frame_of("changed"))["seq"] for _ in range(3)]
    assert seqs == [1, 2, 3]


async def test_commands_of_one_turn_of_the_loop_are_one_transaction(
    casino: TableClient, vegas: TableClient, ann: User, ben: User, where: list[str]
) -> None:
    async with page(casino.table_id, ann) as anns, page(vegas.table_id, ben) as bens:
        await anns.send(t="sit", seat=1)
        await bens.send(t="sit", seat=1)
        await anns.send(t="bet", turn=9, stake=1000)  # the loop has its connection then
        with locked_elsewhere():
            betting = [
                asyncio.create_task(one.send(t="bet", turn=1, stake=1000)) for one in (anns, bens)
            ]
            while loop_writer.loop_writer.waiting < 2:
                await asyncio.sleep(0)
        answers = await asyncio.gather(*betting)
    assert [answer["t"] for answer in answers] == ["done", "done"]
    assert where[-1] == f"{LOOP} 2"


async def test_while_another_program_writes_other_sockets_are_served(
    casino: TableClient, ann: User
) -> None:
    async with page(casino.table_id, ann) as anns, page(casino.table_id) as watcher:
        await watcher.frame_of("snapshot")
        await anns.send(t="sit", seat=1)
        await watcher.frame_of("changed")
        await anns.send(t="bet", turn=9, stake=1000)
        with locked_elsewhere():
            betting = asyncio.create_task(anns.send(t="bet", turn=1, stake=1000))
            for _ in range(3):
                await watcher.communicator.send_to(text_data='{"t":"resync"}')
                assert (await watcher.frame_of("snapshot"))["seq"] == 1
            assert not betting.done()
        assert (await betting)["t"] == "done"


async def test_who_waits_too_long_for_the_lock_is_told_that_the_site_is_busy(
    casino: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop_writer, "PATIENCE_SECONDS", 0.2)
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        await anns.send(t="bet", turn=9, stake=1000)
        with locked_elsewhere():
            answer = await anns.send(t="bet", turn=1, stake=1000)
            assert (answer["t"], answer["code"]) == ("err", "busy")
        assert (await anns.send(t="bet", turn=1, stake=1000))["t"] == "done"


async def test_the_loop_rests_when_all_have_given_up(
    casino: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch, where: list[str]
) -> None:
    monkeypatch.setattr(loop_writer, "PATIENCE_SECONDS", 0)
    turns: list[int] = []
    execute = LoopWriter._execute

    def count(own: LoopWriter, waiting: list[Any]) -> None:
        turns.append(len(waiting))
        execute(own, waiting)

    monkeypatch.setattr(LoopWriter, "_execute", count)
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        await anns.send(t="bet", turn=9, stake=1000)
        turns.clear()
        with locked_elsewhere():
            assert (await anns.send(t="bet", turn=1, stake=1000))["code"] == "busy"
            await asyncio.sleep(0.1)
    assert turns == [1]


async def test_a_program_error_of_the_database_is_not_a_busy_site(
    casino: TableClient,
    ann: User,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Trying again would not help, and somebody has to read of it."""

    def fail(*_: Any) -> None:
        raise ProgrammingError("no such column: chips")

    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        monkeypatch.setattr(commands, "execute", fail)
        answer = await anns.send(t="bet", turn=1, stake=1000)
    assert (answer["t"], answer["code"]) == ("err", "internal")
    assert "command_failed" in caplog.text
    assert "no such column: chips" in caplog.text


async def test_a_row_that_an_outside_program_changes_is_read_again(
    casino: TableClient, ann: User
) -> None:
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        await anns.send(t="bet", turn=1, stake=1000)
        await asyncio.to_thread(_freeze_with_another_program, ann)
        answer = await anns.send(t="hit", turn=2)
    assert (answer["t"], answer["code"]) == ("err", "not_allowed")


def _freeze_with_another_program(user: User) -> None:
    with closing(sqlite3.connect(str(connection.settings_dict["NAME"]))) as other, other:
        other.execute("UPDATE accounts_user SET is_active = 0 WHERE id = ?", [user.pk])


@pytest.mark.parametrize(
    "failure",
    [OperationalError("disk I/O error"), SynchronousOnlyOperation(), RuntimeError("a mistake")],
    ids=["a broken connection", "work for the ORM", "any other"],
)
async def test_what_fails_in_the_loop_is_repeated_in_the_writer_thread(
    casino: TableClient, ann: User, where: list[str], failure: Exception,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        await anns.send(t="bet", turn=9, stake=1000)
        execute = commands.execute

        def unlucky(*args: Any) -> Any:
            outcomes = execute(*args)
            if threading.current_thread().name == LOOP:
                raise failure
            return outcomes

        monkeypatch.setattr(driver, "atomic", _failing_commit(failure))
        where.clear()
        answer = await anns.send(t="bet", turn=1, stake=1000)
        assert answer["t"] == "done"
        assert where == [LOOP, "writer"]
        monkeypatch.undo()
        assert (await anns.send(t="hit", turn=answer["seq"]))["t"] in {"done", "err"}


def _failing_commit(failure: Exception) -> Callable[[], Any]:
    atomic = driver.atomic

    @contextmanager
    def failing() -> Iterator[None]:
        with atomic():
            yield
            if threading.current_thread().name == LOOP:
                raise failure

    return failing


async def test_a_refused_command_is_answered_in_the_loop_and_takes_no_other_with_it(
    casino: TableClient, vegas: TableClient, ann: User, ben: User, where: list[str]
) -> None:
    async with page(casino.table_id, ann) as anns, page(vegas.table_id, ben) as bens:
        await anns.send(t="sit", seat=1)
        await bens.send(t="sit", seat=1)
        await anns.send(t="bet", turn=9, stake=1000)
        where.clear()
        stale, answer = await asyncio.gather(
            anns.send(t="bet", turn=9, stake=1000), bens.send(t="bet", turn=1, stake=1000)
        )
    assert (stale["code"], answer["t"]) == ("stale_turn", "done")
    assert "writer" not in where


async def test_a_command_that_needs_the_orm_leaves_the_others_of_its_turn_to_the_loop(
    casino: TableClient, vegas: TableClient, ann: User, ben: User, where: list[str]
) -> None:
    await asyncio.to_thread(limits.set_limit, ann, OwnLimit.Kind.DAILY_LOSS, 40_000, casino.now)
    async with page(casino.table_id, ann) as anns, page(vegas.table_id, ben) as bens:
        await anns.send(t="sit", seat=1)
        await bens.send(t="sit", seat=1)
        await bens.send(t="bet", turn=9, stake=1000)
        where.clear()
        answers = await asyncio.gather(
            anns.send(t="bet", turn=1, stake=1000), bens.send(t="bet", turn=1, stake=1000)
        )
    assert [answer["t"] for answer in answers] == ["done", "done"]
    assert where.count("writer") == 1


async def test_commands_after_one_that_finds_the_lock_taken_keep_their_order(
    casino: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        await anns.send(t="bet", turn=9, stake=1000)  # the loop has its connection then
    orders = [
        QueuedCommand(casino.table_id + number, ann.pk, TakeBack(uuid.uuid4(), 9))
        for number in range(4)
    ]
    calls: list[list[int]] = []
    outcomes: list[object] = []
    execute = commands.execute
    with closing(sqlite3.connect(str(connection.settings_dict["NAME"]))) as other:

        def first_needs_the_orm(queue: list[QueuedCommand], now: dt.datetime) -> Any:
            if threading.current_thread().name != LOOP:
                return execute(queue, now)
            calls.append([order.table_id - casino.table_id for order in queue])
            if len(calls) <= 2:
                raise SynchronousOnlyOperation
            if len(calls) == 3:
                other.execute("BEGIN IMMEDIATE")
            else:
                other.rollback()
            return execute(queue, now)

        monkeypatch.setattr(commands, "execute", first_needs_the_orm)
        for order in orders:
            loop_writer.loop_writer.submit_command(order, lambda *outcome: outcomes.append(outcome))
        while len(outcomes) < len(orders):
            await asyncio.sleep(0.01)
    assert calls == [[0, 1, 2, 3], [0], [1], [1, 2, 3]]


async def test_after_a_stop_it_can_be_started_again(casino: TableClient, ann: User) -> None:
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        busy = threading.Event()
        writer.submit(busy.wait)  # it has no connection yet, and asks for one
        betting = asyncio.create_task(anns.send(t="bet", turn=1, stake=1000))
        while not loop_writer.loop_writer.waiting:
            await asyncio.sleep(0)
        await asyncio.sleep(0.05)
        loop_writer.loop_writer.stop()
        loop_writer.loop_writer.start()
        busy.set()
        assert (await betting)["t"] == "done"
        assert (await anns.send(t="hit", turn=9))["code"] == "stale_turn"


async def test_the_epoch_is_verified_before_anything_is_played(
    casino: TableClient, ann: User, where: list[str]
) -> None:
    verified: list[str] = []
    begin = runtime.begin_epochs()
    await asyncio.wrap_future(begin)
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        await anns.send(t="bet", turn=9, stake=1000)
        epochs.of_process.invalidate()
        verify = epochs.of_process.verify_epoch

        def noted() -> None:
            verified.append(threading.current_thread().name)
            verify()

        epochs.of_process.verify_epoch = noted
        try:
            # Marks of other tests may have begun an epoch, with other turns.
            turn = (await current(casino)).turn
            answer = await anns.send(t="bet", turn=turn, stake=1000)
            assert answer["t"] == "done", answer
        finally:
            del epochs.of_process.verify_epoch
        assert verified[0] == "writer"
        assert where[-1] == LOOP
        assert epochs.of_process.is_sure


async def test_commands_that_wait_at_a_stop_are_left_to_the_writer_thread(
    casino: TableClient, ann: User
) -> None:
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        await anns.send(t="bet", turn=9, stake=1000)
        with locked_elsewhere():
            betting = asyncio.create_task(anns.send(t="bet", turn=1, stake=1000))
            while not loop_writer.loop_writer.waiting:
                await asyncio.sleep(0)
            loop_writer.loop_writer.stop()
        assert (await betting)["t"] == "done"
    await asyncio.to_thread(writer.stop)
    assert await Seat.objects.acount() == 1
    assert (await Table.objects.aget(pk=casino.table_id)).seq == 2


async def test_a_table_is_remembered_though_others_write_in_the_meantime(
    casino: TableClient, ann: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tables.state import rooms

    reads: list[object] = []
    lock_and_read = rooms._lock_and_read
    monkeypatch.setattr(
        rooms, "_lock_and_read", lambda *a, **o: [reads.append(a), lock_and_read(*a, **o)][1]
    )
    await asyncio.to_thread(sit_down, casino, ann, ben)
    async with page(casino.table_id, ann) as anns:
        for _ in range(2):
            await anns.send(t="bet", turn=1, stake=1000)
            await anns.send(t="take_back", turn=1)
        reads.clear()
        await User.objects.filter(pk=ben.pk).aupdate(first_name="Ben")
        assert (await anns.send(t="bet", turn=1, stake=1000))["t"] == "done"
        assert reads == []
