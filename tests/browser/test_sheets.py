"""The chat and the log on a phone, where they lie over the table as sheets."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.browser.players import PHONE, WIDE, Evening

PRESS_AS_THE_CHAT_CLOSES = """() => {
  const toggle = document.getElementById("chat-toggle");
  window.pressed = new Promise((resolve) => {
    const observer = new MutationObserver(() => requestAnimationFrame(() => {
      observer.disconnect();
      const stand = document.querySelector("[data-action='stand']");
      stand.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 }));
      resolve(stand.textContent);
    }));
    observer.observe(toggle, { attributes: true, attributeFilter: ["aria-expanded"] });
  });
}"""
"""As a thumb that was on its way to the button of the chat."""


@pytest.mark.long
async def test_a_press_that_was_meant_for_the_chat_decides_nothing(evening: Evening) -> None:
    evening.server.stack("Ts 8s 6h 9d 8d Kc 5h")
    ann, ben = await evening.at_table("Casino table", WIDE, PHONE)
    status = ben.page.locator("#chat-panel .sheet-status")
    await expect(ann.page.locator("#chat-panel .sheet-status")).to_be_hidden()  # it covers nothing
    await ben.button("Chat").click()
    await expect(status).to_have_text(re.compile("Place your bet"))
    await ben.button("Close").click()
    for person in (ann, ben):
        await person.bet(10)

    await ann.sees_status("Your turn")
    await ben.button("Chat").click()
    await expect(status).to_have_text(re.compile(r"ann's turn\s+\d+ s"))
    await ben.page.evaluate(PRESS_AS_THE_CHAT_CLOSES)
    await ann.act("stand")
    assert "Stand" in await ben.page.evaluate("pressed")
    await expect(status).to_be_hidden()
    await ben.page.wait_for_timeout(1_000)
    await ben.sees_status("Your turn")
    assert await ben.cards_of(2) == [["8s", "8d"]]

    # Opened again, it says for how long. Afterwards the buttons decide.
    await ben.button("Chat").click()
    await expect(status).to_have_text(re.compile(r"Your turn\s+\d+ s"))
    await ben.button("Close").click()
    await ben.act("stand")
    await expect(ben.seat(2).locator(".outcome")).to_be_visible()


async def test_the_figures_of_a_phone_open_with_links_to_ones_own_pages(evening: Evening) -> None:
    (ann,) = await evening.at_table("Casino table", PHONE)
    balance, session = ann.figure("balance"), ann.figure("session")
    history = ann.page.get_by_role("link", name="History")
    await expect(balance).to_be_visible()
    await expect(history).to_be_hidden()
    await ann.button("Show all figures").click()
    await expect(session).to_be_visible()
    await ann.page.keyboard.press("Tab")
    await ann.page.keyboard.press("Escape")
    await expect(history).to_be_hidden()
    await ann.button("Show all figures").click()
    await history.click()
    await ann.page.wait_for_url("**/history/")
