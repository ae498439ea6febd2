"""Other threads have things done on the event loop, which is woken once for many."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from threading import Thread

import pytest

from tables.lib import loop_queue


async def test_calls_of_another_thread_are_made_in_their_order() -> None:
    calls: list[int] = []
    box, over = loop_queue.get_queue(asyncio.get_running_loop()), asyncio.Event()

    def post() -> None:
        for number in range(1000):
            box.post(lambda number=number: calls.append(number))
        box.post(over.set)

    Thread(target=post).start()
    await asyncio.wait_for(over.wait(), 10)
    assert calls == list(range(1000))


async def test_the_loop_is_woken_once_for_what_lies_there(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, woken = asyncio.get_running_loop(), []
    real = loop.call_soon_threadsafe
    monkeypatch.setattr(
        loop, "call_soon_threadsafe",
        lambda call, *a, **more: (woken.append(call), real(call, *a, **more)),
    )  # fmt: skip
    box, calls = loop_queue.get_queue(loop), []
    for number in range(5):
        box.post(lambda number=number: calls.append(number))
    await asyncio.sleep(0.01)
    assert (len(woken), calls) == (1, [0, 1, 2, 3, 4])
    box.post(lambda: calls.append(5))
    await asyncio.sleep(0.01)
    assert (len(woken), calls[-1]) == (2, 5)


async def test_what_is_posted_first_is_done_first_whatever_the_way_to_the_loop() -> None:
    loop, calls = asyncio.get_running_loop(), []
    loop_queue.get_queue(loop).post(lambda: calls.append("in the box"))
    loop.call_soon_threadsafe(calls.append, "past the box")
    await asyncio.sleep(0.01)
    assert calls == ["in the box", "past the box"]


async def test_a_call_that_fails_keeps_no_other_from_being_made() -> None:
    loop, calls, failed = asyncio.get_running_loop(), [], []
    loop.set_exception_handler(lambda _, context: failed.append(context["exception"]))
    box = loop_queue.get_queue(loop)
    box.post(lambda: 1 / 0)
    box.post(lambda: calls.append("made"))
    await asyncio.sleep(0.01)
    assert calls == ["made"]
    assert isinstance(failed[0], ZeroDivisionError)


async def test_work_is_awaited_with_its_result_or_its_failure() -> None:
    box = loop_queue.get_queue(asyncio.get_running_loop())
    success: Future[str] = Future()
    failure: Future[str] = Future()
    Thread(target=lambda: success.set_result("done")).start()
    Thread(target=lambda: failure.set_exception(KeyError("failed"))).start()
    assert await box.await_future(success) == "done"
    with pytest.raises(KeyError):
        await box.await_future(failure)


async def test_who_stops_waiting_disturbs_nobody() -> None:
    box = loop_queue.get_queue(asyncio.get_running_loop())
    work: Future[str] = Future()
    waiting = box.await_future(work)
    waiting.cancel()
    work.set_result("done")
    await asyncio.sleep(0.01)
    assert waiting.cancelled()


def test_a_closed_loop_does_nothing_more() -> None:
    loop = asyncio.new_event_loop()
    box = loop_queue.get_queue(loop)
    loop.close()
    box.post(lambda: None)
