"""Rounds: found, looked into with everything that is stored about them, and declared void."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db import Error as DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from accounts import trail
from accounts.refused import Refused
from accounts.trail import Operator
from tables import rules_text
from tables.models import Report, Result, Round, Void
from tables.operators import inspecting, round_file, round_list, voiding
from tables.operators.gate import IS_BUSY, page, shown
from tables.operators.pages.round_forms import AnswerForm, DecideForm, RoundsForm, VoidForm
from tables.operators.round_list import Wanted
from tables.records.played import shows_cards

ASKS = ("GET", "HEAD", "POST")


@page("tables.view_round")
def rounds(request: HttpRequest) -> HttpResponse:
    """The rounds that are looked for, or the newest ones."""
    form = RoundsForm(request.GET)
    is_read = form.is_valid()
    if is_read and form.cleaned_data["number"]:
        return redirect("admin:round", form.cleaned_data["number"])
    wanted, before = (form.wanted, form.cleaned_data["before"]) if is_read else (Wanted(), None)
    found = round_list.page(wanted, before=before)
    query = form.query if is_read else {}
    context = {
        "form": form,
        "rounds": found.rounds,
        "is_chosen": bool(query),
        "newest_url": f"?{urlencode(query)}" if before else None,
        "older_url": f"?{urlencode({**query, 'before': found.older})}" if found.older else None,
    }
    return shown(request, "rounds.html", _("Rounds"), context)


@page("tables.view_round")
def round_(request: HttpRequest, round_id: int) -> HttpResponse:
    """Everything about one round, and whether it comes out again."""
    row = _round(round_id)
    by, subject = request.user, trail.subject_of(row)
    context: dict[str, Any] = {
        **_about(row),
        "check": inspecting.check(row),
        "changes": round_file.changes_of(row),
        "hands": round_file.hands_of(row),
        "shows_cards": shows_cards(row),
        "money": round_file.money_of(row),
        "results": Result.objects.filter(round=row).select_related("user").order_by("seat"),
    }
    if by.has_perm("accounts.view_act"):
        context["acts"] = trail.of(subject)
    if by.has_perm("tables.view_report"):
        reports = Report.objects.filter(round=row).select_related("user", "answered_by")
        context["reports"] = reports.order_by("pk")
        context["answer_form"] = AnswerForm()
    return shown(request, "round.html", _("Round %(id)s") % {"id": row.pk}, context)


@page("tables.void_round", *ASKS)
def void_round(request: HttpRequest, round_id: int) -> HttpResponse:
    """What a void would move, and then it is done, or asked for."""
    row, operator = _round(round_id), Operator.of(request)
    form = VoidForm(request.POST if request.method == "POST" else None)
    try:
        plan = voiding.preview(row, operator)
        if form.is_valid():
            reason = form.cleaned_data["reason"]
            void = voiding.through_writer(
                lambda now: voiding.ask(row.pk, operator, reason, now),
            )
            messages.success(request, _said(void))
            return redirect("admin:round", row.pk)
    except (Refused, DatabaseError, TimeoutError) as error:
        return _not_done(request, row, error)
    title = _("Void round %(id)s") % {"id": row.pk}
    return shown(request, "void.html", title, {**_about(row), "plan": plan, "form": form})


@page("tables.approve_void", *ASKS)
def decide_void(request: HttpRequest, void_id: int) -> HttpResponse:
    """Approve or refuse a void that another operator has asked for."""
    void = get_object_or_404(Void.objects.select_related("asked_by", "decided_by"), pk=void_id)
    row, operator = _round(void.round_id), Operator.of(request)
    form = DecideForm(request.POST if request.method == "POST" else None)
    try:
        plan = voiding.preview(row, operator, waiting=void)
        if form.is_valid():
            void = _decide(form, void.pk, operator)
            messages.success(request, _said(void))
            return redirect("admin:round", row.pk)
    except (Refused, DatabaseError, TimeoutError) as error:
        return _not_done(request, row, error)
    title = _("Decide about round %(id)s") % {"id": row.pk}
    context = {**_about(row), "plan": plan, "form": form, "void": void}
    return shown(request, "void.html", title, context)


def _decide(form: DecideForm, void_id: int, operator: Operator) -> Void:
    if form.cleaned_data["decision"] == "approve":
        return voiding.through_writer(lambda now: voiding.approve(void_id, operator, now))
    reason = form.cleaned_data["reason"]
    return voiding.through_writer(lambda now: voiding.refuse(void_id, operator, reason, now))


def _said(void: Void) -> str:
    if void.status == Void.Status.DONE:
        return _("The round is void. Its money went back.")
    if void.status == Void.Status.REFUSED:
        return _("The round stays as it is.")
    return _("That moves more than you may void alone. It waits for another operator.")


def _not_done(request: HttpRequest, row: Round, error: Exception) -> HttpResponse:
    messages.error(request, str(error if isinstance(error, Refused) else IS_BUSY))
    return redirect("admin:round", row.pk)


def _round(round_id: int) -> Round:
    rows = Round.objects.select_related("table", "shoe").defer("table__state")
    return get_object_or_404(rows, pk=round_id)


def _about(row: Round) -> dict[str, Any]:
    """What all pages about a round have at their top."""
    voids = Void.objects.filter(round=row).select_related("asked_by", "decided_by")
    return {
        "round": row,
        "rules": row.rules,
        "differences": rules_text.differences(row.rules),
        "void": next((void for void in voids if void.status != Void.Status.REFUSED), None),
        "is_over": row.dealt_at is not None and row.finished_at is not None,
    }
