"""Real Chromium and a real server."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright
from pytest_asyncio import is_async_test

from tests.browser.players import Evening, browser_arguments, find_chromium, set_at_all_tables
from tests.conftest import skip_or_fail
from tests.helpers.servers.process import Server, serving

HERE = Path(__file__).resolve().parent
WITHOUT_OPTIMISING = "--js-flags=--no-opt --no-maglev"
"""Chromium interprets and compiles scripts as ever, but pages that live for seconds do not run them
so often that it would pay to compile them better.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share a browser run on its loop."""
    for item in items:
        if item.path.is_relative_to(HERE) and is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(scope="session")
def chromium_path() -> str:
    path = find_chromium()
    if path is None:
        skip_or_fail("no Chromium here: apt-get install chromium, or set CHROMIUM to one")
    assert path is not None
    return path


@pytest.fixture(scope="session")
def prepared(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As elsewhere, with the longest clocks: nobody loses a turn because browsers are slow."""
    folder = tmp_path_factory.mktemp("unhurried") / "data"
    shutil.copytree(prepared, folder)
    set_at_all_tables(folder, betting_seconds=300, turn_seconds=300)
    return folder


@pytest.fixture
def server(tmp_path: Path, prepared: Path) -> Iterator[Server]:
    """A running server with the tables of a first start."""
    with serving(tmp_path, prepared) as running:
        yield running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium(chromium_path: str) -> AsyncIterator[Browser]:
    """One for all tests of this process."""
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(
            executable_path=chromium_path, args=[*browser_arguments(), WITHOUT_OPTIMISING]
        )
        yield launched
        await launched.close()


@pytest_asyncio.fixture(loop_scope="session")
async def browser(chromium: Browser) -> AsyncIterator[Browser]:
    """Chromium without anything of earlier tests: who comes has a context of their own in it."""
    yield chromium
    for context in chromium.contexts:
        await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def evening(browser: Browser, server: Server) -> AsyncIterator[Evening]:
    opened = Evening(browser, server)
    yield opened
    assert [complaint for person in opened.people for complaint in person.complaints] == []
