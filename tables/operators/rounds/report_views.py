"""Views of players' reports: the list, one report with its surroundings, and the answer."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from accounts.audit_log import Operator
from accounts.http import get_user
from accounts.lib import server_clock
from accounts.lists import export
from accounts.lists.export import ListFile
from tables.models import Report
from tables.operators.actions import ASKS, attempt, post_data
from tables.operators.lists import list_context
from tables.operators.permissions import operator_page, render_page
from tables.operators.rounds import reports as rounds_reports
from tables.operators.rounds.forms import AnswerForm, ReportsForm
from tables.operators.rounds.reports import ReportFilters


@operator_page("tables.view_report")
def reports(request: HttpRequest) -> HttpResponseBase:
    """The open reports, oldest first, or the answered ones; none if a filter is invalid."""
    form, user_id = ReportsForm(request.GET), get_user(request).pk
    is_valid = form.is_valid()
    if is_valid and export.is_wanted(request):
        file = _reports_file(form.filters, user_id)
        return export.download(request, file, form.query, logged=form.logged)
    before = form.cleaned_data["before"] if is_valid else None
    found, onward = list[Report](), None
    if is_valid:
        found, onward = rounds_reports.list_reports(form.filters, user_id, before=before)
    query = form.query
    others = {name: value for name, value in query.items() if name != "answered"}
    context = {
        **list_context(form),
        "reports": found,
        "is_open": not form.cleaned_data.get("answered"),
        "open_url": f"?{urlencode(others)}",
        "answered_url": f"?{urlencode({**others, 'answered': 'on'})}",
        "first_url": f"?{urlencode(query)}" if before else None,
        "onward_url": f"?{urlencode({**query, 'before': onward})}" if onward else None,
    }
    return render_page(request, "rounds/reports.html", _("Reports"), context)


def _reports_file(filters: ReportFilters, user_id: int) -> ListFile:
    columns = (
        "report", "time", "kind", "reason", "round", "table", "table_name", "about", "about_name",
        "message", "message_time", "reported_by", "text", "answered", "answered_by", "answer",
    )  # fmt: skip

    def read(before: int | None) -> tuple[list[list[object]], int | None]:
        found, onward = rounds_reports.list_reports(
            filters, user_id, before=before, size=export.AT_ONCE
        )
        rows: list[list[object]] = []
        for report in found:
            table = report.table or (report.round.table if report.round else None)
            by = report.answered_by
            rows.append([
                report.pk, report.at, report.kind, report.reason, report.round_id,
                table and table.pk, table and table.name, report.about_id, report.about_name,
                report.said, report.said_at, report.user.username, report.text,
                report.answered_at, by and by.username, report.answer,
            ])  # fmt: skip
        return rows, onward

    return ListFile("reports", columns, export.read_pages(read))


@operator_page("tables.view_report")
def report(request: HttpRequest, report_id: int) -> HttpResponse:
    """A report, with the lines around it and former reports of the person."""
    row = _get_report_or_404(request, report_id)
    return render_page(request, "rounds/report.html", _title(row), _report_context(request, row))


@operator_page("tables.answer_report", *ASKS)
def answer_report(request: HttpRequest, report_id: int) -> HttpResponse:
    """Answer a report."""
    row = _get_report_or_404(request, report_id)
    form = AnswerForm(post_data(request))
    if form.is_valid():
        text, operator = form.cleaned_data["text"], Operator.from_request(request)
        now = server_clock.now()
        if attempt(form, lambda: rounds_reports.answer_report(row.pk, operator, text, now)):
            if row.kind == Report.Kind.ROUND:
                messages.success(request, _("The answer is now on the round's page."))
                return redirect("admin:round", row.round_id)
            message = _("The answer is sent. %(name)s reads it under “Your reports”.")
            messages.success(request, message % {"name": row.user.username})
            return redirect("admin:reports")
    title = _("Answer %(name)s") % {"name": row.user.username}
    context = {**_report_context(request, row), "form": form}
    return render_page(request, "rounds/answer.html", title, context)


def _get_report_or_404(request: HttpRequest, report_id: int) -> Report:
    """A report; that of a person does not exist for the person."""
    rows = rounds_reports.filter_for(get_user(request).pk)
    rows = rows.select_related("user", "about", "round__table", "table", "answered_by")
    return get_object_or_404(rows.defer("round__table__state", "table__state"), pk=report_id)


def _report_context(request: HttpRequest, row: Report) -> dict[str, Any]:
    if row.kind == Report.Kind.ROUND:
        return {"report": row}
    context = rounds_reports.load_context(row)
    by = get_user(request)
    return {
        "report": row,
        "around": context.lines if by.has_perm("tables.view_chatline") else None,
        "former": context.former,
        "is_more": context.is_more,
    }


def _title(row: Report) -> str:
    return _("Report %(number)s") % {"number": row.pk}
