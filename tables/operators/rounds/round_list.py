"""The list of rounds, newest first, a page at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from accounts.lists.id_ranges import ALL_TIMES, IdRange, TimeRange, filter_ids, find_ids
from accounts.models import User, WalletEntry
from tables.models import Report, Result, Round, Void

PAGE: Final = 50
STRETCH: Final = 20_000
"""The limit of rounds to scan for a page if no index matches the filter."""


@dataclass(frozen=True, slots=True)
class RoundListFilters:
    """The filter of rounds. Empty fields do not filter."""

    table: int | None = None
    player: User | None = None
    rules: str = ""
    flag: str = ""
    """``void``, ``waiting`` for a second operator, or ``reported``."""
    times: TimeRange = ALL_TIMES
    """When they were opened."""


@dataclass(frozen=True, slots=True)
class ListedRound:
    """A round with its players, as the list shows it."""

    row: Round
    players: tuple[User, ...]
    """In the order of the seats."""
    staked: int
    """The original stakes in hundredths, also of a void round."""
    paid: int
    """The original payouts in hundredths, also of a void round."""
    reports: tuple[Report, ...]
    is_waiting: bool
    """Whether a void waits for approval."""


@dataclass(frozen=True, slots=True)
class RoundListPage:
    """A page of rounds, newest first."""

    rounds: list[ListedRound]
    older: int | None
    """The cursor of the next page; ``None`` on the last."""


def list_rounds(
    filters: RoundListFilters, *, before: int | None = None, size: int = PAGE
) -> RoundListPage:
    """``size`` rounds with ids below ``before``; fewer if :data:`STRETCH` has fewer matches."""
    ids, is_stretch = _select_ids(filters)
    column = ids.query.order_by[0].removeprefix("-")  # type: ignore[union-attr]
    # Some of the rounds at the ends of the range are left out when they are read.
    span = find_ids(Round, "opened_at", filters.times)
    if before is not None and (span.end is None or before < span.end):
        span = IdRange(span.first, before)
    ids, end = filter_ids(ids, span, column), None
    if is_stretch:
        newest = span.end or _find_newest_id() + 1
        end = max(newest - STRETCH, span.first or 0)
        ids = ids.filter(**{f"{column}__gte": end})
    pks = list(ids.values_list(column, flat=True)[: size + 1])
    page = pks[:size]
    older = page[-1] if len(pks) > size else None
    if older is None and end is not None and end > max(1, span.first or 0):
        older = end
    return RoundListPage(_load_rounds(page, filters.times), older)


def _select_ids(filters: RoundListFilters) -> tuple[QuerySet[Any, Any], bool]:
    """The ids to read in descending order, and whether to limit the scan to :data:`STRETCH`."""
    if filters.player is not None:
        return _filter_by_table_and_rules(
            Result.objects.filter(user=filters.player).order_by("-round_id"), filters, ""
        ), False
    if filters.flag:
        return _filter_by_table_and_rules(_filter_by_flag(filters.flag), filters, "round__"), False
    rounds = Round.objects.order_by("-id")
    return _filter_by_table_and_rules(rounds, filters, ""), bool(filters.rules)


def _filter_by_table_and_rules(
    rows: QuerySet[Any, Any], filters: RoundListFilters, prefix: str
) -> QuerySet[Any, Any]:
    if filters.table is not None:
        rows = rows.filter(**{f"{prefix}table": filters.table})
    if filters.rules:
        rows = rows.filter(**{f"{prefix}rules_key": filters.rules})
    if filters.player is not None and filters.flag:
        flagged = _filter_by_flag(filters.flag).order_by().values("round")
        rows = rows.filter(round__in=flagged)
    return rows


def _filter_by_flag(flag: str) -> QuerySet[Any, Any]:
    if flag == "reported":
        of_rounds = Report.objects.filter(round__isnull=False)
        return of_rounds.order_by("-round_id").distinct()
    status = Void.Status.DONE if flag == "void" else Void.Status.WAITING
    return Void.objects.filter(status=status).order_by("-round_id")


def _find_newest_id() -> int:
    return Round.objects.order_by("-id").values_list("pk", flat=True).first() or 0


def _load_rounds(ids: Iterable[int], times: TimeRange) -> list[ListedRound]:
    """The rounds with these ids and of these times, in four queries, and one for aborted ones, whose
    stakes only their entries have.
    """
    pks = list(ids)
    rows = Round.objects.filter(pk__in=pks).select_related("table").defer("table__state")
    rounds = list(rows.order_by("-pk"))
    results: dict[int, list[Result]] = {pk: [] for pk in pks}
    of_rounds = Result.objects.filter(round__in=pks).select_related("user")
    for result in of_rounds.order_by("round_id", "seat"):
        results[result.round_id].append(result)
    hands = {pk: [hand for one in own for hand in one.list_hands()] for pk, own in results.items()}
    sums = {
        pk: (sum(hand.staked for hand in own), sum(hand.paid for hand in own))
        for pk, own in hands.items()
    } | _sum_aborted([row for row in rounds if row.is_broken_off])
    reports: dict[int, list[Report]] = {}
    for report in Report.objects.filter(round__in=pks).order_by("pk"):
        assert report.round_id is not None
        reports.setdefault(report.round_id, []).append(report)
    waiting = Void.objects.filter(round__in=pks, status=Void.Status.WAITING)
    waits = set(waiting.values_list("round_id", flat=True))
    return [
        ListedRound(
            row=row,
            players=tuple(result.user for result in results[row.pk]),
            staked=sums[row.pk][0],
            paid=sums[row.pk][1],
            reports=tuple(reports.get(row.pk, ())),
            is_waiting=row.pk in waits,
        )
        for row in rounds
        if times.has(row.opened_at)
    ]


def _sum_aborted(rounds: Iterable[Round]) -> dict[int, tuple[int, int]]:
    """The stakes and payouts of aborted rounds, by their entries, in hundredths."""
    sums = {row.pk: (0, 0) for row in rounds}
    if not sums:
        return sums
    entries = WalletEntry.objects.filter(round__in=sums, reverses=None)
    for round_id, place, amount in entries.values_list("round", "place", "amount"):
        assert round_id is not None
        staked, paid = sums[round_id]
        is_payout = place.endswith("/payout")
        sums[round_id] = (staked, paid + amount) if is_payout else (staked - amount, paid)
    return sums
