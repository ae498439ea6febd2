"""A running server computes the odds of tables that nobody has looked at, and tells its lobbies."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async

from tables.advice import game_odds
from tables.engine.options import customize
from tables.game import lifecycle
from tables.models import Table
from tables.realtime import periodic_tasks
from tables.realtime.hub import hub
from tables.realtime.lobby_feed import LobbyFeed
from tests.realtime.test_lobby_feed import Lobby

pytestmark = pytest.mark.django_db(transaction=True)
OPTIONS = {"decks": 2}


async def open_table(**options: object) -> Table:
    return await sync_to_async(lifecycle.open_table)(
        name="Mine", rules_key="pot", rules_options=options or OPTIONS
    )


async def test_odds_of_a_new_table_are_computed_beside_the_event_loop() -> None:
    await open_table()
    await periodic_tasks.compute_odds()
    assert await sync_to_async(game_odds.find)(customize("pot", OPTIONS)) is not None


async def test_an_open_lobby_gets_the_edge_when_it_has_been_computed() -> None:
    tables = {(await open_table()).pk, (await open_table(decks=3)).pk}
    hub.start()  # a test before this one may have stopped it
    feed, lobby = LobbyFeed(hub), Lobby(hub)
    feed.start()
    try:
        await periodic_tasks.compute_odds()
        cards: dict[int, str | None] = {}
        while cards.keys() != tables:
            cards |= await lobby.cards()
        assert all("Dealer&#x27;s edge" in (card or "") for card in cards.values())
    finally:
        await feed.stop()
        hub.leave(lobby)
        hub.leave(feed)


async def test_odds_that_a_page_has_computed_are_told_once() -> None:
    tables = [await open_table(), await open_table(seats=1, **OPTIONS)]
    await open_table(decks=3)
    await sync_to_async(game_odds.get)(customize("pot", OPTIONS))
    assert await sync_to_async(game_odds.take_tables_with_news)() == tuple(
        table.pk for table in tables
    )
    assert await sync_to_async(game_odds.take_tables_with_news)() == ()
