"""How much a page costs whoever opens it for the first time, and for the second."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext

from tests.helpers.servers.process import Server

KILOBYTE = 1000
PAGES = {
    "lobby": "/",
    "table": "/tables/1/",
    "rules": "/rules/",
    "log in": "/accounts/login/",
    "sign up": "/accounts/signup/",
}


@dataclass
class Answer:
    """What came back for one request."""

    url: str
    headers: dict[str, str]
    is_from_cache: bool
    transferred: int = 0

    @property
    def is_static(self) -> bool:
        return urlsplit(self.url).path.startswith("/static/")


@dataclass
class Visit:
    """All that a browser fetched for a page, as the browser itself counts it."""

    answers: dict[str, Answer] = field(default_factory=dict)
    from_memory: set[str] = field(default_factory=set)

    def answered(self, event: dict[str, Any]) -> None:
        response = event["response"]
        headers = {name.lower(): value for name, value in response["headers"].items()}
        cached = response["fromDiskCache"] or event["requestId"] in self.from_memory
        self.answers[event["requestId"]] = Answer(response["url"], headers, cached)

    def finished(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self.answers:
            self.answers[event["requestId"]].transferred = int(event["encodedDataLength"])

    @property
    def transferred(self) -> int:
        return sum(answer.transferred for answer in self.answers.values())

    @property
    def static(self) -> list[Answer]:
        return [answer for answer in self.answers.values() if answer.is_static]


@pytest_asyncio.fixture(loop_scope="session")
async def empty_cache(browser: Browser) -> AsyncIterator[BrowserContext]:
    context = await browser.new_context()
    yield context
    await context.close()


async def visit(context: BrowserContext, url: str) -> Visit:
    """Open the page, and wait until it has all that it asks for by itself."""
    seen = Visit()
    page = await context.new_page()
    session = await context.new_cdp_session(page)
    await session.send("Network.enable")
    session.on("Network.requestServedFromCache", lambda e: seen.from_memory.add(e["requestId"]))
    session.on("Network.responseReceived", seen.answered)
    session.on("Network.loadingFinished", seen.finished)
    await page.goto(url, wait_until="networkidle")
    await page.close()
    return seen


@pytest.mark.parametrize("page", PAGES)
async def test_a_first_visit_is_light(
    empty_cache: BrowserContext, server: Server, page: str
) -> None:
    seen = await visit(empty_cache, server.url + PAGES[page])
    print(f"{page}: {seen.transferred / KILOBYTE:.0f} KB in {len(seen.answers)} requests")
    assert 0 < seen.transferred < (100 if page == "table" else 60) * KILOBYTE
    assert all(answer.url.startswith(f"{server.url}/") for answer in seen.answers.values())
    kinds = [urlsplit(answer.url).path.rsplit(".", 1)[-1] for answer in seen.static]
    assert kinds.count("css") == 1
    assert kinds.count("js") <= 1
    for answer in seen.answers.values():
        assert answer.headers.get("content-encoding") in ("br", "gzip"), answer.url
    for answer in seen.static:
        assert "immutable" in answer.headers["cache-control"], answer.url


async def test_a_second_visit_fetches_the_page_alone(
    empty_cache: BrowserContext, server: Server
) -> None:
    for path in PAGES.values():
        await visit(empty_cache, server.url + path)
    for path in PAGES.values():
        seen = await visit(empty_cache, server.url + path)
        assert seen.static
        assert [answer.url for answer in seen.static if not answer.is_from_cache] == []
