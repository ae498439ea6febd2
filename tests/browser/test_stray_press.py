"""A double tap decides once: its second press meets the buttons of the next decision."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.players import PHONE, Evening

PRESS = """([selector, later, how]) => {
  const button = document.querySelector(selector);
  const { x, y, width, height } = button.getBoundingClientRect();
  const press = new PointerEvent("click", {
    bubbles: true, cancelable: true, clientX: x + width / 2, clientY: y + height / 2, ...how,
  });
  window.pressedAt ??= press.timeStamp;
  Object.defineProperty(press, "timeStamp", { value: window.pressedAt + later });
  button.dispatchEvent(press);
}"""
"""A press ``later`` milliseconds after the first one, by its time stamp: the machine may be slow."""
STAND = "[data-action='stand']"
TOUCH = {"pointerType": "touch", "detail": 1}
MOUSE = {"pointerType": "mouse", "detail": 1}
SECOND = {"pointerType": "mouse", "detail": 2}
"""As browsers count the presses of a mouse."""


@pytest.mark.parametrize(("first", "second"), [(TOUCH, TOUCH), (MOUSE, SECOND)])
async def test_the_second_press_of_a_double_tap_does_not_play_the_next_hand(
    evening: Evening, first: dict[str, object], second: dict[str, object]
) -> None:
    evening.server.stack("8s 6h 8d Kc 2s 3d 5h")
    ann, *_ = await evening.at_table("Casino table", PHONE)
    await ann.bet(10)
    await ann.act("split")
    await ann.sees_status("first hand")

    await ann.page.evaluate(PRESS, [STAND, 0, first])
    await ann.sees_status("second hand")
    await ann.page.evaluate(PRESS, [STAND, 250, second])
    await ann.page.wait_for_timeout(500)
    await ann.sees_status("second hand")

    await ann.page.evaluate(PRESS, [STAND, 600, first])
    await expect(ann.seat(1).locator(".outcome")).to_have_count(2)
