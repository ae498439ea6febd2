"""The odds and the chart of the rules, in a browser, on a phone and on paper."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.browser.players import Evening

SMALL = (320, 640)
PAPER = (690, 941)
"""A page of A4 is narrower than one of Letter, which is lower: within 12 mm on all sides, what fits
here fits both.
"""
COVERED = """() => [...document.querySelectorAll(".table-form :is(input, select, button)")]
  .filter((node) => node.type !== "hidden" && node.getClientRects().length)
  .filter((node) => {
    node.scrollIntoView({ block: "end" });
    const { left, top, width, height } = node.getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    return !node.contains(there);
  })
  .map((node) => node.id || node.textContent)"""
"""The fields and buttons that something lies on when they come into sight from below."""


async def test_the_chart_fits_a_small_phone_and_one_sheet_of_paper(evening: Evening) -> None:
    dora = await evening.person("dora", SMALL)
    await dora.page.goto(f"{evening.url}/rules/vegas/")
    assert await dora.page.evaluate("document.documentElement.scrollWidth") == SMALL[0]
    cut = await dora.page.locator(".best-play-grid :is(td, th) > code").evaluate_all(
        """spans => spans.filter(span => {
            const [own, cell] = [span, span.parentElement].map(it => it.getBoundingClientRect());
            return own.width > cell.width || own.height > cell.height;
        }).map(span => span.textContent)"""
    )
    assert cut == []
    row = dora.page.get_by_role("row", name=re.compile("hard 16"))
    await expect(row.get_by_role("cell").nth(8)).to_have_text("Rssurrender, otherwise stand")
    await dora.page.set_viewport_size({"width": PAPER[0], "height": PAPER[1]})
    await dora.page.emulate_media(media="print")
    chart = dora.page.locator(".best-play")
    box = await chart.bounding_box()
    assert box is not None
    assert box["height"] < PAPER[1]
    assert await chart.evaluate("node => getComputedStyle(node).breakBefore") == "page"
    await expect(dora.page.locator(".site-header")).to_be_hidden()


@pytest.mark.long
async def test_the_odds_cover_nothing_of_the_form(evening: Evening) -> None:
    ann = await evening.player("ann", SMALL)
    await ann.page.goto(f"{evening.url}/tables/new/")
    await expect(ann.page.locator("#live-odds-edge")).to_contain_text("edge")
    await ann.page.locator("summary", has_text="More options").click()
    await ann.page.get_by_role("spinbutton", name="Decks").fill("2")
    await expect(ann.page.locator("#live-odds-compared")).not_to_be_empty()
    for size in ("16px", "32px"):
        await ann.page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
        for width, height in (SMALL, (360, 740), (1280, 720)):
            await ann.page.set_viewport_size({"width": width, "height": height})
            assert await ann.page.evaluate(COVERED) == [], (size, width)


@pytest.mark.long
async def test_options_have_their_cost_while_they_are_switched(evening: Evening) -> None:
    ann = await evening.player("ann", SMALL)
    await ann.page.goto(f"{evening.url}/tables/new/")
    status = ann.page.locator("#live-odds [role=status]")
    await expect(status).to_contain_text("Player's edge 0.30")
    await ann.page.locator("[value=pot]").check()
    await expect(status).to_contain_text("Dealer's edge 13.08")
    await ann.page.locator("summary", has_text="More options").click()
    decks = ann.page.get_by_role("spinbutton", name="Decks")
    await decks.fill("2")
    await expect(status).to_contain_text("than with the rules of Pot")
    await expect(decks).to_have_accessible_description(re.compile("2 instead of 1: .* for"))
    await decks.fill("9")
    await expect(status).to_contain_text("These rules can't be played.")
    await expect(decks).to_have_attribute("aria-invalid", "true")
    await expect(decks).to_have_accessible_description(re.compile("Decks can't be 9"))
    await decks.fill("")
    await expect(status).to_contain_text("Dealer's edge 13.08")
    await expect(decks).not_to_have_attribute("aria-invalid", "true")
    await expect(ann.page.locator(".option-cost:not(:empty)")).to_have_count(0)
    await ann.page.route("**/tables/new/odds/*", lambda route: route.fulfill(body=""))
    await decks.fill("3")
    await expect(status).to_contain_text("You can create the table without them.")
