"""A closed site: the first operator, a sign-up by an invite, and one that an operator approves."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from contextlib import closing

import pytest
from playwright.async_api import expect

from tests.browser.axe import VIEWS, Inspector
from tests.browser.players import PHONE, Evening, Person
from tests.browser.test_second_factor import set_up_app
from tests.helpers.servers.process import Server

SETTINGS = "/admin/accounts/housesettings/1/change/"


async def first_link(server: Server) -> str:
    """The link that the server has printed at its start."""
    async with asyncio.timeout(10):
        while not (links := re.findall(r"http\S+/first/\S+/", server.log.read_text())):
            await asyncio.sleep(0.1)
    link: str = links[-1]
    return link


async def become_operator(evening: Evening) -> Person:
    """The first operator, made by the link of the terminal, with the second factor of the role."""
    olga = await evening.person("olga")
    await olga.page.goto(await first_link(evening.server))
    await olga.fill_sign_up()
    await set_up_app(olga)
    await olga.page.get_by_role("link", name="I have kept them").click()
    await olga.page.wait_for_url(f"{olga.url}/admin/")
    return olga


async def save_settings(olga: Person, **choices: str) -> None:
    await olga.page.goto(f"{olga.url}{SETTINGS}")
    for name, value in choices.items():
        field = olga.page.locator(f"[name={name}]")
        if await field.first.get_attribute("type") == "radio":
            await olga.page.locator(f"[name={name}][value={value}]").check()
        else:
            await field.fill(value)
    await olga.page.get_by_role("button", name="Save").click()
    await expect(olga.page.get_by_text("Saved. The new settings apply now.")).to_be_visible()


async def looks_right(evening: Evening, *people: Person) -> None:
    """On a phone and a wide screen, light and dark, without a scroll to the side."""
    inspector = Inspector(await evening.browser.new_page())
    for person in people:
        for _ in VIEWS:
            await inspector.see(person.page.url, person)
    assert inspector.faults == []


@pytest.mark.long
async def test_the_link_of_the_terminal_makes_the_first_operator_once(evening: Evening) -> None:
    olga = await become_operator(evening)
    await expect(olga.page.get_by_role("heading", name="Operators")).to_be_visible()
    await expect(olga.page.get_by_role("link", name="Settings").first).to_be_visible()
    ben = await evening.person("ben")
    ended = await ben.page.goto(await first_link(evening.server))
    assert ended is not None
    assert ended.status == 404
    await expect(ben.page.get_by_text("This link is no longer valid").first).to_be_visible()
    ben.complaints.clear()  # the browser reports the 404
    evening.server.stop()
    evening.server.start()
    assert evening.server.log.read_text().count("made in a browser, once") == 1


@pytest.mark.long
async def test_somebody_signs_up_by_an_invite_link_and_others_cannot(evening: Evening) -> None:
    evening.context["bypass_csp"] = True  # for axe
    olga = await become_operator(evening)
    await save_settings(olga, name="Friday Night", sign_up="invite", greeting="Welcome!")
    await olga.page.goto(f"{olga.url}/admin/invites/")
    await olga.page.get_by_label("For:", exact=True).fill("Ann")
    await olga.page.get_by_role("button", name="Create the link").click()
    link = await olga.page.get_by_label("Copy it now").input_value()
    await olga.page.get_by_role("button", name="Copy").click()
    await expect(olga.page.get_by_role("status").filter(has_text="Link copied.")).to_be_visible()

    ben = await evening.person("ben", PHONE)
    await ben.page.goto(ben.url)
    await expect(ben.page).to_have_title("Lobby – Friday Night")
    await expect(ben.page.locator(".greeting")).to_have_text("Welcome!")
    await expect(ben.page.get_by_role("link", name="Sign up")).to_have_count(0)
    await ben.page.goto(f"{ben.url}/accounts/signup/")
    await expect(ben.page.get_by_text("You need an invite link")).to_be_visible()
    await looks_right(evening, ben, olga)

    ann = await evening.person("ann", PHONE)
    await ann.page.goto(link)
    await ann.fill_sign_up()
    await ann.page.wait_for_url(f"{ann.url}/")
    await ann.sit_from_lobby("Casino table", 1)

    await ben.page.goto(link)
    await expect(ben.page.get_by_text("Everybody whom it was for has signed up.")).to_be_visible()
    await looks_right(evening, ben)
    ben.complaints.clear()  # the browser reports the 410


@pytest.mark.long
async def test_a_new_account_waits_and_goes_on_by_itself_when_it_is_approved(
    evening: Evening,
) -> None:
    evening.context["bypass_csp"] = True  # for axe
    olga = await become_operator(evening)
    await save_settings(olga, sign_up="approval")
    wanda = await evening.person("Wanda", PHONE)
    await wanda.page.goto(f"{wanda.url}/accounts/signup/")
    await wanda.fill_sign_up()
    await wanda.page.wait_for_url(f"{wanda.url}/accounts/waiting/")
    await expect(wanda.page.get_by_role("heading", name="waits for approval")).to_be_visible()
    await looks_right(evening, wanda)

    await olga.page.goto(f"{olga.url}/admin/")
    await olga.page.get_by_role("link", name="1 account to approve").click()
    await olga.page.get_by_role("button", name="Approve Wanda").click()
    await expect(olga.page.get_by_text("The account Wanda is approved.")).to_be_visible()

    rita = await evening.person("Rita", PHONE)
    await rita.page.goto(f"{rita.url}/accounts/signup/")
    await rita.fill_sign_up()
    await expect(rita.page.get_by_role("heading", name="waits for approval")).to_be_visible()
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        database.execute(
            "UPDATE accounts_user SET approval = 'refused', refused_because = 'A second account.' "
            "WHERE username = 'Rita'"
        )
    await expect(rita.page.get_by_role("heading", name="was refused")).to_be_visible()
    await expect(rita.page.get_by_text("The reason: A second account.")).to_be_visible()

    await wanda.page.wait_for_url(f"{wanda.url}/")
    await expect(wanda.page.get_by_text("Your account is approved.")).to_be_visible()
    await wanda.sit_from_lobby("Casino table", 2)
