"""The floor: every open table, problems first, and the running processes."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Case, F, IntegerField, Prefetch, Q, QuerySet, Value, When
from django.utils.translation import gettext as _

from accounts.maintenance import Maintenance, get_planned
from tables.engine.rules import Ruleset
from tables.game import deadlines
from tables.models import Seat, ServerProcess, Table
from tables.operators.floor.current_announcements import CurrentAnnouncement, list_current
from tables.realtime import process_registry
from tables.state import behind

A_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class FloorSeat:
    """A seat at a table."""

    number: int
    user_id: int | None = None
    player: str = ""
    is_away: bool = False
    is_leaving: bool = False


@dataclass(frozen=True, slots=True)
class FloorTable:
    """An open table, without its cards."""

    id: int
    name: str
    rules: Ruleset
    phase: str
    """The state in words, from :func:`describe_state`."""
    seats: tuple[FloorSeat, ...]
    maker: str
    staked: int | None
    """The balance of the pot in hundredths; ``None`` without stakes."""
    rack: int
    left: int | None
    """Seconds until the deadline, negative after it; ``None`` without one."""
    watchers: int
    used: str
    """Time since the last change, in words."""
    marks: tuple[str, ...]
    needs: tuple[str, ...]
    """The reasons why the table needs attention."""

    @property
    def late(self) -> int:
        """Seconds since the deadline; 0 before it."""
        return max(0, -(self.left or 0))


@dataclass(frozen=True, slots=True)
class FloorProcess:
    """A server process, as last reported."""

    where: str
    pid: int
    sockets: int
    seen: str
    is_stale: bool


@dataclass(frozen=True, slots=True)
class SiteState:
    """The state of the whole site."""

    processes: tuple[FloorProcess, ...]
    sockets: int
    rounds: int
    """The number of rounds in play."""
    overdue: int
    maintenance: Maintenance | None
    until_maintenance: str
    """Time until maintenance in words; empty without a plan and during maintenance."""
    is_in_maintenance: bool

    @property
    def is_safe_to_stop(self) -> bool:
        """Whether no round is in play during maintenance, so that the servers can be stopped."""
        return self.is_in_maintenance and self.rounds == 0


@dataclass(frozen=True, slots=True)
class Floor:
    """The data of the floor page."""

    now: dt.datetime
    site: SiteState
    announcements: list[CurrentAnnouncement]
    tables: tuple[FloorTable, ...]
    page: int
    has_more: bool


def load_floor(now: dt.datetime, page: int = 1) -> Floor:
    """The tables of a page (from 1), those that need attention first. Eight queries, nine with an
    announcement.
    """
    first = (page - 1) * A_PAGE
    rows = list(_order_tables(now)[first : first + A_PAGE + 1])
    tables = tuple(_build_floor_table(row, now) for row in rows[:A_PAGE])
    return Floor(
        now, load_site_state(now), list_current(now), tables, page, has_more=len(rows) > A_PAGE
    )


def load_floor_table(table_id: int, now: dt.datetime) -> FloorTable:
    """One table as on the floor, closed or not. Raises ``Table.DoesNotExist``."""
    return _build_floor_table(_with_relations(Table.objects.all()).get(pk=table_id), now)


def load_site_state(now: dt.datetime) -> SiteState:
    """The state of the site, with its processes."""
    plan = get_planned()
    processes = tuple(_build_process(row, now) for row in ServerProcess.objects.order_by("id"))
    return SiteState(
        processes=processes,
        sockets=sum(process.sockets for process in processes if not process.is_stale),
        rounds=deadlines.filter_in_play().count(),
        overdue=Table.objects.filter(deadlines.build_late_condition(now)).count(),
        maintenance=plan,
        until_maintenance=_format_future(plan.at - now) if plan and plan.at > now else "",
        is_in_maintenance=plan is not None and plan.at <= now,
    )


def _order_tables(now: dt.datetime) -> QuerySet[Table]:
    """The order of the floor: tables that need attention, paused, in use, the rest."""
    paused = Q(paused_at__isnull=False, is_paused_by_host=False)
    places = (
        deadlines.build_late_condition(now),
        paused & Q(auto_filled__gt=F("fill_limit")),
        paused,
        Q(deadline_at__isnull=False),
        Q(watchers__gt=0),
    )
    whens = [When(holds, then=Value(place)) for place, holds in enumerate(places)]
    order = Case(*whens, default=Value(len(places)), output_field=IntegerField())
    return _with_relations(Table.objects.filter(closed_at=None)).order_by(order, "pk")


def _with_relations(tables: QuerySet[Table]) -> QuerySet[Table]:
    """Add the shown relations, without the private state."""
    seats = Prefetch("seats", Seat.objects.select_related("user").order_by("number"))
    return tables.defer("state").select_related("rack", "maker").prefetch_related(seats)


def _build_floor_table(row: Table, now: dt.datetime) -> FloorTable:
    remaining = None if row.deadline_at is None else (row.deadline_at - now).total_seconds()
    return FloorTable(
        id=row.pk,
        name=row.name,
        rules=row.rules,
        phase=describe_state(row),
        seats=_build_seats(row),
        maker=row.maker.username if row.maker else "",
        staked=row.staked if row.rules.stakes else None,
        rack=row.free_chips,
        left=None if remaining is None else round(remaining),
        watchers=row.watchers,
        used=_format_past(now - row.used_at),
        marks=_list_marks(row),
        needs=_list_problems(row, now),
    )


def describe_state(row: Table) -> str:
    """The state of the table in a few words, the same on every page."""
    if row.closed_at is not None:
        return _("closed")
    if row.is_closing:
        return _("last round")
    if row.paused_at is None:
        return str(Table.Phase(row.phase).label)
    return _("in play, then paused") if row.phase == Table.Phase.PLAYING else _("paused")


def _build_seats(row: Table) -> tuple[FloorSeat, ...]:
    seats: dict[int, Seat] = {seat.number: seat for seat in row.seats.all()}
    most = max([row.rules.seats, *seats])
    return tuple(_build_seat(number, seats.get(number)) for number in range(1, most + 1))


def _build_seat(number: int, seat: Seat | None) -> FloorSeat:
    if seat is None:
        return FloorSeat(number)
    return FloorSeat(
        number=number,
        user_id=seat.user_id,
        player=seat.user.username,
        is_away=seat.away_since is not None,
        is_leaving=seat.is_leaving,
    )


def _list_marks(row: Table) -> tuple[str, ...]:
    marks: dict[str, Any] = {
        _("private"): row.is_private,
        _("locked"): row.is_locked,
        _("chat off"): not row.has_chat,
        _("hints off"): not row.has_hints,
        _("bet behind off"): not row.has_behind and behind.has_place(row, row.rules),
        _("table chips"): row.has_chips,
    }
    return tuple(word for word, holds in marks.items() if holds)


def _list_problems(row: Table, now: dt.datetime) -> tuple[str, ...]:
    needs = []
    if deadlines.is_late(row, now):
        needs.append(_("overdue: its clock has run out"))
    if row.paused_at and row.fill_limit is not None and row.auto_filled > row.fill_limit:
        needs.append(_("paused: its rack has reached the refill limit"))
    return tuple(needs)


def _format_past(passed: dt.timedelta) -> str:
    """Format a past duration, rounded to its size."""
    seconds = max(0, round(passed.total_seconds()))
    if seconds < 90:
        return _("%(number)s s ago") % {"number": seconds}
    if seconds < 90 * 60:
        return _("%(number)s min ago") % {"number": seconds // 60}
    if seconds < 36 * 3600:
        return _("%(number)s h ago") % {"number": seconds // 3600}
    return _("%(number)s days ago") % {"number": seconds // 86400}


def _format_future(remaining: dt.timedelta) -> str:
    """Format a future duration, rounded to its size."""
    seconds = max(0, round(remaining.total_seconds()))
    if seconds < 90:
        return _("in %(number)s s") % {"number": seconds}
    if seconds < 90 * 60:
        return _("in %(number)s min") % {"number": seconds // 60}
    return _("in %(number)s h") % {"number": seconds // 3600}


def _build_process(row: ServerProcess, now: dt.datetime) -> FloorProcess:
    return FloorProcess(
        where=row.host,
        pid=row.pid,
        sockets=row.sockets,
        seen=_format_past(now - row.seen_at),
        is_stale=process_registry.is_stale(row, now),
    )
