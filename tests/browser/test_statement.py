"""Money as its owner sees it: the statement, and play money when all of it is gone."""

from __future__ import annotations

import csv
import io

from playwright.async_api import Browser, Page, expect

from tests.browser.players import PHONE, Evening, Person
from tests.helpers.servers.process import Server

CASINO = "Casino table"
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


async def lose_everything(person: Person, server: Server) -> None:
    server.stack("Ts 9h 6d Kc Th")
    await person.sit(CASINO, 1)
    await person.bet(500)
    await person.act("stand")
    await person.sees_status("You lose 500")


async def new_tab(person: Person, path: str) -> Page:
    tab = await person.page.context.new_page()
    await tab.goto(f"{person.url}{path}")
    return tab


async def test_who_has_lost_everything_takes_play_money_once_and_the_table_hears_of_it(
    evening: Evening,
) -> None:
    ann = await evening.player("ann")
    await lose_everything(ann, evening.server)
    tab = await new_tab(ann, "/statement/")
    await expect(tab.locator("#sum")).to_contain_text("the closing balance 0: correct.")
    await tab.get_by_role("link", name="Get more chips").click()
    second = await new_tab(ann, "/rebuy/")

    await tab.get_by_role("button", name="Get 500").click()
    await expect(
        tab.get_by_text("You got 500 in play money. Your balance is 500 again.")
    ).to_be_visible()
    await expect(tab.locator("#sum")).to_contain_text("the closing balance 500: correct.")
    await expect(tab.get_by_role("link", name="Get more chips")).to_have_count(0)
    await ann.sees_balance("500")

    await second.get_by_role("button", name="Get 500").click()
    await expect(second.get_by_text("You still have enough for the minimum bet")).to_be_visible()
    await expect(second.locator("#header-balance")).to_have_text("500")


async def test_the_statement_needs_no_scripts_and_fits_a_phone(
    browser: Browser, server: Server
) -> None:
    with_scripts = Evening(browser, server)
    ann = await with_scripts.player("ann", PHONE)
    await lose_everything(ann, server)
    without = await browser.new_context(
        viewport={"width": 320, "height": 640},
        java_script_enabled=False,
        storage_state=await ann.page.context.storage_state(),
    )
    page = await without.new_page()
    await page.goto(f"{server.url}/statement/")
    await expect(page.locator("tbody tr")).to_have_count(2)
    await page.get_by_text("Filter", exact=True).click()
    await page.get_by_label("Kind").select_option("stake")
    await page.get_by_label("First day").fill("2020-01-01")
    await page.get_by_role("button", name="Show", exact=True).click()
    await expect(page.locator("tbody tr")).to_have_count(1)
    await expect(page.locator("#sum")).to_contain_text("Only entries of one kind are shown")
    assert await page.evaluate(SIDEWAYS) == 0

    async with page.expect_download() as downloading:
        await page.get_by_role("link", name="Download all of these").click()
    path = await (await downloading.value).path()
    rows = list(csv.reader(io.StringIO(path.read_text())))
    assert [row[1:3] + row[5:] for row in rows[1:]] == [["bet", CASINO, "-500.00", "0.00", "", "1"]]

    await page.locator("tbody").get_by_role("link", name="round").click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Round")
    await without.close()
