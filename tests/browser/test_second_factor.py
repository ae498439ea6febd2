"""An operator and a player set up a second factor, and log in with it. The passkey is Chromium's."""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import Route, expect

from tests.browser.players import PASSWORD, PHONE, Evening, Person
from tests.browser.test_operators_floor import shot
from tests.helpers.app_codes import code_of

PASSKEY = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
    "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip
"""A device with a fingerprint reader, and a finger on it."""


async def plug_in_passkey(person: Person) -> None:
    device = await person.page.context.new_cdp_session(person.page)
    await device.send("WebAuthn.enable")
    await device.send("WebAuthn.addVirtualAuthenticator", {"options": PASSKEY})


async def log_in(person: Person, name: str, onward: str = "/") -> None:
    await person.page.goto(f"{person.url}/accounts/login/?next={onward}")
    await person.page.get_by_label("Name", exact=True).fill(name)
    await person.page.get_by_label("Password", exact=True).fill(PASSWORD)
    await person.page.get_by_role("button", name="Log in", exact=True).click()


async def log_out(person: Person) -> None:
    await person.page.goto(f"{person.url}/accounts/logout/")
    await person.page.locator("main button[type=submit]").click()
    await expect(person.page.get_by_role("link", name="Log in")).to_be_visible()


async def set_up_app(person: Person) -> str:
    """From the page of the second factor to the recovery codes; the secret of the app."""
    await person.page.get_by_role("link", name="Set up an app").click()
    await expect(person.page.locator(".second-factor-qr svg")).to_be_visible()
    await shot(person, "factor-app")
    secret = await person.page.locator("#secret").inner_text()
    await person.page.get_by_label("Code", exact=True).fill("000000")
    await person.page.get_by_role("button", name="Turn on").click()
    await expect(person.page.locator(".field-errors")).to_contain_text("That is wrong")
    await person.page.get_by_label("Code", exact=True).fill(code_of(secret))
    await person.page.get_by_role("button", name="Turn on").click()
    await expect(person.page.locator("#recovery-codes code")).to_have_count(10)
    await shot(person, "factor-codes")
    return secret


@pytest.mark.long
async def test_a_new_superuser_sets_up_an_app_on_the_way_to_the_operators_pages(
    evening: Evening,
) -> None:
    olga = await evening.player("olga", PHONE)
    result = evening.server.manage(
        "shell", "-c",
        "from accounts.models import User;"
        "User.objects.filter(username='olga').update(is_staff=True, is_superuser=True)",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    await log_out(olga)
    await log_in(olga, "olga", "/admin/floor/")
    await expect(olga.page.locator(".messages")).to_contain_text("Your role needs a second factor.")
    await shot(olga, "factor")
    await set_up_app(olga)
    async with olga.page.expect_download() as saved:
        await olga.page.get_by_role("button", name="Save as a file").click()
    codes = (await (await saved.value).path()).read_text().split()
    assert len(codes) == 10
    await olga.page.get_by_role("link", name="I have kept them").click()
    await expect(olga.page).to_have_url(f"{evening.url}/admin/floor/")

    # Another time, without the phone.
    await log_out(olga)
    await log_in(olga, "olga", "/admin/floor/")
    await expect(olga.page.get_by_role("heading", name="Second factor")).to_be_visible()
    await shot(olga, "factor-login")
    await olga.page.get_by_label("Code", exact=True).fill(codes[0])
    await olga.page.get_by_role("button", name="Log in", exact=True).click()
    await expect(olga.page).to_have_url(f"{evening.url}/admin/floor/")


@pytest.mark.long
async def test_a_player_logs_in_with_a_passkey_alone_and_as_a_second_factor(
    evening: Evening,
) -> None:
    ann = await evening.player("ann", PHONE)
    await plug_in_passkey(ann)
    await ann.page.goto(f"{evening.url}/account/")
    await ann.page.get_by_role("link", name="Set up a second factor").click()
    await ann.page.get_by_role("link", name="Add a passkey").click()
    await ann.page.get_by_label("Password", exact=True).fill(PASSWORD)
    await ann.page.locator("main button[type=submit]").click()
    await ann.page.get_by_label("Name", exact=True).fill("My phone")
    await shot(ann, "factor-passkey")
    await ann.page.get_by_role("button", name="Add a passkey").click()
    await expect(ann.page.locator("#recovery-codes code")).to_have_count(10)
    await ann.page.get_by_role("link", name="I have kept them").click()
    await expect(ann.page.locator(".session-list")).to_contain_text("My phone")
    await expect(ann.page.locator(".session-list")).to_contain_text("without a password")
    await shot(ann, "factor-passkeys")

    await log_out(ann)
    await ann.page.goto(f"{evening.url}/accounts/login/?next=/statement/")
    await ann.page.get_by_role("button", name="Log in with a passkey").click()
    await expect(ann.page).to_have_url(f"{evening.url}/statement/")

    await log_out(ann)
    await log_in(ann, "ann", "/statement/")
    await expect(ann.page).to_have_url(re.compile("/accounts/2fa/login/"))
    await ann.page.get_by_role("button", name="Use a passkey").click()
    await expect(ann.page).to_have_url(f"{evening.url}/statement/")

    # A change asks for the password, and then for the passkey.
    await ann.page.goto(f"{evening.url}/accounts/2fa/")
    await ann.page.get_by_role("link", name="Remove My phone").click()
    await ann.page.get_by_label("Password", exact=True).fill(PASSWORD)
    await ann.page.locator("main button[type=submit]").click()
    await ann.page.get_by_role("button", name="Use a passkey").click()
    await ann.page.get_by_role("button", name="Remove", exact=True).click()
    await expect(ann.page.locator(".messages")).to_contain_text("The passkey was removed.")
    await expect(ann.page.get_by_role("heading", name="Recovery codes")).to_have_count(0)


async def test_the_button_of_a_passkey_waits_for_the_script(evening: Evening) -> None:
    """A form that is sent without the script would have no passkey in it."""
    ann = await evening.player("ann", PHONE)
    await plug_in_passkey(ann)
    may_load = asyncio.Event()

    async def hold(route: Route) -> None:
        await may_load.wait()
        await route.continue_()

    await ann.page.route(re.compile("passkey_page"), hold)
    await ann.enter_password("/account/")
    await ann.page.goto(f"{evening.url}/accounts/2fa/passkeys/add/", wait_until="commit")
    add = ann.page.get_by_role("button", name="Add a passkey")
    await expect(add).to_be_disabled()
    may_load.set()
    await expect(add).to_be_enabled()
