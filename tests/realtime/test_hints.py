"""A hint comes to the pages of its player alone, once for each decision, and nothing waits for it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from channels.db import database_sync_to_async

from accounts.models import User
from tables.models import Seat
from tables.protocol import codec
from tables.protocol.frames import Changed
from tables.protocol.topics import table_topic
from tables.realtime import hints
from tables.realtime.hub import hub
from tests.helpers.table_client import TableClient
from tests.realtime.test_sockets import Page, page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("running")]

Stack = Callable[..., None]
NOTHING = 0.15
"""Seconds in which a frame would have come."""


async def sits_with_hints(who: Page, seat: int) -> None:
    await who.send(t="sit", seat=seat)
    await who.send(t="hints", on=True)


async def bet(*people: Page) -> None:
    turn = people[0].table["turn"]
    for who in people:
        await who.send(t="bet", turn=turn, stake=1000)


async def hears_no_hint(*people: Page) -> None:
    """Neither so far nor soon."""
    await asyncio.sleep(NOTHING)
    for who in people:
        while not await who.communicator.receive_nothing(timeout=0.01):
            await who.frame()
        assert not any(text.startswith('{"t":"hint"') for text in who.heard)


async def test_the_player_gets_the_hint_on_every_page_and_nobody_else_does(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack("Ts 8s 9h 6h 8h 7d")
    async with (
        page(casino.table_id, ann) as anns,
        page(casino.table_id, ann) as second,
        page(casino.table_id, ben) as bens,
        page(casino.table_id) as watcher,
    ):
        await sits_with_hints(anns, 1)
        await bens.send(t="sit", seat=2)
        await bet(anns, bens)
        hint = await anns.frame_of("hint")
        assert hint["turn"] == anns.table["turn"]
        assert (hint["seat"], hint["hand"]) == (1, 1)
        assert [value["action"] for value in hint["values"]] == ["hit", "stand", "double"]
        assert await second.frame_of("hint") == hint
        await hears_no_hint(bens, watcher)


async def test_each_decision_has_its_own(casino: TableClient, ann: User, stack: Stack) -> None:
    stack("5s 9h 6h 7d 2c")
    async with page(casino.table_id, ann) as anns:
        await sits_with_hints(anns, 1)
        await bet(anns)
        first = await anns.frame_of("hint")
        await anns.send(t="hit", turn=first["turn"])
        second = await anns.frame_of("hint")
        assert second["turn"] == first["turn"] + 1
        assert {value["action"] for value in second["values"]} == {"hit", "stand"}


async def test_a_page_that_comes_back_gets_the_same_hint_which_is_computed_once(
    casino: TableClient, ann: User, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = count_computed(monkeypatch)
    stack("Ts 9h 6h 7d")
    async with page(casino.table_id, ann) as anns:
        await sits_with_hints(anns, 1)
        await bet(anns)
        hint = await anns.frame_of("hint")
    async with page(casino.table_id, ann) as again:
        await again.frame_of("snapshot")
        assert await again.frame_of("hint") == hint
        await again.send(t="leave")
    assert computed == [1]


async def test_a_page_that_comes_back_while_its_hint_is_computed_gets_it(
    casino: TableClient, ann: User, ben: User, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, began = threading.Event(), threading.Event()
    real = hints._compute_from_stored

    def compute(*args: Any) -> Any:
        began.set()
        assert goes_on.wait(5)
        return real(*args)

    stack("Ts 8s 9h 6h 8h 7d")
    async with page(casino.table_id, ben) as bens:
        async with page(casino.table_id, ann) as anns:
            await bens.send(t="sit", seat=1)
            await sits_with_hints(anns, 2)
            await bet(bens, anns)
        while bens.table["phase"] != "playing":
            await bens.frame_of("changed")
        monkeypatch.setattr(hints, "_compute_from_stored", compute)
        await bens.send(t="stand", turn=bens.table["turn"])
        assert await asyncio.to_thread(began.wait, 5)
        async with page(casino.table_id, ann) as again:
            await again.frame_of("snapshot")
            goes_on.set()
            async with asyncio.timeout(10):
                assert (await again.frame_of("hint"))["seat"] == 2


async def test_hints_that_are_turned_on_during_a_decision_come_for_it(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    stack("Ts 9h 6h 7d")
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        await bet(anns)
        await hears_no_hint(anns)
        await anns.send(t="hints", on=True)
        assert (await anns.frame_of("hint"))["turn"] == anns.table["turn"]


async def test_insurance_gives_each_seat_its_own_hint(ann: User, ben: User, stack: Stack) -> None:
    vegas = await database_sync_to_async(new_vegas)()
    stack("9s As Ah 9h Kd 7d")
    async with page(vegas.table_id, ann) as anns, page(vegas.table_id, ben) as bens:
        await sits_with_hints(anns, 1)
        await sits_with_hints(bens, 2)
        await bet(anns, bens)
        ours = await anns.frame_of("hint"), await bens.frame_of("hint")
        assert [hint["seat"] for hint in ours] == [1, 2]
        assert [value["action"] for value in ours[0]["values"]] == ["decline", "insure"]
        even_money = next(v for v in ours[1]["values"] if v["action"] == "insure")
        assert (even_money["value"], even_money["money"]) == (1, 1000)


async def test_a_command_does_not_wait_for_a_hint_and_the_late_hint_is_dropped(
    casino: TableClient, ann: User, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()
    slow = hints._compute_from_stored

    def compute(*args: Any) -> Any:
        assert goes_on.wait(5)
        return slow(*args)

    monkeypatch.setattr(hints, "_compute_from_stored", compute)
    stack("Ts 9h 6h 7d Kc")
    async with page(casino.table_id, ann) as anns:
        await sits_with_hints(anns, 1)
        await bet(anns)
        began = time.monotonic()
        await anns.send(t="stand", turn=anns.table["turn"])
        assert time.monotonic() - began < 2
        assert anns.table["phase"] == "betting"
        goes_on.set()
        await hears_no_hint(anns)


async def test_a_failure_is_logged_without_cards_and_the_next_hint_comes(
    casino: TableClient, ann: User, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(hints, "apply_stored", lambda *_: 1 / 0)
        stack("5s 9h 6h 7d 2c")
        async with page(casino.table_id, ann) as anns:
            await sits_with_hints(anns, 1)
            await bet(anns)
            await hears_no_hint(anns)
            broken.undo()
            await anns.send(t="hit", turn=anns.table["turn"])
            assert (await anns.frame_of("hint"))["turn"] == anns.table["turn"]


async def test_the_process_that_holds_the_page_computes_the_hint_of_a_change_elsewhere(
    casino: TableClient, ann: User, stack: Stack
) -> None:
    """As the relay does with a frame of another process, in which the hints are turned on."""
    stack("Ts 9h 6h 7d")
    async with page(casino.table_id, ann) as anns:
        await anns.send(t="sit", seat=1)
        await bet(anns)
        await database_sync_to_async(Seat.objects.update)(has_hints=True)
        view = await database_sync_to_async(lambda: casino.view)()
        frame = codec.encode(Changed(seq=99, now=0, events=(), table=view))
        hub._deliver(table_topic(casino.table_id), frame)
        assert (await anns.frame_of("hint"))["turn"] == view.turn


def count_computed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seats for which a hint is computed from now on."""
    seats: list[int] = []
    real = hints._compute_from_stored

    def compute(table_id: int, turn: int, decision: Any, viewers: Any) -> Any:
        seats.append(decision.seat)
        return real(table_id, turn, decision, viewers)

    monkeypatch.setattr(hints, "_compute_from_stored", compute)
    return seats


def new_vegas() -> TableClient:
    from tests.helpers.rounds import new_table

    return new_table("vegas")
