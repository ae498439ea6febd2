"""Real Chromium and a real server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from tests.browser.people import Evening, browser_arguments, find_chromium
from tests.conftest import skip_or_fail
from tests.server import Server, serving


@pytest.fixture(scope="session")
def chromium_path() -> str:
    path = find_chromium()
    if path is None:
        skip_or_fail("no Chromium here: apt-get install chromium, or set CHROMIUM to one")
    assert path is not None
    return path


@pytest.fixture
def server(tmp_path: Path, prepared: Path) -> Iterator[Server]:
    """A running server with the tables of a first start."""
    with serving(tmp_path, prepared) as running:
        yield running


@pytest_asyncio.fixture
async def browser(chromium_path: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(
            executable_path=chromium_path, args=browser_arguments()
        )
        yield launched
        await launched.close()


@pytest_asyncio.fixture
async def evening(browser: Browser, server: Server) -> AsyncIterator[Evening]:
    opened = Evening(browser, server)
    yield opened
    assert [complaint for person in opened.people for complaint in person.complaints] == []
