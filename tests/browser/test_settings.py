"""Comfort at the table: bets that can be changed, auto-rebet, and keys."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.players import PHONE, Evening, Person

CASINO = "Casino table"
SMALL = (320, 640)


async def ready(person: Person) -> None:
    """Until the page waits for no answer of the server."""
    await expect(person.page.locator("#controls .action[aria-disabled]")).to_have_count(0)


# Bets


@pytest.mark.parametrize("cards", ["Ts 9h 6h 7d", "Ts 9h Ah 7d"])
async def test_the_question_whether_to_bet_all_ends_with_the_betting(
    cards: str, evening: Evening
) -> None:
    """Its answer would be of no use, and it would lie over the next hand. With a natural the round is
    over at once.
    """
    evening.server.stack(cards)
    (ann,) = await evening.at_table(CASINO, PHONE)
    await ann.button("All in").click()
    question = ann.page.locator("#sure-dialog")
    await expect(question).to_be_visible()
    second = Person("ann", await ann.page.context.new_page(), ann.url)
    await second.page.goto(ann.page.url)
    await second.bet(10)
    await expect(question).to_be_hidden()


async def test_a_stake_is_put_together_taken_apart_and_doubled(evening: Evening) -> None:
    evening.server.stack("Ts 6h 9d Kc Th", "Ts 6h 9d Kc Th")
    (ann,) = await evening.at_table(CASINO, PHONE)
    await expect(ann.bet_button).to_have_attribute("aria-disabled", "true")
    for name in ("Add 10", "Add 25", "Add 10"):
        await ann.page.get_by_role("button", name=name, exact=True).click()
    await expect(ann.bet_button).to_have_text("Bet 45")
    await ann.button("Undo").click()
    await expect(ann.bet_button).to_have_text("Bet 35")
    await ann.button("2×").click()
    await expect(ann.bet_button).to_have_text("Bet 70")
    await ann.button("Undo").click()
    await expect(ann.bet_button).to_have_text("Bet 35")
    await ann.button("Clear").click()
    await expect(ann.bet_button).to_have_text("Bet")

    # What would be more than there is cannot be added.
    await ann.page.get_by_label("Your bet").fill("300")
    await expect(ann.button("2×")).to_have_attribute("aria-disabled", "true")
    await expect(ann.button("Add 500")).to_have_attribute("aria-disabled", "true")
    await ann.page.get_by_label("Your bet").fill("30")
    await ann.bet_button.click()
    await ann.act("stand")
    await ann.sees_status("You win 30")

    # The last stake lies ready, can be had again after clearing, and doubled.
    await expect(ann.bet_button).to_have_text("Rebet 30")
    await ann.page.get_by_role("button", name="Add 10", exact=True).click()
    await ann.button("Clear").click()
    await expect(ann.bet_button).to_have_text("Rebet 30")
    await ann.button("2×").click()
    await expect(ann.bet_button).to_have_text("Bet 60")
    await ann.bet_button.click()
    await ann.sees_status("Your turn")
    await expect(ann.figure("your-stake")).to_have_text("60")


async def test_all_in_asks_first_and_keeps_to_the_tables_maximum(evening: Evening) -> None:
    evening.server.stack("Ts 6h 9d Kc Th")
    (ann,) = await evening.at_table(CASINO, SMALL)
    await ann.button("All in").click()
    question = ann.page.get_by_role("dialog", name="All in?")
    await expect(question).to_contain_text("Bet 500 on the next hand?")
    await expect(question).to_contain_text("That is all you have")
    await ann.press("Enter")  # On "No, go back".
    await expect(question).to_be_hidden()
    await expect(ann.button("All in")).to_be_focused()
    await ann.sees_balance("500")
    await ann.press("a")
    await question.get_by_role("button", name="Bet 500").click()
    await ann.sees_status("Your turn")
    await ann.sees_balance("0")
    await ann.act("stand")
    await ann.sees_balance("1,000")

    await ann.button("Leave").click()
    await ann.sit("Pot table", 1)
    await ann.button("All in").click()
    await expect(question).to_contain_text("Bet 500 on the next hand?")
    await expect(question).to_contain_text("the most you can bet now")


async def test_a_question_that_is_asked_again_at_once_waits_for_its_own_answer(
    evening: Evening,
) -> None:
    evening.server.stack("Ts 6h 9d Kc Th")
    (ann,) = await evening.at_table(CASINO, SMALL)
    await ann.button("All in").click()
    question = ann.page.get_by_role("dialog", name="All in?")
    await expect(question).to_be_visible()
    # In one breath: the browser tells of the close only when the dialog is open again.
    await ann.page.locator("button", has_text="All in").evaluate(
        "(again) => (document.getElementById('sure-no').click(), again.click())"
    )
    await expect(question).to_be_visible()
    await question.get_by_role("button", name="Bet 500").click()
    await ann.sees_status("Your turn")


@pytest.mark.long
async def test_a_bet_is_changed_and_taken_back_until_the_cards_fall(evening: Evening) -> None:
    evening.server.stack("Ts 9s 6h 9d 8d Kc Th")
    ann, ben = await evening.at_table(CASINO, PHONE, SMALL)
    await ann.bet(10)
    await expect(ben.seat(1)).to_contain_text("10")
    await ann.button("Change bet").click()
    await expect(ann.bet_button).to_have_text("Keep 10")
    await ann.page.get_by_role("button", name="Add 25", exact=True).click()
    await ann.bet_button.click()
    await expect(ben.seat(1)).to_contain_text("35")
    await expect(ben.log).to_contain_text("ann changes the bet to 35.")
    await expect(ben.log).not_to_contain_text("undoes the bet")
    await ann.sees_balance("465")

    # The whole of one's money counts while changing: what lies there comes back first.
    await ready(ann)
    await ann.press("b")
    await ann.page.get_by_label("Your bet").fill("500")
    await expect(ann.page.locator("#bet-why")).to_have_text("")
    await ann.button("Back").click()
    await ann.sees_status("Waiting for ben")
    await expect(ann.seat(1)).to_contain_text("35")

    await ann.button("Undo bet").click()
    await ann.sees_balance("500")
    await expect(ben.log).to_contain_text("ann undoes the bet.")
    await expect(ann.bet_button).to_have_text("Rebet 35")
    await expect(ann.bet_button).to_be_enabled()
    await ann.press("r")
    await ready(ann)
    await ben.bet(10)
    await ann.sees_status("Your turn")
    await expect(ann.button("Undo bet")).to_have_count(0)
    await ann.act("stand")
    await ben.act("stand")
    await ann.sees_balance("535")
    audit = evening.server.manage("audit")
    assert audit.returncode == 0, audit.stderr


async def test_who_is_in_without_a_stake_can_be_out_again(evening: Evening) -> None:
    ann = await evening.player("ann")
    ben = await evening.player("ben", PHONE)
    await ann.sit("Classic table", 1)
    await ben.sit("Classic table", 2)
    await ann.button("Deal me in").click()
    await ann.sees_status("Waiting for ben")
    await expect(ann.button("Change bet")).to_have_count(0)
    await ann.button("Sit this one out").click()
    await expect(ann.button("Deal me in")).to_be_visible()
    await expect(ben.log).to_contain_text("ann sits this one out.")


# Auto-rebet


async def test_auto_rebet_bets_again_after_a_moment_in_which_it_can_be_stopped(
    evening: Evening,
) -> None:
    evening.can_stop_time = True
    evening.server.stack(*["Ts 6h 9d Kc Th"] * 4)
    (ann,) = await evening.at_table(CASINO, SMALL)
    switch = ann.switch("Auto-rebet")
    why = ann.page.locator("#bet-why")
    await expect(switch).to_have_attribute("aria-checked", "false")
    await switch.click()
    await expect(switch).to_have_attribute("aria-checked", "true")
    await ann.bet(25)
    await ann.sees_status("Your turn")
    await ann.stop_time()
    await ann.act("stand")
    await expect(why).to_contain_text("Betting 25 again")
    await ann.let_pass(1_400)  # The result can be read.
    await expect(why).to_contain_text("Betting 25 again")
    await ann.sees_status("You win 25")
    await ann.let_pass(200)
    await ann.sees_status("Your turn")
    await ann.sees_balance("500")
    await ann.let_time_go_on()

    # Kept with the page; any touch stops it this once.
    await ann.page.reload()
    await ann.sees_status("Your turn")
    await ann.stop_time()
    await ann.act("stand")
    await expect(why).to_contain_text("Betting 25 again")
    await ann.page.get_by_role("button", name="Add 10", exact=True).click()
    await expect(ann.bet_button).to_have_text("Bet 10")
    await ann.let_pass(2_000)
    await expect(ann.bet_button).to_be_enabled()
    await ann.sees_balance("550")
    await expect(switch).to_have_attribute("aria-checked", "true")
    await ann.bet_button.click()
    await ann.act("stand")
    await expect(why).to_contain_text("Betting 10 again")
    await ann.press("o")
    await ann.let_pass(2_000)
    await expect(ann.bet_button).to_be_enabled()
    await ann.sees_balance("560")


@pytest.mark.long
async def test_auto_rebet_stops_when_a_clock_runs_out(evening: Evening) -> None:
    evening.server.stack("Ts 6h 9d Kc Th", "Ts 6h 9d Kc Th")
    (ann,) = await evening.at_table(CASINO, PHONE)
    await ann.press("o")
    evening.set_at_all_tables("turn_seconds", 1)
    await ann.bet(25)
    await ann.sees_status("You win 25")
    switch = ann.switch("Auto-rebet")
    await expect(switch).to_have_attribute("aria-checked", "false")
    off = "Auto-rebet is off: your time ran out."
    await expect(ann.page.locator("#bet-why")).to_have_text(off)
    await expect(ann.log).to_contain_text(off)
    await ann.page.wait_for_timeout(2_000)
    await ann.sees_balance("525")


async def test_auto_rebet_stakes_nothing_for_a_page_out_of_sight(evening: Evening) -> None:
    evening.can_stop_time = True
    evening.server.stack("Ts 6h 9d Kc Th", "Ts 6h 9d Kc Th")
    (ann,) = await evening.at_table(CASINO, PHONE)
    await ann.press("o")
    await ann.bet(25)
    await ann.sees_status("Your turn")
    await ann.stop_time()
    await ann.act("stand")
    await expect(ann.page.locator("#bet-why")).to_contain_text("again. Tap here")
    await ann.look_away(hidden=True)
    await ann.let_pass(2_000)
    await expect(ann.log).to_contain_text("Auto-rebet is off: this page was in the background.")
    await ann.look_away(hidden=False)
    await expect(ann.page.get_by_role("switch")).to_have_attribute("aria-checked", "false")
    await ann.sees_balance("525")


# Keys


async def test_whole_rounds_by_keys_alone(evening: Evening) -> None:
    evening.server.stack("8s 6h 8d Kc 2c Ts 3d 9s Th", "Ts 6h 9d Kc Th")
    (ann,) = await evening.at_table(CASINO, (1280, 800))
    await ann.press("1", "2", "1", "Backspace", "d")
    await expect(ann.bet_button).to_have_text("Bet 70")
    await ann.press("x", "2")
    await expect(ann.bet_button).to_have_text("Bet 25")
    await ann.press("Enter")
    await ann.sees_status("Your turn")
    await ready(ann)
    await ann.press("p")
    await ann.sees_status("first hand")
    await ready(ann)
    await ann.press("d")
    await ann.sees_status("second hand")
    await ready(ann)
    await ann.press("h")
    await expect(ann.seat(1).locator(".card")).to_have_count(6)
    await ready(ann)
    await ann.press("s")
    await ann.sees_status("you are")
    await expect(ann.bet_button).to_be_enabled()
    await ann.press("r")
    await ann.sees_status("Your turn")
    await ready(ann)
    await ann.press("s")
    await ann.sees_status("You win 25")


async def test_keys_are_left_alone_where_they_mean_something_else(evening: Evening) -> None:
    evening.server.stack("Ts 6h 9d Kc 2h Th")
    ann, _ = await evening.at_table(CASINO, (1280, 800), PHONE)
    for key in ("Control+1", "Alt+1", "Meta+1"):
        await ann.press(key)
    await expect(ann.bet_button).to_have_text("Bet")
    await ann.page.get_by_label("Your bet").focus()
    await ann.press("1", "5")
    await expect(ann.bet_button).to_have_text("Bet 15")
    await ann.press("x", "a")
    await expect(ann.page.get_by_role("dialog")).to_have_count(0)
    await ann.page.get_by_label("Your bet").fill("")
    await ann.page.locator("h1").click()
    await ann.button("Rules").click()
    await ann.press("1")
    await ann.press("Escape")
    await expect(ann.bet_button).to_have_text("Bet")
    await ann.button("Rules").evaluate("button => button.blur()")
    await ann.page.keyboard.down("1")
    await ann.page.keyboard.down("1")  # A key that is held down says its letter again.
    await ann.page.keyboard.up("1")
    await expect(ann.bet_button).to_have_text("Bet 10")


KEYS = {
    CASINO: (["H", "S", "D", "P", "1 – 9", "R", "A", "O", "T", "M", "?"], ["I", "U"]),
    "Vegas table": (["I", "N", "U", "H", "L", "Y"], []),
    "Classic table": (["H", "S", "Y", "N", "T"], ["D", "P", "1 – 9", "I", "U", "A"]),
}
"""Those that have a meaning at a table, and some that have none."""


@pytest.mark.long
async def test_the_list_of_keys_names_what_has_a_meaning_at_each_table(evening: Evening) -> None:
    ann = await evening.player("ann")
    for table, (there, missing) in KEYS.items():
        await ann.sit(table, 1)
        await ann.press("?")
        dialog = ann.page.get_by_role("dialog", name="Keys")
        await expect(dialog.get_by_role("button", name="Close")).to_be_focused()
        keys = await dialog.locator("kbd").all_inner_texts()
        assert set(there) <= set(keys), table
        assert not set(missing) & set(keys), table
        await ann.press("Escape")
        await expect(dialog).to_be_hidden()
        await ann.button("Keys").click()
        await expect(dialog).to_be_visible()
        await ann.press("Escape")
        await expect(ann.button("Keys")).to_be_focused()
