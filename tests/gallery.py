"""``make pictures``: plays scripted rounds in Chromium and takes a picture of every state.

Pictures go to ``var/pictures``; the two of the README go to ``docs/pictures``.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

from playwright.async_api import async_playwright

from tests.browser.people import PHONE, WIDE, Evening, Person, browser_arguments, find_chromium
from tests.server import ROOT, prepare, serving

FOLDER = ROOT / "var/pictures"
SHOES = ("8s 5h Th 6c 8d 6h 9c Kc 2c 3d 9s Ts Td Qh", "As Ts Th 9h Kd 7d 9s Tc")


async def main(scheme: str) -> None:
    """Take all pictures in one colour scheme."""
    with tempfile.TemporaryDirectory(prefix="blackjack-pictures-") as name:
        folder = Path(name)
        with serving(folder, prepare(folder / "prepared")) as server:
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(
                    executable_path=find_chromium(), args=browser_arguments()
                )
                evening = Evening(browser, server, color_scheme=scheme)
                server.stack(*SHOES)
                await play(evening, scheme)
                await browser.close()


async def play(evening: Evening, scheme: str) -> None:
    ann = await evening.person("ann", WIDE)
    ben = await evening.person("ben", PHONE)
    cleo = await evening.person("cleo", PHONE)
    friends = (ann, ben, cleo)

    async def take(state: str, *people: Person) -> None:
        for person in people:
            await person.page.wait_for_timeout(300)
            size = person.page.viewport_size
            assert size is not None
            path = FOLDER / f"{scheme}-{state}-{person.name}-{size['width']}.png"
            await person.page.screenshot(path=path)

    for person in friends:
        await person.page.goto(f"{person.url}/accounts/signup/")
    await take("1-sign-up", ann, ben)
    for person in friends:
        await person.fill_sign_up()
        await person.page.wait_for_url(f"{person.url}/")
    await ben.sit_from_lobby("Casino table", 2)
    await ann.page.wait_for_timeout(1500)
    await take("2-lobby", ann, cleo)
    await ann.sit_from_lobby("Casino table", 1)
    await cleo.sit_from_lobby("Casino table", 3)
    await ann.page.get_by_role("button", name="Add 10", exact=True).click()
    await take("3-betting", *friends)
    for person, stake in zip(friends, (10, 25, 10), strict=True):
        await person.bet(stake)
    await ann.sees_status("Your turn")
    await take("4-anns-turn", *friends)
    await ann.act("split")
    await take("5-split-hands", *friends)
    await ann.act("double")
    await ann.act("hit")
    await ben.sees_status("Your turn")
    await take("6-bens-turn", *friends)
    await ben.act("double")
    await cleo.act("stand")
    await cleo.sees_status("You win")
    await take("7-result", *friends)
    for person in friends:
        await person.page.locator("button.bet", has_text="Rebet").click()
    await ben.sees_status("Your turn")
    await take("8-blackjack", *friends)
    await ben.act("stand")
    await cleo.act("stand")
    await cleo.sees_status("Push")
    for person in friends:
        await person.page.goto(f"{person.url}/history/")
    await take("9-history", ann, ben)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for colours in ("light", "dark"):
        asyncio.run(main(colours))
    (ROOT / "docs/pictures").mkdir(exist_ok=True)
    shutil.copy(FOLDER / "light-4-anns-turn-ann-1280.png", ROOT / "docs/pictures/table.png")
    shutil.copy(FOLDER / "light-6-bens-turn-ben-360.png", ROOT / "docs/pictures/phone.png")
