"""Practice in a real browser: by keys, by touch, against the clock; figures stay in the browser."""

from __future__ import annotations

import asyncio
from typing import Any

from playwright.async_api import Page, expect

from tests.browser.players import WIDE, Evening

SMALL = (320, 640)
SIXTEEN = {
    "hand": ["Ts", "6h"], "up": "Kd", "total": 16, "soft": False,
    "actions": ["hit", "stand", "double", "surrender"], "spot": "hard-16-T",
}  # fmt: skip
NINES = {
    "hand": ["9s", "9h"], "up": "7d", "total": 18, "soft": False,
    "actions": ["hit", "stand", "double", "split", "surrender"], "spot": "pairs-99-7",
}  # fmt: skip
ACE = {
    "hand": ["Ts", "6h"], "up": "Ad", "total": 16, "soft": False, "asks_insurance": True,
    "actions": ["insure", "decline"], "spot": "insurance-16-A",
}  # fmt: skip


async def deal(page: Page, *hands: dict[str, Any]) -> list[str]:
    """Deal these hands, the last one again and again; returns what is asked for."""
    urls: list[str] = []

    async def fulfill(route: Any) -> None:
        urls.append(route.request.url)
        await route.fulfill(json=hands[min(len(urls), len(hands)) - 1])

    await page.route("**/practice/hand/**", fulfill)
    return urls


async def test_hands_are_answered_by_keys_and_have_their_cost(evening: Evening) -> None:
    dora = await evening.person("dora", WIDE)
    page = dora.page
    urls = await deal(page, SIXTEEN, NINES)
    await page.goto(f"{dora.url}/practice/?rules=vegas")
    status = page.get_by_role("status").filter(has_text="against")
    await expect(status).to_contain_text("16 against a 10")
    await dora.press("Enter", "x", "p")  # no split of these cards
    await expect(status).to_contain_text("16 against a 10")
    await dora.press("s")
    await expect(status).to_have_text(
        "Standing on 16 against a 10 costs 0.041 bets. Best: surrender."
    )
    rows = page.get_by_role("table").get_by_role("row")
    await expect(rows.nth(1)).to_contain_text("Surrender")
    await expect(rows.nth(1)).to_contain_text("−0.500")
    await expect(rows.filter(has_text="your answer")).to_contain_text("Stand")
    await expect(page.locator("#figure-hands")).to_have_text("1")
    await expect(page.locator("#figure-right")).to_have_text("0 (0 %)")
    assert "missed=hard-16-T%3A2" in urls[-1]

    await dora.press("Space")
    await expect(status).to_contain_text("9, 9 against a 7")
    await dora.press("s")
    await expect(page.get_by_role("status").filter(has_text="Right: stand.")).to_be_visible()
    await expect(page.locator("#figure-streak")).to_have_text("1")
    await page.reload()
    await expect(page.locator("#figure-hands")).to_have_text("2")
    await expect(page.locator("#figure-cost")).to_have_text("2.048 bets")
    await dora.button("Reset these figures").click()
    await expect(page.locator("#figure-hands")).to_have_text("0")


async def test_on_the_smallest_phone_the_clock_counts_a_hand_without_an_answer(
    evening: Evening,
) -> None:
    evening.can_stop_time = True
    evening.context["has_touch"] = True
    dora = await evening.person("dora", SMALL)
    page = dora.page
    await deal(page, NINES)
    await page.goto(f"{dora.url}/practice/?rules=vegas")
    await page.get_by_label("Time limit").select_option("3")
    await expect(page.get_by_role("status").filter(has_text="Ready?")).to_be_visible()
    await dora.stop_time()
    await dora.button("Start").tap()
    split = dora.button("Split")
    await expect(split).to_be_in_viewport(ratio=1)
    await expect(page.locator("#practice-seconds")).to_have_text("3 s")
    await dora.let_pass(3000)
    await expect(page.get_by_role("status").filter(has_text="Time is up")).to_contain_text(
        "Best: stand."
    )
    await expect(page.locator("#figure-late")).to_have_text("1")
    await expect(page.locator("#figure-cost")).to_have_text("–")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await dora.button("Next hand").tap()
    await dora.let_pass(1000)
    await split.tap()
    await expect(page.get_by_role("status").filter(has_text="Splitting 9, 9")).to_be_visible()
    await dora.let_pass(5000)
    await expect(page.locator("#figure-hands")).to_have_text("2")


async def test_the_rules_of_a_table_stay_in_the_list(evening: Evening) -> None:
    dora = await evening.person("dora", SMALL)
    page = dora.page
    await deal(page, SIXTEEN)
    await page.goto(f"{dora.url}/practice/?rules=casino&natural_pays=6%3A5")
    rules = page.get_by_label("Rules", exact=True)
    at_the_table = page.get_by_text("At this table: blackjack pays 6 to 5.")
    await expect(at_the_table).to_be_visible()
    await expect(page.get_by_role("status").filter(has_text="16 against a 10")).to_be_visible()
    await dora.press("s")
    await expect(page.locator("#figure-hands")).to_have_text("1")
    await rules.select_option("Vegas")
    await expect(page.get_by_role("heading", name="Your practice of Vegas")).to_be_visible()
    await expect(at_the_table).to_have_count(0)
    await rules.select_option("Casino, as at the table")
    await expect(
        page.get_by_role("heading", name="Your practice of Casino, as at the table")
    ).to_be_visible()
    await expect(at_the_table).to_be_visible()
    await expect(page.locator("#figure-hands")).to_have_text("1")
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_rules_chosen_before_the_script_is_there_are_heard(evening: Evening) -> None:
    dora = await evening.person("dora", SMALL)
    page = dora.page
    await deal(page, SIXTEEN)
    is_chosen = asyncio.Event()

    async def send_late(route: Any) -> None:
        await is_chosen.wait()
        await route.continue_()

    await page.route("**/practice_page*.js", send_late)
    await page.goto(f"{dora.url}/practice/?rules=casino", wait_until="commit")
    await page.get_by_label("Rules", exact=True).select_option("Vegas")
    is_chosen.set()
    await expect(page.get_by_role("heading", name="Your practice of Vegas")).to_be_visible()


async def test_insurance_is_a_question_of_its_own(evening: Evening) -> None:
    dora = await evening.person("dora", SMALL)
    page = dora.page
    await deal(page, ACE, ACE, SIXTEEN)
    await page.goto(f"{dora.url}/practice/?rules=vegas")
    status = page.get_by_role("status").filter(has_text="against")
    await expect(status).to_have_text("16 against an ace Insurance?")
    await dora.button("Insure").click()
    await expect(page.get_by_role("status").filter(has_text="Insuring 16")).to_have_text(
        "Insuring 16 costs 0.039 bets. Best: no insurance."
    )
    rows = page.get_by_role("table").get_by_role("row")
    await expect(rows).to_have_count(3)
    await expect(rows.nth(1)).to_contain_text("No insurance")
    await dora.press("Enter", "n")
    await expect(page.get_by_role("status").filter(has_text="Right: no")).to_have_text(
        "Right: no insurance. Insurance would cost 0.039 bets."
    )
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
