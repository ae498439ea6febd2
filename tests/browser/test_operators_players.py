"""An operator keeps a player out who sits at a table in another browser, and lets her in again."""

from __future__ import annotations

import time

import pytest
from playwright.async_api import expect

from tests.browser.players import PASSWORD, WIDE, Evening
from tests.browser.test_operators_floor import operator_of, shot

WHY = "Two accounts at one table. Write to us."
PLAY = "8s 9d 7h Td 9c 9h 8h 7c Ks 2d 3d 4d"
NARROW = (320, 640)


@pytest.mark.long
async def test_an_operator_freezes_a_player_who_plays_and_lets_her_in_again(
    evening: Evening,
) -> None:
    evening.server.stack(PLAY)
    ann, ben = await evening.at_table("Casino table", WIDE, NARROW)
    olga = await operator_of(evening, "manager")
    for person in (ann, ben):
        await person.bet(10)
    await expect(ben.page.locator("button[data-action='stand']")).to_have_count(0)
    await expect(ann.page.locator("button[data-action='stand']")).to_be_visible()

    await olga.page.goto(f"{evening.url}/admin/players/")
    await olga.page.get_by_label("Name, number or e-mail address").fill("BE")
    await olga.page.get_by_role("button", name="Show", exact=True).click()
    await shot(olga, "players")
    await olga.page.get_by_role("link", name="ben", exact=True).click()
    await expect(olga.page.locator("#content")).to_contain_text("Casino table, seat 2")
    await shot(olga, "player")
    await olga.page.get_by_role("link", name="Freeze").click()
    await expect(olga.page.locator("#content")).to_contain_text("close within a second")
    await shot(olga, "freeze")
    await olga.page.get_by_label("Reason").fill(WHY)
    await olga.page.get_by_role("button", name="Freeze").click()
    began = time.monotonic()
    notice = ben.page.locator("#frozen")
    await expect(notice).to_contain_text("Your account ben is frozen.")
    assert time.monotonic() - began < 15, "the page closes at once and is loaded again"
    await expect(notice).to_contain_text(WHY)
    await expect(notice).to_contain_text("Your chips stay in your account.")
    await expect(olga.page.locator(".messagelist")).to_contain_text("ben is frozen.")
    await shot(ben, "frozen-table")

    # The hand stands without ben: ann plays on, and the round ends.
    await ann.act("stand")
    await expect(ann.bet_button).to_be_visible()
    await expect(ann.seat(2)).not_to_contain_text("ben")
    await ben.page.goto(f"{evening.url}/")
    await expect(notice).to_be_visible()
    await shot(ben, "frozen-lobby")
    await ben.page.get_by_role("button", name="Sit here seat 2 at Casino table").click()
    await expect(ben.page).to_have_url(f"{evening.url}/accounts/login/?next=/tables/1/seats/2/")
    await expect(notice).to_be_visible()
    await ben.page.locator("#id_login").fill("ben")
    await ben.page.locator("#id_password").fill("blackjack-21!")
    await ben.page.locator("main button[type=submit]").first.click()
    await expect(ben.page.get_by_role("heading", name="This account is frozen")).to_be_visible()
    await shot(ben, "frozen-login")
    ben.complaints.clear()  # the browser notes the 403 of that page

    await olga.page.get_by_role("link", name="Unfreeze").click()
    await olga.page.get_by_role("button", name="Unfreeze").click()
    await expect(olga.page.locator(".messagelist")).to_contain_text("The player ben is unfrozen.")
    await ben.sit("Casino table", 2)
    await expect(notice).to_have_count(0)
    await ann.bet(10)
    await ben.bet(10)
    await expect(ann.page.locator("#dealer .card").first).to_be_visible()


@pytest.mark.long
async def test_an_adjusted_balance_is_on_the_open_page_at_once_and_in_the_statement(
    evening: Evening,
) -> None:
    (ann,) = await evening.at_table("Casino table", (390, 844))
    olga = await operator_of(evening, "cashier")
    await olga.page.goto(f"{evening.url}/admin/players/?q=ann")
    await olga.page.get_by_role("link", name="ann", exact=True).click()
    await olga.page.get_by_role("link", name="Adjust the wallet").click()
    await olga.page.get_by_label("Amount").fill("12.50")
    await olga.page.get_by_label("Reason").fill("The lights went out.")
    await shot(olga, "adjust")
    await olga.page.get_by_role("button", name="Continue").click()
    await expect(olga.page.locator("#content")).to_contain_text(
        "The wallet changes from 500 to 512.50."
    )
    await shot(olga, "adjust-sure")
    await olga.page.get_by_role("button", name="Adjust wallet").click()
    await ann.sees_balance("512.50")
    await shot(olga, "statement")
    await olga.page.get_by_role("link", name="Reverse").click()
    await olga.page.get_by_label("Reason").fill("They were on all the time.")
    await shot(olga, "reverse")
    await olga.page.get_by_role("button", name="Reverse").click()
    await ann.sees_balance("500")
    await ann.page.goto(f"{evening.url}/statement/")
    await expect(ann.page.locator("main")).to_contain_text("Reason: The lights went out.")
    await expect(ann.page.locator("main")).to_contain_text("Reason: They were on all the time.")
    await shot(ann, "statement")


@pytest.mark.long
async def test_a_form_whose_session_has_ended_is_shown_again_and_done_once(
    evening: Evening,
) -> None:
    (ann,) = await evening.at_table("Casino table", (390, 844))
    olga = await operator_of(evening, "cashier")
    await olga.page.goto(f"{evening.url}/admin/players/?q=ann")
    await olga.page.get_by_role("link", name="ann", exact=True).click()
    await olga.page.get_by_role("link", name="Adjust the wallet").click()
    await olga.page.get_by_label("Amount").fill("12.50")
    await olga.page.get_by_label("Reason").fill("The lights went out.")
    # In another browser, the own sessions are ended.
    result = evening.server.manage(
        "shell", "-c",
        "from django.utils import timezone; from accounts.models import User;"
        "from accounts.users.sessions import end_sessions;"
        "end_sessions(User.objects.get(username='olga').pk, timezone.now())",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    await olga.page.get_by_role("button", name="Continue").click()
    await expect(olga.page.locator("body")).to_contain_text("your form is not lost")
    await olga.page.locator("input[name=login]").fill("olga")
    await olga.page.locator("input[name=password]").fill(PASSWORD)
    await olga.page.locator("main button[type=submit]").click()
    await olga.page.get_by_role("button", name="Send it now").click()
    await expect(olga.page.locator("#content")).to_contain_text(
        "The wallet changes from 500 to 512.50."
    )
    await olga.page.get_by_role("button", name="Adjust wallet").click()
    await ann.sees_balance("512.50")


@pytest.mark.long
async def test_who_is_silenced_reads_that_and_talks_no_more(evening: Evening) -> None:
    (ann,) = await evening.at_table("Casino table", NARROW)
    olga = await operator_of(evening, "floor")
    await expect(ann.page.locator("#chat-form")).to_have_count(1)
    await olga.page.goto(f"{evening.url}/admin/players/?q=ann")
    await olga.page.get_by_role("link", name="ann", exact=True).click()
    await olga.page.get_by_role("link", name="Mute").click()
    await olga.page.get_by_label("Until it is taken back").check()
    await olga.page.get_by_label("Reason").fill("Bad words.")
    await olga.page.get_by_role("button", name="Mute").click()
    await expect(ann.page.locator("#chat-silenced")).to_have_count(1)
    await expect(ann.page.locator("#chat-form")).to_have_count(0)
    await expect(ann.bet_button).to_be_visible()
    await olga.page.get_by_role("link", name="Unmute").click()
    await olga.page.get_by_role("button", name="Unmute").click()
    await expect(ann.page.locator("#chat-form")).to_have_count(1)


@pytest.mark.long
async def test_who_was_frozen_while_the_line_was_cut_is_told_so_when_it_is_back(
    evening: Evening,
) -> None:
    ann = await evening.player("ann")
    await ann.sit("Casino table", 1)
    await ann.page.context.set_offline(True)
    await expect(ann.page.locator("#connection")).to_contain_text("Connection lost")
    result = evening.server.manage(
        "shell", "-c",
        "from django.utils import timezone; from accounts.models import User;"
        "User.objects.filter(username='ann').update("
        f"is_active=False, frozen_at=timezone.now(), frozen_because='{WHY}')",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    await ann.page.context.set_offline(False)
    notice = ann.page.locator("#frozen")
    await expect(notice).to_contain_text("Your account ann is frozen.")
    await expect(notice).to_contain_text(WHY)
    await expect(ann.page.locator("#connection")).to_have_text("")
    # A log-in would be refused.
    await expect(ann.page.get_by_role("link", name="Log in to play")).to_have_count(0)
    await ann.sees_status("You are watching")
    await expect(ann.page.locator("#status-sub")).to_have_text("")


@pytest.mark.long
async def test_a_phone_shows_every_amount_of_a_list_and_a_header_of_one_line(
    evening: Evening,
) -> None:
    olga = await operator_of(evening, "manager")
    await olga.page.set_viewport_size({"width": 360, "height": 740})
    await olga.page.goto(f"{evening.url}/admin/players/")
    sizes = await olga.page.evaluate(
        """() => {
          const header = document.querySelector("#header").getBoundingClientRect();
          const cells = [...document.querySelectorAll('[data-label="Balance"]')];
          return {
            header: header.height,
            width: innerWidth,
            cells: cells.map((cell) => cell.getBoundingClientRect().right),
            roles: cells.map((cell) => cell.getAttribute("role")),
          };
        }"""
    )
    assert sizes["header"] <= 60
    assert sizes["cells"]
    assert all(0 < right <= sizes["width"] for right in sizes["cells"])
    assert set(sizes["roles"]) == {"cell"}
    await olga.page.get_by_text("Menu", exact=True).click()
    await olga.page.get_by_role("link", name="Accounting").click()
    await expect(olga.page.get_by_role("heading", name="Accounting")).to_be_visible()
