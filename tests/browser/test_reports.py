"""A message is reported on a phone, a person at a laptop; an operator mutes and answers."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.axe import Inspector
from tests.browser.players import WIDE, Evening
from tests.browser.test_operators_floor import operator_of, shot

PHONE = (360, 740)


@pytest.mark.long
async def test_a_line_is_reported_on_a_phone_and_answered(evening: Evening) -> None:
    evening.context["bypass_csp"] = True  # for axe
    inspector = Inspector(await evening.browser.new_page())
    ann, ben = await evening.at_table("Casino table", PHONE, WIDE)
    await ben.page.locator("#chat-input").fill("You play like a fool.")
    await ben.page.locator("#chat-send").click()

    # On the phone: the chat, the line's menu, the report. By keyboard alone from the menu on.
    await ann.button("Chat").click()
    await ann.page.get_by_label("Options for this message from ben").click()
    await ann.button("Report this message to the operators").click()
    dialog = ann.page.locator("#report-dialog")
    await expect(dialog).to_contain_text("Report a message from ben")
    await expect(dialog.locator("#report-quote")).to_have_text("You play like a fool.")
    assert await ann.page.locator("#report-reason option:not([hidden])").count() == 4
    width = await ann.page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE[0]
    await shot(ann, "report-phone")
    await inspector.see("the report of a line", ann)
    await ann.page.get_by_label("Anything else? (optional)").fill("Please look.")
    await ann.page.get_by_label("Anything else? (optional)").press("Tab")
    await ann.page.keyboard.press("Enter")
    await expect(dialog.locator("#report-done")).to_contain_text("Thank you.")
    await expect(ann.page.locator("#report-close")).to_be_focused()
    await ann.page.keyboard.press("Enter")
    await expect(dialog).to_be_hidden()

    # Ben reports ann as a person; nobody can report themselves.
    await ben.button("People").click()
    await expect(ben.button("Report ann")).to_be_visible()
    await expect(ben.page.get_by_role("button", name="Report ben", exact=True)).to_have_count(0)
    await ben.button("Report ann").click()
    await ben.page.locator("#report-reason").select_option("unfair")
    await ben.page.locator("#report-send").click()
    await expect(ben.page.locator("#report-done")).to_contain_text("Thank you.")

    # The operator reads the line with what surrounds it, mutes ben, and answers.
    flo = await operator_of(evening, "floor")
    await flo.page.goto(f"{evening.url}/admin/reports/?kind=line")
    await flo.page.get_by_role("link", name="A message from ben").click()
    await expect(flo.page.locator(".is-reported")).to_contain_text("You play like a fool.")
    await shot(flo, "report")
    await flo.page.get_by_role("link", name="Mute").click()
    await shot(flo, "mute")
    await flo.page.get_by_label("10 minutes").check()
    await flo.page.get_by_label("Reason").fill("Insults")
    await flo.page.get_by_role("button", name="Mute").click()
    await expect(flo.page.locator(".messagelist")).to_contain_text("The player ben is muted.")
    await expect(ben.page.locator("#chat-silenced")).to_contain_text("until")
    await expect(ben.page.locator("#chat-form")).to_be_hidden()
    await flo.page.get_by_role("link", name="Answer").click()
    await flo.page.get_by_label("Answer").fill("He is muted for ten minutes.")
    await flo.page.get_by_role("button", name="Answer").click()
    await expect(flo.page.locator(".messagelist")).to_contain_text("The answer is sent.")

    await ann.page.goto(f"{evening.url}/account/reports/")
    await expect(ann.page.locator("main")).to_contain_text("He is muted for ten minutes.")
    await ann.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    await shot(ann, "own-reports")
    await inspector.see("reports of one's own", ann)
    await flo.page.goto(f"{evening.url}/admin/reports/?answered=on")
    await flo.page.get_by_role("link", name="A message from ben").click()
    await inspector.see("a report", flo)
    assert inspector.faults == []


async def test_a_silence_ends_on_an_open_page(evening: Evening) -> None:
    evening.can_stop_time = True
    (ann,) = await evening.at_table("Casino table", PHONE)
    result = evening.server.manage(
        "shell", "-c",
        "import datetime as dt; from django.utils import timezone; from accounts.models import User;"
        "now = timezone.now(); two = dt.timedelta(minutes=2);"
        "User.objects.filter(username='ann').update(silenced_at=now, silenced_until=now + two)",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    await ann.page.reload()
    await ann.button("Chat").click()
    await expect(ann.page.locator("#chat-silenced")).to_contain_text("until")
    await expect(ann.page.locator("#chat-form")).to_be_hidden()
    await ann.stop_time()
    await ann.let_pass(130_000)
    await expect(ann.page.locator("#chat-form")).to_be_visible()
    await expect(ann.page.locator("#chat-silenced")).to_be_hidden()
