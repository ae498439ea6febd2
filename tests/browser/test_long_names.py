"""Names without a blank break on a phone: the page is no wider."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.players import Evening, set_at_all_tables
from tests.browser.test_operators_floor import operator_of

NAME = "Freitagabendblackjackrundemitfreunden"
SIZE = (390, 800)


async def test_a_long_name_of_a_table_makes_no_page_wider(evening: Evening) -> None:
    set_at_all_tables(evening.server.data, name=NAME)
    olga = await operator_of(evening, "manager")
    await olga.page.set_viewport_size({"width": SIZE[0], "height": SIZE[1]})
    for path in ("/", "/tables/1/rules/", "/admin/floor/tables/1/", "/admin/tables/1/edit/"):
        await olga.page.goto(f"{evening.url}{path}")
        await expect(olga.page.get_by_text(NAME).first).to_be_attached()
        wider = await olga.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, path
