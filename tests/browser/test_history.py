"""The pages of the history in a real browser: on a small phone, by keyboard, as files."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from playwright.async_api import Download, Locator, Page, expect

from tests.browser.players import PASSWORD, Evening, Person

SMALL = (320, 640)
LOSE, NATURAL = "Ts Th 7s 9h", "As 9h Kd 7c"


async def see_history(person: Person) -> Locator:
    """Go to the page of the history; its entries."""
    await person.page.goto(f"{person.url}/history/")
    return person.page.locator(".hands-table tbody tr")


async def take(page: Page, name: str) -> str:
    """What is in the file behind this link."""
    async with page.expect_download() as download_info:
        await page.get_by_role("link", name=name).click()
    download: Download = await download_info.value
    return Path(await download.path()).read_bytes().decode()


async def overflow(person: Person) -> int:
    """By how many pixels the page can be scrolled sideways."""
    wide: int = await person.page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return wide


@pytest.mark.long
async def test_rounds_are_filtered_taken_along_and_emptied_on_a_phone(evening: Evening) -> None:
    evening.server.stack(LOSE, NATURAL)
    ann = await evening.player("ann", SMALL)
    await ann.sit("Casino table", 1)
    await ann.bet(10)
    await ann.act("stand")
    await ann.bet_button.click()
    await ann.sees_status("Blackjack")
    entries = await see_history(ann)
    await expect(entries).to_have_count(2)

    await ann.page.get_by_text("Filter", exact=True).click()
    await ann.page.get_by_label("Outcome").select_option("Lost")
    assert await overflow(ann) <= 0
    await ann.page.get_by_role("button", name="Show").click()
    await expect(entries).to_have_count(1)
    await expect(ann.page.get_by_label("Outcome")).to_have_value("lose")
    (lost,) = json.loads(await take(ann.page, "Download JSON"))["rounds"]
    assert lost["hands"][0]["cards"] == "Ts 7s"

    await ann.page.get_by_role("link", name="Clear filters").click()
    await expect(entries).to_have_count(2)
    rows = list(csv.DictReader(io.StringIO(await take(ann.page, "Download CSV"))))
    assert [row["net_in_units"] for row in rows] == ["15.00", "-10.00"]

    await ann.page.get_by_role("link", name="Clear my history").click()
    assert await overflow(ann) <= 0
    await ann.page.get_by_role("button", name="Clear my history").click()
    await ann.page.get_by_label("Password", exact=True).fill(PASSWORD)
    await ann.page.get_by_role("button", name="Continue").click()
    await ann.page.get_by_role("button", name="Send it now").click()
    await expect(ann.page.locator(".field-errors")).to_be_visible()
    await ann.page.get_by_label("Your name").fill("Ann")
    await ann.page.get_by_role("button", name="Clear my history").click()
    await expect(ann.page.get_by_text("Your history is cleared.")).to_be_visible()
    await expect(entries).to_have_count(0)


@pytest.mark.long
async def test_a_game_of_piles_opens_and_closes_by_keyboard(evening: Evening) -> None:
    ann = await evening.player("ann", SMALL)
    evening.server.stack("Ts 9s 9h 8d  " + "2s 2h " * 20)
    await ann.sit("Piles table", 1)
    await ann.page.get_by_role("button", name="New game").click()
    await ann.act("stand")
    await ann.sees_status("You win")
    entries = await see_history(ann)
    await expect(entries).to_have_count(1)
    await expect(entries).to_contain_text("Still in progress.")
    hand = entries.get_by_role("link", name="round")
    await expect(hand).to_be_hidden()
    await entries.locator("summary").focus()
    await ann.press("Enter")
    await expect(hand).to_be_visible()
    assert await entries.locator(".card").count() == 0
    assert await overflow(ann) <= 0
    await ann.press("Tab", "Enter")
    await ann.page.wait_for_url("**/rounds/*/")
