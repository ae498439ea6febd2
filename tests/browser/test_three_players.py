"""An evening at one table, in real browsers."""

from __future__ import annotations

import asyncio
import re
import signal

import pytest
from playwright.async_api import expect

from tests.browser.players import LONG, PHONE, Evening, Person

CASINO = "Casino table"


async def sees(people: list[Person], seat: int, hands: list[list[str]]) -> None:
    for person in people:
        for _ in range(100):
            if await person.cards_of(seat) == hands:
                break
            await asyncio.sleep(0.05)
        assert await person.cards_of(seat) == hands, person.name


async def test_three_friends_play_three_rounds(evening: Evening) -> None:
    """Sign up, sit at one table, split, double; the same cards and the right money for all."""
    evening.server.stack(
        "8s 5h Th 6c 8d 6h 9c Kc 2c 3d 9s Ts Td Qh",
        "As Ts Th 9h Kd 7d 9s Tc",
        "Ts 9s Th Ah 9d 8d 7s Kh",
    )
    ann = await evening.player("ann")
    ben = await evening.player("ben", PHONE)
    cleo = await evening.player("cleo")
    friends = [ann, ben, cleo]
    for seat, person in enumerate(friends, start=1):
        await person.sit_from_lobby(CASINO, seat)

    # Round one: ann splits her eights and doubles one of them, ben doubles, cleo stands.
    await ann.bet_chips(10)
    await ann.sees_status("Waiting for ben and cleo")
    await ben.bet_chips(25)
    await cleo.bet_chips(10)
    await ann.sees_status("Your turn")
    await ben.sees_status("ann's turn")
    await expect(ann.page).to_have_title(re.compile("^Your turn – Casino table"))
    assert await ben.dealer_cards() == ["6c", "??"]
    await ann.act("split")
    await sees(friends, 1, [["8s", "2c"], ["8d", "3d"]])
    await ann.act("double")
    await sees(friends, 1, [["8s", "2c", "9s"], ["8d", "3d"]])
    await ann.act("hit")
    await ben.sees_status("Your turn")
    await ben.act("double")
    await cleo.sees_status("Your turn")
    await cleo.act("stand")
    await ann.sees_status("you are 30 up")
    await ben.sees_status("You win 50")
    await cleo.sees_status("You win 10 – the dealer busts with 26.")
    for person in friends:
        assert await person.dealer_cards() == ["6c", "Kc", "Qh"]
    await sees(friends, 1, [["8s", "2c", "9s"], ["8d", "3d", "Ts"]])
    await sees(friends, 2, [["5h", "6h", "Td"]])
    await sees(friends, 3, [["Th", "9c"]])
    for person, balance in zip(friends, ("530", "550", "510"), strict=True):
        await person.sees_balance(balance)

    # Round two: a blackjack pays 3:2 at once; one loses, one pushes.
    await ann.bet_chips(15 + 10)
    await ben.bet_chips(10)
    await cleo.bet_chips(10)
    await ben.sees_status("Your turn")
    await ann.sees_balance("567.50")
    await ben.act("stand")
    await cleo.sees_status("Your turn")
    await cleo.act("stand")
    await ann.sees_status("Blackjack! You win 37.50.")
    await ben.sees_status("You lose 10 with 17 against the dealer's 19.")
    await cleo.sees_status("Push – your 10 is returned.")

    # Round three: the dealer has blackjack, and nobody is asked.
    for person in friends:
        await person.page.locator("button.bet", has_text="Rebet").click()
    for person in friends:
        await person.sees_status("the dealer has blackjack")
        assert await person.dealer_cards() == ["Ah", "Kh"]
    for person, balance in zip(friends, ("542.50", "530", "500"), strict=True):
        await person.sees_balance(balance)

    await ann.page.goto(f"{ann.url}/history/")
    rows = ann.page.locator(".hands-table tbody tr")
    await expect(rows).to_have_count(3)
    await expect(rows.nth(0)).to_contain_text("Lost")
    await expect(rows.nth(1)).to_contain_text("Blackjack")
    await expect(rows.nth(1)).to_contain_text("+37.50")
    audit = evening.server.manage("audit")
    assert audit.returncode == 0, audit.stderr


async def test_a_reload_and_a_new_tab_show_the_table_as_it_is(evening: Evening) -> None:
    evening.server.stack("8s 6h 8d Kc 2c 5h")
    ann = await evening.player("ann")
    await ann.sit(CASINO, 1)
    await ann.bet(10)
    await ann.act("hit")
    await sees([ann], 1, [["8s", "8d", "2c"]])
    await ann.page.reload()
    await sees([ann], 1, [["8s", "8d", "2c"]])
    await ann.sees_status("Your turn")
    assert await ann.dealer_cards() == ["6h", "??"]

    tab = Person("ann", await ann.page.context.new_page(), ann.url)
    await tab.page.goto(ann.page.url)
    await sees([tab], 1, [["8s", "8d", "2c"]])
    await tab.act("stand")
    await ann.sees_status("You lose 10 with 18 against the dealer's 21.")
    await tab.sees_balance("490")
    assert tab.complaints == []


async def test_the_table_comes_back_by_itself_when_the_server_was_killed(
    evening: Evening,
) -> None:
    evening.server.stack("8s Ts 6h 8d 9d Kc 2c Th")
    ann = await evening.player("ann")
    ben = await evening.player("ben", PHONE)
    await ann.sit(CASINO, 1)
    await ben.sit(CASINO, 2)
    await ann.bet(10)
    await ben.bet(25)
    await ann.act("hit")
    await sees([ann, ben], 1, [["8s", "8d", "2c"]])
    evening.server.stop(signal.SIGKILL)
    await expect(ann.page.locator("#connection")).to_contain_text("onnection")
    # What she decides now is kept, and sent when the server is back.
    await ann.act("stand")
    evening.server.start()
    await expect(ann.page.locator("#connection")).to_have_text("", timeout=LONG)
    await ben.sees_status("Your turn")
    await sees([ann, ben], 1, [["8s", "8d", "2c"]])
    assert await ben.dealer_cards() == ["6h", "??"]
    await ben.act("stand")
    await ann.sees_status("You win 10 – the dealer busts with 26.")
    await ann.sees_balance("510")
    await ben.sees_balance("525")
    audit = evening.server.manage("audit")
    assert audit.returncode == 0, audit.stderr


async def test_a_game_without_money(evening: Evening) -> None:
    evening.server.stack("Ts 8s 9c 9h", "Ts 9s Th 9h")
    ann = await evening.player("ann")
    await ann.sit("Classic table", 1)
    await ann.page.get_by_role("button", name="Deal me in").click()
    await expect(ann.page.locator("button.action")).to_have_count(2)
    assert await ann.dealer_cards() == ["??", "9h"]
    await ann.act("stand")
    await ann.sees_status("Push – 18 each.")
    await ann.answer("Yes, play again")
    await ann.act("stand")
    await ann.sees_status("Push – 19 each.")


async def test_a_round_by_keys_alone(evening: Evening) -> None:
    evening.server.stack("8s 6h 3d Kc Ts Th")
    ann = await evening.player("ann")
    await ann.sit(CASINO, 1)
    await ann.page.keyboard.press("2")
    await ann.page.keyboard.press("Enter")
    await ann.sees_status("Your turn")
    await expect(ann.page.locator("button[data-action='double']")).to_be_enabled()
    await ann.page.keyboard.press("d")
    await ann.sees_status("You win 50 – the dealer busts with 26.")


async def test_every_card_and_result_is_told_to_who_cannot_see(evening: Evening) -> None:
    evening.server.stack("As 6h 6d Kc Ts Th")
    ann = await evening.player("ann")
    await ann.sit(CASINO, 1)
    await ann.bet(10)
    await expect(ann.page.locator("#calls")).to_contain_text("soft 17")
    log = ann.page.get_by_role("log", name="Round log")
    await expect(log).to_contain_text("ace of spades")
    await expect(ann.page.get_by_role("img", name="six of hearts")).to_be_visible()
    await expect(ann.page.get_by_role("img", name="hole card, face down")).to_be_visible()
    await ann.act("stand")
    await expect(log).to_contain_text("king of clubs")
    await expect(log).to_contain_text("You win 10")


async def test_the_lobby_shows_who_sits_down_while_one_looks(evening: Evening) -> None:
    ann = await evening.player("ann")
    ben = await evening.player("ben")
    await ann.page.goto(ann.url)
    await expect(ann.page.locator("#table-1")).not_to_contain_text("ben")
    await ben.sit(CASINO, 2)
    await expect(ann.page.locator("#table-1")).to_contain_text("ben")
    await ben.page.get_by_role("button", name="Leave").click()
    await expect(ann.page.locator("#table-1")).not_to_contain_text("ben")


async def test_a_lobby_in_which_nothing_happens_is_left_alone(evening: Evening) -> None:
    ann = await evening.person("ann")
    async with ann.page.expect_websocket() as opened:
        await ann.page.goto(ann.url)
        await ann.page.evaluate("document.querySelector('.table-card').isKept = true")
    assert (await opened.value).url
    await ann.page.wait_for_timeout(1_500)  # a frame of changed tables comes within a second
    assert await ann.page.evaluate("document.querySelector('.table-card').isKept")
    await expect(ann.page.locator("#lobby-news")).to_have_text("")


async def test_what_is_being_pressed_in_the_lobby_is_not_exchanged(evening: Evening) -> None:
    ann = await evening.player("ann")
    ben = await evening.player("ben")
    async with ann.page.expect_websocket() as opened:
        await ann.page.goto(ann.url)
    lobby = await opened.value
    place = ann.page.get_by_role("button", name="Sit here seat 1 at Casino table")
    box = await place.bounding_box()
    assert box is not None
    await ann.page.mouse.move(box["x"] + 20, box["y"] + 20)
    await ann.page.mouse.down()
    async with lobby.expect_event("framereceived", lambda text: "lobby_tables" in text):
        await ben.sit(CASINO, 2)
    await ann.page.wait_for_timeout(500)
    await ann.page.mouse.up()
    await expect(ann.page.locator("li.seat.is-mine[data-seat='1']")).to_be_visible()


async def test_somebody_with_a_link_watches_logs_in_and_sits_down(evening: Evening) -> None:
    ann = await evening.player("ann")
    await ann.sit(CASINO, 1)
    ben = await evening.person("ben", PHONE)
    await ben.page.goto(f"{ben.url}/tables/1/")
    await expect(ben.page.locator("li.seat[data-seat='1']")).to_contain_text("ann")
    await ben.page.locator("main").get_by_role("link", name="Sign up").click()
    await ben.fill_sign_up()
    await ben.page.wait_for_url(f"{ben.url}/tables/1/")
    await ben.page.locator("li.seat[data-seat='2'] button.sit").click()
    await expect(ann.page.locator("li.seat[data-seat='2']")).to_contain_text("ben")


async def test_leaving_in_mid_hand_asks_first_and_the_hand_is_played_out(evening: Evening) -> None:
    evening.server.stack("Ts 6h 9d Kc Th")
    ann = await evening.player("ann")
    await ann.sit(CASINO, 1)
    await ann.bet(10)
    await ann.sees_status("Your turn")
    await ann.page.get_by_role("button", name="Leave").click()
    await ann.page.get_by_role("button", name="Stay").click()
    await ann.sees_status("Your turn")
    await ann.page.get_by_role("button", name="Leave").click()
    await ann.page.get_by_role("button", name="Stand and leave").click()
    await expect(ann.page.locator("li.seat.is-mine")).to_have_count(0)
    await ann.sees_balance("510")


async def test_a_stake_that_cannot_be_is_explained_and_not_sent(evening: Evening) -> None:
    ann = await evening.player("ann")
    await ann.sit(CASINO, 1)
    stake = ann.page.get_by_label("Your bet")
    await stake.fill("5")
    await expect(ann.page.locator("#bet-why")).to_contain_text("minimum bet is 10")
    await stake.fill("501")
    await expect(ann.page.locator("#bet-why")).to_contain_text("You have 500")
    field = ann.page.locator("#stake-input")
    await expect(field).to_have_attribute("aria-invalid", "true")
    await ann.press("Enter")
    await expect(ann.page.locator("#error-line")).to_contain_text("You can't bet 501.")
    await ann.page.keyboard.press("Enter")
    for odd in ("12.5", "1e9", "-50", "all"):
        await stake.fill(odd)
        await expect(ann.page.locator("#bet-why")).to_contain_text("Type a whole number")
        await expect(ann.page.locator("button.bet")).to_have_text("Bet")
    await ann.page.keyboard.press("Enter")
    await stake.fill("500")
    await expect(ann.page.locator("#bet-why")).to_have_text("")
    await ann.sees_balance("500")


@pytest.mark.long
async def test_who_loses_the_seat_is_told_why(evening: Evening) -> None:
    evening.server.stack("Ts 6h 9d Kc Th", "Ts 6h 9d Kc Th")
    ann = await evening.player("ann")
    ben = await evening.player("ben", PHONE)
    await ann.sit(CASINO, 1)
    await ben.sit(CASINO, 2)
    evening.set_at_all_tables("betting_seconds", 1)
    await ann.bet(10)
    await expect(ben.page.locator("#status-sub")).to_contain_text("Miss one more")
    await ann.act("stand")
    await ann.sees_status("You win 10")
    await ann.bet(10)
    await ben.sees_status("You missed two rounds, so your seat was released.")
    await expect(ann.page.get_by_role("log", name="Round log")).to_contain_text(
        "ben loses seat 2: two rounds missed"
    )


async def test_who_leaves_in_mid_hand_hears_how_it_ended(evening: Evening) -> None:
    evening.server.stack("Ts 6h 9d Kc Th")
    ann = await evening.player("ann")
    await ann.sit(CASINO, 1)
    await ann.bet(10)
    await ann.sees_status("Your turn")
    await ann.page.get_by_role("button", name="Leave").click()
    await ann.page.get_by_role("button", name="Stand and leave").click()
    await ann.sees_status("You left. Your hand won 10.")
    assert await ann.cards_of(1) == []


async def test_logging_out_in_another_tab_ends_the_game_here(evening: Evening) -> None:
    ann = await evening.player("ann")
    await ann.sit(CASINO, 1)
    tab = await ann.page.context.new_page()
    await tab.goto(f"{ann.url}/accounts/logout/")
    await tab.locator("main button[type=submit]").click()
    await expect(ann.page.get_by_role("link", name="Log in to play")).to_be_visible(timeout=40_000)
