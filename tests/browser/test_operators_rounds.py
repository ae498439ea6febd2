"""A player says that a round looks wrong; an operator looks into it, voids it and answers."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.players import Evening
from tests.browser.test_operators_floor import operator_of, shot

PHONE = (390, 844)
LOST = "Ts 9h 8d Kc"  # ann stands on 18 against 19
WRONG = "The dealer drew a card that was on the table."
WHY = "A card was in this shoe twice."
ANSWER = "You are right, and the round is void."


@pytest.mark.long
async def test_a_round_is_reported_voided_and_answered(evening: Evening) -> None:
    evening.server.stack(LOST)
    (ann,) = await evening.at_table("Casino table", PHONE)
    olga = await operator_of(evening, "manager")
    await ann.bet(100)
    await ann.act("stand")
    await expect(ann.bet_button).to_be_visible()  # the round is over, and written down
    await ann.sees_balance("400")

    # The player, on the page of the round.
    page = await ann.page.context.new_page()
    await page.goto(f"{evening.url}/history/")
    await page.get_by_role("link", name="round 1").click()
    await page.get_by_text("Report this round").click()
    await page.get_by_label("What looks wrong?").fill(WRONG)
    await page.get_by_role("button", name="Send report").click()
    await expect(page.locator(".messages")).to_contain_text("operators will check the round")
    await expect(page.locator("#report")).to_contain_text(WRONG)

    # The operator reads it, and everything about the round.
    await olga.page.goto(f"{evening.url}/admin/")
    await olga.page.get_by_role("link", name="Reports").first.click()
    await expect(olga.page.locator("#content")).to_contain_text(WRONG)
    await shot(olga, "reports")
    await olga.page.get_by_role("link", name="Round 1 at Casino table").click()
    await expect(olga.page.locator("#content")).to_contain_text("hand_settled seat=1")
    await expect(olga.page.locator(".round-check")).to_be_visible()
    await shot(olga, "round")

    # Effect on balances; then it is done.
    await olga.page.get_by_role("link", name="Void this round").click()
    row = olga.page.locator("tr", has_text="ann")
    await expect(row).to_contain_text("400")
    await expect(row).to_contain_text("500")
    await olga.page.get_by_role("button", name="Void the round").click()
    assert "/void/" in olga.page.url, "nothing is done without a reason"
    await olga.page.get_by_label("Reason").fill(WHY)
    await shot(olga, "void")
    await olga.page.get_by_role("button", name="Void the round").click()
    await expect(olga.page.locator(".messagelist")).to_contain_text("The round is void.")
    await expect(olga.page.locator("#content")).to_contain_text("reversed by")

    # The table that ann's other page shows has it at once.
    await ann.sees_balance("500")
    await expect(ann.log).to_contain_text("Round 1 has been voided. It does not count.")
    await shot(ann, "table")

    await olga.page.get_by_role("link", name="Answer").click()
    await olga.page.get_by_label("Answer").fill(ANSWER)
    await olga.page.get_by_role("button", name="Answer").click()
    await expect(olga.page.locator(".messagelist")).to_contain_text("The answer is now")

    await page.goto(f"{evening.url}/history/")
    await expect(page.locator(".hands-table")).to_contain_text("Void")
    await page.get_by_role("link", name="Your report has been answered").click()
    await expect(page.locator(".round-void")).to_contain_text(WHY)
    await expect(page.locator(".round-void")).to_contain_text(
        "The 100 you lost was returned to you."
    )
    await expect(page.locator("#report")).to_contain_text(ANSWER)
    await page.goto(f"{evening.url}/statement/")
    await expect(page.locator("main")).to_contain_text("the round is void")

    # She plays on as before.
    await ann.bet(10)
    await expect(ann.page.locator("#dealer .card").first).to_be_visible()
