"""How much one address may send over its sockets, whoever plays there."""

from __future__ import annotations

import pytest
from channels.testing import WebsocketCommunicator

from accounts.models import User
from blackjack_site.asgi import application
from tables import pace
from tables.allowance import Allowances
from tests.at_table import AtTable
from tests.tables.test_sockets import ORIGIN, Page, session_cookie

HERE, THERE = "192.0.2.1", "192.0.2.2"


async def opened(table_id: int, user: User, address: str) -> Page:
    communicator = WebsocketCommunicator(
        application, f"/ws/tables/{table_id}/",
        headers=[(b"origin", ORIGIN.encode()), (b"cookie", (await session_cookie(user)).encode())],
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
    casino: AtTable, ann: User, ben: User, monkeypatch: pytest.MonkeyPatch,
    counted: str, command: dict[str, str], code: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(pace, counted, Allowances(per_second=0, at_once=3))
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
