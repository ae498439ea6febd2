"""The rounds of a player at a table since sitting down: the card that is shown after leaving."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, Sum

from tables.engine.presets import PRESETS
from tables.models import Grade, Result, UngradedRound
from tables.records.skill.graded_round import format_share

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
    grades = Grade.objects.filter(user=user_id, finished_at__gte=since, result__table=table_id)
    is_done = Q(fault="")
    row: dict[str, Any] = grades.order_by().aggregate(
        rounds=Count("pk"),
        graded=Count("pk", filter=is_done),
        net=Sum(F("result__payout") - F("result__stake")),
        **{name: Sum(name, filter=is_done) for name in _PARTS},
    )
    # PostgreSQL returns sums of large integers as Decimals.
    values = {name: int(value or 0) for name, value in row.items()}
    waiting = [
        result
        for result in _list_waiting(user_id)
        if result.table_id == table_id and result.finished_at >= since
    ]
    values["rounds"] += len(waiting)
    values["net"] += sum(result.net for result in waiting)
    if not values["rounds"]:
        return None
    latest = waiting[-1] if waiting else grades.order_by("-pk")[0]
    return SessionCard(rules_key=latest.rules_key, waiting=len(waiting), **values)


def _list_waiting(user_id: int) -> list[Result]:
    """The player's rounds that wait for their grades. Rounds are graded in the order of their ids, so
    only those after the last graded one are looked at.
    """
    last = Grade.objects.filter(user=user_id).order_by("-finished_at").values("result__round")[:1]
    later = Result.objects.own().filter(user=user_id).defer("hands").order_by("round")
    if last:
        later = later.filter(round__gt=last[0]["result__round"])
    return list(later.filter(Exists(UngradedRound.objects.filter(pk=OuterRef("round")))))
