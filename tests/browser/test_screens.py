"""What fits on which screen."""

from __future__ import annotations

import pytest

from tests.browser.players import Evening, Person

SIZES = [(320, 640), (740, 360)]


async def overflow(person: Person) -> int:
    """By how many pixels the page can be scrolled sideways."""
    wide: int = await person.page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return wide


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_no_page_scrolls_sideways_and_decisions_are_in_reach(
    evening: Evening, size: tuple[int, int]
) -> None:
    evening.server.stack("8s 5h Th 6c 8d 6h 9c Kc 2c 3d 9s Ts Td Qh")
    ann = await evening.person("ann", size)
    for path in ("/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"):
        await ann.page.goto(ann.url + path)
        assert await overflow(ann) <= 0, path
    await ann.sign_up()
    ben = await evening.player("ben")
    cleo = await evening.player("cleo")
    friends = (ann, ben, cleo)
    for seat, person in enumerate(friends, start=1):
        await person.sit_from_lobby("Casino table", seat)
    for person in friends:
        await person.bet(10)
    await ann.act("split")
    await ann.sees_status("first hand")
    assert await overflow(ann) <= 0
    for action in ("hit", "stand", "double"):
        box = await ann.page.locator(f"button[data-action='{action}']").bounding_box()
        assert box is not None
        assert box["width"] >= 44, action
        assert box["height"] >= 44, action
        assert box["x"] >= 0, action
        assert box["x"] + box["width"] <= size[0], action
        assert box["y"] + box["height"] <= size[1], action
    await ann.page.goto(f"{ann.url}/history/")
    assert await overflow(ann) <= 0
