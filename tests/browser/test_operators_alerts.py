"""A tab of the operators' pages calls, and a player is told of the answer, both without a reload."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest
from playwright.async_api import expect

from tests.browser.axe import Inspector
from tests.browser.players import WIDE, Evening
from tests.browser.test_operators_floor import operator_of, shot

DEALT = "As 9h Kd 7c"
EVERY_MS = 45_000


def write(evening: Evening, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(evening.server.data / "db.sqlite3")) as database, database:
        database.execute(statement, values)


@pytest.mark.long
async def test_a_tab_that_is_left_open_calls(evening: Evening) -> None:
    olga = await operator_of(evening, "manager")
    await olga.page.clock.install()
    await olga.page.goto(f"{evening.url}/admin/books/")
    await expect(olga.page).to_have_title(re.compile(r"^Accounting"))
    await expect(olga.page.locator("#alert-badge")).to_be_hidden()
    # Of a kind that the server itself looks for every ten minutes, and not meanwhile.
    now = str(datetime.now(UTC).replace(tzinfo=None))
    write(
        evening,
        "INSERT INTO tables_alert (kind, subject, text, path, since, opened_at)"
        " VALUES ('band', 'rules:casino', 'The result is outside of its range.', '/admin/', ?, ?)",
        now, now,
    )  # fmt: skip
    await olga.page.clock.fast_forward(EVERY_MS)
    await expect(olga.page).to_have_title(re.compile(r"^\(1\) Accounting"))
    await expect(olga.page.locator("#alert-badge")).to_have_text("1 waiting")
    await olga.page.locator("#alert-badge").click()
    await expect(olga.page).to_have_title(re.compile(r"^\(1\) Alerts"))
    await expect(olga.page.locator(".alerts")).to_contain_text("outside of its range")
    await shot(olga, "alerts")
    await olga.page.get_by_role("button", name="Seen").click()
    await expect(olga.page).to_have_title(re.compile(r"^Alerts"))


@pytest.mark.long(seconds=10)
async def test_the_pages_of_alerts_are_accessible_on_a_phone_and_a_wide_screen(
    evening: Evening,
) -> None:
    evening.context["bypass_csp"] = True  # for axe
    inspector = Inspector(await evening.browser.new_page())
    olga = await operator_of(evening, "manager")
    now = str(datetime.now(UTC).replace(tzinfo=None))
    write(
        evening,
        "UPDATE accounts_housesettings SET alert_emails = 'ops@example.com',"
        " alert_webhook = 'https://hooks.example/a/very/long/path/that/has/no/end/and/goes/on/and/on'",
    )
    write(
        evening,
        "INSERT INTO tables_alert (kind, subject, text, path, since, opened_at)"
        " VALUES ('band', 'rules:casino', 'The result is outside of its range.', '/admin/', ?, ?)",
        now, now,
    )  # fmt: skip
    await olga.page.goto(f"{evening.url}/admin/alerts/")
    await olga.page.get_by_text("Secret of the signature").click()
    for look in range(4):
        await inspector.see(f"alerts {look}", olga)
    await olga.page.goto(f"{evening.url}/admin/accounts/housesettings/1/change/")
    for look in range(4):
        await inspector.see(f"settings {look}", olga)
    assert not inspector.faults, "\n".join(inspector.faults)


@pytest.mark.long
async def test_the_player_is_told_of_the_answer_at_once(evening: Evening) -> None:
    evening.server.stack(DEALT)
    (ann,) = await evening.at_table("Casino table", WIDE)
    await ann.bet(10)
    await ann.sees_balance("515")  # a natural ends the round
    olga = await operator_of(evening, "floor")
    now = str(datetime.now(UTC).replace(tzinfo=None))
    write(
        evening,
        "INSERT INTO tables_report (round_id, user_id, at, text, answer)"
        " SELECT 1, id, ?, 'Not right.', '' FROM accounts_user WHERE username = 'ann'",
        now,
    )  # fmt: skip
    await olga.page.goto(f"{evening.url}/admin/reports/1/answer/")
    await olga.page.locator("#id_text").fill("It is right.")
    await olga.page.locator("#content form").get_by_role("button").click()
    news = ann.page.locator("#bell-news a")
    await expect(news).to_have_text(
        "An operator has answered your report about a round at Casino table."
    )
    await expect(ann.page.locator("#bell-count")).to_have_text("1")
    await news.click()
    await expect(ann.page).to_have_url(re.compile(r"/rounds/1/"))
    await expect(ann.page.locator("main")).to_contain_text("It is right.")
    await expect(ann.page.locator("#bell-unread")).to_be_hidden()
