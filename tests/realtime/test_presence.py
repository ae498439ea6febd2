"""What open pages hear of the people around the table, through real consumers."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.db import OperationalError

from accounts.models import User
from tables import access
from tables.models import Table, Visit
from tables.protocol.topics import EVICTIONS
from tables.realtime import connection_monitor, runtime
from tests.game.test_host_commands import close, made_by, renew
from tests.helpers.table_client import TableClient
from tests.realtime.test_sockets import Page, page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("running")]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long before somebody is missed."""
    monkeypatch.setattr(connection_monitor, "AFTER_COMING", 0.05)
    monkeypatch.setattr(connection_monitor, "AFTER_GOING", 0.2)
    monkeypatch.setattr("tables.game.seats.TO_ARRIVE", dt.timedelta(0))


async def make_table(maker: User, *, is_private: bool = False) -> TableClient:
    return await database_sync_to_async(made_by)(maker, is_private=is_private)


async def frame_with(page: Page, event: str) -> dict[str, Any]:
    """The next change in which this happened."""
    while True:
        change = await page.frame_of("changed")
        if event in [entry["type"] for entry in change["events"]]:
            return change


async def watched_by(page: Page, number: int) -> None:
    """Wait until so many look on: who comes a little later than others may be counted apart."""
    while (await page.frame_of("watching"))["watchers"] != number:
        pass


async def test_an_outsider_of_a_private_table_is_told_that_there_is_none(
    ann: User, dora: User
) -> None:
    friday = await make_table(ann, is_private=True)
    for user in (None, dora):
        async with page(friday.table_id, user) as outsider:
            assert await outsider.closed() == 4404
            assert outsider.heard == []
    async with page(friday.table_id, ann) as anns:
        assert (await anns.frame_of("snapshot"))["you"]["runs"]


async def test_a_new_invite_hangs_up_on_who_may_not_stay(ann: User, ben: User, dora: User) -> None:
    friday = await make_table(ann, is_private=True)
    for user in (ben, dora):
        await database_sync_to_async(lambda u=user: access.grant_access(friday.row, u.pk))()
    await database_sync_to_async(friday.sit)(ben, 2)
    async with (
        page(friday.table_id, ann) as anns,
        page(friday.table_id, ben) as bens,
        page(friday.table_id, dora) as doras,
    ):
        for looking in (anns, bens, doras):
            await looking.frame_of("snapshot")
        await anns.send(t="renew")
        assert await doras.closed() == 4404
        await frame_with(bens, "invite_renewed")
        await bens.communicator.send_to(text_data='{"t":"resync"}')
        code = (await Table.objects.aget(pk=friday.table_id)).code
        assert (await bens.frame_of("snapshot"))["you"]["invite"] == code
        assert code not in "".join(doras.heard)


async def test_a_new_invite_that_was_not_heard_of_hangs_up_when_the_house_is_heard_again(
    ann: User, dora: User
) -> None:
    """Another process renewed it while nothing came through from there."""
    friday = await make_table(ann, is_private=True)
    await database_sync_to_async(lambda: access.grant_access(friday.row, dora.pk))()
    async with page(friday.table_id, ann) as anns, page(friday.table_id, dora) as doras:
        for looking in (anns, doras):
            await looking.frame_of("snapshot")
        await database_sync_to_async(friday.send)(ann, renew())
        await runtime.resync_topics({EVICTIONS})
        assert await doras.closed() == 4404
        assert (await anns.send(t="sit", seat=1))["t"] == "done"


async def test_closing_hangs_up_on_everybody(ann: User) -> None:
    table = await make_table(ann)
    async with page(table.table_id) as watcher, page(table.table_id, ann) as anns:
        await watcher.frame_of("snapshot")
        await anns.send(t="close")
        await frame_with(watcher, "table_closed")
        assert await watcher.closed() == 4404
        assert await anns.closed() == 4404


async def test_pages_that_could_not_be_checked_are_checked_again(
    ann: User, dora: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database fails just when a page has to be closed: it would be sent the table for ever."""
    monkeypatch.setattr(connection_monitor, "AFTER_FAILURE", 0.05)
    friday = await make_table(ann, is_private=True)
    await database_sync_to_async(lambda: access.grant_access(friday.row, dora.pk))()
    fails = 4  # more often than the writer tries
    find = connection_monitor._find_allowed

    def find_or_fail(*args: Any) -> Any:
        nonlocal fails
        if fails:
            fails -= 1
            raise OperationalError("server closed the connection")
        return find(*args)

    async with page(friday.table_id, ann) as anns, page(friday.table_id, dora) as doras:
        await doras.frame_of("snapshot")
        monkeypatch.setattr(connection_monitor, "_find_allowed", find_or_fail)
        await anns.send(t="renew")
        async with asyncio.timeout(10):
            assert await doras.closed() == 4404
    assert not fails


async def test_who_looks_on_is_counted(casino: TableClient, ann: User, dora: User) -> None:
    await database_sync_to_async(casino.sit)(ann, 1)
    async with page(casino.table_id, ann) as anns:
        await anns.frame_of("snapshot")
        async with page(casino.table_id, dora), page(casino.table_id):
            await watched_by(anns, 2)
            async with page(casino.table_id) as late:
                watchers = (await late.frame_of("snapshot"))["table"]["watchers"]
                assert watchers in (2, 3), "whether this page is counted yet is a matter of time"
        await watched_by(anns, 0)


async def test_everybody_hears_who_lost_the_connection_and_who_is_back(
    casino: TableClient, ann: User, ben: User
) -> None:
    await database_sync_to_async(casino.sit)(ben, 2)
    async with page(casino.table_id, ann) as anns:
        async with page(casino.table_id, ben) as bens:
            await bens.frame_of("snapshot")
            while not await Visit.objects.filter(table=casino.table_id, user=ben).aexists():
                await asyncio.sleep(0.01)  # who was never seen to come is not seen to go
        departure = await frame_with(anns, "player_away")
        assert departure["events"] == [{"type": "player_away", "seat": 2, "player": "ben"}]
        assert departure["table"]["seats"][1]["away"] <= departure["now"]
        async with page(casino.table_id, ben):
            back = await frame_with(anns, "player_back")
            assert "away" not in back["table"]["seats"][1]


@pytest.mark.long
async def test_a_page_that_is_loaded_again_is_no_news(
    casino: TableClient, ann: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_monitor, "AFTER_GOING", 4.0)
    await database_sync_to_async(casino.sit)(ben, 2)
    async with page(casino.table_id, ann) as anns:
        async with page(casino.table_id, ben) as bens:
            await bens.frame_of("snapshot")
            await anns.frame_of("watching")
            anns.heard.clear()  # ben may have been missed until this page was open
        async with page(casino.table_id, ben) as again:
            await again.frame_of("snapshot")
            await asyncio.sleep(4.3)
            await again.communicator.send_to(text_data='{"t":"resync"}')
            await again.frame_of("snapshot")
            await anns.send(t="sit", seat=1)  # both have heard by now what came before
        assert not any("player_away" in text for text in [*anns.heard, *again.heard])
        assert await Visit.objects.filter(user=ann).acount() == 1


async def test_two_pages_of_one_player_are_one_person(
    casino: TableClient, ann: User, ben: User
) -> None:
    await database_sync_to_async(casino.sit)(ben, 2)
    async with page(casino.table_id, ben) as first, page(casino.table_id, ann) as anns:
        await first.frame_of("snapshot")
        async with page(casino.table_id, ben) as second:
            await second.frame_of("snapshot")
            await asyncio.sleep(0.2)
        await asyncio.sleep(0.5)
        await anns.send(t="sit", seat=1)
        assert not any("player_away" in text for text in anns.heard)


async def test_talk_reaches_everybody_and_who_comes_later(
    casino: TableClient, ann: User, dora: User
) -> None:
    async with page(casino.table_id, ann) as anns, page(casino.table_id, dora) as doras:
        for looking in (anns, doras):
            await looking.frame_of("snapshot")
        assert (await doras.send(t="say", text="<b>Good evening</b>"))["t"] == "done"
        frame = await anns.frame_of("said")
        assert frame["line"]["player"] == "dora"
        assert frame["line"]["text"] == "<b>Good evening</b>"
        assert frame["before"] == 0
        async with page(casino.table_id) as late:
            assert (await late.frame_of("snapshot"))["chat"] == [frame["line"]]
            await doras.send(t="unsay", line=frame["line"]["line"])
            assert (await late.frame_of("unsaid"))["line"] == frame["line"]["line"]
    assert (await Table.objects.aget(pk=casino.table_id)).seq == 0


async def test_who_is_not_logged_in_does_not_talk(casino: TableClient) -> None:
    async with page(casino.table_id) as watcher:
        answer = await watcher.send(t="say", text="hello")
        assert (answer["t"], answer["code"]) == ("err", "login_required")


@pytest.mark.parametrize(
    "command",
    [
        {"t": "say"},
        {"t": "say", "text": 5},
        {"t": "say", "text": "x" * 1001},
        {"t": "lock", "on": "yes"},
        {"t": "free", "seat": 9},
        {"t": "hand_on", "player": ""},
        {"t": "silence", "player": "ben"},
        {"t": "unsay", "line": 0},
        {"t": "close", "now": True},
    ],
)
async def test_what_makes_no_sense_is_refused(
    casino: TableClient, ann: User, command: dict[str, Any]
) -> None:
    async with page(casino.table_id, ann) as anns:
        assert (await anns.send(**command))["code"] == "bad_cmd"
        assert (await anns.send(t="sit", seat=1))["t"] == "done"


async def test_a_closed_table_is_none(ann: User) -> None:
    table = await make_table(ann)
    await database_sync_to_async(table.send)(ann, close())
    async with page(table.table_id, ann) as anns:
        assert await anns.closed() == 4404


async def test_a_renewed_public_table_shuts_nobody_out(ann: User, dora: User) -> None:
    table = await make_table(ann)
    async with page(table.table_id, dora) as doras:
        await doras.frame_of("snapshot")
        await database_sync_to_async(table.send)(ann, renew())
        await asyncio.sleep(0.3)
        assert (await doras.send(t="sit", seat=1))["t"] == "done"
