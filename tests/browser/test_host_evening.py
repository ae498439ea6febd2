"""The host runs an evening: a break, other limits, somebody who has to go and comes back."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.browser.players import PHONE, Evening, Person
from tests.browser.test_private_table import agrees, comes_by, makes_table, opens_host, sits_at


async def log_says(person: Person, words: str) -> None:
    """The log of the round is in a panel that may be closed."""
    await expect(person.page.locator("#log")).to_contain_text(words)


@pytest.mark.long
async def test_a_host_pauses_changes_the_limits_bans_and_takes_back(evening: Evening) -> None:
    ann = await evening.player("ann", PHONE)
    link = await makes_table(ann)
    ben = await evening.player("ben")
    await comes_by(ben, link, 2)

    # A pizza.
    host = await opens_host(ann)
    await host.get_by_role("button", name="Pause the table").click()
    await expect(host.get_by_role("button", name="Resume")).to_be_visible()
    notices = {one: one.page.locator("[data-news='paused']") for one in (ann, ben)}
    await expect(notices[ann]).to_contain_text("You have paused this table.")
    await expect(notices[ben]).to_contain_text("The host has paused this table.")
    await expect(notices[ben].get_by_role("button", name="Resume")).to_have_count(0)
    await log_says(ann, "You have paused this table.")
    await log_says(ben, "ann has paused this table.")
    await expect(ben.page.locator("#status-main")).to_have_text("The table is paused")
    await host.get_by_role("button", name="Close", exact=True).click()
    await notices[ann].get_by_role("button", name="Resume").click()
    await expect(notices[ben]).to_be_hidden()
    await expect(notices[ann]).to_be_hidden()
    await log_says(ben, "ann has resumed this table")

    # Higher bets, on a phone.
    host = await opens_host(ann)
    await host.get_by_role("link", name="Table settings").click()
    await expect(ann.page.get_by_role("heading", level=1)).to_have_text("Table settings")
    width = await ann.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert width <= 0
    await ann.page.get_by_text("More options").click()
    await ann.page.get_by_label("Minimum bet").fill("50")
    await ann.page.get_by_label("Seconds to bet").fill("40")
    await ann.page.get_by_role("button", name="Save settings").click()
    await ann.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    await expect(ann.page.get_by_text("Saved.")).to_be_visible()
    await log_says(ben, "ann has changed the settings of this table.")
    await ben.page.get_by_role("button", name="Reload").click()
    await sits_at(ben, 2)

    # Ben has to go.
    host = await opens_host(ann)
    await host.get_by_role("button", name="Ban: ben").click()
    await agrees(ann, "Ban ben")
    await expect(ben.page.locator("#closed-title")).to_have_text(
        "The host has banned you from this table."
    )
    await log_says(ann, "The host has banned ben from this table.")
    await ben.page.goto(link)
    await expect(ben.page.locator("body")).to_contain_text(
        "The host has banned you from this table."
    )

    # And comes back.
    await host.get_by_role("button", name="Take back: ben").click()
    await expect(host.get_by_role("button", name="Take back: ben")).to_have_count(0)
    await log_says(ann, "The host has taken the ban of ben back.")
    await comes_by(ben, link, 2)


@pytest.mark.long
async def test_a_pause_returns_a_bet_and_the_one_behind_it(evening: Evening) -> None:
    ann = await evening.player("ann")
    link = await makes_table(ann)
    ben, cleo = await evening.player("ben"), await evening.player("cleo")
    await comes_by(ben, link, 2)
    await comes_by(cleo, link, 3)
    await cleo.button("Leave seat").click()
    await cleo.seat(2).get_by_role("button", name="Bet behind ben").click()
    dialog = cleo.page.get_by_role("dialog")
    await dialog.get_by_label("Amount").fill("10")
    await dialog.locator("#behind-yes").click()
    await expect(ben.seat(2)).to_contain_text("cleo 10")
    await ben.bet(20)
    host = await opens_host(ann)
    await host.get_by_role("button", name="Pause the table").click()
    await log_says(ben, "Your bet is returned.")
    await log_says(ann, "ben's bet is returned.")
    await expect(ben.page.locator("#log")).not_to_contain_text("undo")
