"""Grades of results, and the totals of skill that follow from them.

The transaction that counts a round inserts its grades as waiting; the worker grades them later. Who
changes grades or totals has locked the figures.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F

from accounts.lib.sql import optimistic
from accounts.lib.sql.write import InsertRows, NewInstance, UpdateRows
from tables.models import Grade, Result, SkillStanding, Table
from tables.models.grades import sum_skill
from tables.results import uncounted_rounds

_SUMS = ("decisions", "cost", "per_hundred")
_GRADED = (
    "graded_at", "fault", "details", "decisions", "mistakes", "cost", "stake", "expectation", "luck",
    "money_cost", "variance",
)  # fmt: skip

_new_grade = NewInstance(Grade)
_insert = InsertRows(Grade, [field.name for field in Grade._meta.concrete_fields])
_update = UpdateRows(Grade, _GRADED)


def add_waiting(results: Iterable[Result], public: Iterable[int]) -> None:
    """Have these results graded; ``public`` are the rounds at public tables."""
    rounds = set(public)
    _insert(
        _new_grade(
            result_id=result.pk,
            user_id=result.user_id,
            rules_key=result.rules_key,
            finished_at=result.finished_at,
            is_public=result.round_id in rounds,
            had_hints=result.had_hints,
        )
        for result in results
    )


def list_waiting_rounds(most: int) -> dict[int, list[int]]:
    """The next rounds to grade, ``most`` at most: their ids, with those of their waiting results."""
    waiting = Grade.objects.waiting().order_by("result")
    first = waiting.values_list("result__round", flat=True)[:most]
    by_round: dict[int, list[int]] = {round_id: [] for round_id in first}
    of_these = waiting.filter(result__round__in=list(by_round))
    for pk, round_id in of_these.values_list("pk", "result__round"):
        by_round[round_id].append(pk)
    return by_round


@dataclass(frozen=True, slots=True)
class NewGrade:
    """The values of a grade that was waiting."""

    result_id: int
    values: Mapping[str, object]


def store(grades: Sequence[NewGrade], now: dt.datetime) -> None:
    """Store grades, in one transaction. Those that are no longer waiting have no effect: another
    process was faster, or the round was voided meanwhile.
    """
    with optimistic.transaction():
        uncounted_rounds.lock_figures()
        rows = Grade.objects.waiting().in_bulk([grade.result_id for grade in grades])
        stored = []
        for grade in grades:
            row = rows.get(grade.result_id)
            if row is not None:
                for name, value in grade.values.items():
                    setattr(row, name, value)
                row.graded_at = now
                stored.append(row)
        _update(stored)
        keys = [row.pk for row in stored]
        _add_to_totals(keys)
        # The history that such a player has cleared shows no grades.
        Grade.objects.filter(pk__in=keys, finished_at__lte=F("user__history_since")).delete()


def _add_to_totals(graded: Iterable[int]) -> None:
    sums = sum_skill(Grade.objects.of_skill().filter(pk__in=list(graded)))
    rows = {row.user_id: row for row in SkillStanding.objects.filter(user__in=sums)}
    for user_id, (decisions, cost) in sums.items():
        row = rows.get(user_id) or SkillStanding(user_id=user_id)
        row.add(decisions, cost)
        # The player may be choosing at the same time whether to be listed.
        row.save(update_fields=None if row._state.adding else _SUMS)


def remove_round(round_id: int) -> None:
    """Remove the grades of a voided round. The figures are locked."""
    grades = Grade.objects.filter(result__round=round_id)
    _subtract(sum_skill(grades.of_skill()))
    grades.delete()


def drop_private_table(table: Table) -> None:
    """Take a table's decisions out of the totals: it becomes private. The figures are locked."""
    grades = Grade.objects.filter(result__round__table=table)
    _subtract(sum_skill(grades.of_skill()))
    grades.filter(is_public=True).update(is_public=False)


def _subtract(sums: Mapping[int, tuple[int, int]]) -> None:
    for row in SkillStanding.objects.filter(user__in=sums).order_by("user"):
        decisions, cost = sums[row.user_id]
        row.add(-decisions, -cost)
        row.save(update_fields=_SUMS)
