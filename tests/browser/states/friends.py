"""A table of one's own, from the form that makes it to its end."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.browser.players import PHONE, WIDE, Evening, Person
from tests.browser.states.tables import See, dialogs


async def own_table(evening: Evening, see: See) -> None:
    ann = await evening.player("ann")
    link = await make_table(ann, see)
    await see("own table, nobody else", ann)
    ben = await evening.person("ben")
    await ben.page.goto(link)
    await see("invited", ben)
    await ben.page.locator("main").get_by_role("button", name="Play as guest").click()
    await expect(ben.page.locator("li.seat.is-mine")).to_be_visible()
    await say(ben, "Good evening")
    await say(ann, "Please sit down")
    await expect(ben.page.locator(".chat-line")).to_have_count(2)
    await see("own table, with a guest", ann)
    await see("guest", ben)
    await dialogs(ann, see)
    await chat(ann, see)
    await ben.page.goto(f"{ben.url}/accounts/keep/")
    await see("keep this account", ben)
    await expect(ann.page.locator("li.seat[data-seat='2']")).to_contain_text("reconnecting")
    await see("a friend is away", ann)
    await ann.page.get_by_role("button", name="Host", exact=True).click()
    await ann.page.get_by_role("button", name="Close table").click()
    await see("dialog: are you sure?", ann)
    await ann.page.locator("#sure-dialog").get_by_role("button", name="Close table").click()
    await expect(ann.page.locator("#closed")).to_contain_text("This table is closed.")
    await see("table closed", ann)


async def make_table(person: Person, see: See) -> str:
    """Make a private table by the form, and give back its invite link."""
    await person.page.goto(f"{person.url}/tables/new/")
    await person.page.get_by_text("More options").click()
    await see("new table", person)
    await person.page.get_by_label("Name of the table").fill("")
    await person.page.get_by_role("button", name="Create table").click()
    await expect(person.page.get_by_role("alert")).to_be_visible()
    await see("new table refused", person)
    await person.page.get_by_label("Name of the table").fill("Friday night")
    await person.page.get_by_label("Private").set_checked(True)
    await person.page.get_by_role("button", name="Create table").click()
    await person.page.wait_for_url(re.compile(r"/tables/\d+/$"))
    link = person.page.locator("#invite-link")
    await expect(link).to_have_value(re.compile(r"/join/\w{8}/$"))
    return await link.input_value()


async def say(person: Person, words: str) -> None:
    await person.page.get_by_label("Write a message").fill(words)
    await person.page.keyboard.press("Enter")


async def chat(person: Person, see: See) -> None:
    """The chat as a phone opens it, its phrases, and what can be done about a line."""
    await person.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    await person.page.locator("#chat-toggle").click()
    await person.page.get_by_role("button", name="Quick phrases").click()
    await see("chat with quick phrases", person)
    await person.page.locator(".chat-more").first.click()
    await see("dialog: a chat message", person)
    await person.page.keyboard.press("Escape")
    await person.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    await person.page.locator("#chat-close").click()
    await person.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
