"""Three people keep the evening moving: they decide ahead, use their time banks and sit out."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.axe import Inspector
from tests.browser.frame import Frame
from tests.browser.players import PHONE, WIDE, Evening, Person

TIME_BANK = 30
CARDS = "9s 8s 2h 6h Ts 8h 3d Kc 3c Kd 9d 6c 4c 2c Qd 5s"
"""ann has 19, ben two eights, cleo 5, the dealer 16. ben's eights get a 3 and a king, and the 3 is
doubled to 20; cleo gets a 6, a 4 and a 2 (17)."""
NEXT_CARDS = "Ts 6h 9d 8c"
"""ann alone is dealt in, and nobody is asked about insurance."""


async def sits_out(person: Person, seat: int) -> None:
    await expect(person.seat(seat).locator(".note")).to_have_text("sits out")


@pytest.mark.long(seconds=20)
async def test_they_decide_ahead_use_time_banks_and_sit_out(evening: Evening) -> None:
    evening.server.stack(CARDS, NEXT_CARDS)
    evening.context["bypass_csp"] = True  # for axe
    frame, inspector = Frame(), Inspector(await evening.browser.new_page())
    ann, ben, cleo = people = await evening.at_table("Vegas table", WIDE, PHONE, WIDE)
    evening.set_at_all_tables("time_bank_seconds", TIME_BANK)
    evening.set_at_all_tables("turn_seconds", 8)
    for person in people:
        await person.bet(50)
    await ann.sees_status("Your turn")

    await ben.button("Best play").click()
    await expect(ben.button("Best play")).to_have_attribute("aria-pressed", "true")
    await cleo.press("j")
    await expect(cleo.page.locator("[data-plan='stand']")).to_have_attribute("aria-pressed", "true")
    await cleo.press("k")  # rather hit
    await expect(cleo.button("Hit to hard 17")).to_have_attribute("aria-pressed", "true")
    await expect(cleo.page.locator("#status-sub")).to_have_text(
        "You hit to hard 17 when your turn comes."
    )
    await frame.see("decided ahead", ben)
    await inspector.see("decided ahead", ben)
    await ben.page.reload()
    await expect(ben.button("Best play")).to_have_attribute("aria-pressed", "true")

    await expect(ann.seat(1).locator(".bank.is-running")).to_be_visible()
    await expect(ann.log).to_contain_text("Your time bank runs: 31 s.")
    assert "ahead" not in await ann.log.inner_text()
    await ann.act("stand")
    await expect(ann.log).to_contain_text("ben has decided ahead: best play.")
    await expect(cleo.log).to_contain_text("Decided ahead: you hit to hard 17.")
    await expect(cleo.seat(3).locator(".outcome")).to_be_visible()
    assert await cleo.cards_of(2) == [["8s", "3c", "9d"], ["8h", "Kd"]]
    assert await cleo.cards_of(3) == [["2h", "3d", "6c", "4c", "2c"]]

    await cleo.button("Sit out").click()
    await expect(cleo.page.locator("#status-sub")).to_contain_text("You sit out.")
    await ben.press("g")
    await sits_out(ann, 2)
    await sits_out(ann, 3)
    await inspector.see("sitting out", cleo)
    await frame.see("sitting out", ben)
    await ann.bet(50)
    await ann.sees_status("Your turn")
    await ben.page.locator("[data-command='sitOut']").click()
    await expect(ann.seat(2).locator(".note")).not_to_have_text("sits out")
    assert not frame.faults, "\n".join(frame.faults)
    assert not inspector.faults, "\n".join(inspector.faults)
