"""Two friends play a match to its end and press Again; two others play a duplicate match."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress

import pytest
from playwright.async_api import TimeoutError as PlaywrightTimeout
from playwright.async_api import expect

from tests.browser.players import PHONE, WIDE, Evening, Person

NARROW = (320, 568)


async def create(person: Person, play: str) -> None:
    """Open a match of five rounds by the form."""
    page = person.page
    await page.goto(f"{person.url}/tables/new/")
    await page.get_by_label("Name of the table").fill("The final")
    await page.get_by_label("What do you play?").select_option(label=play)
    await page.get_by_label("Rounds of the match").fill("5")
    await person.button("Create table").click()


CHOICE = """() => {
  if (document.querySelector("#match-dialog[open]")) return "over";
  const seen = (selector) => document.querySelector(selector)?.checkVisibility();
  if (seen("button[data-action='stand']")) return "stand";
  return seen("#stake-input") && seen("button.bet:not([aria-disabled])") ? "bet" : "wait";
}"""
"""What there is to do on the page, all of it at one moment."""


async def play_on(person: Person) -> bool:
    """Bet the smallest bet or stand, if it is the time for it; returns whether the match is over."""
    choice = await person.page.evaluate(CHOICE)
    with suppress(PlaywrightTimeout):  # It was over before the click: the next look tells.
        if choice == "stand":
            await person.page.locator("button[data-action='stand']").click(timeout=2_000)
        elif choice == "bet":
            await person.page.locator("#stake-input").fill("10", timeout=2_000)
            await person.bet_button.click(timeout=2_000)
    return bool(choice == "over")


async def play_to_the_end(*people: Person) -> None:
    async with asyncio.timeout(60):
        while not all([await play_on(person) for person in people]):
            await asyncio.sleep(0.1)


@pytest.mark.long(seconds=35)
async def test_a_match_of_two_has_a_winner_and_is_played_again(evening: Evening) -> None:
    ann, ben = await evening.player("ann", NARROW), await evening.player("ben", WIDE)
    await create(ann, "A match")
    await ann.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    await ann.sees_status("Waiting for players")
    await ben.page.goto(ann.page.url)
    await ben.seat(2).locator(".sit").click()
    await ben.sees_status("Waiting for ann to start the match")
    await ann.button("Start the match").click()
    await expect(ben.page.locator("#match-words")).to_contain_text("Round 1 of 5")
    await expect(ben.log).to_contain_text("The match begins: 5 rounds.")

    await play_to_the_end(ann, ben)
    for person in (ann, ben):
        await expect(person.page.locator("#match-title")).to_contain_text(
            re.compile("win the match|wins the match|share the first place")
        )
        await expect(person.page.locator("#match-rows tr")).to_have_count(2)
    await expect(ben.log).to_contain_text("Round 5 of 5 is over.")
    await ann.button("Again").click()
    await ann.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    await expect(ann.page.locator("li.seat.is-mine")).to_be_visible()
    await expect(ben.seat(1)).not_to_contain_text("ann", timeout=15_000)
    await expect(ben.log).not_to_contain_text("connection is lost")
    await ben.page.keyboard.press("Escape")
    await ben.page.locator("#controls").get_by_role("link", name="To the next match").click()
    await ben.seat(2).locator(".sit").click()
    await expect(ann.button("Start the match")).to_be_visible()


@pytest.mark.long(seconds=30)
async def test_a_duplicate_match_is_compared_round_by_round(evening: Evening) -> None:
    ann, ben = await evening.player("ann", PHONE), await evening.player("ben", WIDE)
    await create(ann, "A duplicate match")
    await ann.page.wait_for_url(re.compile(r"/matches/\d+/$"))
    await expect(ann.button("Start the match")).to_have_count(0)
    await ben.page.goto(await ann.page.locator("#match-link").input_value())
    await ben.button("Join the match").click()
    await ann.button("Start the match").click()
    await ann.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    # The other page goes to its table by itself.
    await ben.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    assert ann.page.url != ben.page.url

    await play_to_the_end(ann)
    await expect(ann.page.locator("#match-title")).to_have_text(
        "You have played all rounds of the match."
    )
    await ann.page.get_by_role("link", name="Compare with the others").click()
    await expect(ann.page.get_by_text("still playing")).to_be_visible()
    await expect(ann.page.get_by_role("link", name="Replay")).to_have_count(0)
    await play_to_the_end(ben)
    await expect(ann.page.get_by_role("heading", name="Round 5")).to_be_visible()
    await expect(ann.page.get_by_role("link", name="Replay")).to_have_count(10)

    # The other's round has the same shoe, and the browser checks its seal.
    await ann.page.get_by_role("link", name="Replay of round 1 of ben").click()
    await expect(ann.page.get_by_text("This shoe was dealt to 2 players")).to_be_visible()
    await ann.button("Verify this shoe").click()
    await expect(ann.page.locator("#verdicts li").first).to_be_visible()
    await expect(ann.page.locator("#verdicts .is-foul")).to_have_count(0)
