"""What a player's decisions in a settled round cost, for the page of the table.

The worker grades a round some seconds after its end, when the next one may be in play. So this
grades it at once, without storing it, if nobody has yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

from django.utils.translation import gettext as _

from tables.advice import game_odds
from tables.advice.grading import UngradableRound
from tables.advice.stored_rounds import grade_stored_round
from tables.engine.cards import parse_cards
from tables.models import Grade, Result, Round
from tables.models.grades import DamagedDecisions, GradedDecision
from tables.records.skill.graded_round import (
    DecisionView,
    build_decisions,
    format_cost,
    get_action_name,
)

PATIENCE: Final = 1.0
"""The seconds that a request waits for others: one round is graded at a time, as that takes
processor time from play."""

_grading = Lock()


@dataclass(frozen=True, slots=True)
class RoundCosts:
    """The decisions of a player in a round."""

    is_waiting: bool
    """Whether there are none yet: ask again later."""
    summary: str = ""
    """A few words; empty if the player decided nothing."""
    is_right: bool = False
    """Whether no decision of the player cost anything."""
    decisions: tuple[str, ...] = ()
    """Each decision, its cost and the best one as sentences."""


def build_round_costs(round_: Round, user_id: int) -> RoundCosts | None:
    """The decisions of this player in a settled round; ``None`` if the player was not in it."""
    result = Result.objects.own().shown().filter(round=round_, user=user_id).first()
    if result is None:
        return None
    if not result.hands:  # the round was aborted
        return RoundCosts(is_waiting=False)
    try:
        decisions = _find_decisions(round_, result)
    except (UngradableRound, DamagedDecisions, LookupError):
        decisions = ()
    if decisions is None:
        return RoundCosts(is_waiting=True)
    rules, own = round_.rules, [one for one in decisions if one.is_own]
    up = parse_cards(round_.dealer_cards)[1 - rules.hole_position]
    return RoundCosts(
        is_waiting=False,
        summary=_summarize(round_, own),
        is_right=not any(one.cost for one in own),
        decisions=tuple(map(_describe, build_decisions(rules, up, decisions))),
    )


def _find_decisions(round_: Round, result: Result) -> Sequence[GradedDecision] | None:
    """The graded decisions; ``None`` if they are not computed now."""
    grade = Grade.objects.filter(pk=result.pk).first()
    if grade is not None:
        return grade.list_decisions()
    rules = round_.rules
    # A game of unknown value takes a second: that is left to the worker.
    if rules.stakes is not None and game_odds.find(rules) is None:
        return None
    if not _grading.acquire(timeout=PATIENCE):
        return None
    try:
        return grade_stored_round(round_.pk)[result.seat].decisions
    finally:
        _grading.release()


def _describe(decision: DecisionView) -> str:
    best = next((option.name for option in decision.options if option.is_best), "")
    parts = [decision.sentence, decision.note]
    if decision.cost and not decision.is_best:
        parts.insert(1, _("Best: %(action)s.") % {"action": best})
    return " ".join(filter(None, parts))


def _summarize(round_: Round, own: Sequence[GradedDecision]) -> str:
    if not own:
        return ""
    wrong = [one for one in own if one.cost]
    if not wrong:
        return _("Well played: no mistake.")
    cost = format_cost(round_.rules, wrong)
    if len(wrong) > 1:
        return _("Mistakes: %(number)s. Cost: %(cost)s.") % {"number": len(wrong), "cost": cost}
    best = get_action_name(wrong[0].best)
    return _("Best: %(action)s. Cost: %(cost)s.") % {"action": best, "cost": cost}
