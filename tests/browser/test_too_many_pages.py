"""More pages with a table than one player may have: the first says so, and stays away."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

from tests.adversarial.raw_socket import open_raw
from tests.browser.players import Evening


@pytest.mark.long
async def test_a_page_that_was_closed_for_another_says_so_and_does_not_come_back(
    evening: Evening,
) -> None:
    ann = await evening.player("ann")
    await ann.page.goto(f"{ann.url}/tables/1/")
    # Told over her own socket only: it is the oldest.
    await expect(ann.page.locator("#company-words")).to_contain_text("1 watching")
    sockets: list[str] = []
    ann.page.on("websocket", lambda socket: sockets.append(socket.url))
    cookies = await ann.page.context.cookies()
    sent = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in cookies)
    others = [await open_raw(ann.url, "/ws/tables/2/", cookies=sent) for _ in range(4)]
    for raw in others:
        await raw.message_of("snapshot")
    await expect(ann.page.locator("#connection")).to_have_text("")
    others.append(await open_raw(ann.url, "/ws/tables/2/", cookies=sent))
    await expect(ann.page.locator("#connection")).to_contain_text("more than five table pages")
    await asyncio.sleep(3)  # a page that comes back does so within a second
    assert sockets == []
    await ann.page.reload()
    await expect(ann.page.locator("#connection")).to_have_text("")
    assert await others[0].closed() == 4409
    for raw in others:
        raw.drop()
