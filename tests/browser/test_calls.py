"""The switch for calls, and the notification of a call. The push service is not a real one."""

from __future__ import annotations

import asyncio
import json

from playwright.async_api import Page, expect

from tests.browser.players import Evening, Person
from tests.helpers.push_device import Device

CALL_SWITCH = "Call me on this device"
SUBSCRIBES = """device => {
  PushManager.prototype.subscribe = async ({ applicationServerKey: key }) => {
    window.usedKey = key;
    const { endpoint, ...keys } = device;
    return { toJSON: () => ({ endpoint, keys }) };
  };
  Notification.requestPermission = async () => "granted";
}"""


async def open_settings(person: Person) -> None:
    await person.page.goto(f"{person.url}/account/")
    await expect(person.switch(CALL_SWITCH)).to_be_visible()


async def deliver(page: Page, message: dict[str, str]) -> None:
    """What the browser does with a message of its push service."""
    session = await page.context.new_cdp_session(page)
    registrations: list[str] = []
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: registrations.extend(
            one["registrationId"] for one in event["registrations"] if not one["isDeleted"]
        ),
    )
    await session.send("ServiceWorker.enable")
    await page.wait_for_timeout(300)
    await session.send(
        "ServiceWorker.deliverPushMessage",
        {
            "origin": await page.evaluate("location.origin"),
            "registrationId": registrations[-1],
            "data": json.dumps(message),
        },
    )


async def test_calls_are_turned_on_and_off_for_this_browser(evening: Evening) -> None:
    ann = await evening.player("ann")
    await open_settings(ann)
    switch = ann.switch(CALL_SWITCH)
    await expect(switch).to_have_attribute("aria-checked", "false")
    await ann.page.evaluate(SUBSCRIBES, Device().form)
    await switch.click()
    await expect(switch).to_have_attribute("aria-checked", "true")
    assert len(await ann.page.evaluate("window.usedKey")) == 87
    await ann.page.reload()
    await expect(switch).to_have_attribute("aria-checked", "true")
    await switch.click()
    await expect(switch).to_have_attribute("aria-checked", "false")
    await ann.page.reload()
    await expect(switch).to_have_attribute("aria-checked", "false")


async def test_the_switch_is_at_the_table_as_well(evening: Evening) -> None:
    ann = await evening.player("ann")
    await ann.page.goto(f"{evening.url}/tables/1/")
    await ann.page.locator("#settings-open").click()
    await expect(ann.switch(CALL_SWITCH)).to_be_visible()


async def test_a_call_is_a_notification_with_the_table(evening: Evening) -> None:
    ann = await evening.player("ann")
    await ann.page.goto(f"{evening.url}/rules/")
    await ann.page.evaluate("navigator.serviceWorker.ready.then(() => {})")
    (worker,) = ann.page.context.service_workers
    # A browser without a screen shows none.
    await worker.evaluate(
        """() => {
          self.shown = [];
          self.registration.showNotification = async (...said) => self.shown.push(said);
        }"""
    )
    message = {"title": "Casino table", "body": "It's your turn.", "url": "/tables/1/"}
    await deliver(ann.page, message)
    async with asyncio.timeout(10):
        while not (notifications := await worker.evaluate("() => self.shown")):
            await asyncio.sleep(0.1)
    ((title, more),) = notifications
    assert (title, more["body"], more["data"]) == tuple(message.values())
    assert more["tag"] == message["url"]
    assert "icon-192" in more["icon"]
