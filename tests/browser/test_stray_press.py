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


PRESS_WHAT_COMES = """([mode, action]) => {
  const controls = document.getElementById("controls");
  window.pressed = [];
  new MutationObserver((_, observer) => {
    if (controls.dataset.mode !== mode) return;
    observer.disconnect();
    const button = controls.querySelector(action);
    window.pressed.push(document.getElementById("status-main").textContent);
    button.dispatchEvent(new PointerEvent("click", {
      bubbles: true, cancelable: true, pointerType: "touch", detail: 1,
    }));
  }).observe(controls, { attributes: true });
}"""
"""A finger that was on its way to the buttons of before."""


@pytest.mark.long
async def test_a_press_on_what_was_planned_is_none_on_the_decision_that_replaces_it(
    evening: Evening,
) -> None:
    evening.server.stack("8s 9s 6h 8d 9d Kc 2s 3d 5h")
    ann, ben = await evening.at_table("Casino table", PHONE, PHONE)
    for person in (ann, ben):
        await person.bet(10)
    await expect(ben.page.locator("#controls[data-mode='ahead']")).to_be_visible()
    await ben.page.evaluate(PRESS_WHAT_COMES, ["actions", "[data-action='hit']"])
    await ann.act("stand")
    await ben.sees_status("Your turn")
    assert len(await ben.page.evaluate("window.pressed")) == 1
    await ben.page.wait_for_timeout(700)
    await expect(ben.seat(2).locator(".card")).to_have_count(2)
    await ben.act("hit")
    await expect(ben.seat(2).locator(".card")).to_have_count(3)


async def test_whether_to_play_again_is_asked_after_the_result_and_not_under_the_finger(
    evening: Evening,
) -> None:
    evening.server.stack("Ts 9h 9s 8d 2c 3d")
    (ann,) = await evening.at_table("Classic table", PHONE)
    await ann.page.get_by_role("button", name="Deal me in").click()
    await ann.sees_status("Your turn")
    await ann.page.evaluate(PRESS_WHAT_COMES, ["again", "[data-command='no']"])
    await ann.act("stand")
    await expect(ann.page.locator("#controls[data-mode='again']")).to_be_visible()
    (status,) = await ann.page.evaluate("window.pressed")
    assert status.startswith("You win")
    await ann.page.wait_for_timeout(700)
    await expect(ann.seat(1)).to_contain_text("ann")
    await expect(ann.page.get_by_role("button", name="Yes, play again")).to_be_visible()
