"""A running server computes the odds of tables that nobody has looked at."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async

from tables.advice import game_odds
from tables.engine.options import customize
from tables.game import lifecycle
from tables.realtime import periodic_tasks


@pytest.mark.django_db(transaction=True)
async def test_odds_of_a_new_table_are_computed_beside_the_event_loop() -> None:
    options = {"decks": 2}
    await sync_to_async(lifecycle.open_table)(name="Mine", rules_key="pot", rules_options=options)
    await periodic_tasks.compute_odds()
    assert await sync_to_async(game_odds.find)(customize("pot", options)) is not None
