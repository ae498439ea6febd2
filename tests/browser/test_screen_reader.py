"""What a screen reader finds and says at a table."""

from __future__ import annotations

import re

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


async def test_cards_that_have_no_room_are_still_read(evening: Evening) -> None:
    evening.server.stack("Ts 9s 6h 9d 8d Kc Th")
    ann, ben = await evening.at_table(CASINO, (1280, 800), (320, 400))
    await ann.bet(10)
    await ben.bet(10)
    await ann.sees_status("Your turn")
    hand = ben.page.get_by_role("group", name="ann's hand")
    await expect(hand.locator(".card").first).to_be_hidden()
    assert "ten of spades, nine of diamonds" in await hand.aria_snapshot()
    await ben.page.set_viewport_size({"width": 1280, "height": 800})
    await expect(hand.locator(".card").first).to_be_visible()
    assert "ten of spades, nine of diamonds" not in await hand.aria_snapshot()


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


async def test_a_key_reads_out_what_the_table_waits_for_and_the_time_left(
    evening: Evening,
) -> None:
    evening.server.stack("Ts 9s 6h 9d 8d Kc Th")
    ann, ben = await evening.at_table(CASINO, (1280, 800), (1280, 800))
    said = ann.page.locator("#said p").last
    await ann.press("q")
    await expect(said).to_have_text(re.compile(r"^Place your bet\.?( .*)?$"))
    await ann.bet(10)
    await ben.bet(10)
    await ann.sees_status("Your turn")
    await ann.press("q")
    await expect(said).to_have_text(
        re.compile(r"^Your turn: 19 against the dealer's 6\. Hit, .* \d+ seconds left\.$")
    )
    await ann.act("stand")
    await ann.sees_status("ben's turn")
    await ann.press("q")
    await expect(said).to_have_text(re.compile(r"^ben's turn\. \d+ seconds left\.$"))


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
    short_log = ann.page.locator("#short-log p")
    await expect(short_log).to_have_text(
        [
            "Round 1",
            "The dealer takes the ten of hearts: 26.",
            "You win 10 – the dealer busts with 26.",
        ]
    )
    await expect(ann.log).to_have_attribute("aria-live", "off")
    await expect(ann.log).to_contain_text("ben stands")
    await ann.page.locator("#leave").click()
    await expect(short_log.last).to_have_text("You leave seat 1.")
    # The choice is kept, and the whole log is read out again without it.
    await ann.page.reload()
    await expect(ann.log).to_have_attribute("aria-live", "off")
    await ann.button("Settings").click()
    await ann.switch("Short announcements").click()
    await expect(ann.log).to_have_attribute("aria-live", "polite")


class Voice:
    """What a live region says: each text that is put into it."""

    def __init__(self, person: Person) -> None:
        self._page = person.page

    async def listen(self, selector: str) -> None:
        await self._page.evaluate(
            """selector => {
                window.heard = [];
                const note = (records) => {
                    for (const { addedNodes } of records)
                        for (const { textContent } of addedNodes) window.heard.push(textContent);
                };
                for (const region of document.querySelectorAll(selector))
                    new MutationObserver(note).observe(region, { childList: true, subtree: true });
            }""",
            selector,
        )

    async def says(self, words: str) -> None:
        await self._page.wait_for_function(
            "words => window.heard.some((text) => text.includes(words))", arg=words
        )

    async def get_texts(self) -> list[str]:
        texts: list[str] = await self._page.evaluate("window.heard")
        return texts


async def test_an_open_dialog_says_what_happens_at_the_table(evening: Evening) -> None:
    """The page behind a dialog is inert, and its live regions are not read out."""
    evening.server.stack("Ts 9s 6h 9d 8d Kc Th")
    ann, ben = await evening.at_table(CASINO, (1280, 800), (1280, 800))
    await ann.bet(10)
    await ann.page.locator("#rules-open").click()
    voice = Voice(ann)
    await voice.listen("dialog[open] [data-voice]")
    await ben.bet(10)
    await voice.says("ben bets 10.")
    await voice.says("Your turn: 19 against the dealer's 6. Hit, stand or double.")
    dialog = ann.page.locator("dialog[open]")
    await expect(dialog.get_by_role("alert")).to_contain_text("Your turn")
    await ann.press("Escape")
    await expect(ann.page.locator("[data-voice] > *")).to_have_count(0)


@pytest.mark.long(seconds=15)
async def test_the_clock_to_bet_is_said_and_the_round_that_is_missed(evening: Evening) -> None:
    ann = await evening.player("ann")
    link = await makes_table(ann, betting_seconds=11)
    ben = await evening.player("ben")
    await comes_by(ben, link, 2)
    voice = Voice(ben)
    await voice.listen("#said, #calls, #log")
    await ann.bet(10)
    await voice.says("Place your bet: 11 seconds.")
    await voice.says("Ten seconds left.")
    await voice.says("You missed this round. Miss one more and you'll lose your seat.")
    texts = await voice.get_texts()
    assert texts.index("Place your bet: 11 seconds.") < texts.index("Ten seconds left.")


async def test_a_bet_that_is_built_and_the_balance_after_it_are_said(evening: Evening) -> None:
    evening.server.stack("Ts 6h 9d Kc Th")
    (ann,) = await evening.at_table(CASINO, (1280, 800))
    voice = Voice(ann)
    await voice.listen("#said, #mention")
    await ann.press("1")
    await ann.press("1")
    await voice.says("Your bet: 20.")
    assert "Your bet: 10." not in await voice.get_texts()
    await ann.press("Enter")
    await ann.sees_status("Your turn")
    await ann.act("stand")
    await ann.sees_status("You win 20")
    await voice.says("Your balance: 520.")
    await ann.press("w")
    await expect(ann.page.locator("#mention")).to_have_text("Your balance: 520.")


async def test_a_key_that_changes_something_says_so(evening: Evening) -> None:
    evening.server.stack("Ts 9s 6h 9d 8d Kc Th")
    ann, ben = await evening.at_table(CASINO, (1280, 800), (1280, 800))
    voice = Voice(ben)
    await voice.listen("#said")
    await ben.press("o")
    await voice.says("Auto-rebet starts next round.")
    await ben.press("o")
    await voice.says("Auto-rebet is off.")
    await ben.bet(10)
    await expect(ben.button("Change bet")).to_be_enabled()
    await ben.press("b")
    await voice.says("Change bet")
    await ann.bet(10)
    await ann.sees_status("Your turn")
    await expect(ben.button("Stand")).to_be_enabled()
    await ben.press("j")
    await voice.says("You stand when your turn comes.")
    await ben.press("j")
    await voice.says("You decide when your turn comes.")


@pytest.mark.long
async def test_the_focus_goes_along_into_what_lies_over_a_phone(evening: Evening) -> None:
    evening.server.stack("Ts 6h 9d Kc Th")
    (ann,) = await evening.at_table(CASINO, (320, 512))
    await ann.bet(10)
    await ann.act("stand")
    link = ann.log.get_by_role("link", name="check it", include_hidden=True)
    await expect(link).to_have_attribute("tabindex", "-1")
    for name in ("log", "chat"):
        await ann.page.locator(f"#{name}-toggle").focus()
        await ann.press("Enter")
        await expect(ann.page.locator(f"#{name}-close")).to_be_focused()
        if name == "log":
            assert await link.get_attribute("tabindex") is None
        await ann.press("Escape")
        await expect(ann.page.locator(f"#{name}-toggle")).to_be_focused()
    await expect(link).to_have_attribute("tabindex", "-1")


@pytest.mark.long
async def test_a_fault_of_a_bet_is_said_once_and_not_while_it_is_typed(evening: Evening) -> None:
    (ann,) = await evening.at_table(CASINO, (1280, 800))
    voice = Voice(ann)
    await voice.listen("[role=status], [role=alert], [aria-live]:not([aria-live=off])")
    field = ann.page.get_by_label("Your bet")
    await field.press_sequentially("25", delay=250)
    await ann.page.wait_for_timeout(1_200)
    assert not [text for text in await voice.get_texts() if "minimum" in text]
    await field.fill("9")
    await ann.press("Enter")
    await voice.says("The minimum bet is 10.")
    await ann.page.wait_for_timeout(1_200)
    assert (await voice.get_texts()).count("The minimum bet is 10.") == 1


async def test_keys_can_be_switched_off(evening: Evening) -> None:
    """WCAG 2.1.4: who dictates would bet by every word."""
    evening.server.stack("Ts 6h 9d Kc Th")
    (ann,) = await evening.at_table(CASINO, (1280, 800))
    await ann.bet(10)
    await ann.sees_status("Your turn")
    await ann.button("Settings").click()
    await ann.switch("Shortcut keys").click()
    await ann.press("Escape")
    for key in "sh?":
        await ann.press(key)
    await ann.sees_status("Your turn")
    await expect(ann.page.locator("dialog[open]")).to_have_count(0)
    await expect(ann.page.locator(".action kbd").first).to_be_hidden()
    await ann.page.reload()
    await ann.press("s")
    await ann.sees_status("Your turn")
    await ann.button("Settings").click()
    await ann.switch("Shortcut keys").click()
    await ann.press("Escape")
    await ann.press("s")
    await ann.sees_status("You win 10")


async def test_escape_leads_back_to_what_opened_a_menu(evening: Evening) -> None:
    (ann,) = await evening.at_table(CASINO, (1280, 800))
    react = ann.page.locator("#react-open")
    await react.focus()
    await ann.press("Enter")
    await expect(ann.page.locator("#reactions button").first).to_be_focused()
    await ann.press("Escape")
    await expect(react).to_be_focused()
    menu = ann.page.locator(".account-menu summary")
    await menu.focus()
    await ann.press("Enter")
    await ann.press("Tab")
    await ann.press("Escape")
    await expect(menu).to_be_focused()
    await expect(ann.page.locator(".account-items")).to_be_hidden()


async def test_each_hand_of_a_split_is_said_once(evening: Evening) -> None:
    evening.server.stack("8s 6h 8d Kc 3h 2c 9d")
    (ann,) = await evening.at_table(CASINO, (1280, 800))
    await ann.bet(10)
    await ann.sees_status("Your turn")
    await ann.act("split")
    for _ in "12":
        await ann.act("stand")
    await expect(ann.log).to_contain_text("In all: you are")
    text = await ann.log.text_content() or ""
    assert text.count("First hand") == 1


async def is_somewhere(person: Person) -> None:
    """The focus is on a part of the page."""
    await person.page.wait_for_timeout(150)
    assert await person.page.evaluate("document.activeElement !== document.body")


@pytest.mark.long
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
