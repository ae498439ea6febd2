"""Players who check their shoes in real browsers, at an honest table and at others."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Error, Locator, Page, expect

from tests.browser.players import Evening, Person
from tests.browser.test_private_table import comes_by, makes_table
from tests.helpers.servers.dishonest import WAYS, cheats_by
from tests.helpers.servers.process import serving

WITHOUT_CRYPTO = """
Object.defineProperty(Crypto.prototype, "subtle", { get: () => undefined });
delete Crypto.prototype.randomUUID;
"""
"""As on plain http in a local network."""

NO_STORAGE = {
    "off": """Object.defineProperty(window, "localStorage", {
        get() { throw new DOMException("denied", "SecurityError"); } });""",
    "full": """Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError"); };""",
}

IN = "Your browser's words were mixed in."
SAME_SEAL = "The seal is the one this browser was shown."
SAME_WORDS = "The words are the ones announced at the deal."
FIXED = "The other players had committed before your words were sent."


@pytest_asyncio.fixture(loop_scope="session")
async def dishonest(browser: Browser, tmp_path: Path, prepared: Path) -> AsyncIterator[Evening]:
    with serving(tmp_path, prepared, module="tests.helpers.servers.dishonest") as server:
        yield Evening(browser, server)


def record_commands(person: Person) -> list[dict[str, object]]:
    """The commands that this page sends from now on, as they go out: each once, though a page that
    has to reconnect sends again what was not answered.
    """
    sent: list[dict[str, object]] = []

    def listen(page: Page) -> None:
        page.on("websocket", lambda line: line.on("framesent", note))

    def note(text: str | bytes) -> None:
        command = json.loads(text)
        if command not in sent:
            sent.append(command)

    listen(person.page)
    return sent


def checks(person: Person) -> Locator:
    """The links to shoes that were opened."""
    return person.page.locator("#log a", has_text="check it")


async def last_check(person: Person) -> str | None:
    """Where the latest of them leads. The log drops its oldest lines, so they are not counted."""
    links = checks(person)
    return await links.last.get_attribute("href") if await links.count() else None


async def is_ready(person: Person) -> None:
    """Chips can be laid: nothing is waited for any more."""
    await expect(person.page.get_by_role("button", name="Add 10", exact=True)).to_be_enabled()


async def play_round(*people: Person) -> None:
    """All bet when all have committed to their words, stand on what they have and do not insure."""
    for person in people:
        await is_ready(person)
    before = await last_check(people[0])
    for person in people:
        await is_ready(person)
        await person.bet(10)
    async with asyncio.timeout(60):
        while await last_check(people[0]) == before:
            for person in people:
                for action in ("stand", "decline"):
                    button = person.page.locator(
                        f"button[data-action='{action}']:not([aria-disabled])"
                    )
                    if await button.count():
                        with suppress(Error):  # the decision may be over meanwhile
                            await button.click(timeout=2_000)
            await asyncio.sleep(0.05)


async def verdicts_of(person: Person, page: Page | None = None) -> tuple[list[str], list[str]]:
    """What the page of the last round says is foul, and all else that it says."""
    link = checks(person).last
    page = page or await person.page.context.new_page()
    await page.goto(person.url + (await link.get_attribute("href") or ""))
    await page.get_by_role("button", name="Verify this shoe").click()
    verdicts = page.locator("#verdicts li")
    await expect(verdicts).not_to_have_count(0)
    foul = await page.locator("#verdicts .is-foul").all_inner_texts()
    others = await page.locator("#verdicts li:not(.is-foul)").all_inner_texts()
    await page.close()
    return foul, others


@pytest.mark.long(seconds=10)
async def test_case_43_two_browsers_confirm_a_round(evening: Evening) -> None:
    """Without the browser's own hashes; after a reload, from a second tab, and at a private table
    to which an invite leads. Another account of the same browser has seen nothing.
    """
    ann, ben = await evening.person("ann"), await evening.person("ben")
    for person in (ann, ben):
        await person.page.context.add_init_script(WITHOUT_CRYPTO)
        await person.sign_up()
    link = await makes_table(ann)
    await comes_by(ben, link, 2)
    await play_round(ann, ben)
    for person in (ann, ben):
        foul, others = await verdicts_of(person)
        assert foul == []
        assert {IN, SAME_SEAL, SAME_WORDS, FIXED} <= set(others)
    await ann.page.reload()
    second = await ben.page.context.new_page()
    await second.goto(ben.page.url)
    await expect(second.locator("li.seat.is-mine")).to_be_visible()
    first, ben.page = ben.page, second
    await play_round(ann, ben)
    for person in (ann, ben):
        foul, others = await verdicts_of(person)
        assert foul == []
        assert {IN, SAME_SEAL, SAME_WORDS, FIXED} <= set(others)
    await first.close()
    await ben.page.context.clear_cookies()
    stranger = await ben.page.context.new_page()
    proof = await checks(ann).last.get_attribute("href")
    await stranger.goto(f"{evening.url}{link.removeprefix(evening.url)}")
    await stranger.goto(f"{evening.url}{proof}")
    await stranger.get_by_role("button", name="Verify this shoe").click()
    verdicts = stranger.locator("#verdicts")
    await expect(verdicts).to_contain_text("This browser did not see the seal")
    await expect(verdicts).not_to_contain_text("your browser")


@pytest.mark.long
async def test_case_44_words_are_committed_to_before_they_are_shown(evening: Evening) -> None:
    ann = await evening.player("ann")
    sent = record_commands(ann)
    await ann.page.goto(f"{evening.url}/tables/1/")
    await ann.seat(1).locator(".sit").click()
    await is_ready(ann)
    (sit,) = [command for command in sent if command["t"] == "sit"]
    assert re.fullmatch("[0-9a-f]{64}", str(sit["commitment"]))
    await ann.page.locator("#shoe").click()
    await expect(ann.page.locator("#shoe-own")).to_contain_text(
        "has committed to its own random words"
    )
    await ann.press("Escape")
    await ann.page.evaluate("localStorage.clear()")
    await ann.page.reload()
    async with asyncio.timeout(20):
        while not any(command["t"] == "commit" for command in sent):
            await asyncio.sleep(0.05)
    await play_round(ann)
    assert [command["t"] for command in sent].count("commit") == 1
    (bet,) = [command for command in sent if command["t"] == "bet"]
    assert re.fullmatch("[0-9a-f]{32}", str(bet["words"]))
    assert re.fullmatch("[0-9a-f]{64}", str(bet["commitment"]))
    foul, others = await verdicts_of(ann)
    assert foul == []
    assert IN in others


@pytest.mark.long
@pytest.mark.parametrize("how", NO_STORAGE)
async def test_case_43_a_browser_that_keeps_nothing_says_so(evening: Evening, how: str) -> None:
    """It plays and adds words like any other; the proof it has to take as it is on record."""
    ann = await evening.person("ann")
    await ann.page.context.add_init_script(NO_STORAGE[how])
    await ann.sign_up()
    await ann.sit("Casino table", 1)
    await is_ready(ann)
    await ann.page.locator("#shoe").click()
    await expect(ann.page.locator("#shoe-own")).to_contain_text("blocks site storage")
    await ann.press("Escape")
    await play_round(ann)
    foul, others = await verdicts_of(ann)
    assert foul == []
    assert any(line.startswith("This browser did not see the seal") for line in others)
    assert not {IN, SAME_SEAL, SAME_WORDS} & set(others)


async def test_case_44_who_cannot_show_the_words_is_told_where_they_are(evening: Evening) -> None:
    """The words of the seat are in another browser, and somebody has shown theirs already."""
    ann, ben = await evening.at_table("Casino table", (1280, 800), (1280, 800))
    await is_ready(ben)
    await ann.bet(10)
    await expect(ben.page.get_by_role("log", name="Round log")).to_contain_text("ann bets 10.")
    await ben.page.evaluate("localStorage.clear()")
    await is_ready(ben)
    await ben.bet(10)
    error_line = ben.page.locator("#error-line")
    await expect(error_line).to_contain_text("Another of your browsers has already added")
    await is_ready(ben)


@pytest.mark.long(seconds=25)
async def test_case_43_a_house_that_cheats_is_found_out(dishonest: Evening) -> None:
    """Its proofs are in order by themselves: the pages hold them against what they saw."""
    ann, ben = await dishonest.at_table("Casino table", (1280, 800), (1280, 800))
    way = cheats_by(dishonest.server.data)
    fouls_by_way = {}
    for name in ("", *WAYS):
        way.write_text(name)
        await play_round(ann, ben)
        fouls_by_way[name] = [(await verdicts_of(person))[0] for person in (ann, ben)]
    assert fouls_by_way[""] == [[], []]
    for fouls in fouls_by_way["the seal is exchanged"]:
        assert len(fouls) == 1
        assert "This browser was shown the seal" in fouls[0]
    assert fouls_by_way["words are left out"] == [["Your browser's words were not mixed in!"], []]
    by_ann, by_ben = fouls_by_way["words are added"]
    assert len(by_ann) == 1
    assert "Seat 2 had committed to different words" in by_ann[0]
    assert by_ben == ["Your browser's words were not mixed in!"]
    for fouls in fouls_by_way["the number is exchanged"]:
        assert len(fouls) == 1
        assert "This browser was shown this seal for shoe" in fouls[0]
    for fouls in fouls_by_way["other words are told"]:
        assert fouls == ["The words announced at the deal differ from those in the proof!"]
