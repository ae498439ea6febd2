"""Four friends and three seats: the fourth gets in line and is asked when a seat is free."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest
from playwright.async_api import expect

from tests.browser.players import WIDE, Evening, Person

CASINO = "Casino table"
NARROW = (320, 568)


async def four_friends(evening: Evening, size: tuple[int, int] = WIDE) -> tuple[Person, ...]:
    """ann, ben and cleo have seats, and dora watches."""
    ann, ben, cleo = await evening.at_table(CASINO, WIDE, WIDE, WIDE)
    dora = await evening.player("dora", size)
    await dora.page.goto(ann.page.url)
    return ann, ben, cleo, dora


async def get_in_line(person: Person) -> None:
    await person.button("Get in line").click()
    await expect(person.button("Leave the line")).to_be_visible()


async def leave(person: Person) -> None:
    await person.page.locator("#leave").click()
    await expect(person.page.locator("li.seat.is-mine")).to_have_count(0)


async def test_the_fourth_friend_gets_in_line_and_takes_the_seat_that_is_offered(
    evening: Evening,
) -> None:
    """On a narrow phone; in the next tests on a wide screen."""
    ann, ben, cleo, dora = await four_friends(evening, NARROW)
    await dora.sees_status("You are watching")
    await expect(dora.page.locator("#status-sub")).to_have_text("Every seat is taken.")
    await get_in_line(dora)
    await dora.sees_status("You are next in line")
    for person in (ann, ben, cleo, dora):
        await expect(person.page.locator("#next-in-line")).to_have_text("Next in line: dora")
    await expect(ann.log).to_contain_text("dora gets in line for a seat.")

    await leave(ben)
    await dora.sees_status("Seat 2 is free for you")
    await expect(dora.page.locator("#clock-seconds")).to_be_visible()
    await expect(dora.page.locator("#calls")).to_have_text(
        "Seat 2 is free for you. Take it within 30 seconds."
    )
    assert await dora.page.title() == f"A seat for you – {await ann.page.title()}"
    await expect(ann.log).to_contain_text("Seat 2 is offered to dora.")
    await expect(ben.seat(2).locator(".free-note")).to_have_text("Offered")
    await expect(ben.seat(2).locator(".sit")).to_be_hidden()
    await get_in_line(ben)
    await ben.sees_status("You are number 2 in line")

    await dora.button("Take seat 2").click()
    await expect(dora.page.locator("li.seat.is-mine[data-seat='2']")).to_be_visible()
    await ben.sees_status("You are next in line")
    await ben.button("Leave the line").click()
    await expect(ann.page.locator("#next-in-line")).to_have_text("")


@pytest.mark.long
async def test_who_does_not_want_the_seat_says_so_by_key_and_the_next_one_is_asked(
    evening: Evening,
) -> None:
    ann, ben, _, dora = await four_friends(evening)
    await get_in_line(dora)
    await leave(ben)
    await get_in_line(ben)
    await expect(dora.button("No, thanks")).to_be_visible()
    await dora.button("No, thanks").focus()
    await dora.press("Enter")
    await ben.sees_status("Seat 2 is free for you")
    await expect(ann.log).to_contain_text("dora declines the seat and leaves the line.")
    await expect(dora.page.locator("#status-sub")).to_have_text("Seat 2 is offered to ben.")
    assert await dora.page.evaluate("document.activeElement !== document.body")


@pytest.mark.long
async def test_after_the_time_for_it_an_offer_is_over_and_the_seat_free_for_all(
    evening: Evening,
) -> None:
    _, ben, _, dora = await four_friends(evening)
    await get_in_line(dora)
    await leave(ben)
    await dora.sees_status("Seat 2 is free for you")
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        at = "strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 second')"
        database.execute(f"UPDATE tables_queueentry SET until = {at}")
    await dora.sees_status("Take a free seat")
    await expect(dora.log).to_contain_text("You didn't take seat 2 in time and leave the line.")
    await expect(ben.seat(2).locator(".sit")).to_be_visible()


@pytest.mark.long
async def test_who_comes_by_the_lobby_while_a_seat_is_offered_sees_it_and_gets_in_line_by_key(
    evening: Evening,
) -> None:
    ann, ben, _, dora = await four_friends(evening)
    await get_in_line(dora)
    await leave(ben)
    await dora.sees_status("Seat 2 is free for you")
    erin = await evening.player("erin")
    await erin.page.goto(erin.url)
    card = erin.page.locator(".table-card", has_text=CASINO)
    await expect(card.locator(".place").nth(1)).to_have_text(
        re.compile(r"offered\s+to a player in line")
    )
    await expect(card.get_by_role("button")).to_have_count(0)
    await card.get_by_role("link", name="Watch").click()
    await expect(erin.button("Get in line")).to_be_visible()
    await erin.press("l")
    await expect(ann.log).to_contain_text("erin gets in line for a seat.")
    await dora.press("y")
    await expect(dora.page.locator("li.seat.is-mine[data-seat='2']")).to_be_visible()
