"""A running process counts settled rounds, and begins with those that another has left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async

from accounts.models import User
from tables.models import Standing, UncountedRound
from tables.realtime import periodic_tasks, runtime
from tables.results import projector
from tests.helpers.recomputed_stats import reckoned
from tests.helpers.rounds import new_table, sit_down
from tests.helpers.table_client import new_player
from tests.results.test_results import LOST, WON, assert_all_is_written

pytestmark = [pytest.mark.asyncio, pytest.mark.django_db(transaction=True)]

Stack = Callable[..., None]


@pytest_asyncio.fixture
async def ann(stack: Stack, transactional_db: None) -> User:
    """A player with five rounds that are settled and not counted."""
    return await sync_to_async(_play)(stack)


def _play(stack: Stack) -> User:
    stack(WON, LOST, WON, WON, LOST)
    ann, at = new_player("ann"), new_table("casino")
    sit_down(at, ann)
    for _ in range(5):
        at.bet(ann, 1000)
        at.act(ann, "stand")
    assert UncountedRound.objects.count() == 5
    return ann


@pytest_asyncio.fixture
async def process(ann: User) -> AsyncIterator[None]:
    """A process that starts afterwards."""
    runtime.ensure_started()
    yield
    await runtime.stop()


async def test_rounds_that_an_earlier_process_left_are_counted_at_the_start(
    ann: User, process: None
) -> None:
    for _ in range(200):
        if not await UncountedRound.objects.aexists():
            break
        await asyncio.sleep(0.05)
    assert (await Standing.objects.aget(user=ann)).rounds == 5
    await sync_to_async(lambda: assert_all_is_written(reckoned()))()


async def test_pieces_are_counted_until_none_is_left(
    ann: User, stopped_writer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projector, "ROUNDS", 2)
    await periodic_tasks.count_settled_rounds()
    assert not await UncountedRound.objects.aexists()
    await sync_to_async(lambda: assert_all_is_written(reckoned()))()
