"""An evening with chips of a table: a stack is lost, another one is given, and the sheet follows."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.browser.players import PHONE, WIDE, Evening


@pytest.mark.long
async def test_friends_play_with_chips_of_a_table_and_share_the_sheet(evening: Evening) -> None:
    evening.server.stack("Ts 9s Td 8h 9h 9d")
    ann = await evening.player("ann", WIDE)
    ben = await evening.player("ben", PHONE)
    await ann.page.goto(f"{ann.url}/tables/new/")
    await ann.page.get_by_label("Name of the table").fill("Friday")
    await expect(ann.page.get_by_label("Chips in a stack")).to_be_hidden()
    await ann.page.get_by_label("Chips of this table").check()
    await ann.page.get_by_label("Chips in a stack").fill("200")
    await ann.button("Create table").click()
    await expect(ann.figure("stack")).to_contain_text("200")
    await ben.page.goto(ann.page.url)
    await ben.page.get_by_role("button", name=re.compile("seat 2", re.I)).click()
    await expect(ben.figure("stack")).to_contain_text("200")
    await ann.bet(200)
    await ben.bet(10)
    for one in (ann, ben):
        await one.sees_status("Your turn")
        await one.act("stand")
    # Ann has lost everything, and her own wallet still has 500.
    await ann.button("Take another stack of 200").click()
    await expect(ann.figure("stack")).to_contain_text("200")
    await expect(ben.log).to_contain_text("ann takes another stack")
    await ann.button("Host").click()
    await ann.button("Close table").first.click()
    await ann.page.locator("#sure-yes").click()
    await ben.page.locator("#closed-sheet").click()
    await expect(ben.page.get_by_role("heading", name="Settlement sheet")).to_be_visible()
    await expect(ben.page.locator(".sheet-payments")).to_contain_text("ann gives the dealer 200")
    async with ben.page.expect_download() as saved:
        await ben.button("Save picture").click()
    assert (await saved.value).suggested_filename.endswith(".png")
    assert await ben.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
async def test_a_host_on_a_phone_sees_that_somebody_asks_for_a_stack(evening: Evening) -> None:
    evening.server.stack("Ts 9s Td 9h 8h 9d")
    ann = await evening.player("ann", PHONE)
    ben = await evening.player("ben", WIDE)
    await ann.page.goto(f"{ann.url}/tables/new/")
    await ann.page.get_by_label("Name of the table").fill("Friday")
    await ann.page.get_by_label("Chips of this table").check()
    await ann.page.get_by_label("Chips in a stack").fill("200")
    await ann.page.get_by_label("More stacks").fill("0")
    await ann.button("Create table").click()
    await expect(ann.seat(1)).to_contain_text("ann")
    await ben.page.goto(ann.page.url)
    await ben.page.get_by_role("button", name=re.compile("seat 2", re.I)).click()
    await ann.bet(10)
    await ben.bet(200)
    for one in (ann, ben):
        await one.sees_status("Your turn")
        await one.act("stand")
    asked = ann.page.locator("#host-asked")
    await expect(asked).to_be_hidden()
    await ben.button("Ask ann for another stack").click()
    await expect(asked).to_be_visible()
    host = ann.page.get_by_role("button", name=re.compile(r"^Host 1 ask for a stack"))
    await host.click()
    await ann.page.get_by_role("button", name="Give a stack: ben").click()
    await expect(ben.figure("stack")).to_contain_text("200")
    await expect(asked).to_be_hidden()
