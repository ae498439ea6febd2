"""Audit of grades: parts against nets, sums against decisions, decisions against the cards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import sample
from typing import Final

from django.db.models import F, Q
from django.utils.translation import gettext as _

from accounts.ledger.audit import ReportProgress, ignore_progress, with_progress
from tables.advice.grading import GradedSeat, UngradableRound
from tables.advice.stored_rounds import grade_stored_round
from tables.models import Grade, SkillStanding
from tables.models.grades import DamagedDecisions, GradedDecision, sum_skill

MOST_ROUNDS: Final = 200
"""The rounds whose decisions are valued again, chosen at random: a round takes a tenth of a second."""
TOLERANCE: Final = 1
"""A millionth, or the hundredth that it may be: another machine may round it to the other side."""


def find_grade_faults(report: ReportProgress = ignore_progress) -> Iterator[str]:
    """Yield a sentence for each error in grades and totals of skill."""
    yield from _find_void_faults()
    yield from _find_net_faults()
    yield from _find_sum_faults(report)
    yield from _find_total_faults()
    yield from _find_value_faults()


def _find_void_faults() -> Iterator[str]:
    void = Grade.objects.filter(result__round__voided_at__isnull=False).order_by("pk")
    for round_id, user_id in void.values_list("result__round", "user").iterator():
        sentence = _("round %(round)s is void, but user %(user)s has a grade for it")
        yield sentence % {"round": round_id, "user": user_id}


def _find_net_faults() -> Iterator[str]:
    """Grades whose parts are not the net of the result."""
    parts = F("expectation") + F("luck") - F("money_cost")
    differing = Grade.objects.done().filter(Q(stake__gt=0) | ~Q(luck=0))
    differing = differing.exclude(result__payout=F("result__stake") + parts).order_by("pk")
    rows = differing.values_list("result__round", "user", parts, "result__payout", "result__stake")
    for round_id, user_id, total, payout, stake in rows.iterator():
        sentence = _(
            "round %(round)s: the parts of user %(user)s make %(made)s, but the net is %(net)s"
        )
        yield sentence % {"round": round_id, "user": user_id, "made": total, "net": payout - stake}


def _find_sum_faults(report: ReportProgress) -> Iterator[str]:
    """Grades whose sums are not those of their decisions."""
    grades = Grade.objects.done().select_related("result").order_by("pk")
    for grade in with_progress(grades.iterator(), report, "grades", grades.count()):
        whose = {"round": grade.result.round_id, "user": grade.user_id}
        try:
            decisions = grade.list_decisions()
        except DamagedDecisions as error:
            sentence = _(
                "round %(round)s: the decisions of user %(user)s cannot be read: %(error)s"
            )
            yield sentence % {**whose, "error": error}
            continue
        own = [one for one in decisions if one.is_own]
        sums = (len(own), sum(one.cost > 0 for one in own), sum(one.cost for one in own))
        money_cost = sum(one.money_cost for one in decisions)
        if (grade.decisions, grade.mistakes, grade.cost, grade.money_cost) != (*sums, money_cost):
            sentence = _("round %(round)s: the grade of user %(user)s is not that of its decisions")
            yield sentence % whose


def _find_total_faults() -> Iterator[str]:
    """Totals that are not the sum of their grades. A cleared history has removed some of those."""
    totals = defaultdict(lambda: (0, 0), sum_skill(Grade.objects.of_skill()))
    for row in SkillStanding.objects.select_related("user").order_by("user").iterator():
        decisions, cost = totals.pop(row.user_id, (0, 0))
        is_cleared = row.user.history_since is not None
        fits = row.decisions >= decisions and row.cost >= cost
        if (row.decisions, row.cost) == (decisions, cost) or (is_cleared and fits):
            continue
        sentence = _(
            "the skill of user %(user)s has %(told)s decisions and cost %(cost)s, but the grades "
            "make %(decisions)s and %(made)s"
        )
        yield sentence % {
            "user": row.user_id, "told": row.decisions, "cost": row.cost, "decisions": decisions,
            "made": cost,
        }  # fmt: skip
    for user_id, (decisions, _cost) in totals.items():
        sentence = _("user %(user)s has no total of skill, but %(decisions)s graded decisions")
        yield sentence % {"user": user_id, "decisions": decisions}


def _find_value_faults() -> Iterator[str]:
    """Value the decisions of some rounds again.

    A daily limit that is loosened later is deleted, so for who has limits it cannot be known again
    what was affordable.
    """
    grades = Grade.objects.done().filter(user__has_own_limits=False)
    ids = list(grades.order_by("pk").values_list("pk", flat=True))
    chosen = sample(ids, MOST_ROUNDS) if len(ids) > MOST_ROUNDS else ids
    seats: dict[int, dict[int, GradedSeat]] = {}
    for grade in grades.select_related("result").filter(pk__in=chosen).order_by("pk"):
        round_id = grade.result.round_id
        try:
            if round_id not in seats:
                seats[round_id] = grade_stored_round(round_id)
            fits = _fits(grade, seats[round_id][grade.result.seat])
        except (UngradableRound, DamagedDecisions, LookupError):
            fits = False
        if not fits:
            sentence = _("round %(round)s: the cards make another grade for user %(user)s")
            yield sentence % {"round": round_id, "user": grade.user_id}


def _fits(grade: Grade, expected: GradedSeat) -> bool:
    return (
        grade.stake == expected.stake
        and abs(grade.expectation - expected.expectation) <= TOLERANCE
        and _are_alike(grade.list_decisions(), expected.decisions)
    )


def _are_alike(stored: Sequence[GradedDecision], expected: Sequence[GradedDecision]) -> bool:
    return len(stored) == len(expected) and all(
        replace(one, values={}) == replace(two, values={})
        and one.values.keys() == two.values.keys()
        and all(abs(one.values[key] - two.values[key]) <= TOLERANCE for key in one.values)
        for one, two in zip(stored, expected, strict=True)
    )
