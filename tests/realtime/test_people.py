"""Frames about people: who watches, reactions, notices, and who has a page open."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator

from accounts.models import User
from blackjack_site.asgi import application
from tables.models import OpenPage
from tables.realtime import connection_monitor, publishing
from tables.realtime.connections import socket_url
from tables.social import friends
from tests.helpers.table_client import TableClient
from tests.realtime.test_sockets import ORIGIN, Page, page, session_cookie

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("running")]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AFTER_COMING", "AFTER_GOING", "USERS_AFTER"):
        monkeypatch.setattr(connection_monitor, name, 0.05)


@asynccontextmanager
async def other_page(user: User) -> AsyncIterator[Page]:
    """A page of the user that shows neither a table nor the lobby."""
    cookie = await session_cookie(user)
    communicator = WebsocketCommunicator(
        application,
        socket_url.build_notices_url(user.pk, "en"),
        headers=[(b"origin", ORIGIN.encode()), (b"cookie", cookie.encode())],
    )
    connected, _ = await communicator.connect(timeout=5)
    assert connected
    try:
        yield Page(communicator)
    finally:
        await communicator.disconnect()


async def names(who: Page) -> list[str]:
    frame = await who.frame_of("watching")
    present: list[str] = frame["present"]
    return present


async def test_the_names_of_watchers_come_and_go_without_a_change(
    casino: TableClient, ann: User, ben: User
) -> None:
    guest = await User.objects.acreate(
        username="QuietHeron27", folded="quietheron27", is_guest=True
    )
    async with page(casino.table_id, ann) as anns:
        assert (await anns.frame_of("snapshot"))["seq"] == 0
        assert await names(anns) == ["ann"]
        async with page(casino.table_id, guest) as guests:
            assert await names(anns) == ["ann", "QuietHeron27"]
            assert (await guests.frame_of("snapshot"))["present"] in (
                ["ann"],
                ["ann", "QuietHeron27"],
            )
            await anns.send(t="sit", seat=1)
            async with page(casino.table_id, ben) as bens:
                assert await names(anns) == ["ann", "QuietHeron27", "ben"], "seated or not"
                assert (await bens.frame_of("snapshot"))["table"]["watchers"] in (1, 2)
        while await names(anns) != ["ann"]:
            pass


async def test_a_new_name_is_published(casino: TableClient, ann: User, ben: User) -> None:
    async with page(casino.table_id, ann) as anns, page(casino.table_id, ben):
        while sorted(await names(anns)) != ["ann", "ben"]:
            pass

        def rename() -> None:
            ben.rename("benjamin")
            ben.save()
            publishing.reload_pages(ben.pk)

        await database_sync_to_async(rename)()
        assert sorted(await names(anns)) == ["ann", "benjamin"]


async def test_a_reaction_reaches_all_pages_and_changes_no_seq(
    casino: TableClient, ann: User, ben: User
) -> None:
    async with page(casino.table_id, ann) as anns, page(casino.table_id) as watcher:
        await anns.send(t="sit", seat=1)
        seq = (await anns.send(t="react", reaction="cheers"))["seq"]
        frame = await watcher.frame_of("reacted")
        assert frame == {"t": "reacted", "seat": 1, "player": "ann", "reaction": "cheers"}
        assert seq == 1
        assert (await anns.send(t="react", reaction="ouch"))["code"] == "too_fast"
        assert (await anns.send(t="react", reaction="rude"))["code"] == "bad_cmd"
    async with page(casino.table_id) as visitor:
        answer = await visitor.send(t="react", reaction="cheers", id=str(uuid.uuid4()))
        assert answer["code"] == "login_required"


async def test_a_notice_arrives_at_once_on_every_kind_of_page(
    casino: TableClient, ann: User, ben: User
) -> None:
    def ask() -> None:
        publishing.publish_threadsafe(friends.ask(ann.pk, "ben", casino.now))

    async with page(casino.table_id, ben) as table, other_page(ben) as other:
        assert (await other.frame_of("noticed")) == {"t": "noticed", "count": 0, "notice": None}
        await database_sync_to_async(ask)()
        for who in (table, other):
            frame = await who.frame_of("noticed")
            assert frame["count"] == 1
            assert (frame["notice"]["kind"], frame["notice"]["player"]) == ("asked", "ann")


async def test_a_page_without_a_login_has_no_notices(db: None) -> None:
    communicator = WebsocketCommunicator(
        application, "/ws/notices/", headers=[(b"origin", ORIGIN.encode())]
    )
    await communicator.connect(timeout=5)
    assert await Page(communicator).closed() == 4401


async def test_who_has_a_page_open_is_stored_until_the_last_one_closes(
    casino: TableClient, ann: User
) -> None:
    async def until(is_here: bool) -> None:
        async with asyncio.timeout(5):
            while await OpenPage.objects.filter(user=ann).aexists() != is_here:
                await asyncio.sleep(0.02)

    async with page(casino.table_id, ann):
        async with other_page(ann):
            await until(True)
        await asyncio.sleep(0.2)
        assert await OpenPage.objects.filter(user=ann).acount() == 1
    await until(False)
