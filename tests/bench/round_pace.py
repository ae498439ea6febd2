"""How long a round takes in front of three people who act at once, in real browsers.

From the last bet of a round until all three have seen their result and can bet again, with
animations and without. Each page presses its own buttons as soon as they can be pressed, so that
only the product takes time. Nobody presses one to skip an animation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from playwright.async_api import async_playwright

from tests.browser.players import WIDE, Evening, browser_arguments, find_chromium
from tests.helpers.servers.process import prepare, serving

ROUNDS = 15
LONGEST = 300
"""Seconds for all of them."""
GOALS = {"no-preference": 6.0, "reduce": 2.5}
"""Seconds of a round, by what the browser is told about motion."""

ACT_AT_ONCE = """
  (rounds) => {
    window.bets = [];
    window.opened = [];
    let wasOpen = false;
    const step = () => {
      if (window.bets.length > rounds) return;
      const enabled = (selector) =>
        document.querySelector(`#controls ${selector}:not([aria-disabled="true"], :disabled)`);
      // A bet is taken while the dealer still plays: that would skip what is to be seen.
      const isOver = document.querySelector(".seat.is-mine .outcome:not([hidden])");
      const bet = isOver && enabled("button.bet");
      if (bet && !wasOpen) {
        window.opened.push(Date.now());
        bet.click();
        window.bets.push(Date.now());
      }
      wasOpen = Boolean(bet);
      (enabled("[data-action='decline']") ?? enabled("[data-action='stand']"))?.click();
      setTimeout(step, 5);
    };
    step();
  }
"""


def measure(folder: Path) -> Iterator[dict[str, Any]]:
    """The seconds of a round, with motion and with reduced motion."""
    folder.mkdir(parents=True)
    prepared = prepare(folder / "prepared")
    for motion, goal in GOALS.items():
        place = folder / motion
        place.mkdir()
        with serving(place, prepared) as server:
            seconds = asyncio.run(_play(server, motion))
        yield {
            "name": f"round_seconds_{'with' if motion != 'reduce' else 'without'}_motion",
            "median": round(median(seconds), 2),
            "longest": round(max(seconds), 2),
            "rounds": len(seconds),
            "goal": goal,
        }


async def _play(server: Any, motion: str) -> list[float]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(), args=browser_arguments()
        )
        evening = Evening(browser, server, reduced_motion=motion)
        people = await evening.at_table("Vegas table", WIDE, WIDE, WIDE)
        for person in people:
            await person.bet(5)
        await asyncio.gather(*(person.page.evaluate(ACT_AT_ONCE, ROUNDS) for person in people))
        async with asyncio.timeout(LONGEST):
            for person in people:
                while await person.page.evaluate("window.bets.length") <= ROUNDS:
                    await asyncio.sleep(0.5)
        opened = [await person.page.evaluate("window.opened") for person in people]
        bets = [await person.page.evaluate("window.bets") for person in people]
        await browser.close()
    last_bets, all_open = map(max, zip(*bets, strict=True)), map(max, zip(*opened, strict=True))
    return [
        (open_at - bet_at) / 1_000
        for bet_at, open_at in zip(list(last_bets)[:-1], list(all_open)[1:], strict=True)
    ]
