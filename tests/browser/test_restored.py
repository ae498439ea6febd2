"""The house goes on from a backup while a page of it is open."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.players import LONG, PHONE, Evening
from tests.helpers.servers.process import Server


@pytest.mark.long
async def test_an_open_page_shows_the_house_as_it_was_and_does_nothing_twice(
    evening: Evening, server: Server, tmp_path: Path
) -> None:
    server.stack("8s 6h 8d Kc 2c 3d 9s Th", "5s 6h 6d Kc 2c 3d 9s Th")
    ann = await evening.player("ann", PHONE)
    await ann.sit("Casino table", 1)
    await ann.bet(10)
    await ann.sees_status("Your turn")
    cards = ann.page.locator("li.seat.is-mine .card")
    result = await asyncio.to_thread(server.manage, "backup", str(tmp_path))
    assert result.returncode == 0, result.stderr
    (backup,) = tmp_path.glob("*.tar.gz")
    # So much happens that the page has seen a far higher seq than it will be told afterwards.
    await ann.act("hit")
    await expect(cards).to_have_count(3)
    await ann.act("stand")
    await ann.sees_status("You lose 10")
    await ann.bet(10)
    await ann.sees_status("Your turn")
    await expect(ann.page.locator("button[data-action='stand']")).to_be_enabled()
    await asyncio.to_thread(server.stop)
    await expect(ann.page.locator("#connection")).to_contain_text("Connection lost")
    await ann.act("stand")  # it waits for the connection, and its hand will never have been
    restored = await asyncio.to_thread(server.manage, "restore", str(backup), "--yes")
    assert restored.returncode == 0, restored.stderr
    await asyncio.to_thread(server.start)
    await expect(ann.page.locator("#connection")).to_have_text("", timeout=LONG)
    # The round of the backup is void too, with its stake back: secrets that were told since must
    # be of no use. Its shoe is another one.
    await ann.sees_status("Place your bet")
    await expect(cards).to_have_count(0)
    server.stack("8s 6h 8d Kc 2c 3d 9s Th")
    await ann.bet(10)
    await ann.sees_status("Your turn")
    await ann.act("stand")
    await expect(ann.page.locator("#status-main")).not_to_contain_text("Your turn")
