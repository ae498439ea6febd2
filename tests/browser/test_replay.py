"""A round that was played, stepped through in a real browser, and shown to somebody else."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from tests.browser.players import PHONE, WIDE, Evening, Person

CASINO = "Casino table"
SPLIT_ROUND = "8s 6h 8h Td 3c 9d 8d 7c 2c"
"""Two eights against a six: split, 19 after a double, 17; and the dealer busts with 23."""


async def played(evening: Evening, size: tuple[int, int]) -> Person:
    """Ann, who has split and doubled, on the page of her round."""
    evening.server.stack(SPLIT_ROUND)
    (ann,) = await evening.at_table(CASINO, size)
    await ann.bet(10)
    for action in ("split", "double", "stand"):
        await ann.act(action)
    await ann.sees_status("you are")
    await ann.page.goto(f"{ann.url}/rounds/1/")
    await expect(ann.page.locator("#replay-count")).to_have_text("14 of 14")
    return ann


def cards(ann: Person) -> Locator:
    """The cards that are to be seen, the dealer's first."""
    return ann.page.locator("#replay .replay-card:visible [role=img]")


async def lies(ann: Person, count: str, sentence: str, *names: str) -> None:
    """What is to be seen and heard at a step."""
    await expect(ann.page.locator("#replay-count")).to_have_text(count)
    await expect(ann.page.get_by_role("status").filter(has_text=sentence)).to_be_visible()
    await expect(ann.page.locator("[aria-current=step]")).to_have_text(sentence)
    labels = await cards(ann).evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert labels == list(names)


BETS = ("0 of 14", "Bets from you (10).")
DEALT = ("4 of 14", "The dealer takes a card, face down.", "six of hearts", "face down")
EIGHTS = ("eight of spades", "eight of hearts")
DEALERS = ("six of hearts", "ten of diamonds", "seven of clubs")
FIRST = ("eight of spades", "three of clubs", "eight of diamonds")
END = (
    "14 of 14", "Hand 2: You win 10.",
    *DEALERS, *FIRST, "eight of hearts", "nine of diamonds",
)  # fmt: skip


@pytest.mark.long
async def test_a_round_is_stepped_through_by_buttons_keys_and_slider(evening: Evening) -> None:
    ann = await played(evening, PHONE)
    await lies(ann, *END)
    money = ann.page.locator("#replay .hand-money:visible")
    assert await money.all_inner_texts() == ["bet 20, paid 40", "bet 10, paid 20"]

    await ann.button("Go to the start").click()
    await lies(ann, *BETS)
    assert await money.all_inner_texts() == ["bet 10"]
    await expect(ann.page.locator("#replay .badge-outcome:visible")).to_have_count(0)
    await ann.button("Step back").click(force=True)
    await lies(ann, *BETS)
    for _ in range(4):
        await ann.button("Step forward").click()
    await lies(ann, *DEALT, *EIGHTS)
    totals = ann.page.locator("#replay .hand-total:visible")
    assert await totals.all_inner_texts() == ["6", "16"]

    await ann.press("ArrowRight")
    await lies(ann, "5 of 14", "You split for 10 more.", "six of hearts", "face down", *EIGHTS)
    assert await totals.all_inner_texts() == ["6", "8", "8"]
    assert await money.all_inner_texts() == ["bet 10", "bet 10"]
    await ann.press("ArrowLeft", "ArrowLeft", "ArrowLeft")
    await lies(
        ann, "2 of 14", "The dealer takes the six of hearts: 6.", "six of hearts", "eight of spades"
    )
    await ann.press("End")
    await lies(ann, *END)
    await ann.press("Home")
    await lies(ann, *BETS)

    slider = ann.page.get_by_role("slider", name="Step of the round")
    await slider.fill("4")
    await lies(ann, *DEALT, *EIGHTS)
    await slider.focus()
    await ann.press("ArrowRight", "ArrowLeft", "ArrowLeft")
    await expect(ann.page.locator("#replay-count")).to_have_text("3 of 14")
    assert await slider.get_attribute("aria-valuetext") == "3 of 14"
    await ann.press("End")
    await lies(ann, *END)
    assert await ann.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
async def test_keys_are_left_alone_elsewhere_and_with_alt(evening: Evening) -> None:
    ann = await played(evening, WIDE)
    await ann.page.get_by_role("textbox", name="Link without names").focus()
    await ann.press("Home", "ArrowLeft")
    await lies(ann, *END)
    await ann.page.locator("#replay .round-hands").click(position={"x": 5, "y": 5})
    await ann.press("ArrowLeft")
    await expect(ann.page.locator("#replay-count")).to_have_text("13 of 14")
    is_left_to_the_browser = await ann.page.evaluate(
        """() => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {
          key: "ArrowLeft", altKey: true, bubbles: true, cancelable: true,
        }))"""
    )
    assert is_left_to_the_browser
    await expect(ann.page.locator("#replay-count")).to_have_text("13 of 14")


@pytest.mark.long
async def test_a_link_shows_the_players_name_only_if_she_made_it_so(evening: Evening) -> None:
    ann = await played(evening, WIDE)
    await ann.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    copied = []
    for name in ("Copy link", "Copy link with my name"):
        await ann.page.get_by_role("button", name=name, exact=True).click()
        await expect(ann.page.locator("#share-done")).to_have_text("Link copied.")
        copied.append(await ann.page.evaluate("navigator.clipboard.readText()"))
    plain, own = copied
    dora = await evening.person("dora")
    await dora.page.goto(plain)
    await expect(dora.page.get_by_role("heading", name="Round 1")).to_be_visible()
    await expect(dora.page.locator("main")).to_contain_text("Seat 1 splits for 10 more.")
    await expect(dora.page.locator("main")).not_to_contain_text("ann")
    await dora.page.goto(own)
    await expect(dora.page.locator("main")).to_contain_text("ann shared this round with you.")
    await expect(dora.page.locator("main")).to_contain_text("ann splits for 10 more.")
    await expect(dora.button("Copy link with my name")).to_have_count(0)

    await ann.page.evaluate(
        """() => {
          Object.defineProperty(navigator, "clipboard", { value: undefined });
          document.execCommand = () => false;
        }"""
    )
    await ann.page.get_by_role("button", name="Copy link", exact=True).click()
    await expect(ann.page.locator("#share-done")).to_contain_text("The link is selected")
    assert await ann.page.evaluate("getSelection().toString()") == plain
