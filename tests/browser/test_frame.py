"""The page of a table is one frame: all that is needed is in sight, and keeps its place."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.frame import SIZES, Frame
from tests.browser.players import PHONE, WIDE, Evening, Person
from tests.browser.states.languages import IN_LANGUAGES
from tests.browser.states.tables import decide
from tests.browser.test_private_table import comes_by, makes_table, opens_host

NARROW = ((320, 568), PHONE, (740, 360), (1280, 585))


@pytest.mark.long
@pytest.mark.parametrize("script", IN_LANGUAGES)
async def test_the_words_of_every_language_have_room(evening: Evening, script: str) -> None:
    frame = Frame(NARROW)
    await IN_LANGUAGES[script](evening, frame.see)
    assert frame.looked > 9
    assert not frame.faults, "\n".join(frame.faults)


@pytest.mark.long
async def test_the_longest_names_have_room(evening: Evening) -> None:
    evening.server.stack("As 9s 9h 6h Kd 8d 8c Kc Th")
    frame = Frame(SIZES)
    people = [await evening.player(letter * 20) for letter in "WMO"]
    for seat, person in enumerate(people, 1):
        await person.sit("Casino table", seat)
    first = people[0]
    await first.bet(10)
    await first.sees_status("Waiting for 2 players")
    await frame.see("waiting", first)
    for person in people[1:]:
        await person.bet(10)
    await people[1].sees_status("Your turn")
    await frame.see("another's turn", people[2])
    await people[1].act("stand")
    await people[2].act("stand")
    await first.sees_status("Blackjack")
    await frame.see("over", first)
    assert not frame.faults, "\n".join(frame.faults)


@pytest.mark.long
async def test_the_largest_hands_have_room(evening: Evening) -> None:
    """Seven cards of a player, and eight of the dealer."""
    evening.server.stack("2s 2d 3s 2h 4s 4h 2c 3h Ac 3d 3c 4d Ad As 5c")
    frame = Frame(SIZES)
    (ann,) = await evening.at_table("Casino table", PHONE)
    await ann.bet(10)
    for cards in range(3, 8):
        await ann.act("hit")
        await expect(ann.seat(1).locator(".card")).to_have_count(cards)
        await frame.see(f"{cards} cards", ann)
    await ann.act("stand")
    await expect(ann.page.locator("#dealer .card")).to_have_count(8)
    await frame.see("over", ann)
    assert not frame.faults, "\n".join(frame.faults)


async def test_a_result_has_room_above_that_i_sit_out(evening: Evening) -> None:
    evening.server.stack("Ts 9h 6d Kc")
    frame = Frame(((320, 568), PHONE))
    (ann,) = await evening.at_table("Casino table", PHONE)
    await ann.bet(500)
    await ann.act("stand")
    await ann.sees_status("You lose 500 with 16 against the dealer's 19")
    await ann.press("g")
    await expect(ann.page.locator("#status-sub")).to_contain_text("You sit out")
    main = ann.page.locator("#status-main")
    assert await main.evaluate("(node) => node.scrollHeight - node.clientHeight") <= 1
    await frame.see("sitting out", ann)
    assert not frame.faults, "\n".join(frame.faults)


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
async def test_notices_move_nothing_and_cover_no_button(evening: Evening, locale: str) -> None:
    """Those of a pause and of changed settings, alone and together."""
    evening.server.stack("Ts 6s 9h 9d Tc Kc 5c 5h")
    ann = await evening.player("ann")
    link = await makes_table(ann)
    evening.context["locale"] = locale
    ben = await evening.player("ben")
    await comes_by(ben, link, 2)
    frame = Frame(NARROW)
    await frame.see("betting", ben)
    await ann.bet(10)
    await ben.page.locator("#stake-input").fill("10")
    await ben.page.locator("button.bet").click()
    await ann.act("stand")
    await expect(ben.page.locator("button[data-action='double']")).to_be_enabled()
    await frame.see("own turn", ben)
    host = await opens_host(ann)
    await host.get_by_role("button", name="Pause the table").click()
    await ann.press("Escape")
    paused = ben.page.locator("[data-news='paused']")
    await expect(paused).to_be_visible()
    await frame.see("own turn, with a notice", ben)
    await ben.act("stand")
    await expect(ann.page.locator("#status-sub")).to_contain_text("The table is paused")
    await frame.see("paused", ben)
    await ann.page.goto(f"{ann.page.url}settings/")
    await ann.page.get_by_text("More options").click()
    await ann.page.get_by_label("Minimum bet").fill("5")
    await ann.page.get_by_role("button", name="Save").click()
    changed = ben.page.locator("#changed")
    await expect(changed).to_be_visible()
    await frame.see("paused and changed", ben)
    assert not frame.faults, "\n".join(frame.faults)
    close = changed.locator("[data-closes-news]")
    await close.click()
    await expect(changed).to_be_hidden()
    await paused.locator("[data-closes-news]").click()
    await expect(paused).to_be_hidden()
    await ben.page.locator(".account-menu summary").click()  # the header is free again


@pytest.mark.parametrize("size", [(320, 568), PHONE, WIDE], ids=lambda size: f"{size[0]}px")
async def test_any_bet_has_room_in_its_field(evening: Evening, size: tuple[int, int]) -> None:
    (ann,) = await evening.at_table("Casino table", size)
    field = ann.page.locator("#stake-input")
    for amount in ("999", "9,999", "10000", "25,000", "999,999", "1,000,000"):
        await field.fill(amount)
        room = await field.evaluate(
            """(node) => {
              const { fontFamily, fontSize, fontWeight } = getComputedStyle(node);
              const ruler = document.createElement("span");
              Object.assign(ruler.style, { fontFamily, fontSize, fontWeight, position: "absolute" });
              ruler.textContent = node.value;
              document.body.append(ruler);
              const { paddingLeft, paddingRight } = getComputedStyle(node);
              const left = node.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
              const needed = ruler.getBoundingClientRect().width;
              ruler.remove();
              return left - needed;
            }"""
        )
        assert room >= 0, amount


SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries())
    if (!hadRecentInput) shifted += value;
}).observe({ type: "layout-shift" });
"""
"""Counts as browsers do: what moves right after an own press was asked for."""
LARGEST = 0.02


async def test_the_split_and_doubled_hands_of_a_friend_have_room(evening: Evening) -> None:
    evening.server.stack("Ts 8s 6h 9d 8d Kc 2c 3d 9s Td 5c")
    ann, ben = await evening.at_table("Casino table", PHONE, WIDE)
    frame = Frame((PHONE, (360, 740), (844, 390), (820, 1180)))
    for person in (ann, ben):
        await person.bet(10)
    await ann.act("stand")
    await ben.act("split")
    await expect(ann.seat(2).locator(".hand")).to_have_count(2)
    await frame.see("split", ann)
    await ben.act("double")
    await expect(ann.seat(2).locator(".hand").first).to_contain_text("19")
    await frame.see("doubled", ann)
    await ben.act("stand")
    await ann.sees_status("You win 10")
    await frame.see("over", ann)
    assert not frame.faults, "\n".join(frame.faults)


@pytest.mark.long(seconds=15)
async def test_nothing_moves_through_insurance_splits_and_results_on_phone_and_desktop(
    evening: Evening,
) -> None:
    """ann has the phone; both of them split."""
    evening.context["reduced_motion"] = "no-preference"
    evening.server.stack(
        "9s Ts Ah 9h 7d 8c 2d 3c 4c", "8s 9s 6h 8h 9d Kc 8d 8c 2c 3c 4c 5c 7c 7d Tc"
    )
    ann, ben = await evening.at_table("Vegas table", PHONE, WIDE)
    for person in (ann, ben):
        await person.page.evaluate(SHIFTS)
        await person.bet(20)
    for person in (ann, ben):
        await decide(person, "decline")
    for person in (ann, ben):
        await decide(person, "stand")
    await moved_little(ann, ben)
    for person in (ann, ben):
        await person.bet_button.click()
    await ann.sees_status("Your turn")
    await decide(ann, "split", "split", "stand", "stand", "split", "stand", "stand")
    await decide(ben, "split", "stand", "stand")
    await moved_little(ann, ben)


@pytest.mark.long
@pytest.mark.parametrize("size", [PHONE, WIDE], ids=["phone", "desktop"])
async def test_nothing_moves_through_a_game_of_piles(
    evening: Evening, size: tuple[int, int]
) -> None:
    evening.context["reduced_motion"] = "no-preference"
    evening.server.stack("Ts 9s 9h 8d  As Kh 5c 6c")
    (ann,) = await evening.at_table("Piles table", size)
    await ann.page.evaluate(SHIFTS)
    await ann.button("New game").click()
    await ann.sees_status("Your turn")
    await decide(ann, "stand")
    await ann.sees_status("You win")
    await ann.button("Next hand").click()
    await expect(ann.page.locator("#game-result")).to_be_visible()
    assert await ann.page.evaluate("shifted") <= LARGEST


async def moved_little(*people: Person) -> None:
    """In the round that is over now."""
    for person in people:
        await expect(person.bet_button).to_have_text("Rebet 20")
    for person in people:
        shifted = await person.page.evaluate("[shifted, (shifted = 0)][0]")
        assert shifted <= LARGEST, person.name


async def test_the_buttons_of_the_bar_stay_where_they_are_while_the_figures_are_open(
    evening: Evening,
) -> None:
    """A second press at the same place closes the figures, and invites nobody."""
    (ann,) = await evening.at_table("Casino table", PHONE)
    toggle = ann.page.locator("#figures-toggle")
    place = await toggle.bounding_box()
    assert place
    await toggle.click()
    await expect(toggle).to_have_attribute("aria-expanded", "true")
    assert await toggle.bounding_box() == place
    await ann.page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    await expect(toggle).to_have_attribute("aria-expanded", "false")
    await expect(ann.page.locator("dialog[open]")).to_have_count(0)
