"""Somebody who plays at once, and keeps the account later."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.players import PASSWORD, Evening

CASINO = "Casino table"


async def test_a_guest_plays_at_once_and_keeps_seat_and_account(evening: Evening) -> None:
    ann = await evening.person("ann")
    await ann.page.goto(f"{ann.url}/accounts/login/")
    await ann.page.get_by_role("button", name="Play as guest").dblclick()
    await ann.page.wait_for_url(f"{ann.url}/")
    await ann.sit(CASINO, 2)

    tab = await ann.page.context.new_page()
    await tab.goto(f"{ann.url}/accounts/keep/")
    await tab.get_by_label("Name", exact=True).fill("Marguerite")
    await tab.get_by_label("Password", exact=True).fill(PASSWORD)
    await tab.get_by_role("button", name="Save this account").click()
    await expect(tab.get_by_text("Your account is saved")).to_be_visible()

    # The table's page hears that its session is over, and loads itself again under the new one.
    mine = ann.page.locator("li.seat.is-mine[data-seat='2']")
    await expect(ann.page.locator(".account-name")).to_have_text("Marguerite", timeout=40_000)
    await expect(mine).to_contain_text("Marguerite")


async def test_who_signs_up_types_the_password_once_and_may_look_at_it(evening: Evening) -> None:
    ann = await evening.person("ann", (360, 740))
    await ann.page.goto(f"{ann.url}/accounts/signup/")
    field = ann.page.get_by_label("Password", exact=True)
    show = ann.page.get_by_role("button", name="Show password")
    await field.fill(PASSWORD)
    await expect(field).to_have_attribute("type", "password")
    await show.click()
    await expect(field).to_have_attribute("type", "text")
    await expect(field).to_be_focused()
    await expect(show).to_have_attribute("aria-pressed", "true")
    await ann.page.get_by_label("Name", exact=True).fill("ann")
    await field.press("Enter")
    await ann.page.wait_for_url(f"{ann.url}/")
