"""Changes are told in the order in which they were committed, whoever has made them."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from channels.db import database_sync_to_async
from django.utils import timezone

from accounts.models import User
from tables.game import deadlines
from tables.models import Seat, Table
from tables.realtime.deadline_timer import DeadlineTimer
from tables.realtime.writers.writer import writer
from tests.helpers.table_client import TableClient
from tests.realtime.test_sockets import Page, page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("running")]

SECOND, MINUTE = dt.timedelta(seconds=1), dt.timedelta(minutes=1)


@contextmanager
def hold_writer_up() -> Iterator[None]:
    """What comes meanwhile is done afterwards, all of it at once."""
    is_over = threading.Event()
    writer.submit(lambda: is_over.wait(10))
    try:
        yield
    finally:
        is_over.set()


async def sits(anns: Page) -> None:
    """Ann wants a seat, which is another change that waits for the writer."""
    before = writer.waiting
    command = {"t": "sit", "id": str(uuid.uuid4()), "seat": 1}
    await anns.communicator.send_to(text_data=json.dumps(command))
    async with asyncio.timeout(10):
        while writer.waiting == before:
            await asyncio.sleep(0.01)


async def list_first_events(anns: Page) -> list[str]:
    """What happened first in each change, as far as the one in which she sat down."""
    changes = {}
    while "player_sat" not in changes.values() or len(changes) < 2:
        change = await anns.frame_of("changed")
        changes[change["seq"]] = change["events"][0]["type"]
    assert list(changes) == sorted(changes)
    return list(changes.values())


async def test_who_has_gone_is_told_before_what_followed(
    casino: TableClient, ann: User, ben: User
) -> None:
    await database_sync_to_async(casino.sit)(ben, 2)
    await Seat.objects.aupdate(sat_at=casino.now - MINUTE)
    async with page(casino.table_id, ann) as anns:
        await anns.frame_of("snapshot")
        with hold_writer_up():
            await asyncio.sleep(0.5)  # the doorkeeper wants to look soon after a page was opened
            await sits(anns)
        assert await list_first_events(anns) == ["player_away", "player_sat"]


async def test_that_time_ran_out_is_told_before_what_followed(
    casino: TableClient, ann: User
) -> None:
    async with page(casino.table_id, ann) as anns:
        await anns.frame_of("snapshot")
        await asyncio.sleep(0.5)  # the doorkeeper has looked
        with hold_writer_up():
            await Table.objects.aupdate(deadline_at=timezone.now() - 2 * SECOND)
            clock = DeadlineTimer()
            at_table = asyncio.create_task(
                clock._change_each([casino.table_id], deadlines.apply_deadline)
            )
            await asyncio.sleep(0.1)
            await sits(anns)
        # A test that is held up for long is an outage: then there is time again.
        assert await list_first_events(anns) in (
            ["clock_ran_out", "player_sat"],
            ["clock_extended", "player_sat"],
        )
        await at_table
