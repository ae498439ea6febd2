"""An operator changes a table while people play at it, each in a browser of their own."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.players import LONG, PHONE, WIDE, Evening, Person
from tests.browser.test_operators_floor import operator_of, shot

BOTH_STAND = "9s 9d 7h Td 9c 9h 8h 7c Ks"


async def expect_change_notice(person: Person) -> None:
    await expect(person.page.locator("#changed")).to_contain_text(
        "The settings of this table have changed."
    )


@pytest.mark.long
async def test_a_table_is_changed_while_two_play_and_their_pages_learn_of_it(
    evening: Evening,
) -> None:
    evening.server.stack(BOTH_STAND)
    ann, ben = await evening.at_table("Casino table", WIDE, (320, 640))
    olga = await operator_of(evening, "manager")
    for person in (ann, ben):
        await person.bet(10)
    await expect(ann.page.locator("button[data-action='stand']")).to_be_visible()

    await olga.page.goto(f"{evening.url}/admin/tables/list/")
    await olga.page.get_by_role("link", name="Change Casino table").click()
    await olga.page.get_by_label("Minimum bet").fill("25")
    await olga.page.get_by_label("Decks").fill("2")
    await olga.page.get_by_role("button", name="Change the table").click()
    await expect(olga.page.locator(".messagelist")).to_contain_text(
        "The change applies after the current round."
    )
    await expect(olga.page.locator(".table-waiting")).to_contain_text("Minimum bet")
    await shot(olga, "waits")
    await expect(ann.page.locator("#changed")).to_be_hidden()

    for person in (ann, ben):
        await person.act("stand")
    for person in (ann, ben):
        await expect_change_notice(person)
        await expect(person.log).to_contain_text("An operator has changed this table.")
        await shot(person, "changed")
    await ann.page.get_by_role("button", name="Reload").click()
    await expect(ann.figure("stakes")).to_contain_text("25")
    await expect(ann.page.locator("#changed")).to_be_hidden()
    await ann.page.get_by_role("button", name="Rules", exact=True).click()
    await expect(ann.page.locator("#rules-dialog")).to_contain_text("two decks")
    await olga.page.reload()
    await expect(olga.page.locator(".table-waiting")).to_have_count(0)


async def test_a_page_that_was_cut_off_meanwhile_learns_of_the_change(evening: Evening) -> None:
    (ann,) = await evening.at_table("Casino table", PHONE)
    evening.server.end()
    connection = ann.page.locator("#connection")
    await expect(connection).to_contain_text("Connection lost")
    result = evening.server.manage(
        "shell", "-c",
        "from tables.models import Table; table = Table.objects.get(name='Casino table');"
        "table.rules_options = {'seats': 2}; table.seq += 1; table.save()",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    evening.server.start()
    await expect(connection).to_have_text("", timeout=LONG)
    await expect_change_notice(ann)
    await expect(ann.page.locator("li.seat")).to_have_count(2)
