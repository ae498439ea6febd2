"""An operator runs the floor while three people play at a table, each in a browser of their own."""

from __future__ import annotations

import datetime as dt
import os
import sqlite3
from contextlib import closing

import pytest
from playwright.async_api import expect

from tests.browser.players import PASSWORD, PHONE, WIDE, Evening, Person
from tests.helpers.app_codes import GIVE_APP, SECRET

SHOTS = os.environ.get("BLACKJACK_SHOTS", "")

WITH_FACTOR = ("manager",)
"""The roles that need a second factor."""
STAND_ALL = "8s 9d 7h Td 9c 9h 8h 7c Ks 2d 3d 4d"


async def operator_of(evening: Evening, role: str) -> Person:
    """Somebody with this role, logged in to the operators' pages."""
    person = await player_with(evening, role)
    await person.enter_password(secret=SECRET if role in WITH_FACTOR else None)
    return person


async def player_with(evening: Evening, role: str) -> Person:
    """Somebody with this role, logged in as players are."""
    person = await evening.player("olga")
    result = evening.server.manage(
        "shell", "-c",
        "from django.contrib.auth.models import Group; from accounts.models import User;"
        "user = User.objects.get(username='olga'); user.is_staff = True; user.save();"
        f"user.groups.add(Group.objects.get(name='{role}'));"
        + (GIVE_APP if role in WITH_FACTOR else ""),
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return person


async def shot(person: Person, name: str) -> None:
    """A picture for who wants to look, in the folder of the variable ``BLACKJACK_SHOTS``."""
    if SHOTS:
        await person.page.screenshot(path=f"{SHOTS}/{name}-{person.name}.png")


@pytest.mark.long
async def test_an_operator_at_the_table_of_others_enters_the_password_first(
    evening: Evening,
) -> None:
    olga = await player_with(evening, "floor")
    await olga.page.goto(evening.url)
    await olga.page.get_by_role("link", name="Casino table", exact=True).click()
    await olga.page.locator("#host-open").click()
    await olga.page.locator("#host-switches").get_by_text("Locked", exact=True).click()
    await olga.page.get_by_label("Password", exact=True).fill(PASSWORD)
    await olga.page.locator("main button[type=submit]").click()
    await olga.page.locator("#host-open").click()
    await expect(olga.page.locator("#company-words")).not_to_contain_text("Locked")
    await olga.page.locator("#host-switches").get_by_text("Locked", exact=True).click()
    await expect(olga.page.locator("#company-words")).to_contain_text("Locked")


@pytest.mark.long(seconds=10)
async def test_an_operator_pauses_a_table_while_three_play(evening: Evening) -> None:
    evening.server.stack(STAND_ALL)
    players = await evening.at_table("Casino table", WIDE, (320, 640), PHONE)
    ann, ben, cleo = players
    olga = await operator_of(evening, "floor")
    for person in players:
        await person.bet(10)
    await expect(ann.page.locator("button[data-action='stand']")).to_be_visible()

    await olga.page.goto(f"{evening.url}/admin/floor/")
    row = olga.page.locator("tr", has_text="Casino table")
    await expect(row).to_contain_text("ann")
    await expect(row).to_contain_text("in play")
    await expect(row).to_contain_text("30")
    await shot(olga, "floor")
    await row.get_by_role("link", name="Casino table").click()
    await expect(olga.page.locator(".floor-tables")).to_contain_text("to act")
    await expect(olga.page.locator("#content")).to_contain_text("[face down]")
    await shot(olga, "table")
    await olga.page.get_by_role("link", name="Pause").click()
    await olga.page.get_by_role("button", name="Pause table").click()
    await expect(olga.page.locator("#content")).to_contain_text("This field is required")
    await olga.page.get_by_label("Message to players").fill("We count the cards.")
    await shot(olga, "pause")
    await olga.page.get_by_role("button", name="Pause table").click()
    await expect(olga.page.locator(".messagelist")).to_contain_text("is paused")

    for person in players:
        notice = person.page.locator("#announcements")
        await expect(notice).to_contain_text("An operator will pause this table after this round.")
        await expect(notice).to_contain_text("We count the cards.")
        await expect(person.log).to_contain_text("We count the cards.")
        await shot(person, "pausing")
    for person in players:
        await person.act("stand")
    for person in players:
        await expect(person.page.locator("#announcements")).to_contain_text(
            "An operator has paused this table."
        )
        await expect(person.page.locator("#status-sub")).to_contain_text("The table is paused.")
        await expect(person.bet_button).to_have_count(0)
        await shot(person, "paused")

    # The live page says so by itself, and lets the table go on.
    await expect(olga.page.locator(".floor-tables")).not_to_contain_text("to act")
    await olga.page.get_by_role("link", name="Resume").click()
    await olga.page.get_by_role("button", name="Resume table").click()
    for person in players:
        await expect(person.page.locator("[data-news='paused']")).to_be_hidden()
        await expect(person.bet_button).to_be_visible()
    for person in players:
        await person.bet(10)
    await expect(ann.page.locator("#dealer .card").first).to_be_visible()
    await expect(ann.log).to_contain_text("The table is open for bets again")
    assert ben.page.url == cleo.page.url


@pytest.mark.long(seconds=15)
async def test_players_see_maintenance_come_and_go_and_what_is_announced(evening: Evening) -> None:
    ann, ben = await evening.at_table("Casino table", WIDE, (320, 640))
    olga = await operator_of(evening, "manager")
    await olga.page.goto(f"{evening.url}/admin/floor/maintenance/")
    await olga.page.get_by_label("Starts in (minutes)").fill("1")
    await olga.page.get_by_label("Message to players").fill("New felt: back by noon.")
    await olga.page.get_by_role("button", name="Schedule maintenance").click()
    await expect(olga.page.locator(".messagelist")).to_contain_text("everyone was notified")
    await shot(olga, "maintenance")
    late = await evening.person("dora", (390, 844))
    await late.page.goto(evening.url)
    for person in (ann, ben, late):
        line = person.page.locator("[data-news='maintenance']")
        await expect(line).to_contain_text("Maintenance starts in 0:")
        await expect(line).to_contain_text("New felt: back by noon.")
        await expect(line.get_by_role("status")).to_contain_text("Maintenance starts in 1 minute.")
        await shot(person, "countdown")
    await olga.page.goto(f"{evening.url}/admin/floor/announce/")
    await olga.page.get_by_label("Message to players").fill("The bar is open.")
    await olga.page.get_by_role("button", name="Announce").click()
    for person in (ann, ben, late):
        line = person.page.locator("[data-from='house']")
        await expect(line).to_contain_text("The bar is open.")
        await shot(person, "announced")
        await line.get_by_role("button", name="Close").click()
        await expect(line).to_have_count(0)
    await ann.page.reload()
    await expect(ann.page.locator("[data-news='maintenance']")).to_be_visible()
    await expect(ann.page.locator("[data-from='house']")).to_have_count(0)

    # Once it has begun, no bet is taken; the page knows by itself.
    begin_in(evening, 9)
    await ann.page.reload()
    await expect(ann.page.locator("#announcements")).to_contain_text("Maintenance starts in 0:0")
    await expect(ann.page.locator("#announcements")).to_contain_text("No new rounds start.")
    await expect(ann.bet_button).to_have_count(0)
    await ann.sees_status("The site is under maintenance")
    await shot(ann, "begun")
    await olga.page.goto(f"{evening.url}/admin/floor/")
    await expect(olga.page.locator("#content")).to_contain_text("It is safe to stop the servers.")
    await shot(olga, "safe")
    await olga.page.goto(f"{evening.url}/admin/floor/maintenance/")
    await olga.page.get_by_role("button", name="End maintenance").click()
    for person in (ann, ben, late):
        await expect(person.page.locator("[data-news='maintenance']")).to_be_hidden()
    await expect(ann.bet_button).to_be_visible()


def begin_in(evening: Evening, seconds: int) -> None:
    """Let planned maintenance begin so soon: nobody has to wait for its minute to pass."""
    moment = dt.datetime.now(dt.UTC).replace(tzinfo=None) + dt.timedelta(seconds=seconds)
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        database.execute(
            "UPDATE accounts_housesettings SET maintenance_at = ?",
            (moment.isoformat(" ", "microseconds"),),
        )


@pytest.mark.long
async def test_what_is_selected_on_the_floor_stays_selected(evening: Evening) -> None:
    olga = await operator_of(evening, "floor")
    await olga.page.goto(f"{evening.url}/admin/floor/")
    when = olga.page.locator(".floor-when")
    await olga.page.evaluate(
        "getSelection().selectAllChildren(document.querySelector('.floor-tables caption'))"
    )
    first = await when.inner_text()  # What is selected holds it from now on.
    chosen = await olga.page.evaluate("String(getSelection())")
    await expect(olga.page.locator(".floor-late")).to_contain_text("while text is selected")
    assert await when.inner_text() == first
    assert await olga.page.evaluate("String(getSelection())") == chosen != ""
    await olga.page.evaluate("getSelection().removeAllRanges()")
    await expect(when).not_to_have_text(first)
    await expect(olga.page.locator(".floor-late")).to_be_hidden()


@pytest.mark.long
async def test_the_pages_about_a_table_fit_a_phone(evening: Evening) -> None:
    await evening.at_table("Casino table", WIDE)
    olga = await operator_of(evening, "manager")
    # By now the server has noted that ann is there.
    evening.server.manage(
        "shell", "-c",
        "from tables.models import Seat; from django.utils import timezone;"
        "Seat.objects.update(away_since=timezone.now())",
    )  # fmt: skip
    await olga.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    await olga.page.goto(f"{evening.url}/admin/floor/")
    await olga.page.get_by_role("link", name="Casino table").click()
    away = olga.page.locator(".floor-tables .floor-mark", has_text="away")
    name = olga.page.locator(".floor-tables a", has_text="ann")
    left, mark = await name.bounding_box(), await away.bounding_box()
    assert left is not None
    assert mark is not None
    assert mark["x"] >= left["x"]
    await shot(olga, "table-phone")
    width = "document.scrollingElement.scrollWidth"
    for way in ("Change", "Refill rack"):
        table = olga.page.url
        await olga.page.get_by_role("link", name=way, exact=True).click()
        await expect(olga.page.get_by_role("link", name="Cancel")).to_be_visible()
        await shot(olga, f"{way}-phone".replace(" ", "-"))
        assert await olga.page.evaluate(width) <= PHONE[0], way
        within = "all => all.every(one => one.getBoundingClientRect().right <= 345)"
        fields = olga.page.locator(
            "form[method=post] .form-row :is(input, select), .operators-form input"
        )
        assert await fields.evaluate_all(within), way
        await olga.page.goto(table)
