"""Rounds of every rule set."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing

from playwright.async_api import ViewportSize, expect

from tests.browser.players import PHONE, WIDE, Evening, Person

See = Callable[[str, Person], Awaitable[None]]
"""What is done at each state: its name, and the person whose page shows it."""

SECONDS = 120


async def decide(person: Person, *actions: str) -> None:
    """Actions, each as soon as the page waits for nothing else."""
    for action in actions:
        await expect(person.page.locator("#controls [aria-disabled]")).to_have_count(0)
        await person.act(action)


async def answer(person: Person, words: str) -> None:
    await person.page.locator("#controls").get_by_role("button", name=words).click()


async def dialogs(person: Person, see: See) -> None:
    """Every dialog that a button of the table opens."""
    openers = person.page.locator("main [aria-haspopup='dialog']:visible")
    for number in range(await openers.count()):
        await openers.nth(number).click()
        dialog = person.page.locator("dialog[open]")
        await see(f"dialog: {await dialog.get_by_role('heading').first.inner_text()}", person)
        await person.page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)


async def panels(person: Person, see: See) -> None:
    """What a phone shows only when asked: the log, and the seal of the shoe."""
    phone: ViewportSize = {"width": PHONE[0], "height": PHONE[1]}
    await person.page.set_viewport_size(phone)
    for name, opener in {"log": "#log-toggle", "chat": "#chat-toggle"}.items():
        await person.page.locator(opener).click()
        await see(f"{name} open", person)
        await person.page.set_viewport_size(phone)
        await person.page.locator(f"{opener.removesuffix('-toggle')}-close").click()
    await person.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    await person.page.locator("#shoe").click()
    await see("shoe open", person)
    await person.page.keyboard.press("Escape")


async def casino(evening: Evening, see: See) -> None:
    evening.server.stack("8s 5h Th 6c 8d 6h 9c Kc 2c 3d 9s Ts Td Qh", "As Ts Th 9h Kd 7d 9s Tc")
    ann, ben, cleo = await friends(evening, "Casino table", 3)
    dora = await evening.person("dora")
    await dora.page.goto(ann.page.url)
    await expect(dora.page.locator("li.seat", has_text="cleo")).to_be_visible()
    await see("visitor", dora)
    await see("seated", ann)
    await dialogs(ann, see)
    await ann.page.get_by_role("button", name="Add 10", exact=True).click()
    await see("chips chosen", ann)
    await ann.bet(10)
    await see("bet placed", ann)
    await ben.bet(25)
    await cleo.bet(10)
    await ann.sees_status("Your turn")
    await see("my turn", ann)
    await see("another's turn", cleo)
    await panels(ann, see)
    await ann.page.locator("#leave").click()
    await see("dialog: leave", ann)
    await ann.page.keyboard.press("Escape")
    await decide(ann, "split")
    await ann.sees_status("first hand")
    await see("split hands", ann)
    await decide(ann, "double", "hit")
    await ben.sees_status("Your turn")
    await see("doubling", ben)
    await decide(ben, "double")
    await decide(cleo, "stand")
    await cleo.sees_status("You win")
    await see("won", cleo)
    await see("won and lost", ann)
    for person in (ann, ben, cleo):
        await person.bet(10)
    await ben.sees_status("Your turn")
    await see("blackjack", ann)
    await decide(ben, "stand")
    await decide(cleo, "stand")
    await cleo.sees_status("Push")
    await see("push", cleo)
    erin = await evening.player("erin")
    await erin.page.goto(ann.page.url)
    await expect(erin.button("Get in line")).to_be_visible()
    await see("every seat is taken", erin)
    await erin.button("Get in line").click()
    await erin.sees_status("You are next in line")
    await see("in line", erin)
    await expect(ann.page.locator("#next-in-line")).to_have_text("Next in line: erin")
    await see("somebody is in line", ann)
    await cleo.page.locator("#leave").click()
    await erin.sees_status("Seat 3 is free for you")
    await see("a seat is offered", erin)
    await expect(cleo.page.locator("#status-sub")).to_have_text("Seat 3 is offered to erin.")
    await expect(cleo.page.locator("#session-card")).to_contain_text("Your session")
    await see("a seat is offered to another", cleo)
    await cleo.page.locator("#session-close").click()
    await expect(cleo.button("Get in line")).to_be_visible()
    await see("a seat is offered to another, the card is closed", cleo)
    await see("a seat is offered to another", ann)


async def vegas(evening: Evening, see: See) -> None:
    evening.server.stack(
        "9s Ts Ah 9h 7d Kc",
        "As Ts Ah Kd 7d 9c",
        "8s Ts 6h 8h 9d Kc 8d 8c 2c 3c 4c 5c Tc",
    )
    ann, ben = await friends(evening, "Vegas table", 2)
    await see("seated", ann)
    await ann.page.locator("#stake-input").fill("7.5")
    await see("a bet refused", ann)
    await bet(ann, ben)
    await ann.sees_status("Insurance?")
    await see("insurance asked", ann)
    await decide(ann, "insure")
    await ann.sees_status("Waiting for ben")
    await see("others are asked about insurance", ann)
    await see("insurance asked, another has decided", ben)
    await decide(ben, "decline")
    await ann.sees_status("the dealer has blackjack")
    await see("dealer's blackjack", ann)
    await bet(ann, ben)
    await ann.sees_status("Take even money?")
    await see("even money", ann)
    await decide(ann, "insure")
    await decide(ben, "decline")
    await ben.sees_status("Your turn")
    await see("surrender offered", ben)
    await decide(ben, "surrender")
    await ben.sees_status("You surrender")
    await see("surrendered", ben)
    await bet(ann, ben)
    await ann.sees_status("Your turn")
    await decide(ann, "split", "split", "stand", "stand", "split")
    await ann.sees_status("third hand")
    await see("four hands", ann)
    await decide(ann, "stand", "stand")
    await ben.sees_status("Your turn")
    await decide(ben, "stand")
    await ann.sees_status("Your four hands")
    await see("four results", ann)


async def pot(evening: Evening, see: See) -> None:
    evening.server.stack("Ts 9s 9c Jc Th 9h")
    ann, ben = await friends(evening, "Pot table", 2)
    await see("seated", ann)
    await ann.bet(10)
    await see("matched", ben)
    await ben.bet(25)
    await ann.sees_status("Your turn")
    await see("my turn", ann)
    await decide(ann, "stand")
    await decide(ben, "stand")
    await ben.sees_status("Tie")
    await see("the dealer's tie", ben)


async def classic(evening: Evening, see: See) -> None:
    evening.server.stack("Ts 9s 9c 7c Td Th")
    ann, ben = await friends(evening, "Classic table", 2)
    await see("seated", ann)
    await answer(ann, "Deal me in")
    await see("waiting for another", ann)
    await answer(ben, "Deal me in")
    await ann.sees_status("Your turn")
    await see("my turn", ann)
    await decide(ann, "stand")
    await decide(ben, "stand")
    await expect(ann.page.locator("#said")).to_contain_text("Play again?")
    await see("play again?", ann)
    await see("play again, push", ben)
    await ann.page.keyboard.press("y")
    await ann.sees_status("Waiting for ben")
    await see("waiting", ann)


async def heads_up(evening: Evening, see: See) -> None:
    evening.server.stack("As 6s Kh 9h 5d Ac Kd")
    (ann,) = await friends(evening, "Heads-up table", 1)
    await see("seated", ann)
    await answer(ann, "Deal me in")
    await ann.sees_status("Your turn")
    await see("soft hand", ann)
    await decide(ann, "hit", "hit", "hit")
    await ann.sees_status("Bust")
    await see("bust", ann)


async def piles(evening: Evening, see: See) -> None:
    evening.server.stack("Ts 9s 9h 8d  As Kh 5c 6c")
    (ann,) = await friends(evening, "Piles table", 1)
    ben = await evening.player("ben")
    await ben.page.goto(ann.page.url)
    await see("seated", ann)
    await answer(ann, "New game")
    await ann.sees_status("Your turn")
    await see("my turn", ann)
    await decide(ann, "stand")
    await ann.sees_status("You win")
    await see("hand won", ann)
    await answer(ann, "Next hand")
    await expect(ann.page.locator("#game-result")).to_be_visible()
    await see("game over", ann)
    await expect(ben.page.locator("#log")).to_contain_text("ann wins the game")
    await see("game over, watched", ben)


RULE_SETS = {
    "casino": casino,
    "vegas": vegas,
    "pot": pot,
    "classic": classic,
    "heads-up": heads_up,
    "piles": piles,
}


async def friends(evening: Evening, table: str, count: int) -> tuple[Person, ...]:
    """So many friends in the first seats of a table where there is time to look."""
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        database.execute(
            f"UPDATE tables_table SET betting_seconds = {SECONDS}, turn_seconds = {SECONDS}"
        )
    people = [await evening.player(name) for name in ("ann", "ben", "cleo")[:count]]
    for seat, person in enumerate(people, start=1):
        await person.sit(table, seat)
    return tuple(people)


async def bet(ann: Person, ben: Person) -> None:
    await ann.bet(20)
    await ben.bet(10)
