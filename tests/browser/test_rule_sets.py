"""One evening at each of the six rule sets, from the lobby to the result, in real browsers."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from contextlib import closing

import pytest
from playwright.async_api import Locator, expect

from tests.browser.players import PHONE, WIDE, Evening, Person

SMALL = (320, 640)


async def press(person: Person, *keys: str) -> None:
    """Keys, as soon as the page waits for nothing else."""
    for key in keys:
        await expect(person.page.locator("#controls [aria-disabled]")).to_have_count(0)
        await person.page.keyboard.press(key)


async def sees_sub(person: Person, text: str) -> None:
    await expect(person.page.locator("#status-sub")).to_contain_text(text)


async def hears(person: Person, *sentences: str) -> None:
    for sentence in sentences:
        await expect(person.page.get_by_role("log", name="Round log")).to_contain_text(sentence)


async def answers(person: Person, answer: str) -> None:
    await person.answer(answer)


async def sees_hands(person: Person, number: int, *hands: str) -> None:
    """The hands of a seat, their cards as text, as soon as they lie there."""
    cards = [hand.split() for hand in hands]
    for _ in range(100):
        if await person.cards_of(number) == cards:
            return
        await asyncio.sleep(0.05)
    assert await person.cards_of(number) == cards


def seat(person: Person, number: int) -> Locator:
    return person.page.locator(f"li.seat[data-seat='{number}']")


def figure(person: Person, name: str) -> Locator:
    return person.page.locator(f"[data-figure='{name}'] dd")


async def sees_piles(person: Person, **cards: int) -> None:
    """How many cards lie where, by the name of the pile."""
    for name, count in cards.items():
        words = person.page.locator(f"[data-pile='{name}'] .pile-count")
        await expect(words).to_have_text(f"{count} card{'' if count == 1 else 's'}")


async def fits(person: Person) -> bool:
    """Whether the page cannot be scrolled sideways."""
    wide: bool = await person.page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    return wide


def assert_books_add_up(evening: Evening) -> None:
    audit = evening.server.manage("audit")
    assert audit.returncode == 0, audit.stderr


@pytest.mark.long
async def test_vegas_with_insurance_even_money_surrender_and_four_hands(evening: Evening) -> None:
    evening.server.stack(
        "9s Ts Ah 9h 7d Kc",
        "As Ts Ah Kd 7d 9c",
        "8s Ts 6h 8h 9d Kc 8d 8c 2c 3c 4c 5c Tc",
    )
    ann = await evening.player("ann", SMALL)
    ben = await evening.player("ben")
    await ann.sit("Vegas table", 1)
    await ben.sit("Vegas table", 2)
    meter = ann.page.locator("#shoe")
    await expect(meter).to_contain_text("312 of 312 left · cut card in 234")
    await expect(meter).to_contain_text("Sealed shoe")

    # Against an ace everybody is asked; the dealer has blackjack.
    await ann.bet(20)
    await ben.bet(10)
    await ann.sees_status("Insurance?")
    await sees_sub(ann, "Half your bet (10) pays 2 to 1 if the dealer has blackjack.")
    await expect(ann.page.locator("#calls")).to_contain_text(
        re.compile(r"^You have \d+\. Insurance\? Half your bet")
    )
    await ben.sees_status("Insurance?")
    await expect(ann.page.get_by_role("button", name="Insure")).to_contain_text("+10")
    await press(ann, "i")
    await ann.sees_status("Waiting for ben")
    await sees_sub(ann, "You insure for 10.")
    await expect(seat(ben, 1)).to_contain_text("decided")
    await press(ben, "n")
    await ann.sees_status("You lose 20 – the dealer has blackjack. Insurance pays 20")
    await ann.sees_status("you break even")
    await ben.sees_status("You lose 10 – the dealer has blackjack.")
    await hears(ben, "ann insures for 10.", "You decline insurance.", "ann's insurance pays 20.")
    await ann.sees_balance("500")
    await ben.sees_balance("490")

    # Even money for a blackjack; ben gives half of his stake up.
    await ann.bet(20)
    await ben.bet(10)
    await ann.sees_status("Take even money?")
    await sees_sub(ann, "Dealer may have blackjack. Win 20 now?")
    await expect(ann.button("Take even money")).to_be_visible()
    await ann.act("insure")
    await sees_sub(ann, "You take even money.")
    await ben.act("decline")
    await ben.sees_status("Your turn")
    await hears(ben, "The dealer checks the hole card: no blackjack.", "ann's insurance loses: 10.")
    await expect(ben.page.locator("button[data-action='surrender']")).to_contain_text("5 back")
    await press(ben, "u")
    await ben.sees_status("You surrender – 5 is returned.")
    await ann.sees_status("Blackjack! You win 30. Insurance costs 10 – you are 20 up.")
    await hears(ann, "ben surrenders and gets 5 back.")
    await ann.sees_balance("520")
    await ben.sees_balance("485")

    # Eights are split until there are four hands.
    await ann.bet(20)
    await ben.bet(10)
    await ann.sees_status("Your turn")
    await press(ann, "p", "p")
    await sees_hands(ann, 1, "8s 2c", "8d 3c", "8h 8c")
    await press(ann, "s", "s", "p")
    await sees_hands(ben, 1, "8s 2c", "8d 3c", "8h 4c", "8c 5c")
    await ann.sees_status("third hand")
    assert await fits(ann)
    await press(ann, "s", "s")
    await ben.sees_status("Your turn")
    await press(ben, "s")
    await ann.sees_status("Your four hands: 4 won – you are 80 up.")
    await ann.sees_balance("600")
    assert_books_add_up(evening)


@pytest.mark.long(seconds=20)
async def test_vegas_asks_three_players_about_insurance_at_once(evening: Evening) -> None:
    """The last seat answers first, and the one in the middle lets the clock run out."""
    evening.server.stack("9s Ks 7s As Th Ah 8h 6d 2c 3c 4c 5c")
    ann, ben, cleo = await evening.at_table("Vegas table", SMALL, WIDE, PHONE)
    dora = await evening.person("dora")
    await dora.page.goto(ann.page.url)
    evening.set_at_all_tables("turn_seconds", 15)
    for person in (ann, ben, cleo):
        await person.bet(20)
    await ann.sees_status("Insurance?")
    await ben.sees_status("Take even money?")
    await cleo.sees_status("Insurance?")
    await dora.sees_status("Insurance: 0 of 3 have decided")
    for person in (ann, ben, cleo):
        await expect(person.page.locator("#clock-seconds")).not_to_be_empty()
    await cleo.act("insure")
    await cleo.sees_status("Waiting for ann and ben")
    await sees_sub(cleo, "You insure for 10.")
    await cleo.sees_balance("470")
    await dora.sees_status("Insurance: 1 of 3 have decided")
    await expect(seat(ann, 3)).to_contain_text("decided")
    await expect(seat(ann, 3)).not_to_contain_text("10")
    await hears(ann, "cleo has decided on insurance.")
    await expect(ann.page.locator("#controls")).to_have_attribute("data-mode", "insurance")

    await cleo.page.reload()
    await sees_sub(cleo, "You insure for 10.")
    await ann.act("decline")
    await ann.sees_status("Waiting for ben")
    await sees_sub(ann, "You decline insurance.")
    await ann.sees_status("Your turn")  # ben has let the clock run out
    await hears(
        dora, "ann declines insurance.", "Time ran out for ben.", "ben declines insurance.",
        "cleo insures for 10.", "The dealer checks the hole card: no blackjack.",
    )  # fmt: skip
    await cleo.sees_balance("470")
    await ben.sees_balance("530")
    assert_books_add_up(evening)


@pytest.mark.long
async def test_vegas_who_does_not_answer_takes_no_insurance(evening: Evening) -> None:
    evening.server.stack("9s Ah 9h Kc")
    ann = await evening.player("ann")
    await ann.sit("Vegas table", 1)
    evening.set_at_all_tables("turn_seconds", 1)
    await ann.bet(10)
    await ann.sees_status("You lose 10 – the dealer has blackjack.")
    await hears(ann, "Time ran out for you.", "You decline insurance.")


async def test_pot_where_a_tie_is_the_dealers(evening: Evening) -> None:
    evening.server.stack("Ts 9s 9c Jc Th 9h", "Ts 9s 9c Tc Th Jh")
    ann = await evening.player("ann", SMALL)
    ben = await evening.player("ben")
    await ann.sit("Pot table", 1)
    await ben.sit("Pot table", 2)
    await expect(figure(ann, "rack")).to_have_text("10,000")
    await ann.bet(10)
    await expect(seat(ben, 1)).to_contain_text("Pot 20")
    await expect(figure(ben, "rack")).to_have_text("9,990")
    await ben.bet(25)
    await ann.act("stand")
    await ben.act("stand")
    for person, stake in ((ann, 10), (ben, 25)):
        await person.sees_status(f"Tie – the dealer wins: you lose {stake}.")
    await hears(ann, "ben loses 25: the dealer wins ties.")
    await expect(figure(ann, "rack")).to_have_text("10,035")
    await ann.sees_balance("490")
    sub = ann.page.locator("#status-sub")
    await expect(sub).to_be_visible()
    await expect(sub).to_have_text("Play again? Bet, or leave.")
    assert await fits(ann)
    assert_books_add_up(evening)
    await expect(ann.button("Add 2").first).to_be_enabled()
    await ann.page.locator("#leave").click()
    await ann.page.locator("#session-card").get_by_role("link", name="Home").click()
    await ann.page.wait_for_url(f"{ann.url}/home/")


async def test_pot_refuses_a_stake_that_the_dealer_cannot_match(evening: Evening) -> None:
    ann = await evening.player("ann")
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        database.execute("UPDATE accounts_account SET balance = 1500 WHERE kind = 'rack'")
    await ann.sit("Pot table", 1)
    await ann.bet(25)
    await expect(ann.page.get_by_role("alert").filter(has_text="can't match")).to_be_visible()
    await ann.sees_balance("500")
    await ann.bet(10)
    await ann.sees_status("Your turn")


@pytest.mark.long(seconds=10)
async def test_classic_asks_whether_to_play_again_and_goes_on_with_who_said_yes(
    evening: Evening,
) -> None:
    evening.server.stack("Ts 9s 8c 9c 7c Td Th 8h", "As 6s Kh 9h Td")
    ann = await evening.player("ann")
    ben = await evening.player("ben", PHONE)
    cleo = await evening.player("cleo", SMALL)
    friends = (ann, ben, cleo)
    for number, person in enumerate(friends, start=1):
        await person.sit("Classic table", number)
        await expect(
            person.page.locator(".figure:not([data-figure='session']), #header-balance")
        ).to_have_count(0)
    for person in friends:
        await answers(person, "Deal me in")
    for person in friends:
        await person.sees_status("Your turn")
        await expect(person.page.locator("button.action")).to_have_count(2)
        await person.act("stand")
    await ann.sees_status("You win with 19 against the dealer's 18.")
    await sees_sub(ann, "Play again? Answer before time runs out to keep your seat.")
    said = ann.page.locator("#said")
    await expect(said).to_have_attribute("aria-live", "polite")  # the result is read out first
    await expect(said).to_contain_text(
        re.compile(r"Play again\? Answer within \d+ seconds to keep your seat\. Yes or no\?")
    )
    await expect(seat(ann, 1)).to_contain_text("Won 1 · Lost 0 · Pushed 0")
    await expect(seat(cleo, 2)).to_contain_text("Won 0 · Lost 1 · Pushed 0")
    assert await fits(cleo)
    await press(ann, "y")
    await ann.sees_status("Waiting for ben and cleo")
    await answers(ben, "No, leave")
    await ben.sees_status("Take a free seat")
    # cleo says nothing until her time is over, which is soon now.
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        database.execute("UPDATE tables_table SET deadline_at = datetime('now', '+1 second')")
    await cleo.sees_status("You didn't answer in time, so your seat was released.")
    await hears(ann, "ben leaves seat 2.", "cleo loses seat 3: no answer.")
    await ann.sees_status("Your turn")
    await sees_sub(ann, "soft 17 against the dealer's 9")
    await ann.act("stand")
    await ann.sees_status("You lose with 17 against the dealer's 19.")
    await expect(seat(ann, 1)).to_contain_text("Won 1 · Lost 1 · Pushed 0")


async def test_heads_up_until_the_player_says_no(evening: Evening) -> None:
    evening.server.stack("As 6s Kh 9h 5d Ac Kd", "Ts 9s Kh 9h")
    ann = await evening.player("ann", PHONE)
    await ann.sit("Heads-up table", 1)
    await press(ann, "Enter")
    await sees_sub(ann, "soft 17 against the dealer's 9")
    await press(ann, "h")
    await sees_sub(ann, "12 against")
    await press(ann, "h")
    await sees_sub(ann, "13 against")
    await press(ann, "h")
    await ann.sees_status("Bust with 23.")
    assert await ann.dealer_cards() == ["Kh", "9h"]
    await press(ann, "y")
    await ann.sees_status("Your turn")
    await press(ann, "s")
    await ann.sees_status("Push – 19 each.")
    await expect(seat(ann, 1)).to_contain_text("Won 0 · Lost 1 · Pushed 1")
    await press(ann, "n")
    await ann.sees_status("Take a free seat")


@pytest.mark.long(seconds=15)
async def test_piles_from_the_first_hand_to_a_new_game(evening: Evening) -> None:
    evening.context["reduced_motion"] = "reduce"
    evening.server.stack(
        "Ts 9s 9h 8d  Th Kd 9d 7c 5h  7s 7h 7d 9c 8h  As Kh 5c 6c",
        "Ts 8s 9h 9c " + "2s 2h " * 10,
    )
    ann = await evening.player("ann", SMALL)
    await ann.sit("Piles table", 1)
    await expect(ann.page.get_by_role("group", name="Dealer")).to_be_visible()
    await expect(ann.page.get_by_text("Balance")).to_have_count(0)
    await sees_piles(ann, deck=52, player=0, house=0, discard=0)

    await answers(ann, "New game")
    await sees_sub(ann, "19 against the dealer's 9")
    await ann.act("stand")
    await ann.sees_status("You win with 19 against the dealer's 17.")
    await hears(ann, "Your pile gets 4 cards and now has 4.")
    await sees_piles(ann, player=4, house=0, discard=0)

    # Nobody may look into a pile, not even after a reload.
    await ann.page.reload()
    await sees_piles(ann, player=4, house=0, discard=0)
    await ann.sees_status("You win with 19 against the dealer's 17.")
    await expect(ann.page.locator("#dealer .card, #seats .card")).to_have_count(0)

    await answers(ann, "Next hand")
    await ann.act("stand")
    await ann.sees_status("You lose with 20 against the dealer's 21.")
    await hears(ann, "ten of hearts", "The dealer's pile gets 5 cards and now has 5.")
    await answers(ann, "Next hand")
    await sees_sub(ann, "14 against")
    await expect(ann.page.get_by_role("log", name="Round log")).not_to_contain_text("ten of hearts")
    await ann.act("hit")
    await ann.sees_status("Bust with 22.")
    await sees_piles(ann, player=4, house=10, discard=0)
    assert await fits(ann)

    # 21 wins at once, and the deck is played through.
    await answers(ann, "Next hand")
    await expect(game_result(ann)).to_contain_text("The dealer wins the game 10 to 8.")
    await ann.sees_status("You win with 21 against the dealer's 11.")
    await expect(ann.page.locator("#dealer .total, #seats .total")).to_have_text([""])
    await expect(ann.page.locator("#dealer .card, #seats .card, .slides")).to_have_count(0)
    await answers(ann, "New game")
    await ann.sees_status("Your turn")
    await sees_piles(ann, player=0, house=0, discard=0, deck=20)
    await ann.act("stand")
    await ann.sees_status("Tie – 18 each.")
    await sees_piles(ann, player=0, house=0, discard=4)


@pytest.mark.long
async def test_the_winner_of_a_game_of_piles_is_told_so(evening: Evening) -> None:
    evening.server.stack("Ts 9s 9h 8d  As Kh 5c 6c")
    ann = await evening.player("ann")
    ben = await evening.player("ben", PHONE)
    await ann.sit("Piles table", 1)
    await ben.page.goto(ann.page.url)
    await answers(ann, "New game")
    await press(ann, "s")
    await answers(ann, "Next hand")
    await expect(game_result(ann)).to_contain_text("You win the game 8 to 0.")
    await hears(ben, "ann wins the game 8 to 0.", "The secret of shoe 1 is revealed: check it")
    await expect(ben.page.locator("[data-pile='player']")).to_contain_text("ann's pile")


@pytest.mark.long(seconds=20)
async def test_a_whole_game_of_piles_ends_with_a_result_that_stays_until_it_is_dismissed(
    evening: Evening,
) -> None:
    evening.context["reduced_motion"] = "no-preference"
    evening.server.stack(
        "Ts 9s 9h 8d  Th Kd 9d 7c 5h  9c 8c Qs Qh  As Kh 5c 6c",
        "Ts 8s 9h 9c " + "2s 2h " * 10,
    )
    ann = await evening.player("ann", SMALL)
    await ann.sit("Piles table", 1)
    deal = ann.page.locator("button.deal-in:not([aria-disabled])")
    for _ in range(4):  # The deck has no more hands.
        await deal.click()
        stand = ann.page.locator("button[data-action='stand']:not([aria-disabled])")
        await expect(stand.or_(deal).first).to_be_visible()
        if await stand.is_visible():
            await ann.press("s")
        await expect(deal).to_be_visible()
        assert await ann.page.locator("#dealer .card, #seats .card").count() == 0
    await expect(deal).to_have_text("New game")
    result = game_result(ann)
    await expect(result).to_be_visible()
    words = "The dealer wins the game 9 to 8."
    await expect(result.locator("p")).to_have_text(words)
    await hears(ann, words)
    for part in ("#controls", "#status-main"):
        assert not await overlap(result, ann.page.locator(part)), part

    # It stays for who comes back, and goes when it is dismissed, for good.
    await ann.page.reload()
    await expect(result).to_contain_text(words)
    await hears(ann, words)
    await result.get_by_role("button", name="Close").click()
    await expect(result).to_be_hidden()
    await expect(ann.page.locator("#console")).to_be_focused()
    await ann.page.reload()
    await hears(ann, words)
    await expect(result).to_be_hidden()
    await deal.click()
    await expect(ann.page.locator("#seats .card").first).to_be_visible()
    await hears(ann, words)


@pytest.mark.long
async def test_the_result_of_a_game_goes_when_the_next_is_dealt(evening: Evening) -> None:
    evening.server.stack("As 9s Kh 8d", "Ts 8s 9h 9c " + "2s 2h " * 10)
    ann = await evening.player("ann")
    await ann.sit("Piles table", 1)
    await answers(ann, "New game")
    await expect(game_result(ann)).to_contain_text("You win the game 4 to 0.")
    await answers(ann, "New game")
    await ann.sees_status("Your turn")
    await expect(game_result(ann)).to_be_hidden()
    await hears(ann, "You win the game 4 to 0.")


def game_result(person: Person) -> Locator:
    return person.page.get_by_role("region", name="Game over")


async def overlap(one: Locator, other: Locator) -> bool:
    """Whether two parts of a page cover each other."""
    a, b = await one.bounding_box(), await other.bounding_box()
    assert a
    assert b
    across = a["x"] < b["x"] + b["width"] and b["x"] < a["x"] + a["width"]
    return across and a["y"] < b["y"] + b["height"] and b["y"] < a["y"] + a["height"]


async def test_a_shuffled_shoe_fits_its_seal_and_holds_my_words(evening: Evening) -> None:
    ann = await evening.player("ann", PHONE)
    await ann.sit("Heads-up table", 1)
    summary = ann.page.locator("#shoe")
    await summary.click()
    seal = await ann.page.locator("#shoe-full").inner_text()
    assert len(seal) == 64
    await expect(summary).to_contain_text(f"Sealed shoe {seal[:4]}…")
    await ann.page.keyboard.press("Escape")
    await expect(ann.page.locator("#shoe-full")).to_be_hidden()
    await answers(ann, "Deal me in")
    await ann.act("stand")
    await hears(ann, "The secret of shoe 1 is revealed: check it")
    await expect(summary).not_to_contain_text(seal[:4])

    await ann.button("Round log").click()
    async with ann.page.context.expect_page() as opened:
        await ann.page.get_by_role("link", name="check it").click()
    page = await opened.value
    await expect(page.get_by_text(seal)).to_be_visible()
    await page.get_by_role("button", name="Verify this shoe").click()
    verdicts = page.locator("#verdicts li")
    await expect(verdicts.nth(0)).to_contain_text("The secret matches the seal")
    await expect(verdicts.nth(1)).to_contain_text("match the secret and the words")
    await expect(verdicts.nth(2)).to_have_text("The seal is the one this browser was shown.")
    await expect(verdicts.nth(3)).to_have_text("Your browser's words were mixed in.")
    await expect(page.locator("#verdicts .is-foul")).to_have_count(0)


RULES = {
    "Casino": ("Blackjack pays 3 to 2", "Double"),
    "Vegas": ("Blackjack pays 3 to 2", "urrender"),
    "Pot": ("the dealer wins ties", "match"),
    "Classic": ("Dealer draws to 16", "again"),
    "Heads-up": ("Dealer draws to 16", "again"),
    "Piles": ("Dealer stands on all 17s", "pile"),
}
"""What is printed on the felt, and a word of the rules."""


@pytest.mark.long
async def test_the_rules_of_each_table_are_one_click_away(evening: Evening) -> None:
    ann = await evening.player("ann", SMALL)
    for table, (printed, rule) in RULES.items():
        await ann.sit(f"{table} table", 1)
        await expect(ann.page.locator(".felt-print")).to_contain_text(printed)
        await ann.button("Rules").click()
        dialog = ann.page.get_by_role("dialog", name=f"The rules: {table}")
        await expect(dialog).to_contain_text(rule)
        await ann.page.keyboard.press("Enter")  # Closes it, and does not bet.
        await ann.button("Rules").click()
        await ann.page.keyboard.press("Escape")
        await expect(dialog).to_be_hidden()
        assert await fits(ann), table
