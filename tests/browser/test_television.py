"""A table on a television in the room of the friends who play at it."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.axe import Inspector
from tests.browser.players import PHONE, WIDE, Evening, Person
from tests.browser.test_private_table import makes_table

SCREENS = ((1280, 720), (1920, 1080), (3840, 2160))
OUT_OF_SIGHT = """() => {
  const nodes = document.querySelectorAll(
    ".card, .seat .name, .total:not(:empty), .qr, #tv-code, #status-main",
  );
  const dealersBottom = document.querySelector("#dealer .cards").getBoundingClientRect().bottom;
  return [...nodes].filter((node) => {
    const { top, left, right, bottom, width } = node.getBoundingClientRect();
    return node.checkVisibility()
      && (!width || top < (node.closest(".seat") ? dealersBottom : -1) || left < -1
        || right > innerWidth + 1 || bottom > innerHeight + 1);
  }).map((node) => `${node.className || node.id} ${node.textContent}`);
}"""


SMALL = """() => [...document.querySelectorAll("body *")]
  .filter((node) => node.checkVisibility({ visibilityProperty: true })
    && !node.closest(".visually-hidden, .skip-link, .card, script, noscript")
    && [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim())
    && parseFloat(getComputedStyle(node).fontSize) < 24)
  .map((node) => `${node.className || node.id} ${node.textContent}`)"""
"""What cannot be read from a sofa, on a screen of 1920×1080."""


async def shows_all(page: Page) -> None:
    """Everything on the screen is in sight, whatever the size of the television."""
    for width, height in SCREENS:
        await page.set_viewport_size({"width": width, "height": height})
        assert await page.evaluate(OUT_OF_SIGHT) == []
        if (width, height) == (1920, 1080):
            assert await page.evaluate(SMALL) == []


async def open_television(person: Person) -> Page:
    """By the link in the dialog with the invite."""
    await person.button("Invite").click()
    async with person.page.context.expect_page() as opened:
        await person.page.get_by_role("link", name="Show the table on a television").click()
    page = await opened.value
    await person.page.keyboard.press("Escape")
    await expect(page.locator("#status-main")).not_to_have_text("")
    return page


async def double_tap_on_a_slow_line(page: Page, button: Locator) -> None:
    """The second tap comes before the answer to the first one."""
    line = await page.context.new_cdp_session(page)
    slow = {"offline": False, "latency": 400, "downloadThroughput": -1, "uploadThroughput": -1}
    await line.send("Network.emulateNetworkConditions", slow)
    box = await button.bounding_box()
    assert box is not None
    for _ in range(2):
        await page.mouse.click(box["x"] + 20, box["y"] + 20)
        await page.wait_for_timeout(150)
    await line.detach()


@pytest.mark.long(seconds=15)
async def test_a_television_follows_the_round_and_has_no_buttons(evening: Evening) -> None:
    evening.server.stack("8s Ts 9h 6h 8h 9d Kc Td  8d 8c 2c 3c 4c 5c 2h 3h 4h")
    evening.context["bypass_csp"] = True  # for axe
    inspector = Inspector(await evening.browser.new_page())
    people = await evening.at_table("Vegas table", WIDE, PHONE, WIDE)
    ann, ben, cleo = people
    television = await open_television(ann)
    await expect(television.locator("#status-main")).to_have_text("Place your bets")
    await ann.bet(50)
    await expect(television.locator("#status-main")).to_have_text("Waiting for ben and cleo")
    await ben.bet(50)
    await cleo.bet(50)
    await expect(television.locator("#status-main")).to_have_text("ann's turn")
    for action in ("split", "split", "stand", "stand", "split"):
        await ann.act(action)
    await expect(television.locator("[data-seat='1'] .hand")).to_have_count(4)
    await shows_all(television)
    assert await television.locator("button:visible, a:visible:not(.skip-link)").count() == 0
    screen = Person("television", television, ann.url)
    await inspector.see("television", screen)
    await television.set_viewport_size({"width": 1280, "height": 720})

    await ann.page.locator("#leave").click()
    await ann.button("Stand and leave").click()
    await ben.act("stand")
    await cleo.act("stand")
    await expect(television.locator("#status-main")).to_have_text("Place your bets")
    await expect(television.locator("[data-seat='2'] .outcome")).to_contain_text(
        re.compile("Won|Lost|Push|Win|Lose")
    )
    assert not inspector.faults, "\n".join(inspector.faults)
    assert screen.complaints == []


@pytest.mark.long
async def test_its_code_leads_a_phone_to_the_table_and_goes_with_the_invite(
    evening: Evening,
) -> None:
    ann = await evening.player("ann")
    link = await makes_table(ann)
    television = await open_television(ann)
    qr, code = television.locator("#tv-qr"), television.locator("#tv-code")
    before = await code.inner_text()
    assert link.endswith(f"/join/{before.replace('-', '')}/")
    await expect(qr).to_have_attribute("src", f"/join/{before.replace('-', '')}/qr.svg")
    assert await qr.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")

    guest = await evening.person("guest", PHONE)
    await guest.page.goto(link)
    await guest.page.get_by_label("Your name").fill("Grandma")
    # It makes one guest, who is not told that the name is taken.
    await double_tap_on_a_slow_line(guest.page, guest.button("Play as guest"))
    await expect(guest.page.locator("li.seat.is-mine .name")).to_have_text("Grandma")
    await expect(television.locator("[data-seat='2'] .name")).to_have_text("Grandma")

    await ann.button("Invite").click()
    await ann.button("Create a new link").click()
    await ann.page.locator("#sure-yes").click()
    await expect(code).not_to_have_text(before)
    after = (await code.inner_text()).replace("-", "")
    await expect(qr).to_have_attribute("src", f"/join/{after}/qr.svg")

    stranger = await evening.person("stranger")
    answer = await stranger.page.goto(television.url)
    assert answer is not None
    assert answer.status == 404
    stranger.complaints.clear()  # The browser's own word about the 404.
