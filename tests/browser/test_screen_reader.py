"""What a screen reader finds and says at a table."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.players import Evening, Person
from tests.browser.test_private_table import agrees, comes_by, makes_table, opens_host, says

CASINO = "Casino table"


async def test_totals_and_bets_have_names(evening: Evening) -> None:
    evening.server.stack("Ts 6h 9d Kc Th")
    (ann,) = await evening.at_table(CASINO, (1280, 800))
    await ann.bet(20)
    await ann.sees_status("Your turn")
    hand = ann.page.get_by_role("group", name="Your hand")
    assert "Total 19 Bet 20" in " ".join((await hand.text_content() or "").split())
    dealer = ann.page.get_by_role("group", name="Dealer")
    assert "Total 6" in " ".join((await dealer.text_content() or "").split())


async def test_the_call_of_a_turn_goes_with_the_turn(evening: Evening) -> None:
    evening.server.stack("Ts 9s 6h 9d 8d Kc Th")
    ann, ben = await evening.at_table(CASINO, (1280, 800), (1280, 800))
    await ann.bet(10)
    await ben.bet(10)
    calls = ann.page.locator("#calls")
    await expect(calls).to_contain_text("Your turn: 19")
    await ann.act("stand")
    await ben.sees_status("Your turn")
    await expect(calls).to_have_text("")


async def test_the_region_of_announcements_is_there_only_with_one(evening: Evening) -> None:
    (ann,) = await evening.at_table(CASINO, (1280, 800))
    region = ann.page.get_by_role("region", name="From the site")
    await expect(region).to_have_count(0)
    moved = evening.server.manage(
        "shell", "--verbosity", "0", "-c",
        "from tables.models import Table; from django.utils import timezone;"
        "Table.objects.update(paused_at=timezone.now())",
    )  # fmt: skip
    assert moved.returncode == 0, moved.stderr
    await ann.page.reload()
    await expect(region).to_contain_text("paused")


@pytest.mark.long
async def test_short_announcements_say_the_round_my_result_and_the_dealers(
    evening: Evening,
) -> None:
    evening.server.stack("Ts 9s 6h 9d 8d Kc Th", "Ts 9s 6h 9d 8d Kc Th")
    ann, ben = await evening.at_table(CASINO, (1280, 800), (1280, 800))
    await ann.button("Settings").click()
    await ann.switch("Short announcements").click()
    await ann.press("Escape")
    for person in (ann, ben):
        await person.bet(10)
    await ann.act("stand")
    await ben.act("stand")
    await ann.sees_status("You win 10")
    said = ann.page.locator("#short-log p")
    await expect(said).to_have_text(
        [
            "Round 1",
            "The dealer takes the ten of hearts: 26.",
            "You win 10 – the dealer busts with 26.",
        ]
    )
    await expect(ann.log).to_have_attribute("aria-live", "off")
    await expect(ann.log).to_contain_text("ben stands")
    # The choice is kept, and the whole log is read out again without it.
    await ann.page.reload()
    await expect(ann.log).to_have_attribute("aria-live", "off")
    await ann.button("Settings").click()
    await ann.switch("Short announcements").click()
    await expect(ann.log).to_have_attribute("aria-live", "polite")


async def is_somewhere(person: Person) -> None:
    """The focus is on a part of the page."""
    await person.page.wait_for_timeout(150)
    assert await person.page.evaluate("document.activeElement !== document.body")


async def test_the_focus_is_never_lost(evening: Evening) -> None:
    ann = await evening.player("ann")
    link = await makes_table(ann)
    ben, cleo = await evening.player("ben"), await evening.player("cleo")
    await comes_by(ben, link, 2)
    await comes_by(cleo, link, 3)
    for opener in ("#rules-open", "#settings-open", "#keys-open", "#invite-open", "#shoe"):
        await ann.page.locator(opener).click()
        await is_somewhere(ann)
        await ann.press("Escape")
        await expect(ann.page.locator(opener)).to_be_focused()
    await says(ann, "Good evening.")
    await is_somewhere(ann)
    await ann.page.locator(".chat-more").first.click()
    await ann.button("Remove").click()
    await expect(ann.page.locator(".chat-line")).to_have_count(0)
    await is_somewhere(ann)

    host = await opens_host(ann)
    await host.get_by_role("button", name="Free seat: cleo").click()
    await agrees(ann, "Free seat")
    await expect(host.get_by_role("button", name="Free seat: cleo")).to_have_count(0)
    await is_somewhere(ann)
    assert await ann.page.evaluate("document.activeElement.closest('#host-dialog') !== null")
    await host.get_by_role("button", name="Make host: ben").click()
    await agrees(ann, "Make ben the host")
    await expect(host).to_be_hidden()
    await is_somewhere(ann)
    await ann.page.locator("#leave").click()
    await expect(ann.page.locator(".is-mine")).to_have_count(0)
    await is_somewhere(ann)
    await ben.page.locator(".sit, #invite-open").first.focus()
    host = await opens_host(ben)
    await host.get_by_role("button", name="Close table").click()
    await agrees(ben, "Close table")
    await expect(ben.page.locator("#closed")).to_be_visible()
    await is_somewhere(ben)


async def test_the_focus_stays_through_a_round(evening: Evening) -> None:
    evening.server.stack("Ts 6h 9d Kc Th")
    (ann,) = await evening.at_table(CASINO, (1280, 800))
    await ann.bet(10)
    await ann.sees_status("Your turn")
    await is_somewhere(ann)
    await ann.act("stand")
    await ann.sees_status("You win")
    await is_somewhere(ann)
