"""A player with a name of another script, in another time zone, at a table that is new."""

from __future__ import annotations

import re

from playwright.async_api import Browser, expect

from tests.browser.players import PHONE, Evening, Person
from tests.helpers.servers.process import Server


async def person_in(browser: Browser, server: Server, name: str, zone: str) -> Person:
    width, height = PHONE
    context = await browser.new_context(
        viewport={"width": width, "height": height}, timezone_id=zone, locale="en-US"
    )
    return Person(name, await context.new_page(), server.url)


async def test_times_are_those_of_the_browser(browser: Browser, server: Server) -> None:
    ann = await person_in(browser, server, "ann", "America/New_York")
    await ann.sign_up()
    await ann.page.goto(f"{ann.url}/statement/")
    time = ann.page.locator(".line-time time").first
    moment = await time.get_attribute("datetime")
    assert moment is not None
    assert re.search(r"-0[45]:00$", moment), moment
    there = await time.evaluate(
        "at => new Date(at.dateTime).toLocaleTimeString('en-GB', {hour: '2-digit', minute: '2-digit'})"
    )
    await expect(time).to_contain_text(str(there))
    await expect(ann.page.locator("thead")).not_to_contain_text("UTC")
    assert ann.complaints == []


async def test_a_name_of_any_script_signs_up_plays_and_logs_in_again(
    browser: Browser, server: Server
) -> None:
    person = await person_in(browser, server, "مريم", "Asia/Riyadh")
    page = person.page
    await page.goto(f"{person.url}/accounts/signup/")
    await page.get_by_label("Name", exact=True).fill("a name that is far too long for this")
    await page.get_by_label("Password", exact=True).fill("blackjack-21!")
    await page.get_by_role("button", name="Sign up").last.click()
    await expect(page.locator(".field-errors").first).to_contain_text("A name can't have spaces.")
    await person.sign_up()
    await page.goto(f"{person.url}/accounts/logout/")
    await page.get_by_role("button", name="Log out").last.click()
    await page.goto(f"{person.url}/accounts/login/")
    await page.get_by_label("Name", exact=True).fill("مريم")
    await page.get_by_label("Password", exact=True).fill("blackjack-21!")
    await page.get_by_role("button", name="Log in", exact=True).click()
    await expect(page.locator(".account-name")).to_have_text("مريم")
    await expect(page.locator("h1")).to_contain_text("مريم")


async def test_the_log_of_a_table_begins_with_round_1_whatever_was_played_elsewhere(
    evening: Evening,
) -> None:
    ann = await evening.player("ann")
    for _ in range(2):
        evening.server.stack("Ts 9h 7d Kc Th")
    await ann.sit("Casino table", 1)
    await ann.bet(10)
    await ann.act("stand")
    await ann.sees_status("You")
    ben = await evening.player("ben")
    await ben.sit("Vegas table", 1)
    await ben.bet(10)
    await expect(ben.page.locator(".log-round").first).to_have_text("Round 1")
    await expect(ben.page.locator("#shoe-title")).to_have_text("Shoe 1", use_inner_text=False)
