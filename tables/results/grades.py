"""Grades of results, and the totals of skill that follow from them.

The transaction that counts a round has it graded; the worker does so later. Who changes grades or
totals has locked the figures.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef

from accounts.lib.sql import optimistic
from accounts.lib.sql.write import InsertRows, NewInstance
from accounts.models import User
from tables.models import (
    Grade,
    Result,
    SkillStanding,
    Table,
    UncountedRound,
    UngradedRound,
)
from tables.models.grades import sum_skill
from tables.models.results import Results
from tables.results import uncounted_rounds

_SUMS = ("decisions", "cost", "per_hundred")
_new_grade = NewInstance(Grade)
_insert = InsertRows(Grade, [field.name for field in Grade._meta.concrete_fields])
_insert_waiting = InsertRows(UngradedRound, ["round", "is_public"])


def add_waiting(round_ids: Iterable[int], public: Collection[int]) -> None:
    """Have these rounds graded; ``public`` are those at public tables."""
    _insert_waiting.insert_values([(pk, pk in public) for pk in round_ids])


def filter_waiting(results: Results) -> Results:
    """Those of rounds that wait for their grades, or to be counted before that."""
    queues = (UngradedRound.objects, UncountedRound.objects)
    ungraded, uncounted = (Exists(queue.filter(pk=OuterRef("round"))) for queue in queues)
    return results.with_hands().filter(ungraded | uncounted)


def list_waiting_rounds(most: int, *, but: Collection[int] = ()) -> list[int]:
    """The ids of the next rounds to grade, ``most`` at most, without ``but``."""
    waiting = UngradedRound.objects.exclude(pk__in=but).order_by("round")
    return list(waiting.values_list("round", flat=True)[:most])


@dataclass(frozen=True, slots=True)
class NewGrade:
    """What the grade of a result says."""

    result: Result
    values: Mapping[str, object]


def store(grades: Mapping[int, Sequence[NewGrade]]) -> None:
    """Store the grades of these rounds, by id, in one transaction. Those of a round that does not
    wait any more have no effect: another process was faster, or it was voided meanwhile.
    """
    with optimistic.transaction():
        uncounted_rounds.lock_figures()
        waiting = UngradedRound.objects.in_bulk(grades.keys())
        new_grades = [one for pk in waiting for one in grades[pk]]
        # A deletion removes the grades, so none are written after it.
        users = User.objects.in_bulk({one.result.user_id for one in new_grades})
        rows = [
            _build_row(one, is_public=waiting[one.result.round_id].is_public)
            for one in new_grades
            if not users[one.result.user_id].is_deleted
        ]
        _insert(rows)
        UngradedRound.objects.filter(pk__in=waiting).delete()
        keys = [row.pk for row in rows]
        _add_to_totals(keys)
        # The history that such a player has cleared shows no grades.
        Grade.objects.filter(pk__in=keys, finished_at__lte=F("user__history_since")).delete()


def _build_row(grade: NewGrade, *, is_public: bool) -> Grade:
    result = grade.result
    return _new_grade(
        result_id=result.pk,
        user_id=result.user_id,
        rules_key=result.rules_key,
        finished_at=result.finished_at,
        is_public=is_public,
        had_hints=result.had_hints,
        **grade.values,
    )


def _add_to_totals(keys: Iterable[int]) -> None:
    sums = sum_skill(Grade.objects.of_skill().filter(pk__in=list(keys)))
    rows = {row.user_id: row for row in SkillStanding.objects.filter(user__in=sums)}
    for user_id, (decisions, cost) in sums.items():
        row = rows.get(user_id) or SkillStanding(user_id=user_id)
        row.add(decisions, cost)
        # The player may be choosing at the same time whether to be listed.
        row.save(update_fields=None if row._state.adding else _SUMS)


def remove_round(round_id: int) -> None:
    """Remove the grades of a voided round. The figures are locked."""
    UngradedRound.objects.filter(pk=round_id).delete()
    grades = Grade.objects.filter(result__round=round_id)
    _subtract(sum_skill(grades.of_skill()))
    grades.delete()


def drop_private_table(table: Table) -> None:
    """Take a table's decisions out of the totals: it becomes private. The figures are locked."""
    grades = Grade.objects.filter(result__round__table=table)
    _subtract(sum_skill(grades.of_skill()))
    grades.filter(is_public=True).update(is_public=False)
    UngradedRound.objects.filter(round__table=table, is_public=True).update(is_public=False)


def _subtract(sums: Mapping[int, tuple[int, int]]) -> None:
    for row in SkillStanding.objects.filter(user__in=sums).order_by("user"):
        decisions, cost = sums[row.user_id]
        row.add(-decisions, -cost)
        row.save(update_fields=_SUMS)
