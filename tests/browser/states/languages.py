"""A round in each language of the site: nothing in it depends on the words of a page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from playwright.async_api import expect

from tests.browser.players import Evening, Person
from tests.browser.states.tables import See, decide
from tests.helpers.translations import LANGUAGES

Script = Callable[[Evening, See], Awaitable[None]]


async def _at_vegas(evening: Evening, code: str, name: str, seat: int) -> Person:
    person = await evening.player(name)
    cookie = {"name": "language", "value": code, "url": evening.url}
    await person.page.context.add_cookies([cookie])
    await person.sit("Vegas table", seat)
    await expect(person.page.locator("html")).to_have_attribute("lang", code)
    return person


async def _expect_mode(person: Person, mode: str) -> None:
    await expect(person.page.locator(f"#controls[data-mode='{mode}']")).to_be_visible()


async def _bet(person: Person, stake: int) -> None:
    await _expect_mode(person, "betting")
    await person.page.locator("#stake-input").fill(str(stake))
    await person.bet_button.click()


def in_language(code: str) -> Script:
    """Two players in this language: bets, insurance, splits, surrender, results."""

    async def play(evening: Evening, see: See) -> None:
        evening.server.stack("9s Ts Ah 9h 7d Kc", "8s Ts 6h 8h 9d Kc 8d 8c 2c 3c 4c 5c Tc")
        ann = await _at_vegas(evening, code, "ann", 1)
        ben = await _at_vegas(evening, code, "ben", 2)
        await see("seated", ann)
        await ann.page.locator("#stake-input").fill("7,5")
        await see("a bet refused", ann)
        await _bet(ann, 20)
        await see("bet placed", ann)
        await _bet(ben, 10)
        await _expect_mode(ann, "insurance")
        await see("insurance asked", ann)
        await see("another is asked", ben)
        await decide(ann, "insure")
        await decide(ben, "decline")
        await _expect_mode(ann, "betting")
        await see("dealer's blackjack", ann)
        await _bet(ann, 20)
        await _bet(ben, 10)
        await _expect_mode(ann, "actions")
        await see("my turn", ann)
        await see("another's turn", ben)
        await decide(ann, "split", "split", "stand", "stand", "split", "stand", "stand")
        await _expect_mode(ben, "actions")
        await see("surrender offered", ben)
        await decide(ben, "surrender")
        await _expect_mode(ann, "betting")
        await see("four results", ann)
        await see("surrendered", ben)
        await ann.page.locator("#settings-open").click()
        await see("dialog: settings", ann)

    return play


IN_LANGUAGES = {f"a round in {code}": in_language(code) for code in LANGUAGES}
"""But English, in which all other scripts are played."""
