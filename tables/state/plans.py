"""Decisions made ahead: what players want to do with their hands when the turn comes.

A plan is for the hand as it was dealt: before its turn no card of it changes. ``stand`` and
``hit_to_17`` are played in the very change that brings the turn. The action of ``best`` has to be
computed first, and the writer thread does not wait for that: the decision has a short clock of its
own and is asked of nobody, until another change plays it. So it goes on until the seat has no
decision left.
"""

from __future__ import annotations

from typing import Final

from tables.engine.actions import Action
from tables.engine.errors import RuleViolation
from tables.engine.hand import Hand
from tables.protocol.plans import Plan
from tables.state.live_table import LiveTable

BEST_SECONDS: Final = 4
"""How long a decision waits for its best play, before it is asked for again: the process that
computed it may have ended."""
MOST_TRIES: Final = 3
"""How often that is, before the player decides."""
_HITS_UP_TO, _HITS_SOFT_UP_TO = 16, 17


def choose_plan(live: LiveTable, number: int, turn: int, plan: Plan | None) -> None:
    """Store what the player of a seat decides ahead; ``None`` takes it back.

    Raises :class:`RuleViolation` ``wrong_phase`` without a hand that is still to be decided,
    ``too_late`` if its turn has come, ``stale_turn`` if another decision was made meanwhile,
    ``hints_off``.
    """
    round_ = live.game.round
    if round_ is None or round_.turn is None or number not in live.game.players:
        raise RuleViolation("wrong_phase", "You have no hand to decide about.")
    if not round_.is_insurance_asked and number <= round_.turn.seat:
        raise RuleViolation("too_late", "Too late: your turn has already come.")
    if not has_decision(live, number):
        raise RuleViolation("wrong_phase", "Your hand has nothing to decide.")
    if turn != live.row.turn:
        raise RuleViolation("stale_turn", "Another player was faster. Choose again.")
    if plan is Plan.BEST and not live.row.has_hints:
        raise RuleViolation("hints_off", "Best play is not allowed at this table.")
    if plan is None:
        drop_plan(live, number)
    elif live.game.plans.get(number) is not plan:
        live.game.plans[number] = plan
        live.plans_changed[live.game.players[number]] = plan


def has_decision(live: LiveTable, number: int) -> bool:
    """Whether a hand of this seat has a decision, now or later in the round."""
    round_ = live.game.round
    if round_ is None or round_.turn is None:
        return False
    return any(round_.has_choice(hand) for hand in round_.seats.get(number, ()))


def drop_plan(live: LiveTable, number: int) -> None:
    """Forget the plan of a seat; no effect without one."""
    if live.game.plans.pop(number, None) is not None:
        live.plans_changed[live.game.players[number]] = None
        live.game.best_tries = 0


def drop_finished_plans(live: LiveTable) -> None:
    """Forget the plans of seats that have no decision left."""
    for number in list(live.game.plans):
        if not has_decision(live, number):
            drop_plan(live, number)


def find_due_plan(live: LiveTable) -> Plan | None:
    """What was decided ahead for the current decision; ``None`` also about insurance."""
    round_ = live.game.round
    if not live.game.plans or round_ is None or round_.turn is None or round_.is_insurance_asked:
        return None
    return live.game.plans.get(round_.turn.seat)


def is_best_play_due(live: LiveTable) -> bool:
    """Whether the server has to find the best action of the current decision, and to play it."""
    return find_due_plan(live) is Plan.BEST


def find_action(plan: Plan, hand: Hand) -> Action | None:
    """The action of a plan for a hand; ``None`` for the best play, which has to be computed."""
    if plan is Plan.BEST:
        return None
    most = _HITS_SOFT_UP_TO if hand.is_soft else _HITS_UP_TO
    return Action.HIT if plan is Plan.HIT_TO_17 and hand.total <= most else Action.STAND
