"""The best play that a player has decided ahead is found by a thread and played by the server."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from collections.abc import Callable

import pytest
from channels.db import database_sync_to_async

from accounts.models import User
from tables.game import recovery
from tables.models import Result, Table
from tables.realtime import dispatch
from tables.realtime.best_play import thread
from tables.state.effects import Effects
from tests.helpers.table_client import TableClient
from tests.realtime.test_hints import bet, hears_no_hint
from tests.realtime.test_sockets import Page, page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("running")]

Stack = Callable[..., None]
SPLIT_EIGHTS = "9h 8h 6d Tc 8s Td 3c Kc 9d 5c"
"""ann has 19. ben splits two eights against a 6, doubles 11 and stands on 18."""


async def deal_and_decide_ahead(anns: Page, bens: Page, plan: str) -> None:
    await anns.send(t="sit", seat=1)
    await bens.send(t="sit", seat=2)
    await bet(anns, bens)
    turn = (await database_sync_to_async(Table.objects.get)()).turn
    await bens.send(t="decide_ahead", turn=turn, plan=plan)
    assert list_plans(bens) == [plan]


def list_plans(who: Page) -> list[str | None]:
    """What this page was told of the own plan, in order."""
    frames = [json.loads(text) for text in who.heard if text.startswith('{"t":"planned"')]
    return [frame["plan"] for frame in frames]


async def wait_for_bets(at: TableClient) -> None:
    async with asyncio.timeout(10):
        while (await database_sync_to_async(lambda: at.row.phase)()) == "playing":
            await asyncio.sleep(0.02)


async def test_it_plays_the_whole_seat_by_itself(
    casino: TableClient, ann: User, ben: User, stack: Stack
) -> None:
    stack(SPLIT_EIGHTS)
    async with page(casino.table_id, ann) as anns, page(casino.table_id, ben) as bens:
        await deal_and_decide_ahead(anns, bens, "best")
        await hears_no_hint(anns, bens)
        assert not any('"plan":"best"' in text for text in anns.heard), "it is secret"
        turn = (await database_sync_to_async(Table.objects.get)()).turn
        await anns.send(t="stand", turn=turn)
        await wait_for_bets(casino)
        await bens.frame_of("planned")
        assert list_plans(bens) == ["best", None]
        assert list_plans(anns) == []
    result = await database_sync_to_async(Result.objects.get)(user=ben)
    assert (result.decisions, result.had_hints) == (3, True)


async def test_a_server_that_was_killed_in_between_plays_it_after_its_start(
    casino: TableClient, ann: User, ben: User, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack(SPLIT_EIGHTS)
    monkeypatch.setattr(thread.of_process, "_run", None)  # killed before anything is computed
    async with page(casino.table_id, ann) as anns, page(casino.table_id, ben) as bens:
        await deal_and_decide_ahead(anns, bens, "best")
        turn = (await database_sync_to_async(Table.objects.get)()).turn
        await anns.send(t="stand", turn=turn)
        await asyncio.sleep(0.3)
        assert await database_sync_to_async(lambda: casino.row.phase)() == "playing"
        monkeypatch.undo()
        thread.of_process.start(dispatch.run)

        def resume(now: dt.datetime) -> Effects[None]:
            return Effects(None, recovery.resume_after_outage(casino.table_id, now))

        await dispatch.run_async(resume)  # as every start does at each table with a clock
        await wait_for_bets(casino)
