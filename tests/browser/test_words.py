"""Rounds in a language that nobody speaks: whatever stands or is said at a table is translated."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tables.engine.presets import PRESETS
from tests.browser.players import PASSWORD, WIDE, Evening, Person
from tests.browser.states.tables import decide, dialogs, panels
from tests.helpers import pseudo_locale
from tests.helpers.servers.process import Server, serving

LISTEN = """
const HEARD = ["aria-label", "aria-description", "title", "placeholder", "alt"];
const NO_WORDS = "script, style, noscript, code, kbd, .shoe-short";
const SIGNS = ".shoe-seal, #invite-code";
const CLOCK = /^\\d\\d:\\d\\d\\s[AP]M$/u; // The browser itself writes times, in the page's language.
const told = new Set();
function hear(text) {
  if (told.has(text) || CLOCK.test(text) || !/\\p{L}/u.test(text)) return;
  told.add(text);
  window.heard(text);
}
function hearAttribute(node, name) {
  if (node.hasAttribute(name) && !node.matches(SIGNS)) hear(node.getAttribute(name));
}
function hearAll(node) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (!node.parentElement?.closest(`${NO_WORDS}, [role=img]`)) hear(node.data);
  } else if (node.nodeType === Node.ELEMENT_NODE && !node.matches(NO_WORDS)) {
    for (const name of HEARD) hearAttribute(node, name);
    node.childNodes.forEach(hearAll);
  }
}
const observer = new MutationObserver((changes) => {
  for (const { type, target, addedNodes, attributeName } of changes) {
    if (type === "childList") addedNodes.forEach(hearAll);
    else if (type === "attributes") hearAttribute(target, attributeName);
    else hearAll(target);
  }
});
observer.observe(document, {
  subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: HEARD,
});
"""


class Listener(Person):
    """Somebody who remembers every text that the page ever showed or had read out."""

    texts: set[str]

    @classmethod
    async def come(cls, evening: Evening, name: str, *, has_account: bool = False) -> Listener:
        person = await (evening.player if has_account else evening.person)(name, WIDE)
        self = cls(name, person.page, person.url)
        self.complaints = person.complaints
        self.texts = set()
        await self.page.expose_function("heard", lambda text: self.texts.add(text))
        await self.page.add_init_script(LISTEN)
        return self

    async def sign_up(self) -> None:
        """By the names of the fields: their labels are translated."""
        await self.page.goto(f"{self.url}/accounts/signup/")
        for field, text in {
            "username": self.name,
            "password1": PASSWORD,
        }.items():
            await self.page.locator(f"input[name={field}]").fill(text)
        await self.page.locator("main .stack button[type=submit]").click()
        await self.page.wait_for_url(f"{self.url}/")

    async def watch(self, key: str) -> None:
        await self.page.goto(f"{self.url}/tables/{[*PRESETS].index(key) + 1}/")

    async def expect_mode(self, mode: str) -> None:
        await expect(self.page.locator(f"#controls[data-mode='{mode}']")).to_be_visible()

    async def stake(self, stake: int) -> None:
        await self.expect_mode("betting")
        await self.page.locator("#stake-input").fill(str(stake))
        await self.page.locator("button.bet").click()

    async def chooses(self, command: str) -> None:
        await self.page.locator(f"#controls [data-command='{command}']").click()

    async def deal_in(self) -> None:
        await self.expect_mode("dealIn")
        await self.page.locator("button.deal-in").click()

    @property
    def bare(self) -> list[str]:
        return sorted(text for text in self.texts if pseudo_locale.bare(text))


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Of a server that speaks that language."""
    locale = pseudo_locale.write_locale(tmp_path_factory.mktemp("locale"))
    return {
        "DJANGO_SETTINGS_MODULE": "tests.helpers.servers.pseudo_settings",
        "PSEUDO_LOCALE": str(locale),
    }


@pytest.fixture(scope="session")
def prepared_in_it(
    prepared: Path, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Data as its first start leaves it; the tables have names of that language, and no haste."""
    folder = tmp_path_factory.mktemp("prepared")
    shutil.copytree(prepared / "static", folder / "static")  # compressed already
    result = Server(folder, **environment).manage("prepare")
    assert result.returncode == 0, result.stderr
    with closing(sqlite3.connect(folder / "db.sqlite3")) as database, database:
        database.execute("UPDATE tables_table SET betting_seconds = 600, turn_seconds = 600")
        database.execute("UPDATE accounts_housesettings SET name = '21'")  # nobody's to translate
    return folder


@pytest.fixture
def server(tmp_path: Path, prepared_in_it: Path, environment: dict[str, str]) -> Iterator[Server]:
    with serving(tmp_path, prepared_in_it, **environment) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def evening(browser: Browser, server: Server) -> AsyncIterator[Evening]:
    """Their clocks show no letters either."""
    opened = Evening(browser, server, locale="de-DE")
    yield opened
    assert [complaint for person in opened.people for complaint in person.complaints] == []


async def see(state: str, person: Person) -> None:
    """What stands there is heard anyhow."""


@pytest.mark.long
async def test_a_round_with_insurance_and_splits_is_told_in_the_language_of_the_site(
    evening: Evening,
) -> None:
    evening.server.stack(
        "9s Ts Ah 9h 7d Kc",
        "As Ts Ah Kd 7d 9c",
        "8s Ts 6h 8h 9d Kc 8d 8c 2c 3c 4c 5c Tc",
        "5s Ts 6d 6h 7d Kc Tc Kd 9c",
    )
    one = await Listener.come(evening, "1")
    two = await Listener.come(evening, "2", has_account=True)
    dora = await Listener.come(evening, "3")
    await one.sign_up()
    for seat, person in enumerate((one, two), start=1):
        await person.sit("vegas", seat)
    await dora.watch("vegas")
    await dialogs(one, see)
    await panels(one, see)

    await one.stake(20)
    await one.chooses("takeBack")
    await one.stake(20)
    await two.stake(10)
    await one.expect_mode("insurance")
    await two.expect_mode("insurance")
    await decide(one, "insure")
    await decide(two, "decline")

    await one.stake(20)
    await two.stake(10)
    await decide(one, "insure")
    await decide(two, "decline", "surrender")

    await one.stake(20)
    await two.stake(10)
    await one.expect_mode("actions")
    await decide(one, "split", "split", "stand", "stand", "split", "stand", "stand")
    await one.page.locator("#leave").click()
    await one.page.locator("#leave-no").click()
    await decide(two, "stand")

    await one.stake(20)
    await two.stake(10)
    await decide(one, "double")
    await decide(two, "hit")
    await one.expect_mode("betting")
    for person in (one, two, dora):
        assert len(person.texts) > 100
        assert person.bare == []


@pytest.mark.long
async def test_piles_a_round_without_stakes_and_a_pot_are_told_in_the_language_of_the_site(
    evening: Evening,
) -> None:
    evening.server.stack("Ts 9s 9h 8d  As Kh 5c 6c")
    one, two = [await Listener.come(evening, name, has_account=True) for name in "12"]
    await one.sit("piles", 1)
    await two.watch("piles")
    await one.deal_in()
    await decide(one, "stand")
    await one.deal_in()
    await expect(one.page.locator("[data-pile='player'] .pile-count")).to_contain_text("8")
    await one.page.locator("#leave").click()
    await expect(two.page.locator("li.seat.is-free")).to_be_visible()
    assert (one.bare, two.bare) == ([], [])

    evening.server.stack("Ts 9s 9c 7c Td Th", "Ts 9s 9c Jc Th 9h")
    for seat, person in enumerate((one, two), start=1):
        await person.sit("classic", seat)
    for person in (one, two):
        await person.deal_in()
    for person in (one, two):
        await decide(person, "stand")
    await one.expect_mode("again")
    await one.chooses("yes")
    await two.chooses("no")
    for seat, person in enumerate((one, two), start=1):
        await person.sit("pot", seat)
    await one.stake(10)
    await two.stake(25)
    for person in (one, two):
        await decide(person, "stand")
    await two.expect_mode("betting")
    assert (one.bare, two.bare) == ([], [])


@pytest.mark.long(seconds=10)
async def test_talk_and_hosting_are_told_in_the_language_of_the_site(evening: Evening) -> None:
    one, two = [await Listener.come(evening, name, has_account=True) for name in "12"]
    await one.page.goto(f"{one.url}/tables/new/")
    await one.page.locator("input[name=name]").fill("77")
    await one.page.locator("main form button[type=submit]").click()
    await expect(one.page.locator("li.seat.is-mine")).to_be_visible()
    await two.page.goto(one.page.url)
    await two.page.locator("li.seat[data-seat='2'] .sit").click()
    await expect(one.page.locator("li.seat", has_text="2")).to_have_count(1)
    await dialogs(one, see)
    await two.page.locator("#phrases-toggle").click()
    await two.page.locator(".phrase").first.click()
    await one.page.locator(".chat-more").first.click()
    await one.page.locator("#line-choices button").first.click()
    await one.page.locator("#host-open").click()
    for command in ("lock", "chat"):
        await one.page.locator(f"#host-switches [data-command='{command}']").click()
        await expect(one.page.locator(f"[data-command='{command}'][aria-disabled]")).to_have_count(
            0
        )
    await one.page.locator("[data-does='hand-on']").first.click()
    await one.page.locator("#sure-yes").click()
    await expect(two.page.locator("#host-open")).to_be_visible()
    await two.page.locator("#host-open").click()
    await two.page.locator("#host-close").click()
    await two.page.locator("#sure-yes").click()
    await expect(one.page.locator("#closed")).to_be_visible()
    assert (one.bare, two.bare) == ([], [])
