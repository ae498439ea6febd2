"""How much one address may send over its sockets, whoever plays there."""

from __future__ import annotations

import asyncio

import pytest
from channels.testing import WebsocketCommunicator

from accounts.models import User
from blackjack_site.asgi import application
from tables.lib.token_bucket import TokenBucket, TokenBuckets
from tables.realtime.connections import consumers, rate_limits
from tests.helpers.table_client import TableClient
from tests.realtime.test_sockets import ORIGIN, Page, session_cookie

HERE, THERE = "192.0.2.1", "192.0.2.2"


async def opened(table_id: int, user: User | None, address: str) -> Page:
    cookie = await session_cookie(user) if user is not None else ""
    communicator = WebsocketCommunicator(
        application, f"/ws/tables/{table_id}/",
        headers=[(b"origin", ORIGIN.encode()), (b"cookie", cookie.encode())],
    )  # fmt: skip
    communicator.scope["client"] = [address, 50_000]
    assert (await communicator.connect(timeout=5))[0]
    page = Page(communicator)
    await page.frame_of("snapshot")
    return page


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
@pytest.mark.parametrize(
    ("counted", "command", "code"),
    [
        ("commands", {"t": "leave"}, "not_seated"),
        ("lines", {"t": "say", "text": "Hello!"}, "done"),
    ],
)
async def test_one_address_sends_so_much_whoever_plays_there(
    casino: TableClient, ann: User, ben: User, monkeypatch: pytest.MonkeyPatch,
    counted: str, command: dict[str, str], code: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(rate_limits, counted, TokenBuckets(per_second=0, at_once=3))
    pages = [await opened(casino.table_id, user, HERE) for user in (ann, ben)]
    pages.append(await opened(casino.table_id, ben, THERE))
    try:
        answers = []
        for number in (0, 1, 0, 1, 0, 2):
            answer = await pages[number].send(**command)
            answers.append(answer.get("code", answer["t"]))
        assert answers == [code] * 3 + ["too_fast"] * 2 + [code]
    finally:
        for page in pages:
            await page.communicator.disconnect()


async def answered(page: Page) -> bool:
    """Whether a page that asks for the table has it at once."""
    await page.communicator.send_to(text_data='{"t":"resync"}')
    try:
        async with asyncio.timeout(0.5):
            await page.frame_of("snapshot")
    except TimeoutError:
        return False
    return True


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("running")
async def test_case_52_who_asks_for_the_table_again_and_again_has_it_later(
    casino: TableClient, ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "LOOK_LATER_SECONDS", 1.5)
    monkeypatch.setattr(rate_limits, "looks", TokenBuckets(per_second=0, at_once=3))
    monkeypatch.setattr(rate_limits, "strangers_looks", TokenBucket(per_second=0, at_once=4))
    here = [await opened(casino.table_id, None, HERE) for _ in range(2)]
    there, hers = (
        await opened(casino.table_id, None, THERE),
        await opened(casino.table_id, ann, THERE),
    )
    try:
        assert [await answered(here[number]) for number in (0, 1, 0, 1)] == [True] * 3 + [False]
        assert [await answered(there) for _ in range(2)] == [True, False]  # four strangers looked
        assert await answered(hers)
        await here[1].frame_of("snapshot")  # they come after all
        await there.frame_of("snapshot")
    finally:
        for page in (*here, there, hers):
            await page.communicator.disconnect()
