"""Hints at a decision: what they say, and that they move and cover nothing."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.axe import Inspector
from tests.browser.frame import SIZES, Frame
from tests.browser.players import PHONE, WIDE, Evening, Person
from tests.browser.states.tables import decide

OVERFLOWING = """() => [...document.querySelectorAll(".action")].flatMap((button) => {
  const inner = button.getBoundingClientRect();
  const strip = button.querySelector(".best-word");
  const top = strip.textContent ? strip.getBoundingClientRect().bottom : inner.top;
  return [...button.querySelectorAll(".action-name, .cost, .worth")]
    .map((part) => [part.className, part.getBoundingClientRect()])
    .filter(([, box]) => box.height)
    .filter(([, box]) => box.top < top - 1 || box.bottom > inner.bottom || box.left < inner.left
      || box.right > inner.right)
    .map(([name]) => `${button.dataset.action}: ${name}`);
})"""
"""Texts of a button that stick out of it, or into the strip of the best action."""


async def switch_hints(person: Person) -> None:
    await person.button("Settings").click()
    was = await person.switch("Hints").get_attribute("aria-checked")
    await person.switch("Hints").click()
    now = "false" if was == "true" else "true"
    await expect(person.switch("Hints")).to_have_attribute("aria-checked", now)
    await person.press("Escape")


async def has_room(person: Person, frame: Frame) -> None:
    for width, height in frame.sizes or SIZES:
        await person.page.set_viewport_size({"width": width, "height": height})
        assert await person.page.evaluate(OVERFLOWING) == [], (width, height)


@pytest.mark.long
async def test_a_hint_has_room_and_moves_nothing(evening: Evening) -> None:
    evening.server.stack(
        "8s Ts 6h 8h 9d Kc 8d 8c 2c 3c 4c 5c Tc", "9s Ts Ah 9h 7d Kc", "As Ts Ah Kd 7d 9c"
    )
    evening.context["bypass_csp"] = True  # for axe
    frame, inspector = Frame(), Inspector(await evening.browser.new_page())
    ann, ben = await evening.at_table("Vegas table", WIDE, PHONE)
    await ann.bet(250)
    await ben.bet(10)
    await ann.sees_status("Your turn")
    await frame.see("without a hint", ann)
    await switch_hints(ann)
    best = ann.page.locator(".action.is-best")
    await expect(best).to_have_attribute("data-action", "split")
    await expect(best).to_contain_text("Best")
    await expect(best.locator(".worth")).to_have_text("+0.40 bets · +98.93")
    await frame.see("with a hint", ann)
    await has_room(ann, frame)
    await inspector.see("a hint", ann)

    hint = ann.page.locator("#hint-words")
    await expect(hint).to_contain_text("Split: +0.40 bets, you win 98.93 on average. Stand:")
    assert await hint.get_attribute("role") == "status"
    await ann.page.reload()
    await expect(hint).to_contain_text("Split: +0.40 bets")

    mark = ben.seat(1).locator(".hint-mark")
    for width, height in frame.sizes or SIZES:
        await ben.page.set_viewport_size({"width": width, "height": height})
        await expect(mark).to_be_visible()
    await frame.see("the mark of another", ben)
    await expect(ben.seat(1).locator(".hint-note")).to_have_text("plays with hints")
    await expect(ben.seat(2).locator(".hint-mark")).to_be_hidden()
    await decide(ann, "stand")
    await ben.sees_status("Your turn")
    await expect(hint).to_have_text("")
    await expect(ben.page.locator(".action.is-best")).to_have_count(0)
    assert not frame.faults, "\n".join(frame.faults)
    assert not inspector.faults, "\n".join(inspector.faults)


@pytest.mark.long
async def test_hints_about_insurance_and_of_piles_have_room(evening: Evening) -> None:
    evening.server.stack("As Ts Ah Kd 7d 9c", "Ts 9s 6h 8d  As Kh 5c 6c")
    frame = Frame()
    ann, ben = await evening.at_table("Vegas table", WIDE, WIDE)
    for person in (ann, ben):
        await switch_hints(person)
        await person.bet(250)
    for person, worth in ((ann, "+1.00 bets · +250"), (ben, "−0.04 bets · −10.18")):
        insure = person.page.locator("[data-action='insure']")
        await expect(insure.locator(".worth")).to_have_text(worth)
        best = person.page.locator(".action.is-best")
        await expect(best).to_have_attribute("data-action", "decline")
        await frame.see("insurance", person)
        await has_room(person, frame)
    await ann.page.locator("#leave").click()
    await ann.button("Stand and leave").click()
    await ann.sit("Piles table", 1)
    await switch_hints(ann)
    await ann.button("New game").click()
    stand = ann.page.locator("[data-action='stand']")
    await expect(stand).to_contain_text("win 69 %, tie 11 %, lose 20 %")
    await expect(stand).to_contain_class("is-best")
    await has_room(ann, frame)
    assert not frame.faults, "\n".join(frame.faults)


async def test_the_host_decides_whether_hints_are_allowed(evening: Evening) -> None:
    ann, ben = await evening.player("ann"), await evening.player("ben")
    await ann.page.goto(f"{ann.url}/tables/new/")
    await ann.page.get_by_label("Name of the table").fill("Serious")
    allowed = ann.page.get_by_label("Players may turn on hints")
    await expect(allowed).to_be_checked()
    await ann.page.get_by_role("button", name="Create table").click()
    await expect(ann.page.locator("#host-open")).to_be_visible()
    await ben.page.goto(ann.page.url)
    await ben.seat(2).locator(".sit").click()
    await switch_hints(ben)
    await ann.page.locator("#host-open").click()
    await ann.page.locator("#host-switches [data-command='allow_hints']").click()
    await expect(ben.seat(2).locator(".hint-mark")).to_be_hidden()
    await ben.button("Settings").click()
    await expect(ben.switch("Hints")).to_have_attribute("aria-disabled", "true")
    await expect(ben.switch("Hints")).to_contain_text("Hints are not allowed at this table.")
