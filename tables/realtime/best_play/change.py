"""The change that plays what is best for a hand, as its player has decided ahead."""

from __future__ import annotations

import datetime as dt

from django.db import transaction

from tables.engine.actions import Action
from tables.game import commit, decisions
from tables.protocol.plans import Plan
from tables.state import plans
from tables.state.effects import Effects
from tables.state.live_table import LiveTable


def play_best(table_id: int, turn: int, action: Action | None, now: dt.datetime) -> Effects[None]:
    """Play the best action of the decision ``turn``; no effect if it is over.

    Without an action, or if the player can no longer pay for it, the player is asked. A round in
    which an action was found for a player is one with hints.
    """
    with transaction.atomic():
        live = LiveTable.lock(table_id, now)
        round_ = live.game.round
        if live.row.turn != turn or not plans.is_best_play_due(live):
            return Effects(None)
        assert round_ is not None
        assert round_.turn is not None
        seat = round_.turn.seat
        user_id = live.game.players[seat]
        if action is None or not round_.can(action, round_.turn, live.funds(seat)):
            plans.drop_plan(live, seat)
            live.next_decision(live.row.turn_seconds)
            return Effects(None, (commit.commit_table(live),))
        if seat not in live.game.seats_with_hints:
            live.game.seats_with_hints.append(seat)
        decisions.play_plan(live, Plan.BEST, action, live.funds(seat))
        return Effects(None, (commit.commit_table(live, user_id),))
