"""An evening of friends: who asks, reacts, watches and is invited, each on a screen of their own."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from playwright.async_api import expect

from tests.browser.players import WIDE, Evening, Person

NARROW = (320, 640)


def make_private(evening: Evening, name: str, host: str) -> None:
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        database.execute(
            "UPDATE tables_table SET is_private = 1, maker_id ="
            " (SELECT id FROM accounts_user WHERE username = ?) WHERE name = ?",
            (host, name),
        )


async def bell(person: Person, number: int) -> None:
    await expect(person.page.locator("#bell-count")).to_have_text(str(number))


@pytest.mark.long
async def test_friends_are_made_at_a_table_and_invited_to_the_next(evening: Evening) -> None:
    ann, ben = await evening.at_table("Casino table", WIDE, NARROW)
    watcher = await evening.player("dora")
    await watcher.page.goto(ann.page.url)

    # Who watches has a name.
    await expect(ann.page.locator("#watcher-count")).to_have_text("1")
    await ann.button("People").click()
    await expect(ann.page.locator("#people-watching .host-name")).to_have_text("dora")

    # Ann asks ben, whose pages are told at once.
    await ann.button("Ask to be friends ben").click()
    await expect(ann.page.locator("#people-done")).to_have_text("You have asked ben.")
    await ann.press("Escape")
    await ben.page.locator("#bell-news a").click()
    await expect(ben.page).to_have_title("Friends – The Card Room")
    await ben.button("Accept ann").click()
    await expect(ben.page.locator("#friends")).to_contain_text("at Casino table")
    await bell(ann, 1)

    # Reactions, by key and button; not of somebody muted.
    await ben.page.go_back()
    await ben.page.go_back()
    await expect(ben.seat(2)).to_have_class("seat is-mine")
    await ann.press("e", "4")
    await expect(watcher.seat(1).locator(".reaction")).to_have_text("Thanks")
    await expect(watcher.page.locator("#chat-voice")).to_have_text("ann: Thanks")
    await expect(ann.page.locator("#reactions")).to_be_hidden()
    await watcher.page.evaluate("localStorage.muted = '[\"ben\"]'")
    await watcher.page.reload()
    await expect(watcher.seat(2)).to_be_visible()
    await ben.button("Chat").click()
    await ben.button("React").click()
    await ben.page.locator(".reaction-button", has_text="Nice hand").click()
    await expect(ann.seat(2).locator(".reaction")).to_have_text("Nice hand")
    await expect(watcher.page.locator(".reaction")).to_have_count(0)

    # An invite by name opens a private table.
    make_private(evening, "Vegas table", "ann")
    await ann.sit("Vegas table", 1)
    assert (await ben.page.request.get(f"{evening.url}/tables/2/")).status == 404
    await ann.button("Invite").first.click()
    await ann.button("Invite ben").click()
    await expect(ann.page.locator("#invite-people-done")).to_have_text("You have invited ben.")
    await ben.page.goto(f"{evening.url}/friends/")
    await ben.page.get_by_role("link", name="Go to the table").first.click()
    await expect(ben.page.locator("h1")).to_have_text("Vegas table")
