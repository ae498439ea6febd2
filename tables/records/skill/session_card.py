"""The rounds of a player at a table since sitting down: the card that is shown after leaving."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, Sum

from tables.engine.presets import PRESETS
from tables.models import Grade, Result
from tables.records.skill.graded_round import format_share
from tables.results.grades import filter_waiting

_PARTS = ("expectation", "luck", "money_cost", "decisions", "mistakes", "cost")


@dataclass(frozen=True, slots=True)
class SessionCard:
    """What a session came to. Amounts in hundredths."""

    rules_key: str
    rounds: int
    waiting: int
    """The rounds that are not graded yet. Until there are none, the parts are unknown."""
    graded: int
    """The rounds that could be graded. The parts are of these."""
    net: int
    expectation: int
    luck: int
    money_cost: int
    decisions: int
    mistakes: int
    cost: int
    """In millionths of a hand, or of a card at ``piles``."""

    @property
    def has_stakes(self) -> bool:
        """Whether the table has stakes."""
        return PRESETS[self.rules_key].stakes is not None

    @property
    def has_piles(self) -> bool:
        return PRESETS[self.rules_key].has_piles

    @property
    def part_of_mistakes(self) -> int:
        """What decisions cost, as a part of the net."""
        return -self.money_cost

    @property
    def right(self) -> int:
        """The decisions that cost nothing."""
        return self.decisions - self.mistakes

    @property
    def share(self) -> str:
        """The cost with decimals, where nothing is staked."""
        return format_share(self.cost)


def load_session_card(user_id: int, table_id: int, since: dt.datetime) -> SessionCard | None:
    """The session that began at ``since``; ``None`` without a counted round."""
    waiting = _list_waiting(user_id, table_id, since)
    # One may have been graded in between.
    grades = Grade.objects.filter(
        user=user_id, finished_at__gte=since, result__table=table_id
    ).exclude(pk__in=[result.pk for result in waiting])
    is_done = Q(fault="")
    row: dict[str, Any] = grades.order_by().aggregate(
        rounds=Count("pk"),
        graded=Count("pk", filter=is_done),
        net=Sum(F("result__payout") - F("result__stake")),
        **{name: Sum(name, filter=is_done) for name in _PARTS},
    )
    latest = waiting[-1] if waiting else grades.order_by("-pk").first()
    if latest is None:
        return None
    # PostgreSQL returns sums of large integers as Decimals.
    values = {name: int(value or 0) for name, value in row.items()}
    values["rounds"] += len(waiting)
    values["net"] += sum(result.net for result in waiting)
    return SessionCard(rules_key=latest.rules_key, waiting=len(waiting), **values)


def _list_waiting(user_id: int, table_id: int, since: dt.datetime) -> list[Result]:
    """The rounds of this session that wait for their grades, in the order of their ids."""
    own = Result.objects.own().filter(user=user_id, table=table_id, finished_at__gte=since)
    own = filter_waiting(own)
    # The index has the rounds of a player by id. Those of this session were opened after one that
    # had ended before it.
    before = Grade.objects.filter(user=user_id, finished_at__lt=since).order_by("-finished_at")
    if earlier := before.values_list("result__round", flat=True)[:1]:
        own = own.filter(round__gt=earlier[0])
    return list(own.defer("hands").order_by("round"))
