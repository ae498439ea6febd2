"""Comfort at the table: settings, what moves and how fast, who is away, and what fits."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from contextlib import closing

import pytest
from playwright.async_api import FloatRect, Locator, expect

from tests.browser.players import PHONE, Evening, Person

CASINO = "Casino table"
SMALL = (320, 640)

# What a browser has and headless Chromium has not, or cannot show: each notes what it is asked.
NOTICES = """
window.notices = [];
window.Notification = class {
  static permission = "%s";
  static requestPermission = async () => (Notification.permission = "%s");
  constructor(title, { body }) { notices.push(`${title}: ${body}`); }
  close() {}
};
"""
TONES = """
window.tones = 0;
AudioScheduledSourceNode.prototype.start = new Proxy(AudioScheduledSourceNode.prototype.start, {
  apply(target, self, given) { window.tones += 1; return Reflect.apply(target, self, given); },
});
"""


# Settings


async def test_settings_are_kept_and_a_four_colour_deck_can_be_read(evening: Evening) -> None:
    evening.server.stack("Td 6h 9c Kc Th")
    (ann,) = await evening.at_table(CASINO, SMALL)
    await ann.bet(10)
    await ann.sees_status("Your turn")
    colours = "[...document.querySelectorAll('li.seat .card')].map(c => getComputedStyle(c).color)"
    two = await ann.page.evaluate(colours)
    await ann.button("Settings").click()
    deck = ann.switch("Four-colour deck")
    await expect(deck).to_have_attribute("aria-checked", "false")
    await deck.click()
    await ann.switch("Animation").click()
    await ann.press("Escape")
    await expect(ann.button("Settings")).to_be_focused()
    four = await ann.page.evaluate(colours)
    assert not set(two) & set(four)
    for colour in four:
        assert contrast(colour, "rgb(243, 235, 216)") >= 4.5
    await ann.page.reload()
    await ann.sees_status("Your turn")
    assert await ann.page.evaluate(colours) == four
    await ann.button("Settings").click()
    await expect(deck).to_have_attribute("aria-checked", "true")
    await expect(ann.switch("Animation")).to_have_attribute("aria-checked", "false")


def contrast(*colours: str) -> float:
    """Of two colours as browsers write them, by WCAG's formula."""

    def luminance(colour: str) -> float:
        channels = [int(part) / 255 for part in re.findall(r"\d+", colour)]
        red, green, blue = (
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted(map(luminance, colours))
    return (light + 0.05) / (dark + 0.05)


async def sounds(person: Person) -> None:
    """Wait until something was heard. (The page's policy forbids Playwright's own waiting.)"""
    for _ in range(100):
        if await person.page.evaluate("tones"):
            return
        await asyncio.sleep(0.05)
    raise AssertionError("silence")


@pytest.mark.long
async def test_sound_is_off_until_it_is_switched_on_and_then_kept(evening: Evening) -> None:
    evening.server.stack("Ts 6h 9d Kc Th", "Ts 6h 9d Kc Th")
    ann = await evening.player("ann")
    await ann.page.add_init_script(TONES)
    await ann.sit(CASINO, 1)
    await ann.bet(10)
    await ann.act("stand")
    await ann.sees_status("You win")
    assert await ann.page.evaluate("tones") == 0
    await ann.press("m")
    await expect(ann.page.locator("#mention")).to_have_text("Sound is on.")
    await sounds(ann)
    await ann.page.reload()
    await ann.page.wait_for_timeout(500)
    assert await ann.page.evaluate("tones") == 0, "not before the page was touched"
    await ann.press("r")
    await sounds(ann)
    await ann.act("stand")
    await ann.sees_status("You win")
    await ann.press("m")
    await expect(ann.page.locator("#mention")).to_have_text("Sound is off.")
    count = await ann.page.evaluate("tones")
    await ann.press("1", "r")
    await ann.page.wait_for_timeout(500)
    assert await ann.page.evaluate("tones") == count


@pytest.mark.long
async def test_a_notice_comes_when_it_is_my_turn_and_the_page_is_out_of_sight(
    evening: Evening,
) -> None:
    evening.server.stack("Ts 9s 6h 9d 8d Kc Th", "Ts 9s 6h 9d 8d Kc Th")
    ann = await evening.player("ann")
    await ann.page.add_init_script(NOTICES % ("default", "granted"))
    await ann.sit(CASINO, 2)
    ben = await evening.player("ben", PHONE)
    await ben.sit(CASINO, 1)
    await ann.button("Settings").click()
    await ann.switch("Notifications").click()
    await ann.press("Escape")
    await ann.bet(10)
    await ben.bet(10)
    await ben.sees_status("Your turn")
    assert await ann.page.evaluate("notices") == []
    await ann.look_away(hidden=True)
    await ben.act("stand")
    await expect(ann.page).to_have_title(re.compile("^Your turn – Casino table"))
    (notice,) = await ann.page.evaluate("notices")
    assert "Casino table" in notice
    assert "Your turn: 17 against the dealer's 6." in notice
    await ann.look_away(hidden=False)
    await ann.act("stand")
    await ben.bet(10)
    await ann.bet(10)
    await ben.act("stand")
    await ann.sees_status("Your turn")
    assert await ann.page.evaluate("notices") == [notice]


async def test_notices_that_the_browser_refuses_are_said_in_words(evening: Evening) -> None:
    ann = await evening.player("ann", SMALL)
    await ann.page.add_init_script(NOTICES % ("default", "denied"))
    await ann.sit(CASINO, 1)
    await ann.button("Settings").click()
    switch = ann.switch("Notifications")
    await switch.click()
    await expect(
        ann.page.get_by_role("alert").filter(has_text="blocks notifications")
    ).to_be_visible()
    await expect(switch).to_have_attribute("aria-checked", "false")


async def test_title_and_icon_say_that_it_is_my_turn(evening: Evening) -> None:
    evening.server.stack("Ts 6h 9d Kc Th")
    (ann,) = await evening.at_table(CASINO, PHONE)
    icon = ann.page.locator("link[rel=icon]")
    await expect(icon).to_have_attribute("href", re.compile("/favicon[.]"))
    await ann.bet(10)
    await expect(ann.page).to_have_title(re.compile("^Your turn – Casino table"))
    await expect(icon).to_have_attribute("href", re.compile("/favicon-turn[.]"))
    href = await icon.get_attribute("href")
    assert (await ann.page.request.get(f"{ann.url}{href}")).ok
    await ann.act("stand")
    await expect(ann.page).to_have_title(re.compile("^Casino table"))
    await expect(icon).to_have_attribute("href", re.compile("/favicon[.]"))


@pytest.mark.long
async def test_session_time_and_net_result_are_in_sight(evening: Evening) -> None:
    evening.server.stack("Ts 9s 6h 9d 8d Kc 4h", "Ts 9s 6h 9d 8d Kc Th")
    ann, ben = await evening.at_table(CASINO, SMALL, PHONE)
    await expect(ann.figure("session")).to_have_text("0 min · 0")
    for person in (ann, ben):
        await person.bet(25)
    await ann.act("stand")
    await ben.act("stand")
    await ben.sees_status("You lose 25")
    await expect(ben.figure("session")).to_have_text("0 min · −25")
    await expect(ann.seat(2)).to_contain_text("−25")
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        database.execute("UPDATE tables_seat SET sat_at = datetime(sat_at, '-84 minutes')")
    await ben.page.reload()
    await expect(ben.figure("session")).to_have_text("1 h 24 min · −25")


# What moves, and how long it takes


async def test_with_reduced_motion_nothing_ever_moves(evening: Evening) -> None:
    await play_and_count(evening, "reduce", moves=False)


@pytest.mark.long
async def test_cards_and_chips_move_for_who_likes_it(evening: Evening) -> None:
    await play_and_count(evening, "no-preference", moves=True)


@pytest.mark.long
async def test_motion_can_be_switched_off_at_the_table(evening: Evening) -> None:
    await play_and_count(evening, "no-preference", moves=False, switched_off=True)


async def play_and_count(
    evening: Evening, motion: str, *, moves: bool, switched_off: bool = False
) -> None:
    """A round, looked at every few milliseconds for something that is animated."""
    evening.context["reduced_motion"] = motion
    evening.server.stack("Ts 6h 9d 2c 2h 2d Th")
    (ann,) = await evening.at_table(CASINO, (1280, 800))
    if switched_off:
        await ann.button("Settings").click()
        await ann.switch("Animation").click()
        await ann.press("Escape")
    await ann.page.evaluate(
        """() => {
          window.moved = new Set();
          setInterval(() => document.getAnimations().forEach(({ effect }) =>
            moved.add(effect.target.className.split(" ")[0])), 5);
        }"""
    )
    await ann.bet(10)
    await ann.act("stand")
    await ann.sees_status("You ")
    await ann.page.wait_for_timeout(800)
    moved = set(await ann.page.evaluate("[...moved]"))
    assert moved >= {"card", "flying-chip"} if moves else moved == set()
    await expect(ann.page.locator(".flying-chip, .is-new")).to_have_count(0)


MANY_CARDS = "Ts 2h 9d 2c 2d 2s 3h 3d Ac Ad 6s Th"


async def stands_in_stopped_time(evening: Evening, size: tuple[int, int]) -> Person:
    """Ann, who bet 10, stood, and sees the dealer begin to play; her page's time stands still."""
    evening.context["reduced_motion"] = "no-preference"
    evening.can_stop_time = True
    (ann,) = await evening.at_table(CASINO, size)
    await ann.bet(10)
    await ann.sees_balance("490")
    await ann.sees_status("Your turn")
    await ann.stop_time()
    await ann.act("stand")
    await ann.sees_status("The dealer plays")
    return ann


@pytest.mark.long
async def test_the_dealers_play_is_short_however_many_cards_it_takes(evening: Evening) -> None:
    evening.server.stack(MANY_CARDS)
    ann = await stands_in_stopped_time(evening, PHONE)
    await ann.let_pass(1_500)
    await ann.sees_status("The dealer plays")
    await ann.let_pass(1_400)
    await ann.sees_status("You win")
    assert len(await ann.dealer_cards()) == 9


@pytest.mark.long
@pytest.mark.parametrize("how", ["felt", "key"])
async def test_what_is_being_shown_can_be_skipped(evening: Evening, how: str) -> None:
    evening.server.stack(MANY_CARDS)
    ann = await stands_in_stopped_time(evening, PHONE)
    if how == "felt":
        await ann.page.locator(".dealer-name").click()
    else:
        await ann.press(" ")
    await ann.sees_status("You ")
    assert len(await ann.dealer_cards()) == 9


async def test_the_next_bet_can_be_placed_while_the_dealer_plays(evening: Evening) -> None:
    """And neither the balance nor the session tells the result ahead of the cards."""
    evening.server.stack(MANY_CARDS, "Ts 6h 9d Kc Th")
    ann = await stands_in_stopped_time(evening, SMALL)
    await expect(ann.bet_button).to_have_text("Rebet 10")
    assert await ann.figure("balance").inner_text() == "490"
    assert await ann.figure("session").inner_text() == "0 min · 0"
    await ann.page.get_by_role("button", name="Add 25", exact=True).click()
    await expect(ann.bet_button).to_have_text("Bet 25")
    await ann.sees_status("The dealer plays")
    await ann.press("r")
    await ann.let_time_go_on()
    await ann.sees_status("Your turn")
    assert await ann.cards_of(1) == [["Ts", "9d"]]
    await expect(ann.log).to_contain_text("You win 10")


@pytest.mark.long
async def test_a_round_that_is_over_with_the_deal_is_not_told_ahead(evening: Evening) -> None:
    evening.context["reduced_motion"] = "no-preference"
    evening.can_stop_time = True
    evening.server.stack("Ts Ah 9d Kc")
    (ann,) = await evening.at_table(CASINO, PHONE)
    await ann.stop_time()
    await ann.bet(10)
    await ann.sees_status("Dealing")
    await expect(ann.bet_button).to_have_count(0)
    await ann.let_time_go_on()
    await ann.sees_status("the dealer has blackjack")
    await expect(ann.bet_button).to_be_visible()


# Everyone sees everyone


@pytest.mark.long(seconds=10)
async def test_who_lost_the_connection_is_shown_with_the_time_left(evening: Evening) -> None:
    evening.server.stack("Ts 9s 6h 9d 8d Kc Th")
    ann, ben = await evening.at_table(CASINO, (1280, 800), PHONE)
    await ann.bet(10)
    await ben.bet(10)
    await ann.sees_status("Your turn")
    url = ben.page.url
    await ben.page.goto("about:blank")
    await expect(ann.seat(2)).to_contain_text("reconnecting", timeout=30_000)
    await expect(ann.seat(2)).not_to_contain_text(re.compile(r"\d s"))
    await expect(ann.log).to_contain_text("ben's connection is lost.")
    await ann.act("stand")
    await expect(ann.seat(2)).to_contain_text(re.compile(r"reconnecting… [1-3]\d\d s"))
    await ben.page.goto(url)
    await expect(ann.seat(2)).not_to_contain_text("reconnecting", timeout=30_000)
    await expect(ann.log).to_contain_text("ben is back.")


# Screens


@pytest.mark.long
@pytest.mark.parametrize("size", [SMALL], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_after_a_round_cards_and_betting_are_on_one_screen(
    evening: Evening, size: tuple[int, int]
) -> None:
    evening.server.stack("Ts 9s 9c 6h 9d 8d 8c Kc Th")
    people = await evening.at_table(CASINO, size, PHONE, PHONE)
    for person in people:
        await person.bet(10)
    for person in people:
        await person.act("stand")
    ann = people[0]
    await ann.sees_status("You win")
    await ann.press("o")
    await expect(ann.page.locator("#bet-why")).not_to_have_text("")
    await ann.page.wait_for_timeout(1000)
    console = await box(ann.page.locator("#console"))
    for part in ("li.seat.is-mine .card >> nth=0", "li.seat.is-mine .outcome"):
        rect = await box(ann.page.locator(part))
        assert rect["y"] >= 0, part
        is_beside = rect["x"] + rect["width"] <= console["x"]
        assert is_beside or rect["y"] + rect["height"] <= console["y"] + 1, part
    # All at one moment: the console may be drawn anew in between.
    controls = ann.page.locator("#controls :is(button, input):visible")
    boxes = "controls => controls.map((control) => control.getBoundingClientRect().toJSON())"
    for rect in await controls.evaluate_all(boxes):
        assert min(rect["width"], rect["height"]) >= 44
        assert rect["x"] >= 0
        assert rect["x"] + rect["width"] <= size[0]
        assert rect["y"] + rect["height"] <= size[1]
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await ann.page.evaluate(wide) <= 0


async def box(locator: Locator) -> FloatRect:
    rect = await locator.bounding_box()
    assert rect is not None
    return rect


# What others do


@pytest.mark.long
async def test_what_the_host_does_is_told_to_everybody(evening: Evening) -> None:
    ann, ben = await evening.at_table(CASINO, (1280, 800), PHONE)
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        (maker,) = database.execute("SELECT id FROM accounts_user WHERE username='ann'").fetchone()
        database.execute("UPDATE tables_table SET maker_id = ?", (maker,))
    await ann.page.reload()
    await ann.button("Host").click()
    for command, sentence in (
        ("lock", "is locked"),
        ("lock", "is unlocked"),
        ("chat", "chat is off"),
    ):
        await ann.page.locator(f"[data-command='{command}']").click()
        await expect(ben.log).to_contain_text(sentence)
    await ann.page.locator("[data-does='free']").click()
    await ann.page.locator("#sure-yes").click()
    await ben.sees_status("The table host freed your seat.")
    await expect(ben.page.locator("#status-sub")).to_contain_text("You can sit down here again at")
    await expect(ben.page.locator(".sit:visible")).to_have_count(0)
    await expect(ann.log).to_contain_text("ben loses seat 2: freed by the host.")
