"""Views of a finished round and its proof."""

from __future__ import annotations

from functools import partial
from typing import Any

import structlog
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import check_rate_limit, consume_rate_limit, get_user, is_prefetch
from accounts.lib import server_clock
from accounts.lib.errors import BUSY, explain_busy
from accounts.lib.site_links import absolute_url
from accounts.models import User
from tables import access
from tables.models import Match, Round
from tables.records import round_page as records_round_page
from tables.records import share_links, what_if_page
from tables.records.forms import ReportForm
from tables.records.skill.round_costs import build_round_costs
from tables.social import announcements, friend_list, invites, notices, reports
from tables.views.decorators import mark_notices_seen

log = structlog.get_logger()


@never_cache
@require_safe
def round_page(request: HttpRequest, round_id: int) -> HttpResponse:
    """A finished round step by step, with the check of its shoe. ``by`` is a share token,
    ``if`` another decision to play the round again with.
    """
    # A round that is played again costs more than a page.
    if "if" in request.GET and (answer := check_rate_limit(request, "practice", counts_get=True)):
        return answer
    row = _get_finished_round(request, round_id)
    if request.user.is_authenticated and request.method == "GET" and not is_prefetch(request):
        mark_notices_seen(partial(notices.mark_round_seen, get_user(request).pk, row.pk))
    return _render_page(request, row, ReportForm())


@never_cache
@require_safe
def round_costs(request: HttpRequest, round_id: int) -> HttpResponse:
    """What the user's own decisions in a finished round cost, as JSON. 404 before its end."""
    row = _get_finished_round(request, round_id)
    if not consume_rate_limit(request, "practice", counts_get=True):
        return JsonResponse({"waiting": True}, status=429)
    costs = build_round_costs(row, request.user.pk) if request.user.is_authenticated else None
    if costs is None:
        raise Http404
    return JsonResponse(
        {
            "waiting": costs.is_waiting,
            "summary": costs.summary,
            "right": costs.is_right,
            "decisions": costs.decisions,
        }
    )


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def report_round(request: HttpRequest, round_id: int) -> HttpResponse:
    """Report a round to the operators. A GET, after a login on the way, shows the round."""
    if request.method != "POST":
        return redirect("round", round_id)
    if answer := check_rate_limit(request, "report_round"):
        return answer
    row, user = _get_finished_round(request, round_id), get_user(request)
    if not reports.may_report(row, user):
        raise Http404
    form = ReportForm(request.POST)
    if not form.is_valid():
        return _render_page(request, row, form)
    try:
        if reports.create_report(row, user, form.cleaned_data["text"], server_clock.now()):
            messages.success(
                request,
                _("Thank you. The site's operators will check the round and answer on this page."),
            )
    except BUSY as error:
        messages.error(request, explain_busy(error))
    return redirect(f"{reverse('round', args=[row.pk])}#report")


def _render_page(request: HttpRequest, row: Round, form: ReportForm) -> HttpResponse:
    sharer_id = share_links.verify_share_token(row.pk, request.GET.get("by"))
    page = records_round_page.build_round_page(row, request.user.pk, sharer_id)
    link = absolute_url(reverse("round", args=[row.pk]))
    context: dict[str, Any] = {
        "round": page,
        "proof": records_round_page.build_proof(row.shoe) if row.shoe else None,
        "is_secret_match": row.table.match_id is not None and access.is_secret(row.table.match_id),
        "is_duplicate": row.table.match is not None
        and row.table.match.kind == Match.Kind.DUPLICATE,
        "same_deals": records_round_page.list_same_deals(row, request.user.pk),
        "retired": row.shoe.get_retired_because_display() if row.shoe else "",
        "viewer": {"account": request.user.pk, "epoch": announcements.read_epoch()},
        "link": link,
        "is_private": row.table.is_private,
        "has_chips": row.table.has_chips,
    }
    if page.is_yours and isinstance(request.user, User):
        context["own_link"] = f"{link}?by={share_links.create_share_token(row.pk, request.user.pk)}"
        context["neighbours"] = records_round_page.find_adjacent_rounds(row, request.user)
        context["report"] = reports.find_report(row, request.user)
        context["report_form"] = form
        context["others"] = friend_list.list_askable(request.user, row.pk)
        seat = next((seat.number for seat in page.seats if seat.is_you), None)
        choice_key = request.GET.get("if", "")
        context["what_if"] = what_if_page.build_what_if(row, seat, choice_key)
    return render(request, "tables/round/round.html", context)


@require_safe
def round_proof(request: HttpRequest, round_id: int) -> HttpResponse:
    """The proof of a round's shoe as JSON."""
    row = _get_finished_round(request, round_id)
    if row.shoe is None:
        raise Http404
    name = f"shoe-{row.shoe.public_id}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return JsonResponse(records_round_page.build_proof(row.shoe), headers=headers)


def _get_finished_round(request: HttpRequest, round_id: int) -> Round:
    rounds = Round.objects.select_related("table", "shoe").defer("table__state")
    finished_rounds = rounds.filter(dealt_at__isnull=False, finished_at__isnull=False)
    codes = invites.get_request_codes(request)
    row = access.find_round(finished_rounds, round_id, request.user.pk, codes)
    if row is None:
        raise Http404
    return row
