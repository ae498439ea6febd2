"""Views of players' reports."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from accounts.audit_log import Operator
from accounts.lib import server_clock
from tables.models import Report
from tables.operators.actions import ASKS, attempt, post_data
from tables.operators.permissions import operator_page, render_page
from tables.operators.rounds import reports as rounds_reports
from tables.operators.rounds.forms import AnswerForm, ReportsForm


@operator_page("tables.view_report")
def reports(request: HttpRequest) -> HttpResponse:
    """The open reports, oldest first, or the answered ones."""
    form = ReportsForm(request.GET)
    read = form.cleaned_data if form.is_valid() else {"answered": False, "before": None}
    found, onward = rounds_reports.list_reports(is_open=not read["answered"], before=read["before"])
    query = {"answered": "on"} if read["answered"] else {}
    context = {
        "reports": found,
        "is_open": not read["answered"],
        "first_url": f"?{urlencode(query)}" if read["before"] else None,
        "onward_url": f"?{urlencode({**query, 'before': onward})}" if onward else None,
    }
    return render_page(request, "rounds/reports.html", _("Reports"), context)


@operator_page("tables.answer_report", *ASKS)
def answer_report(request: HttpRequest, report_id: int) -> HttpResponse:
    """Answer a report."""
    rows = Report.objects.select_related("user", "round__table").defer("round__table__state")
    report = get_object_or_404(rows, pk=report_id)
    form = AnswerForm(post_data(request))
    if form.is_valid():
        text, operator = form.cleaned_data["text"], Operator.from_request(request)
        now = server_clock.now()
        if attempt(form, lambda: rounds_reports.answer_report(report.pk, operator, text, now)):
            messages.success(request, _("The answer is now on the round's page."))
            return redirect("admin:round", report.round_id)
    title = _("Answer %(name)s") % {"name": report.user.username}
    return render_page(request, "rounds/answer.html", title, {"report": report, "form": form})
