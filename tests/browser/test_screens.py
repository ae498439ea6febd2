"""What fits on which screen."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.players import PHONE, Evening, Person

SIZES = ((320, 640), (740, 360))


async def fits(person: Person) -> None:
    """The page cannot be scrolled sideways on either screen."""
    for width, height in SIZES:
        await person.page.set_viewport_size({"width": width, "height": height})
        wide: int = await person.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert wide <= 0, (person.page.url, width)


@pytest.mark.long
async def test_no_page_scrolls_sideways_and_decisions_are_in_reach_upright_and_lengthwise(
    evening: Evening,
) -> None:
    evening.server.stack("8s 5h Th 6c 8d 6h 9c Kc 2c 3d 9s Ts Td Qh")
    ann = await evening.person("ann", SIZES[0])
    for path in ("/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"):
        await ann.page.goto(ann.url + path)
        await fits(ann)
    await ann.sign_up()
    ben = await evening.player("ben")
    cleo = await evening.player("cleo")
    friends = (ann, ben, cleo)
    await ann.sit_from_lobby("Casino table", 1)
    await ben.sit("Casino table", 2)
    await cleo.sit("Casino table", 3)
    for person in friends:
        await person.bet(10)
    await ann.act("split")
    await ann.sees_status("first hand")
    await fits(ann)
    for width, height in SIZES:
        await ann.page.set_viewport_size({"width": width, "height": height})
        for action in ("hit", "stand", "double"):
            box = await ann.page.locator(f"button[data-action='{action}']").bounding_box()
            assert box is not None
            assert box["width"] >= 44, action
            assert box["height"] >= 44, action
            assert box["x"] >= 0, action
            assert box["x"] + box["width"] <= width, action
            assert box["y"] + box["height"] <= height, action
    await ann.page.goto(f"{ann.url}/history/")
    await fits(ann)


async def test_escape_closes_the_log_and_the_chat_wherever_the_focus_is(evening: Evening) -> None:
    (ann,) = await evening.at_table("Casino table", PHONE)
    for name in ("log", "chat"):
        toggle = ann.page.locator(f"#{name}-toggle")
        await toggle.click()
        await expect(toggle).to_have_attribute("aria-expanded", "true")
        await ann.page.evaluate("document.activeElement.blur()")
        await ann.press("Escape")
        await expect(toggle).to_have_attribute("aria-expanded", "false")
        await expect(toggle).to_be_focused()
