"""Views of a player's reports: about people and chat lines, and the list with the answers."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import consume_rate_limit, describe_wait, find_wait, get_user
from accounts.lib import server_clock
from accounts.lib.errors import BUSY, OperationRefused, explain_busy
from accounts.lib.ids import parse_id
from tables.models import Table
from tables.records.forms import TableReportForm
from tables.social import invites, reports

RATE: Final = "report_person"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def report_at_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Report a person or a chat line of a table. A script gets the sentence as JSON.

    A GET, after a login on the way, shows the table.
    """
    table = reports.find_table(table_id, get_user(request), invites.get_request_codes(request))
    if table is None:
        raise Http404
    if request.method != "POST":
        return redirect("table", table.pk)
    if consume_rate_limit(request, RATE):
        is_done, message = _report(request, table)
    else:
        is_done, wait = False, find_wait(request, RATE)
        message = _("Those were too many reports at once.")
        if wait:
            message += " " + _("You can send the next one in %(time)s.") % {
                "time": describe_wait(wait)
            }
    if request.headers.get("X-Requested-With") == "fetch":
        return JsonResponse({"isDone": is_done, "says": message})
    (messages.success if is_done else messages.error)(request, message)
    return redirect("own-reports")


def _report(request: HttpRequest, table: Table) -> tuple[bool, str]:
    """Whether it was reported, and the sentence for the player."""
    form, user, now = TableReportForm(request.POST), get_user(request), server_clock.now()
    if not form.is_valid():
        return False, " ".join(str(one) for errors in form.errors.values() for one in errors)
    data = form.cleaned_data
    try:
        if data["line"]:
            is_new = reports.report_line(
                table, user, data["line"], data["reason"], data["text"], now,
                codes=invites.get_request_codes(request),
            )  # fmt: skip
            repeat_message = _("You have already reported this message.")
        else:
            is_new = reports.report_person(
                table, user, data["player"], data["reason"], data["text"], now
            )
            repeat_message = _("You have already reported this person. An operator will check it.")
    except OperationRefused as refusal:
        return False, str(refusal)
    except BUSY as error:
        return False, explain_busy(error)
    thanks = _("Thank you. The site's operators will check it. The answer will be in your account.")
    return True, thanks if is_new else repeat_message


@never_cache
@require_safe
@login_required
def own_reports(request: HttpRequest) -> HttpResponse:
    """The player's reports with their answers, newest first."""
    before = parse_id(request.GET.get("before", ""))
    rows, older = reports.list_own(get_user(request), before)
    context = {
        "reports": rows,
        "newest_url": request.path if before else None,
        "older_url": f"?{urlencode({'before': older})}" if older else None,
    }
    return render(request, "account/reports.html", context)
