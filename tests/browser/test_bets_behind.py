"""Four friends and three seats: the fourth is a guest on a phone and bets behind."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.players import WIDE, Evening

PHONE = (320, 640)
ANN_DOUBLES = "5s Ts Th 6h  6s 9d 9h Td  Kc 9c"
"""ann has 11 and gets a ten; ben and cleo have 19; the dealer has 16 and is bust."""


@pytest.mark.long
async def test_a_guest_on_a_phone_bets_behind_a_friend_who_doubles(evening: Evening) -> None:
    evening.server.stack(ANN_DOUBLES)
    ann, ben, cleo = await evening.at_table("Casino table", WIDE, WIDE, WIDE)
    dora = await evening.person("dora", PHONE)
    await dora.page.goto(f"{dora.url}/accounts/login/")
    await dora.page.get_by_role("button", name="Play as guest").click()
    await dora.page.wait_for_url(f"{dora.url}/")
    await dora.page.goto(ann.page.url)
    await dora.seat(1).get_by_role("button", name="Bet behind ann").click()
    dialog = dora.page.get_by_role("dialog")
    await dialog.get_by_label("Amount").fill("10")
    await dialog.get_by_label("Go along on double and split").check()
    assert await dora.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await dialog.locator("#behind-yes").click()
    await expect(dora.seat(1)).to_contain_text("you 10")
    await expect(cleo.seat(1)).to_contain_text(" 10")
    for person in (ann, ben, cleo):
        await person.bet(50)
    await ann.act("double")
    await ben.act("stand")
    await cleo.act("stand")
    await dora.sees_status("You win 20 behind ann.")
    await dora.sees_balance("520")
    await ann.sees_balance("600")
    await dora.page.goto(f"{dora.url}/statement/")
    await expect(dora.page.get_by_role("main")).to_contain_text("behind ann")
    await dora.page.goto(f"{dora.url}/history/")
    await expect(dora.page.get_by_role("main")).to_contain_text("behind ann")
    assert not any(person.complaints for person in (ann, ben, cleo, dora))


@pytest.mark.long
async def test_who_has_left_is_told_what_became_of_a_bet_behind(evening: Evening) -> None:
    evening.server.stack("Ts Th 9h 9s 9d Kc", "Ts 9h 9d 8c")
    ann, ben = await evening.at_table("Casino table", WIDE, WIDE)
    await ann.bet(10)
    await ben.bet(10)
    await ann.sees_status("Your turn")
    await ann.button("Leave seat").click()
    await ann.button("Stand and leave").click()
    await ben.act("stand")
    await ann.sees_status("You left.")
    await ann.seat(2).get_by_role("button", name="Bet behind ben").click()
    dialog = ann.page.get_by_role("dialog")
    await dialog.get_by_label("Amount").fill("20")
    await dialog.locator("#behind-yes").click()
    await expect(ann.page.locator("#status-sub")).to_have_text("You bet 20 behind ben.")
    await ben.bet(10)
    await ben.act("stand")
    await ann.sees_status("You win 20 behind ben.")
