"""Views of revenue, accounts and audit."""

from __future__ import annotations

import datetime as dt
import time
from contextlib import nullcontext
from typing import Any

from django.contrib import messages
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from accounts.admin.read_only import parse_day
from accounts.audit_log import Operator
from accounts.ledger import daily_totals, gaming_days
from accounts.ledger.audit import read_snapshot
from accounts.lib import server_clock, times
from accounts.lib.errors import BUSY, CHECK_FIRST
from accounts.lib.ids import parse_id
from accounts.lists import export
from accounts.lists.export import Amount, ListFile
from accounts.models import Account, Transfer
from tables.models import AuditRun
from tables.operators.books import audit_runs, chart, house_edge, revenue
from tables.operators.books import export as books_export
from tables.operators.books.forms import AuditRunsForm, BooksForm, describe_combination
from tables.operators.books.house_edge import RuleVariant
from tables.operators.books.revenue import DAY, MONTH, RULES, TABLE, WEEK
from tables.operators.books.revenue_row import RevenueRow
from tables.operators.lists import list_context
from tables.operators.permissions import operator_page, render_page
from tables.records.forms import DaysForm
from tables.results import projector

_CATCH_UP_SECONDS = 2.0
_MOST_WAYS = 10
"""The limit of new computations for one request."""


@operator_page("tables.view_books")
def takings(request: HttpRequest) -> HttpResponse:
    """Stakes, payouts and results by day, week, month, table or rule set."""
    form = BooksForm(request.GET)
    filters = form.filters
    projector.catch_up_for_page()
    page = revenue.list_rows(filters, _parse_cursor(filters.by, request.GET.get("start", "")))
    house_edge.background.queue(page.ways[:_MOST_WAYS])
    is_time = filters.by in (DAY, WEEK, MONTH)
    context = {
        "form": form,
        "by": filters.by,
        "lines": [
            (row, _row_name(filters.by, row), _row_link(filters.by, row, form)) for row in page.rows
        ],
        "total": page.total,
        "missing": [describe_combination(way) for way in page.ways[:_MOST_WAYS]],
        "unplayable": [describe_combination(way) for way in page.unplayable[:_MOST_WAYS]],
        "known": _list_known_edges(page.total),
        "chart": chart.draw_chart(page.rows[::-1] if is_time else page.rows),
        "is_time": is_time,
        "day_note": _describe_days(),
        "query": urlencode(form.query),
        "following": urlencode({**form.query, "start": str(page.following)})
        if page.following
        else "",
    }
    return render_page(request, "books/books.html", _("Accounting"), context)


def _describe_days() -> str:
    """Describe when the days of the books begin, and a later change of that."""
    days, now = gaming_days.load(), server_clock.now()
    rule, last = days.rule_of(days.day_of(now)), days.last_rule
    words = _("A day begins at %(hour)02d:00, %(zone)s.") % {"hour": rule.hour, "zone": rule.zone}
    if rule == last:
        return words
    later = _("From %(day)s on at %(hour)02d:00, %(zone)s.") % {
        "day": times.format_date(last.first_day, pgettext("date format", "j M Y")),
        "hour": last.hour,
        "zone": last.zone,
    }
    return f"{words} {later}"


def _parse_cursor(by: str, text: str) -> dt.date | int | None:
    """Parse the cursor of a page; ``None`` for the first page."""
    if by == TABLE:
        return parse_id(text)
    return parse_day(text)


def _row_name(by: str, row: RevenueRow) -> str | dt.date:
    if by == RULES:
        assert isinstance(row.key, RuleVariant)
        return describe_combination(row.key)
    if by == TABLE:
        return f"{row.name} ({row.key})"
    assert isinstance(row.key, dt.date)
    return row.key


def _row_link(by: str, row: RevenueRow, form: BooksForm) -> str:
    """The URL with the days of a row; empty if the rows are days."""
    query = {name: value for name, value in form.query.items() if name != "by"}
    if by == TABLE:
        query["table"] = str(row.key)
    elif by == RULES and isinstance(row.key, RuleVariant) and row.key.options == "{}":
        query["rules"] = row.key.key  # the filter has rule sets without options
    elif by in (WEEK, MONTH) and isinstance(row.key, dt.date):
        query |= {"from": row.key.isoformat(), "to": _last_day_of_period(by, row.key).isoformat()}
    else:
        return ""
    return urlencode({"by": DAY, **query})


def _last_day_of_period(by: str, first: dt.date) -> dt.date:
    if by == WEEK:
        return first + dt.timedelta(days=6)
    return (first.replace(day=28) + dt.timedelta(days=4)).replace(day=1) - dt.timedelta(days=1)


def _list_known_edges(total: RevenueRow) -> list[dict[str, Any]]:
    """The known edges of the rule sets, for the note below the table."""
    games = house_edge.load_games(total.by_way)
    return [
        {
            "name": describe_combination(way),
            "edge": -100 * games[way].ev,
            "by_chart": -100 * games[way].ev_total_dependent,
            "deviation": games[way].sd,
        }
        for way in sorted(games)
    ]


@operator_page("tables.view_books")
def takings_csv(request: HttpRequest) -> HttpResponseBase:
    """All rows of these filters as a file. The download is recorded in the audit log."""
    form = BooksForm(request.GET)
    projector.catch_up_for_page()
    return export.download(
        request, books_export.build_file(form.filters), form.query, back="admin:books"
    )


@operator_page("tables.view_books")
def accounts(request: HttpRequest) -> HttpResponseBase:
    """Opening, movements and closing of bank, racks, wallets and stacks of table chips."""
    form = DaysForm(request.GET, {})
    now, stop = server_clock.now(), time.monotonic() + _CATCH_UP_SECONDS
    is_summed = daily_totals.sum_finished_days(now, is_enough=lambda: time.monotonic() > stop)
    context: dict[str, Any] = {
        "form": form,
        "is_summed": is_summed,
        "day_note": _describe_days(),
    }
    if is_summed:
        since, until = form.cleaned_data.get("from"), form.cleaned_data.get("to")
        with nullcontext() if connection.in_atomic_block else read_snapshot():
            sides = daily_totals.load_totals(since, until, staked=revenue.sum_open_stakes())
        if export.is_wanted(request):
            return export.download(request, _accounts_file(sides), form.query)
        context["csv"] = export.file_query(form.query)
        context |= {"since": since, "until": until, **_group_by_kind(sides)}
    return render_page(request, "books/accounts.html", _("Site accounts"), context)


def _accounts_file(sides: dict[str, daily_totals.KindTotals]) -> ListFile:
    grouped = _group_by_kind(sides)
    columns, movements = grouped["columns"], grouped["movements"]
    lines = [
        ("opening", [side.opening for side in columns]),
        *movements,
        ("closing", [side.closing for side in columns]),
        ("moved since then", [side.later for side in columns]),
        ("current balances", [side.held for side in columns]),
    ]
    names = ("line", *(f"{kind}_in_units" for kind in ("bank", "racks", "wallets", "stacks")))
    rows = [[words, *(Amount(amount) for amount in amounts)] for words, amounts in lines]
    return ListFile("site-accounts", names, [rows])


def _group_by_kind(sides: dict[str, daily_totals.KindTotals]) -> dict[str, Any]:
    """The sides as lines of a table, one for each kind of transfer with a movement."""
    order = [Account.Kind.BANK, Account.Kind.RACK, Account.Kind.WALLET, Account.Kind.STACK]
    columns = [sides[kind] for kind in order]
    movements = [
        (Transfer.Kind(kind).label, [side.movements.get(kind, 0) for side in columns])
        for kind in Transfer.Kind.values
        if any(kind in side.movements for side in columns)
    ]
    wrong = [kind.label for kind, side in zip(order, columns, strict=True) if side.missing]
    return {"columns": columns, "movements": movements, "wrong": wrong}


@operator_page("tables.view_books")
def audit(request: HttpRequest) -> HttpResponseBase:
    """The audits, newest first, their errors, and the progress of a running one."""
    form, now = AuditRunsForm(request.GET), server_clock.now()
    is_valid = form.is_valid()
    if is_valid and export.is_wanted(request):
        return export.download(request, _audits_file(form), form.query, logged=form.logged)
    before = form.cleaned_data["before"] if is_valid else None
    runs, older = list[AuditRun](), None
    if is_valid:
        runs, older = audit_runs.list_runs(form.times, before)
    newest = AuditRun.objects.first()
    running = newest if newest is not None and _is_running(newest, now) else None
    context = {
        **list_context(form),
        "older_url": f"?{urlencode({**form.query, 'before': str(older)})}" if older else None,
        "newest_url": f"?{urlencode(form.query)}" if before else None,
        "runs": [(run, audit_runs.is_lost(run, now), _duration_seconds(run)) for run in runs],
        "told": _describe_progress(running, now) if running else None,
        "progress_url": reverse("admin:audit_progress"),
    }
    return render_page(request, "books/audit.html", _("Audit"), context)


def _audits_file(form: AuditRunsForm) -> ListFile:
    def read(before: int | None) -> tuple[list[list[object]], int | None]:
        runs, older = audit_runs.list_runs(form.times, before, export.AT_ONCE)
        rows: list[list[object]] = [
            [
                run.pk, run.started_at, run.started_by and run.started_by.username,
                run.finished_at, len(run.faults), "; ".join(run.faults),
            ]
            for run in runs
        ]  # fmt: skip
        return rows, older

    columns = ("audit", "started", "started_by", "finished", "differences", "what")
    return ListFile("audits", columns, export.read_pages(read))


def _duration_seconds(run: AuditRun) -> int:
    """The duration in seconds, rounded up."""
    ended = run.finished_at or run.started_at
    return int((ended - run.started_at).total_seconds()) + 1


def _is_running(run: AuditRun, now: dt.datetime) -> bool:
    return run.finished_at is None and not audit_runs.is_lost(run, now)


@operator_page("tables.run_audit", "POST")
def run_audit(request: HttpRequest) -> HttpResponse:
    """Begin an audit, unless one runs."""
    try:
        run = audit_runs.start_run(Operator.from_request(request), server_clock.now())
    except BUSY:
        messages.error(request, CHECK_FIRST)
    else:
        if run is None:
            messages.warning(request, _("The audit is already running."))
        else:
            message = _("The audit has started. Play is not interrupted.")
            messages.success(request, message)
    return redirect("admin:audit")


@operator_page("tables.view_books")
def audit_progress(request: HttpRequest) -> JsonResponse:
    """The progress of the newest audit, for the script of its page."""
    run, now = AuditRun.objects.first(), server_clock.now()
    if run is None or not _is_running(run, now):
        return JsonResponse({"is_running": False})
    return JsonResponse(_describe_progress(run, now))


def _describe_progress(run: AuditRun, now: dt.datetime) -> dict[str, Any]:
    steps = list(audit_runs.STEPS)
    number = steps.index(run.step) + 1 if run.step in steps else 0
    seconds = max(0, int((now - run.started_at).total_seconds()))
    return {
        "is_running": True,
        "step": str(audit_runs.STEPS[run.step]) if number else _("Starting"),
        "number": number,
        "of_steps": len(steps),
        "done": min(run.done, run.of),
        "of": run.of,
        "so_long": ngettext("%(n)s second", "%(n)s seconds", seconds) % {"n": seconds},
    }
