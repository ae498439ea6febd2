"""Who has lost all at a table finds the way on in the console."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.players import PHONE, Evening, Person

LOST = "Ts 9h 6d Kc"


async def lose(person: Person, stake: int) -> None:
    """A stake at the table for one of casino's rules, against a better hand."""
    await person.bet(stake)
    await person.act("stand")
    await person.sees_status(f"You lose {stake}")


async def test_who_has_lost_all_gets_more_chips_and_stays_at_the_table(evening: Evening) -> None:
    evening.server.stack(LOST, LOST)
    (ann,) = await evening.at_table("Casino table", PHONE)
    table = ann.page.url
    await lose(ann, 500)
    more = ann.button("Get more chips")
    await expect(more).to_be_visible()
    await expect(ann.bet_button).to_have_count(0)
    await more.click()
    await ann.sees_balance("500")
    assert ann.page.url == table
    await expect(ann.seat(1)).to_contain_text("ann")
    await expect(ann.page.get_by_role("status").first).to_contain_text("You got 500 in play money.")
    await ann.bet(10)
    await ann.sees_status("Your turn")


@pytest.mark.long
async def test_who_has_bet_all_is_not_told_to_have_nothing_before_the_dealer_has_played(
    evening: Evening,
) -> None:
    evening.context["reduced_motion"] = "no-preference"
    evening.can_stop_time = True
    evening.server.stack("Ts 6h 9d Kc Qd")
    (ann,) = await evening.at_table("Casino table", PHONE)
    await ann.bet(500)
    await ann.sees_status("Your turn")
    await ann.stop_time()
    await ann.act("stand")
    await ann.sees_status("The dealer plays")
    await expect(ann.page.locator("#controls")).to_have_text("")
    await ann.let_time_go_on()
    await ann.sees_status("You win 500")
    await expect(ann.bet_button).to_be_visible()


async def test_who_has_lost_all_and_left_the_seat_still_finds_more_chips(
    evening: Evening,
) -> None:
    evening.server.stack(LOST)
    (ann,) = await evening.at_table("Casino table", PHONE)
    await lose(ann, 500)
    await ann.button("Leave and watch").click()
    card = ann.page.locator("#session-card")
    await expect(card).to_be_visible()
    await card.get_by_role("button", name="Close").click()
    await ann.sees_status("Take a free seat")
    await expect(ann.page.locator("#status-sub")).to_have_text("You need more chips to play.")
    await expect(ann.button("Leave and watch")).to_be_hidden()
    await ann.button("Get more chips").click()
    await ann.sees_balance("500")
    await expect(ann.page.locator("#status-sub")).to_have_text("Or just watch.")
    await expect(ann.button("Get more chips")).to_have_count(0)


@pytest.mark.long
async def test_who_was_given_chips_not_long_ago_reads_when_there_are_more(
    evening: Evening,
) -> None:
    evening.server.stack(LOST, LOST)
    (ann,) = await evening.at_table("Casino table", PHONE)
    await lose(ann, 500)
    await ann.button("Get more chips").click()
    await ann.sees_balance("500")
    await lose(ann, 500)
    await expect(ann.page.locator("#more-chips-why")).to_contain_text("Next top-up:")
    await expect(ann.button("Get more chips")).to_be_hidden()
    await expect(ann.page.get_by_role("link", name="Other tables")).to_be_visible()


async def test_who_has_too_little_for_this_table_is_shown_a_smaller_one(evening: Evening) -> None:
    evening.server.stack(LOST)
    (ann,) = await evening.at_table("Casino table", PHONE)
    await lose(ann, 495)
    await ann.page.get_by_role("link", name="Play at Pot table").click()
    await expect(ann.page.get_by_role("heading", name="Pot table")).to_be_visible()


async def test_play_money_taken_from_a_page_leads_back_to_it_and_nowhere_else(
    evening: Evening,
) -> None:
    ann = await evening.player("ann")
    for back, end in (("/leaderboard/", "/leaderboard/"), ("https://elsewhere.example/", "")):
        await ann.page.goto(f"{ann.url}/rebuy/?next={back}")
        link = ann.page.locator("main .aside a")
        assert await link.get_attribute("href") == (end or "/statement/")
