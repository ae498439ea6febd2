"""How much a page costs whoever opens it for the first time, and for the second."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
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


async def visit(context: BrowserContext, url: str) -> Visit:
    """Open the page, and wait until it has all that it asks for by itself."""
    traffic = Visit()
    page = await context.new_page()
    session = await context.new_cdp_session(page)
    await session.send("Network.enable")
    session.on("Network.requestServedFromCache", lambda e: traffic.from_memory.add(e["requestId"]))
    session.on("Network.responseReceived", traffic.answered)
    session.on("Network.loadingFinished", traffic.finished)
    await page.goto(url, wait_until="networkidle")
    await page.close()
    return traffic


@pytest.mark.long
async def test_a_first_visit_is_light_and_a_second_fetches_the_page_alone(
    browser: Browser, server: Server
) -> None:
    for page, path in PAGES.items():
        empty_cache = await browser.new_context()
        is_light(page, await visit(empty_cache, server.url + path), server.url)
        traffic = await visit(empty_cache, server.url + path)
        assert traffic.static
        assert [answer.url for answer in traffic.static if not answer.is_from_cache] == []
        await empty_cache.close()


def is_light(page: str, traffic: Visit, url: str) -> None:
    print(f"{page}: {traffic.transferred / KILOBYTE:.0f} KB in {len(traffic.answers)} requests")
    assert 0 < traffic.transferred < (100 if page == "table" else 60) * KILOBYTE, page
    assert all(answer.url.startswith(f"{url}/") for answer in traffic.answers.values()), page
    kinds = [urlsplit(answer.url).path.rsplit(".", 1)[-1] for answer in traffic.static]
    assert kinds.count("css") == 1, page
    assert kinds.count("js") <= (2 if page == "log in" else 1), page  # passkeys have their own
    for answer in traffic.answers.values():
        assert answer.headers.get("content-encoding") in ("br", "gzip"), answer.url
    for answer in traffic.static:
        assert "immutable" in answer.headers["cache-control"], answer.url
