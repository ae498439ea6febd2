"""The best chart as a strategy of simulations."""

from __future__ import annotations

from tables.engine.actions import Action
from tables.engine.legal_actions import PLENTY
from tables.engine.player_hand import Turn
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.strategies import Strategy
from tables.odds.games import evaluate_game


def make_chart_strategy(rules: Ruleset) -> Strategy:
    """Play by the best chart for ``rules``, which is computed now. Insurance is declined: from a
    fresh shoe it never pays.
    """
    chart = evaluate_game(rules).chart

    def play(round_: Round, turn: Turn) -> Action:
        if round_.is_insurance_asked:
            return Action.DECLINE
        hand = round_.hand_at(turn).hand
        return chart.action(hand, round_.upcard, lambda action: round_.can(action, turn, PLENTY))

    return play
