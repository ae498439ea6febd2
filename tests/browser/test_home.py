"""Home, in a browser: from the login to the game that waits, and out of it."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.players import PASSWORD, Evening
from tests.browser.states.tables import bet, friends


@pytest.mark.long
async def test_a_game_is_resumed_and_quit_from_home(evening: Evening) -> None:
    evening.server.stack("8s Td 6h 8d 9c Kc 2c 3d 9s Th")
    ann, ben = await friends(evening, "Casino table", 2)
    await bet(ann, ben)
    await ann.sees_status("Your turn")

    await ann.page.goto(f"{ann.url}/accounts/logout/")
    await ann.page.locator("main button[type=submit]").click()
    await ann.page.goto(f"{ann.url}/accounts/login/")
    await ann.page.get_by_label("Name").fill("ann")
    await ann.page.get_by_label("Password", exact=True).fill(PASSWORD)
    await ann.page.locator("main button[type=submit]").click()
    await ann.page.wait_for_url(f"{ann.url}/home/")
    seats = ann.page.get_by_role("region", name="Your seats")
    await expect(seats).to_contain_text("It's your turn.")
    await expect(seats).to_contain_text("20 bet.")

    await seats.get_by_role("link", name="Resume").click()
    await ann.sees_status("Your turn")
    await ann.page.get_by_role("link", name="Home").click()
    await seats.get_by_role("link", name="Quit").click()
    await expect(ann.page.locator("main")).to_contain_text("It will stand with its bet")
    await ann.page.get_by_role("button", name="Leave table").click()
    await expect(ann.page.get_by_role("status").first).to_contain_text("stands")
    await ben.sees_status("Your turn")
    await ben.act("stand")
    await expect(ben.page.locator("li.seat", has_text="ann")).to_have_count(0)
    await ann.page.reload()
    await expect(seats).to_contain_text("You have no seat at a table.")
