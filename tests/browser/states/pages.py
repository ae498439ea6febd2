"""The pages of the site beside the tables: which there are, and for whom."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.players import Evening, Person
from tests.browser.states.tables import See, bet, decide, friends

FOR_VISITORS = {
    "lobby": "/",
    "log in": "/accounts/login/",
    "sign up": "/accounts/signup/",
    "password reset": "/accounts/password/reset/",
    "password reset sent": "/accounts/password/reset/done/",
    "rules": "/rules/",
    "one rule set": "/rules/vegas/",
    "rules of a table": "/tables/1/rules/",
    "practice": "/practice/",
    "practice of piles": "/practice/?rules=piles",
    "fair shuffle": "/fairness/",
    "leaderboard": "/leaderboard/",
    "operators' log in": "/admin/login/",
}
FOR_PLAYERS = {
    "lobby": "/",
    "home": "/home/",
    "quitting a game": "/tables/1/leave/",
    "history": "/history/",
    "history, no more": "/history/?before=1-1",
    "history, filtered": "/history/?rules=casino&outcome=win&to=x",
    "history, nothing fits": "/history/?rules=pot",
    "emptying the history": "/history/reset/",
    "round": "/rounds/1/",
    "statement": "/statement/",
    "statement of a kind": "/statement/?kind=stake&from=nothing",
    "play money": "/rebuy/",
    "figures": "/figures/",
    "figures of today": "/figures/?period=day",
    "leaderboard": "/leaderboard/",
    "account": "/account/",
    "own limits": "/account/limits/",
    "delete the account": "/account/delete/",
    "e-mail address": "/accounts/email/",
    "password change": "/accounts/password/change/",
    "log out": "/accounts/logout/",
}
MISSING = "/nowhere/"


async def for_visitors(evening: Evening, see: See) -> None:
    dora = await evening.person("dora")
    for name, path in FOR_VISITORS.items():
        await dora.page.goto(dora.url + path)
        await see(name, dora)
    await dora.page.goto(f"{dora.url}/accounts/signup/")
    # By the house, not by the browser, whose own words on an empty field lie over other texts.
    for field, words in {"username": "dora", "password1": "short"}.items():
        await dora.page.locator(f"[name={field}]").fill(words)
    await dora.page.locator("main button[type=submit]").click()
    await expect(dora.page.locator(".field-errors p").first).to_be_visible()
    await see("sign up refused", dora)


async def for_players(evening: Evening, see: See) -> None:
    evening.server.stack("Ts 9s 9c 7c Td Th")
    ann, ben = await friends(evening, "Casino table", 2)
    await bet(ann, ben)
    await decide(ann, "stand")
    await decide(ben, "stand")
    await ann.sees_status("You")
    for name, path in FOR_PLAYERS.items():
        await ann.page.goto(ann.url + path)
        await see(name, ann)


async def missing(evening: Evening, see: See) -> None:
    """A page that does not exist; that the browser says so is no complaint of our scripts."""
    dora: Person = await evening.person("dora")
    await dora.page.goto(dora.url + MISSING)
    await see("nothing here", dora)
    dora.complaints.clear()
