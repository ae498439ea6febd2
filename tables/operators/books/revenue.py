"""The books by day, week, month, table or rule set: stakes, payouts, results and their bands.

They are read from the takings, whose number does not depend on the number of rounds.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import F, FloatField, QuerySet, Sum
from django.db.models.functions import Cast, TruncMonth, TruncWeek

from tables.models import Table, Takings
from tables.odds.games import Game
from tables.operators.books import house_edge
from tables.operators.books.confidence_band import compute_band
from tables.operators.books.house_edge import RuleVariant
from tables.operators.books.revenue_row import NAMES, RevenueRow, RevenueSums

DAY, WEEK, MONTH, TABLE, RULES = "day", "week", "month", "table", "rules"
MOST: Final = {DAY: 62, WEEK: 53, MONTH: 36, TABLE: 100, RULES: 200}
"""The number of rows on a page, by grouping."""


@dataclass(frozen=True, slots=True)
class RevenueFilters:
    """The filter of the books; empty fields do not filter."""

    by: str = DAY
    since: dt.date | None = None
    until: dt.date | None = None
    table: int | None = None
    rules: str = ""

    def takings(self) -> QuerySet[Takings]:
        """The matching takings."""
        rows = Takings.objects.order_by()
        if self.since:
            rows = rows.filter(day__gte=self.since)
        if self.until:
            rows = rows.filter(day__lte=self.until)
        if self.table is not None:
            rows = rows.filter(table=self.table)
        return rows.filter(rules_key=self.rules) if self.rules else rows


@dataclass(frozen=True, slots=True)
class RevenuePage:
    """A page of rows, the total of all rows, and the cursor of the next page."""

    rows: list[RevenueRow]
    total: RevenueRow
    following: dt.date | int | None
    """The last day of the next page, or the table before it."""
    ways: tuple[RuleVariant, ...]
    """Combinations whose edge is not known yet, most played first."""
    unplayable: tuple[RuleVariant, ...] = ()
    """Combinations that no table can have any more."""


def sum_open_stakes() -> int:
    """The stakes less payouts of all open rounds, in hundredths: what is in no account yet."""
    at_stake = Table.objects.aggregate(sum=Sum(F("staked") + F("rack_due"), default=0))
    return int(at_stake["sum"])


def list_rows(filters: RevenueFilters, start: dt.date | int | None = None) -> RevenuePage:
    """The rows from ``start`` on: times newest first, tables by number, rule sets by stakes."""
    rows, following = _load_rows(filters, start)
    total = _load_total(filters)
    games = house_edge.load_games(total.by_way)
    unplayable = house_edge.list_unplayable(total.by_way)
    for row in (*rows, total):
        _set_band(row, games, unplayable)
    by_stakes = sorted(total.by_way, key=lambda way: -total.by_way[way].staked)
    missing = [way for way in by_stakes if house_edge.is_staked(way) and way not in games]
    return RevenuePage(
        rows, total, following,
        ways=tuple(way for way in missing if way not in unplayable),
        unplayable=tuple(way for way in missing if way in unplayable),
    )  # fmt: skip


def iter_pages(filters: RevenueFilters) -> Iterator[list[RevenueRow]]:
    """All rows, a page at a time."""
    start = None
    while True:
        rows, start = _load_rows(filters, start)
        ways = {way for row in rows for way in row.by_way}
        games, unplayable = house_edge.load_games(ways), house_edge.list_unplayable(ways)
        for row in rows:
            _set_band(row, games, unplayable)
        yield rows
        if start is None:
            return


def _load_rows(
    filters: RevenueFilters, start: dt.date | int | None
) -> tuple[list[RevenueRow], dt.date | int | None]:
    if filters.by == RULES:
        return _combination_rows(_load_total(filters)), None
    if filters.by == TABLE:
        return _table_rows(filters, start if isinstance(start, int) else 0)
    return _period_rows(filters, start if isinstance(start, dt.date) else None)


def _load_total(filters: RevenueFilters) -> RevenueRow:
    total = RevenueRow(None)
    for _, way, sums in _sum_takings(filters.takings(), "rules_key"):
        total.add_combination(way, sums)
    return total


def _combination_rows(total: RevenueRow) -> list[RevenueRow]:
    rows = []
    for way, sums in total.by_way.items():
        row = RevenueRow(way)
        row.add_combination(way, sums)
        rows.append(row)
    rows.sort(key=lambda row: -row.sums.staked)
    return rows[: MOST[RULES]]


def _table_rows(filters: RevenueFilters, after: int) -> tuple[list[RevenueRow], int | None]:
    takings = filters.takings().filter(table__gt=after)
    ids = list(takings.values_list("table", flat=True).distinct().order_by("table")[: MOST[TABLE]])
    if not ids:
        return [], None
    rows = _merge_sums(_sum_takings(takings.filter(table__lte=ids[-1]), "table"))
    names = dict(Table.objects.filter(pk__in=ids).values_list("pk", "name"))
    for row in rows:
        assert isinstance(row.key, int)
        row.name = names[row.key]
    return rows, ids[-1] if len(ids) == MOST[TABLE] else None


def _period_rows(
    filters: RevenueFilters, end: dt.date | None
) -> tuple[list[RevenueRow], dt.date | None]:
    """The newest days, weeks or months up to ``end``; empty ones have no row."""
    takings = filters.takings()
    if end is not None:
        takings = takings.filter(day__lte=end)
    last = takings.order_by("-day").values_list("day", flat=True).first()
    if last is None:
        return [], None
    first = _first_day_of_page(filters.by, last)
    bucket = {DAY: "day", WEEK: TruncWeek("day"), MONTH: TruncMonth("day")}[filters.by]
    rows = _merge_sums(_sum_takings(takings.filter(day__gte=first), bucket))
    has_earlier = first > dt.date.min and takings.filter(day__lt=first).exists()
    following = first - dt.timedelta(days=1) if has_earlier else None
    return rows[::-1], following


def _first_day_of_page(by: str, last: dt.date) -> dt.date:
    """The first day of the page whose last row contains this day."""
    try:
        if by == MONTH:
            months = last.year * 12 + last.month - MOST[MONTH]
            return dt.date(months // 12, months % 12 + 1, 1)
        days = MOST[DAY] - 1 if by == DAY else last.weekday() + 7 * (MOST[WEEK] - 1)
        return last - dt.timedelta(days=days)
    except (ValueError, OverflowError):
        return dt.date.min


def _sum_takings(
    takings: QuerySet[Takings], bucket: Any
) -> Iterator[tuple[Any, RuleVariant, RevenueSums]]:
    """Sums by bucket and combination, computed by the database."""
    sums = {name: Sum(name) for name in NAMES}
    sums["bets_squared"] = Sum(Cast("bets_squared", FloatField()))  # too large for an integer
    rows = (
        takings.annotate(bucket=bucket if not isinstance(bucket, str) else F(bucket))
        .values_list("bucket", "rules_key", "options")
        .annotate(**{f"sum_{name}": sum_ for name, sum_ in sums.items()})
    )
    for key, rules, options, *values in rows.iterator():
        figures = dict(zip(NAMES, values, strict=True))  # PostgreSQL returns Decimals
        whole = {name: int(value) for name, value in figures.items()}
        yield (
            key,
            RuleVariant.from_stored(rules, options),
            RevenueSums(**whole | {"bets_squared": figures["bets_squared"]}),
        )


def _merge_sums(summed: Iterable[tuple[Any, RuleVariant, RevenueSums]]) -> list[RevenueRow]:
    """A row for each bucket, in their order."""
    rows: dict[Any, RevenueRow] = {}
    for key, way, sums in summed:
        rows.setdefault(key, RevenueRow(key)).add_combination(way, sums)
    return [rows[key] for key in sorted(rows)]


def _set_band(
    row: RevenueRow, games: Mapping[RuleVariant, Game], unplayable: Set[RuleVariant]
) -> None:
    """Set the band of a row if all its edges are known, without those that cannot be computed."""
    row.unplayable = frozenset(row.by_way.keys() & unplayable)
    rest = row.judged.by_way if row.unplayable else row.by_way
    staked = {way: sums for way, sums in rest.items() if sums.staked}
    if staked and staked.keys() <= games.keys():
        row.band = compute_band(sums.to_play_totals(games[way]) for way, sums in staked.items())
