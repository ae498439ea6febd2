"""Figures and the leaderboard, in a wide window and on the smallest phone."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.browser.players import WIDE, Evening, Person

CASINO = "Casino table"
SMALL = (320, 640)
BLACKJACK = "As 9h Kd 7c"

GROW_A_STANDING = """
from accounts.models import User
from tables.models import Standing
Standing.objects.update(rounds=120, per_hundred=1250)
"""


async def play_a_blackjack(evening: Evening, person: Person) -> None:
    evening.server.stack(BLACKJACK)
    await person.sit(CASINO, 1)
    await person.bet(10)
    await person.sees_balance("515")


async def fits(page: Page) -> bool:
    """Whether nothing sticks out to the side."""
    return bool(
        await page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
    )


@pytest.mark.long
async def test_figures_are_read_in_a_wide_window_by_keys(evening: Evening) -> None:
    ann = await evening.player("ann", WIDE)
    await ann.page.goto(f"{ann.url}/figures/")
    await expect(ann.page.get_by_text("No rounds yet.")).to_be_visible()
    await play_a_blackjack(evening, ann)

    await ann.page.goto(f"{ann.url}/home/")
    await ann.page.locator("main").get_by_role("link", name="Stats").click()
    row = ann.page.get_by_role("row", name="Casino")
    await expect(row.get_by_role("cell")).to_have_text(
        ["1", "1", "0", "0", "1", "0", "0", "0", "1", "15", "10", "+15"], use_inner_text=True
    )
    picture = ann.page.get_by_role("img", name="Balance over time")
    await expect(picture).to_be_visible()
    await expect(picture.locator("desc")).to_contain_text("515 now")

    numbers = ann.page.get_by_text("Show as a table")
    await numbers.focus()
    await ann.press("Enter")
    table = ann.page.get_by_role("table", name="Balance over time")
    await expect(table.get_by_role("cell").first).to_have_text("500")
    await expect(table.get_by_role("cell").last).to_have_text("515")

    await ann.page.get_by_role("link", name="Today").click()
    await expect(ann.page.get_by_role("link", name="Today")).to_have_attribute(
        "aria-current", "page"
    )
    await expect(row).to_be_visible()


async def test_figures_are_cards_on_the_smallest_phone(evening: Evening) -> None:
    ann = await evening.player("ann", SMALL)
    await play_a_blackjack(evening, ann)
    await ann.page.goto(f"{ann.url}/figures/")
    card = ann.page.get_by_role("row", name="Casino")
    box = await card.bounding_box()
    assert box is not None
    assert box["width"] > 250
    net = card.get_by_role("cell").last
    label = "cell => getComputedStyle(cell, '::before').content"
    assert await net.evaluate(label) == '"Net"'
    line = await ann.page.get_by_role("img", name="Balance over time").bounding_box()
    assert line is not None
    assert line["width"] > 150
    assert line["height"] > 150
    assert await fits(ann.page)


@pytest.mark.long
async def test_the_leaderboard_marks_my_line(evening: Evening) -> None:
    ann = await evening.player("ann", SMALL)
    await play_a_blackjack(evening, ann)
    await ann.page.goto(f"{ann.url}/leaderboard/")
    await expect(ann.page.get_by_text("49 more rounds until you are listed.")).to_be_visible()
    result = evening.server.manage("shell", "-c", GROW_A_STANDING)
    assert result.returncode == 0, result.stderr
    await ann.page.reload()
    line = ann.page.get_by_role("row", name="ann you")
    await expect(line.get_by_role("cell")).to_have_text(["1", "120", "+12.50"])
    assert await fits(ann.page)
