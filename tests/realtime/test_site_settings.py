"""The settings of the site and bans in a running server: read again by each process within seconds."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Callable

import pytest
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.utils import timezone

from accounts import site_settings
from accounts.doors import bans
from accounts.models import HouseSettings, NetworkBan, User
from blackjack_site.asgi import application
from tables.protocol.frames import CloseCode
from tables.realtime import runtime
from tables.realtime.connections import socket_url
from tests.helpers.table_client import TableClient
from tests.realtime.test_sockets import page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("running")]

HERE, THERE = "192.0.2.7", "192.0.3.7"


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not is_so():
            await asyncio.sleep(0.02)


async def test_every_process_reads_the_settings_and_bans_each_second() -> None:
    """So a change reaches all of them within two, however slow this test's machine is."""
    assert runtime.SITE_SECONDS == 1.0


@database_sync_to_async
def ban_elsewhere(network: str, by: User) -> int:
    """Ban a network as another process does: this one is not told."""
    now = timezone.now()
    row = NetworkBan.objects.create(
        network=network, reason="Spam.", until=now + dt.timedelta(days=1), made_by=by, made_at=now
    )
    return row.pk


async def test_what_another_process_saves_applies_here() -> None:
    await database_sync_to_async(HouseSettings.objects.update)(name="Tom's", sign_up="off")
    await until(lambda: site_settings.get().name == "Tom's")
    assert site_settings.get().sign_up == "off"


async def test_open_sockets_of_a_banned_network_close(
    casino: TableClient, ann: User, ben: User
) -> None:
    async with (
        page(casino.table_id, ann, address=HERE) as anns,
        page(casino.table_id, address="::ffff:192.0.2.9") as watcher,
        page(casino.table_id, ben, address=THERE) as bens,
    ):
        for each in (anns, watcher, bens):
            await each.frame_of("snapshot")
        await ban_elsewhere("192.0.2.0/24", ben)
        assert await anns.closed() == CloseCode.SESSION_ENDED
        assert await watcher.closed() == CloseCode.SESSION_ENDED
        assert (await bens.send(t="sit", seat=1))["t"] == "done"


async def test_a_banned_address_opens_no_socket_until_the_ban_is_lifted(
    casino: TableClient, ben: User
) -> None:
    pk = await ban_elsewhere(f"{HERE}/32", ben)
    await until(lambda: bans.find(HERE) is not None)
    assert not await connects(casino, HERE)
    assert await connects(casino, THERE)
    await database_sync_to_async(NetworkBan.objects.filter(pk=pk).update)(lifted_at=timezone.now())
    await until(lambda: bans.find(HERE) is None)
    assert await connects(casino, HERE)


async def test_an_error_of_the_database_does_not_end_the_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read, failed = runtime.read_site, []

    def fail_once() -> bool:
        if not failed:
            failed.append(1)
            raise RuntimeError
        return read()

    monkeypatch.setattr(runtime, "read_site", fail_once)
    await database_sync_to_async(HouseSettings.objects.update)(name="Tom's")
    await until(lambda: bool(failed) and site_settings.get().name == "Tom's")


async def connects(table: TableClient, address: str) -> bool:
    communicator = WebsocketCommunicator(
        application,
        socket_url.build_table_url(table.table_id, None, "en"),
        headers=[(b"origin", settings.SITE_ORIGINS[0].encode())],
    )
    communicator.scope["client"] = [address, 54321]
    connected, _ = await communicator.connect(timeout=5)
    await communicator.disconnect()
    return connected
