"""The lobby, in a browser: it stays in place while people come and go, and its seats are kept."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Page, expect

from tests.browser.players import PASSWORD, PHONE, WIDE, Evening, Person
from tests.helpers.socket_player import SocketPlayer

CASINO, VEGAS = 1, 2
MOST_SHIFT = 0.02
WATCH_SHIFTS = """() => {
  window.shifts = 0;
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shifts += entry.value;
  }).observe({ type: "layout-shift" });
}"""


async def come(evening: Evening, name: str) -> SocketPlayer:
    newcomer = SocketPlayer(evening.url, name)
    await asyncio.to_thread(newcomer.sign_up)
    return newcomer


async def heights(page: Page) -> list[float]:
    found: list[float] = await page.locator(".table-card").evaluate_all(
        "cards => cards.map(card => card.getBoundingClientRect().height)"
    )
    return found


@pytest.mark.long
async def test_nothing_moves_while_people_join_watch_and_leave(evening: Evening) -> None:
    """dora looks on a wide screen, and erin on a phone."""
    lookers = [await evening.person("dora", WIDE), await evening.person("erin", PHONE)]
    before = {}
    for looker in lookers:
        await looker.page.goto(evening.url)
        await looker.page.evaluate(WATCH_SHIFTS)
        before[looker] = await heights(looker.page)
    ann = await evening.player("ann-with-a-long-name")
    ben = await evening.player("ben")
    await ben.page.goto(f"{evening.url}/tables/{CASINO}/")
    await ann.sit("Casino table", 2)
    await ben.sit("Vegas table", 1)
    for looker in lookers:
        await expect(looker.page.locator(f"#table-{CASINO}")).to_contain_text("ann-with")
        await expect(looker.page.locator(f"#table-{VEGAS}")).to_contain_text("ben")
        assert await heights(looker.page) == before[looker]
    await ben.page.locator("#leave").click()
    for looker in lookers:
        await expect(looker.page.locator(f"#table-{VEGAS}")).not_to_contain_text("ben")
    await ann.page.goto(evening.url)
    for looker in lookers:
        await expect(looker.page.locator(f"#table-{CASINO}")).to_contain_text("ann-with")
        assert await heights(looker.page) == before[looker]
        assert await looker.page.evaluate("window.shifts") <= MOST_SHIFT


@pytest.mark.long
async def test_an_open_lobby_is_sent_what_changes_and_fetches_nothing(evening: Evening) -> None:
    dora = await evening.person("dora")
    fetched: list[str] = []
    dora.page.on("request", lambda request: fetched.append(request.url))
    await dora.page.goto(evening.url)
    ann = await come(evening, "ann")
    casino = dora.page.locator(f"#table-{CASINO}")
    await dora.page.get_by_role("button", name="Sit here seat 2 at Casino table").focus()
    fetched.clear()
    await ann.open(CASINO)
    for _ in range(3):
        await ann.send(t="sit", seat=1)
        await expect(casino).to_contain_text("ann")
        await expect(casino.get_by_role("link", name="Watch")).to_be_visible()
        await ann.send(t="leave")
        await expect(casino).not_to_contain_text("ann")
    await expect(
        dora.page.get_by_role("button", name="Sit here seat 2 at Casino table")
    ).to_be_focused()
    assert fetched == []
    await ann.close()


@pytest.mark.long
async def test_a_lobby_that_was_offline_is_sent_what_it_missed(evening: Evening) -> None:
    dora = await evening.person("dora")
    await dora.page.goto(evening.url)
    casino = dora.page.locator(f"#table-{CASINO}")
    ann = await come(evening, "ann")
    await ann.open(CASINO)
    await dora.page.context.set_offline(True)
    await ann.send(t="sit", seat=1)
    await asyncio.sleep(1.5)
    await expect(casino).not_to_contain_text("ann")
    await dora.page.context.set_offline(False)
    await expect(casino).to_contain_text("ann")
    await ann.close()


@pytest.mark.long
async def test_a_new_table_and_a_closed_one_come_and_go(evening: Evening) -> None:
    dora = await evening.person("dora")
    await dora.page.goto(evening.url)
    ann = await evening.player("ann")
    await ann.page.goto(f"{evening.url}/tables/new/")
    await ann.page.get_by_label("Name of the table").fill("Ann's own")
    private = ann.page.get_by_label("Private: only people with the link can join")
    if await private.is_checked():
        await private.uncheck()
    await ann.page.get_by_role("button", name="Create table").click()
    await ann.page.wait_for_url("**/tables/*/")
    fresh = dora.page.locator(".table-card", has_text="Ann's own")
    await expect(fresh).to_be_visible()
    await expect(fresh).to_contain_text("ann")


async def test_empty_public_tables_are_one_line_each_on_a_phone(evening: Evening) -> None:
    dora = await evening.person("dora", PHONE)
    await dora.page.goto(evening.url)
    assert max(await heights(dora.page)) <= 90
    seats = dora.page.get_by_role("button", name="Sit here")
    assert await seats.count() == await dora.page.locator(".table-card").count()
    vegas = dora.page.locator(f"#table-{VEGAS}")
    for words in ("Vegas table", "bets 5 to 1,000", "Sit here"):
        await expect(vegas.get_by_text(words).first).to_be_visible()
    await expect(dora.page.get_by_role("link", name="Watch")).to_have_count(0)


@pytest.mark.parametrize("way", ["log in", "sign up", "guest"])
async def test_the_seat_pressed_in_the_lobby_is_taken_after_the_way_in(
    evening: Evening, way: str
) -> None:
    if way == "log in":
        await come(evening, "ann")
    ann = await evening.person("ann")
    await ann.page.goto(evening.url)
    await ann.page.get_by_role("button", name="Sit here seat 2 at Vegas table").click()
    await expect(
        ann.page.get_by_text("Log in, sign up or play as a guest to take that seat.")
    ).to_be_visible()
    await _come_in(ann, way)
    await expect(ann.page.locator("li.seat.is-mine[data-seat='2']")).to_be_visible()


async def test_the_seat_pressed_at_the_table_is_taken_by_a_guest(evening: Evening) -> None:
    ann = await evening.person("ann")
    await ann.page.goto(f"{evening.url}/tables/{VEGAS}/")
    await ann.seat(3).locator(".sit").click()
    await _come_in(ann, "guest")
    await expect(ann.page.locator("li.seat.is-mine[data-seat='3']")).to_be_visible()


async def _come_in(person: Person, way: str) -> None:
    page = person.page
    if way == "guest":
        await page.get_by_role("button", name="Play as guest").click()
    elif way == "sign up":
        await page.locator("main").get_by_role("link", name="Sign up").click()
        await page.wait_for_url("**/signup/**")  # the page before it has the same fields
        await person.fill_sign_up()
    else:
        await page.get_by_label("Username").or_(page.get_by_label("Name")).first.fill(person.name)
        await page.get_by_label("Password", exact=True).fill(PASSWORD)
        await page.locator("main button[type=submit]").first.click()


@pytest.mark.long
async def test_the_number_of_watchers_is_right_at_once(evening: Evening) -> None:
    """Within a second of sitting down and of getting up, at the table and in the lobby."""
    dora = await evening.person("dora")
    await dora.page.goto(evening.url)
    ann = await evening.player("ann")
    ben = await evening.player("ben")
    await ben.sit("Casino table", 1)
    await ann.page.goto(f"{evening.url}/tables/{CASINO}/")
    note = ben.page.get_by_text("1 watching")
    await expect(note).to_be_visible()
    await ann.seat(2).locator(".sit").click()
    await expect(ann.page.locator("li.seat.is-mine")).to_be_visible()
    await expect(note).to_be_hidden(timeout=1_000)
    in_lobby = dora.page.locator(f"#table-{CASINO} .watching")
    await expect(in_lobby).to_have_text("", timeout=2_000)
    await ann.page.locator("#leave").click()
    await expect(note).to_be_visible(timeout=1_000)
    await expect(in_lobby).to_have_text("1 watching", timeout=2_000)


async def test_a_lobby_whose_user_was_logged_out_says_so(evening: Evening) -> None:
    ann = await evening.player("ann")
    await ann.page.goto(evening.url)
    other = await ann.page.context.new_page()
    await other.goto(f"{evening.url}/accounts/logout/")
    await other.locator("main button[type=submit]").click()
    await other.wait_for_url(f"{evening.url}/")
    ben = await evening.player("ben")
    await ben.sit("Casino table", 1)
    notice = ann.page.locator("#logged-out")
    await expect(notice).to_contain_text("You were logged out.")
    await expect(notice).to_be_visible()


async def test_the_button_of_the_sign_up_is_in_sight_and_the_only_one(evening: Evening) -> None:
    dora = await evening.person("dora")
    for width, height in (WIDE, PHONE):
        await dora.page.set_viewport_size({"width": width, "height": height})
        await dora.page.goto(f"{evening.url}/accounts/signup/")
        button = dora.page.get_by_role("button", name="Sign up")
        await expect(button).to_be_in_viewport(ratio=1)
        await expect(dora.page.locator("header").get_by_text("Sign up")).to_have_count(0)


async def test_home_starts_a_game_and_forgets_a_table_of_friends(evening: Evening) -> None:
    ann = await evening.player("ann")
    await ann.page.goto(f"{evening.url}/home/")
    await ann.page.get_by_label("Rules", exact=True).select_option("vegas")
    await ann.page.get_by_role("button", name="Take a free seat").click()
    await expect(ann.page.locator("li.seat.is-mine[data-seat='1']")).to_be_visible()
    await expect(ann.page.get_by_role("heading", name="Vegas table")).to_be_visible()
