"""A server process says that it runs, from its start to its end."""

from __future__ import annotations

import asyncio

import pytest
from asgiref.sync import sync_to_async

from tables.models import ServerProcess
from tables.realtime import runtime
from tests.helpers.table_client import TableClient
from tests.realtime.test_sockets import page

pytestmark = pytest.mark.django_db(transaction=True)


@sync_to_async
def list_socket_counts() -> list[int]:
    return list(ServerProcess.objects.values_list("sockets", flat=True))


async def test_it_signs_on_counts_its_sockets_and_signs_off(casino: TableClient) -> None:
    runtime.ensure_started()
    try:
        async with asyncio.timeout(10):
            while not await list_socket_counts():
                await asyncio.sleep(0.02)
        assert await list_socket_counts() == [0]
        async with page(casino.table_id) as one, page(casino.table_id) as other:
            await one.frame_of("snapshot")
            await other.frame_of("snapshot")
            await runtime.run_periodic_checks()
            assert await list_socket_counts() == [2]
    finally:
        await runtime.stop()
    assert await list_socket_counts() == []
