"""One's own account in real browsers: limits at the table, logging out elsewhere, deleting it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from playwright.async_api import expect

from tests.browser.players import PASSWORD, PHONE, WIDE, Evening, Person

CASINO = "Casino table"
SMALL = (320, 640)


async def set_limit(person: Person, heading: str, **fields: str) -> None:
    """In a second page of the same browser, as somebody would who plays."""
    page = await person.page.context.new_page()
    await page.goto(f"{person.url}/account/")
    await page.get_by_role("link", name="Set limits").click()
    part = page.get_by_role("region", name=heading)
    for label, value in fields.items():
        field = part.get_by_label(label.replace("_", " "))
        if value.startswith("After"):
            await field.select_option(label=value)
        else:
            await field.fill(value)
    await part.get_by_role("button", name="Save").click()
    await expect(page.get_by_text("Saved.")).to_be_visible()
    await page.close()


@pytest.mark.long
async def test_ones_own_limits_are_kept_and_told_at_the_table(evening: Evening) -> None:
    evening.server.stack("Ts 6h 8d Kc 5h", "Ts 6h 8d Kc 5h")
    (ann,) = await evening.at_table(CASINO, SMALL)
    await set_limit(ann, "Daily loss limit", Maximum_loss_per_day="30")
    await set_limit(ann, "Reminder", Remind_me="After 30 minutes")
    await ann.bet(20)
    await ann.act("stand")
    await ann.sees_status("You lose 20")

    # The same again would be more than the limit: refused in words, and nothing is staked.
    await expect(ann.bet_button).to_have_text("Rebet 20")
    await ann.bet_button.click()
    error_line = ann.page.locator("#error-line")
    await expect(error_line).to_have_text(
        "This bet exceeds your daily loss limit. You can bet 10 more today."
    )
    await ann.sees_balance("480")

    # Exactly the rest may be staked. The reminder comes meanwhile and takes no focus away.
    await ann.bet(10)
    stand = ann.page.locator("button[data-action='stand']")
    await stand.focus()
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        database.execute("UPDATE tables_seat SET sat_at = datetime('now', '-35 minutes')")
    reminder = ann.page.get_by_role("region", name="Reminder")
    message = "You have been playing for 35 minutes. Your result so far: −20."
    await expect(reminder.get_by_role("status")).to_have_text(message, timeout=40_000)
    await expect(stand).to_be_focused()
    assert await ann.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await ann.act("stand")
    await reminder.get_by_role("button", name="Continue").click()
    await expect(reminder).to_be_hidden()


@pytest.mark.long
async def test_logging_out_everywhere_else_closes_the_tables_there(evening: Evening) -> None:
    (ann,) = await evening.at_table(CASINO, WIDE)
    phone = await evening.person("ann", PHONE)
    await phone.page.goto(f"{phone.url}/accounts/login/")
    await phone.page.get_by_label("Name").fill("ann")
    await phone.page.get_by_label("Password", exact=True).fill(PASSWORD)
    await phone.page.locator("main button[type=submit]").click()
    await phone.page.goto(f"{phone.url}/account/")
    here = phone.page.get_by_role("listitem").filter(has_text="this device")
    await expect(here).to_have_count(1)
    await phone.button("Log out other devices").click()
    await expect(phone.page.get_by_text("logged out on all other devices")).to_be_visible()
    await expect(ann.page.get_by_role("link", name="Log in to play")).to_be_visible(timeout=15_000)

    # The switches of the table stand on the account page as well, and are the same ones.
    await phone.switch("Four-colour deck").click()
    await phone.page.goto(f"{phone.url}/tables/1/")
    await expect(phone.page.locator("html.has-four-colours")).to_have_count(1)


@pytest.mark.long
async def test_an_account_is_deleted_and_its_name_is_gone(evening: Evening) -> None:
    ann, ben = await evening.at_table(CASINO, WIDE, WIDE)
    page = await ann.page.context.new_page()
    await page.goto(f"{ann.url}/account/")
    await page.get_by_role("link", name="Delete my account").click()
    await page.get_by_label("Type your name").fill("ann")
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.get_by_role("button", name="Delete account permanently").click()
    await expect(page.get_by_text("Your account was deleted.")).to_be_visible()
    assert page.url == f"{ann.url}/"
    await expect(ben.seat(1)).not_to_contain_text("ann")
    await expect(ann.page.get_by_role("link", name="Log in to play")).to_be_visible(timeout=15_000)
    assert evening.server.manage("audit").returncode == 0
