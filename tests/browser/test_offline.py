"""Without a line a page says so, and nobody sees an old table."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.browser.players import LONG, PHONE, Evening, Person
from tests.helpers.servers.process import Server

CASINO = "Casino table"
LIST_CACHED_PATHS = """async () => {
  const kept = [];
  for (const name of await caches.keys())
    for (const { url } of await (await caches.open(name)).keys()) kept.push(new URL(url).pathname);
  return kept;
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def evening(browser: Browser, server: Server) -> AsyncIterator[Evening]:
    opened = Evening(browser, server)
    yield opened
    complaints = [complaint for person in opened.people for complaint in person.complaints]
    # What a browser says of a line that is down is not ours.
    assert [complaint for complaint in complaints if "net::ERR" not in complaint] == []


async def has_worker(person: Person, language: str = "en") -> None:
    await person.page.wait_for_function(
        """language => navigator.serviceWorker.controller?.scriptURL.endsWith(`=${language}`)
          && navigator.serviceWorker.controller.state === "activated" """,
        arg=language,
    )


async def test_a_table_without_a_line_is_a_page_that_says_so(evening: Evening) -> None:
    evening.server.stack("8s 6h 8d Kc 2c 3d 9s Th")
    ann = await evening.player("ann", PHONE)
    await ann.sit(CASINO, 1)
    await has_worker(ann)
    page = ann.page
    table = page.url
    await page.context.set_offline(True)
    await page.goto(table)
    await expect(page.get_by_role("heading", name="No connection")).to_be_visible()
    await expect(page.locator("#seats, .card")).to_have_count(0)
    again = page.get_by_role("button", name="Try again")
    assert await again.evaluate("(button) => getComputedStyle(button).borderRadius") != "0px"
    await page.evaluate("window.isOld = true")
    await again.click()
    await page.wait_for_function("!window.isOld")
    await expect(page.get_by_role("heading", name="No connection")).to_be_visible()

    # Meanwhile the table goes on.
    ben = await evening.player("ben")
    await ben.sit(CASINO, 2)
    await page.context.set_offline(False)
    await expect(ann.seat(2)).to_contain_text("ben", timeout=LONG)
    assert page.url == table
    await ann.bet(10)


async def test_nothing_of_anybody_is_kept(evening: Evening) -> None:
    ann = await evening.player("ann")
    await ann.sit(CASINO, 1)
    await has_worker(ann)
    for path in ("/", "/home/", "/account/", "/statement/", "/tables/1/"):
        await ann.page.goto(evening.url + path)
    paths = await ann.page.evaluate(LIST_CACHED_PATHS)
    assert paths[0] == "/offline/en/"
    assert [path for path in paths if not path.startswith("/static/")] == ["/offline/en/"]
    assert len(paths) == 4


async def test_the_next_worker_takes_the_place_of_the_last_one(evening: Evening) -> None:
    """Here one for another language, as after a new release."""
    ann = await evening.player("ann")
    await ann.page.goto(evening.url)
    await has_worker(ann)
    await ann.page.set_extra_http_headers({"Accept-Language": "de"})
    await ann.page.reload()
    await has_worker(ann, "de")
    paths = await ann.page.evaluate(LIST_CACHED_PATHS)
    assert [path for path in paths if not path.startswith("/static/")] == ["/offline/de/"]
    await ann.page.context.set_offline(True)
    await ann.page.goto(f"{evening.url}/rules/")
    await expect(ann.page.locator("html[lang=de] #offline-again")).to_be_visible()


async def test_a_log_out_is_as_it_was(evening: Evening) -> None:
    ann = await evening.player("ann")
    await ann.page.goto(f"{evening.url}/home/")
    await has_worker(ann)
    await ann.page.goto(f"{evening.url}/accounts/logout/")
    await ann.page.locator("main button[type=submit]").click()
    await ann.page.wait_for_url(f"{evening.url}/")
    await ann.page.goto(f"{evening.url}/home/")
    assert "/accounts/login/" in ann.page.url


async def test_who_opens_the_page_itself_is_led_to_the_lobby(evening: Evening) -> None:
    ann = await evening.player("ann")
    await ann.page.goto(f"{evening.url}/offline/en/")
    await ann.page.get_by_role("button", name="Try again").click()
    await ann.page.wait_for_url(f"{evening.url}/")
