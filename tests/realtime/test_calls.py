"""Whose turn it is, and who looks at no page of the table, is called once, and told no card."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterator

import pytest
from channels.db import database_sync_to_async
from django.test import Client

from accounts.models import User
from tables.lib import push_keys
from tables.models import PushSubscription, Visit
from tables.realtime import connection_monitor
from tables.social import call_sender
from tests.helpers.push_device import Device, PushService, push_service_here, read_signature
from tests.helpers.table_client import TableClient
from tests.realtime.test_sockets import Page, page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("running")]

Stack = Callable[..., None]
CARDS = "Ts 8s 9h 6h 8h 7d"
NOTHING = 1.0
"""Seconds in which a call would have come."""


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_monitor, "AFTER_COMING", 0.02)
    monkeypatch.setattr(call_sender, "PATIENCE", 0.2)
    monkeypatch.setattr(call_sender, "LOOK_SECONDS", 0.1)


@pytest.fixture
def service() -> Iterator[PushService]:
    with push_service_here() as running:
        yield running


def wish(user: User, device: Device) -> Client:
    """Of a browser with a session of its own, in which no table is open."""
    client = Client()
    client.force_login(user)
    assert client.post("/account/calls/", device.form).status_code == 200
    return client


async def wishes(user: User) -> Device:
    device = Device(user.username)
    await database_sync_to_async(wish)(user, device)
    async with asyncio.timeout(5):
        while user.username not in call_sender.of_process._names:
            await asyncio.sleep(0.02)
    return device


async def look_away(who: Page, table_id: int, user: User, *, on: bool = False) -> None:
    await who.communicator.send_to(f'{{"t":"sight","on":{str(on).lower()}}}')
    visits = Visit.objects.filter(table=table_id, user=user, is_in_sight=on)
    async with asyncio.timeout(5):
        while not await visits.aexists():
            await asyncio.sleep(0.02)


async def sits_and_bets(who: Page) -> None:
    await who.send(t="sit", seat=1)
    await who.send(t="bet", turn=who.table["turn"], stake=1000)


async def take(service: PushService) -> object:
    return await asyncio.to_thread(service.take)


async def test_the_player_is_called_when_the_page_is_out_of_sight(
    casino: TableClient, ann: User, stack: Stack, service: PushService
) -> None:
    stack(CARDS)
    device = await wishes(ann)
    async with page(casino.table_id, ann) as anns:
        await look_away(anns, casino.table_id, ann)
        await sits_and_bets(anns)
        sent = await asyncio.to_thread(service.take)
        notification = device.read(sent)
        assert notification == {
            "title": "Casino – The Card Room",
            "body": "It's your turn.",
            "url": f"/tables/{casino.table_id}/",
        }
        words = " ".join(notification.values()).replace("tables", "").replace("The Card Room", "")
        assert not re.search(r"[2-9TJQKA][shdc]", words)
        assert sent.path == "/to/ann"
        assert 0 < int(sent.headers["ttl"]) <= 30
        key, claims = read_signature(sent)
        assert key == push_keys.get_public_key()
        assert claims["aud"] == "https://push.example"
        assert claims["exp"] < time.time() + 24 * 60 * 60

        # The same turn does not call again, whatever changes at the table.
        await anns.send(t="hints", on=True)
        await asyncio.sleep(NOTHING)
        assert service.is_silent


async def test_nobody_is_called_who_looks_at_the_table(
    casino: TableClient, ann: User, stack: Stack, service: PushService
) -> None:
    stack(CARDS)
    await wishes(ann)
    async with page(casino.table_id, ann) as anns, page(casino.table_id, ann) as second:
        await second.communicator.send_to('{"t":"sight","on":false}')
        await sits_and_bets(anns)
        await asyncio.sleep(NOTHING)
        assert service.is_silent


async def test_who_decides_at_once_is_not_called(
    casino: TableClient, ann: User, stack: Stack, service: PushService
) -> None:
    stack(CARDS)
    await wishes(ann)
    async with page(casino.table_id, ann) as anns:
        await look_away(anns, casino.table_id, ann)
        await sits_and_bets(anns)
        await anns.send(t="stand", turn=anns.table["turn"])
        await asyncio.sleep(NOTHING)
        assert service.is_silent


async def test_a_browser_that_gave_up_its_subscription_is_dropped(
    casino: TableClient, ann: User, stack: Stack, service: PushService
) -> None:
    stack(CARDS)
    service.status = 410
    await wishes(ann)
    async with page(casino.table_id, ann) as anns:
        await look_away(anns, casino.table_id, ann)
        await sits_and_bets(anns)
        await take(service)
        async with asyncio.timeout(5):
            while await PushSubscription.objects.aexists():
                await asyncio.sleep(0.02)


async def test_a_redirect_is_not_followed_and_the_device_stays(
    casino: TableClient, ann: User, stack: Stack, service: PushService
) -> None:
    stack(CARDS)
    service.status = 302
    await wishes(ann)
    async with page(casino.table_id, ann) as anns:
        await look_away(anns, casino.table_id, ann)
        await sits_and_bets(anns)
        await take(service)
        await asyncio.sleep(0.3)
        assert service.is_silent
        assert await PushSubscription.objects.aexists()


async def test_a_command_does_not_wait_for_a_push_service(
    casino: TableClient, ann: User, stack: Stack, service: PushService
) -> None:
    stack(CARDS)
    service.may_answer.clear()
    await wishes(ann)
    async with page(casino.table_id, ann) as anns:
        await look_away(anns, casino.table_id, ann)
        await sits_and_bets(anns)
        await take(service)
        begun = time.monotonic()
        await anns.send(t="hit", turn=anns.table["turn"])
        assert time.monotonic() - begun < 1
