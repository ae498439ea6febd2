"""People in front of real browsers."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, ConsoleMessage, Error, Locator, Page, expect

from tables.engine.presets import PRESETS
from tests.helpers.app_codes import code_of
from tests.helpers.servers.process import Server
from tests.helpers.socket_player import PASSWORD, SocketPlayer

WIDE = (1280, 800)
PHONE = (360, 740)
LONG = 40_000
"""Milliseconds in which a page that lost its connection has surely tried again."""

expect.set_options(timeout=20_000)


def find_chromium() -> str | None:
    """Where Chromium is: the variable ``CHROMIUM``, or what the machine has under a usual name."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def browser_arguments() -> list[str]:
    """Root may not use Chromium's sandbox."""
    return ["--no-sandbox"] if os.geteuid() == 0 else []


class Person:
    """Somebody with a browser of their own, and one page open."""

    def __init__(self, name: str, page: Page, url: str) -> None:
        self.name = name
        self.page = page
        self.url = url
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(f"{name}: {error}"))
        page.on("console", self._note)

    def _note(self, message: ConsoleMessage) -> None:
        # A socket that cannot be opened is reported by the browser itself, not by our scripts.
        if message.type in {"error", "warning"} and "WebSocket" not in message.text:
            self.complaints.append(f"{self.name}: {message.text}")

    async def sign_up(self) -> None:
        await self.page.goto(f"{self.url}/accounts/signup/")
        await self.fill_sign_up()
        await self.page.wait_for_url(f"{self.url}/")

    async def fill_sign_up(self) -> None:
        await self.page.get_by_label("Name", exact=True).fill(self.name)
        await self.page.get_by_label("Password", exact=True).fill(PASSWORD)
        await self.page.locator("main button[type=submit]").click()

    async def enter_password(self, path: str = "/admin/", *, secret: str | None = None) -> None:
        """Enter the password once more, as pages of operators ask for it, and then the code of the
        app with this secret.
        """
        await self.page.goto(f"{self.url}/accounts/reauthenticate/?next={path}")
        await self.page.get_by_label("Password", exact=True).fill(PASSWORD)
        await self.page.locator("main button[type=submit]").click()
        if secret is not None:
            await self.page.get_by_label("Code", exact=True).fill(code_of(secret))
            await self.page.locator("main button[type=submit]").click()
        await self.page.wait_for_url(f"{self.url}{path}")

    async def sit_from_lobby(self, table: str, seat: int) -> None:
        await self.page.goto(self.url)
        await self.page.get_by_role("button", name=f"Sit here seat {seat} at {table}").click()
        await self._sits_in(seat)

    async def sit(self, table: str, seat: int) -> None:
        """By the address of one of the first tables, between rounds: a page less than from the
        lobby. Afterwards the page waits for nothing.
        """
        number = [*PRESETS].index(table.removesuffix(" table").lower()) + 1
        await self.page.goto(f"{self.url}/tables/{number}/")
        await self.seat(seat).locator(".sit").click()
        await self._sits_in(seat)
        answer = self.page.locator("#controls :is(.chip, .deal-in):not([aria-disabled])").first
        await expect(answer).to_be_visible()

    async def _sits_in(self, seat: int) -> None:
        await expect(self.page.locator(f"li.seat.is-mine[data-seat='{seat}']")).to_be_visible()

    async def bet(self, stake: int) -> None:
        """Type the stake and place it."""
        await self.page.locator("#stake-input").fill(str(stake))
        await self._place(stake)

    async def bet_chips(self, stake: int) -> None:
        """Put the stake together from chips and place it."""
        await self.page.get_by_role("button", name="Clear").click(force=True)
        rest = stake
        for chip in (500, 100, 50, 25, 10):
            while rest >= chip and (rest - chip == 0 or rest - chip >= 10):
                await self.page.get_by_role("button", name=f"Add {chip}", exact=True).click()
                rest -= chip
        assert rest == 0
        await self._place(stake)

    async def _place(self, stake: int) -> None:
        await self.page.locator("button.bet", has_text=f"et {stake}").click()

    async def act(self, action: str) -> None:
        await self.page.locator(f"#controls:not([data-held]) [data-action='{action}']").click()

    async def answer(self, name: str) -> None:
        """Press one of the buttons for this."""
        controls = self.page.locator("#controls:not([data-held])")
        await controls.get_by_role("button", name=name).click()

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.page.keyboard.press(key)

    async def look_away(self, *, hidden: bool) -> None:
        """As if another tab were in front of this one, or no more."""
        await self.page.evaluate(
            """hidden => {
              Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
              document.dispatchEvent(new Event("visibilitychange"));
            }""",
            hidden,
        )

    async def stop_time(self) -> None:
        """Of the page, which must have been opened in an evening that ``can_stop_time``.

        Frames and clicks still come; what the page waits for comes only by ``let_pass``.
        """
        try:
            await self._stop_in_a_second()
        except Error:  # That second was over before the page heard of it; now it stands still.
            await self._stop_in_a_second()

    async def _stop_in_a_second(self) -> None:
        await self.page.clock.pause_at(await self.page.evaluate("Date.now() / 1000 + 1"))

    async def let_pass(self, milliseconds: int) -> None:
        """Let so much of the stopped time go by at once, with all that happens in it."""
        await self.page.clock.run_for(milliseconds)

    async def let_time_go_on(self) -> None:
        await self.page.clock.resume()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name)

    def switch(self, name: str) -> Locator:
        return self.page.get_by_role("switch", name=name)

    def seat(self, number: int) -> Locator:
        return self.page.locator(f"li.seat[data-seat='{number}']")

    def figure(self, name: str) -> Locator:
        return self.page.locator(f"[data-figure='{name}'] dd")

    @property
    def bet_button(self) -> Locator:
        """The one that bets, whatever stands on it."""
        return self.page.locator("button.bet")

    @property
    def log(self) -> Locator:
        return self.page.get_by_role("log", name="Round log")

    async def sees_status(self, text: str) -> None:
        await expect(self.page.locator("#status-main")).to_contain_text(text)

    async def sees_balance(self, amount: str) -> None:
        await expect(self.page.locator("#figures [data-figure='balance'] dd")).to_have_text(amount)

    async def cards_of(self, seat: int) -> list[list[str]]:
        """The cards that lie in front of this seat, hand by hand."""
        hands = self.page.locator(f"li.seat[data-seat='{seat}'] .hand")
        return [
            await _cards(hands.nth(number).locator(".card"))
            for number in range(await hands.count())
        ]

    async def dealer_cards(self) -> list[str]:
        return await _cards(self.page.locator("#dealer .card"))


async def _cards(cards: Locator) -> list[str]:
    names: list[str] = await cards.evaluate_all("cards => cards.map(card => card.dataset.card)")
    return names


class Evening:
    """People who come to one server. Their scripts must have had nothing to complain about."""

    def __init__(self, browser: Browser, server: Server, **context: Any) -> None:
        self.browser = browser
        self.url = server.url
        self.context = {"reduced_motion": "reduce", **context}
        self.server = server
        self.can_stop_time = False
        self.people: list[Person] = []

    async def person(self, name: str, size: tuple[int, int] = WIDE) -> Person:
        """Somebody new, who has not opened a page yet."""
        width, height = size
        context = await self.browser.new_context(
            viewport={"width": width, "height": height}, **self.context
        )
        person = Person(name, await context.new_page(), self.url)
        if self.can_stop_time:
            await person.page.clock.install()
        self.people.append(person)
        return person

    async def player(self, name: str, size: tuple[int, int] = WIDE) -> Person:
        """Somebody who has signed up, without a look at the form, and has not opened a page yet."""
        person = await self.person(name, size)
        newcomer = SocketPlayer(self.url, name)
        await asyncio.to_thread(newcomer.sign_up)
        await person.page.context.add_cookies(
            [
                {"name": cookie.name, "value": cookie.value or "", "url": self.url}
                for cookie in newcomer.cookies
            ]
        )
        return person

    async def at_table(self, table: str, *sizes: tuple[int, int]) -> list[Person]:
        """ann, ben and cleo, as many as there are sizes, in the seats of one table."""
        people = []
        for seat, (name, size) in enumerate(zip(("ann", "ben", "cleo"), sizes, strict=False), 1):
            people.append(await self.player(name, size))
            await people[-1].sit(table, seat)
        return people

    def set_at_all_tables(self, column: str, value: int) -> None:
        """In the database, as nobody could at the page."""
        set_at_all_tables(self.server.data, **{column: value})


def set_at_all_tables(data: Path, **columns: int | str) -> None:
    """Columns of the tables in a database that a server may be using meanwhile."""
    changes = ", ".join(f"{column} = ?" for column in columns)
    with closing(sqlite3.connect(data / "db.sqlite3")) as database, database:
        database.execute(f"UPDATE tables_table SET {changes}", tuple(columns.values()))
