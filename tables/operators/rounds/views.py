"""Views of rounds: search, detail, void."""

from __future__ import annotations

from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib import server_clock
from accounts.lib.errors import OperationRefused
from accounts.lists import export
from accounts.lists.export import Amount, ListFile
from accounts.users import reauthentication
from tables.models import Report, Result, Round, Void
from tables.operators.actions import ASKS, Operation, Subject, attempt, post_data, run_action
from tables.operators.forms import OptionalReasonForm
from tables.operators.lists import list_context
from tables.operators.permissions import operator_page, render_page
from tables.operators.rounds import detail, round_list, verification
from tables.operators.rounds import voids as rounds_voids
from tables.operators.rounds.forms import DecideForm, RoundsForm, VoidForm
from tables.operators.rounds.round_list import RoundListFilters
from tables.realtime import dispatch
from tables.records.hand_view import may_show_cards
from tables.texts import rules

ENDED: Final = (Void.Status.REFUSED, Void.Status.WITHDRAWN)
"""The states of requests that came to nothing."""


@operator_page("tables.view_round")
def rounds(request: HttpRequest) -> HttpResponseBase:
    """The rounds found by a search, or the newest ones; none if a filter is invalid."""
    form = RoundsForm(request.GET)
    if not form.is_valid():
        return render_page(request, "rounds/list.html", _("Rounds"), list_context(form))
    if form.cleaned_data["number"]:
        return redirect("admin:round", form.cleaned_data["number"])
    if export.is_wanted(request):
        return export.download(request, _rounds_file(form.filters), form.query, logged=form.logged)
    before = form.cleaned_data["before"]
    page, query = round_list.list_rounds(form.filters, before=before), form.query
    context = {
        **list_context(form),
        "rounds": page.rounds,
        "newest_url": f"?{urlencode(query)}" if before else None,
        "older_url": f"?{urlencode({**query, 'before': page.older})}" if page.older else None,
    }
    return render_page(request, "rounds/list.html", _("Rounds"), context)


def _rounds_file(filters: RoundListFilters) -> ListFile:
    columns = (
        "round", "opened", "finished", "table", "table_name", "round_at_table", "rules", "players",
        "staked_in_units", "paid_in_units", "void_since", "waits_for_approval", "reports",
    )  # fmt: skip

    def read(before: int | None) -> tuple[list[list[object]], int | None]:
        page = round_list.list_rounds(filters, before=before, size=export.AT_ONCE)
        rows: list[list[object]] = [
            [
                one.row.pk, one.row.opened_at, one.row.finished_at, one.row.table_id,
                one.row.table.name, one.row.number, one.row.rules_key,
                ", ".join(player.username for player in one.players), Amount(one.staked),
                Amount(one.paid), one.row.voided_at, one.is_waiting, len(one.reports),
            ]
            for one in page.rounds
        ]  # fmt: skip
        return rows, page.older

    return ListFile("rounds", columns, export.read_pages(read))


@operator_page("tables.view_round")
def round_(request: HttpRequest, round_id: int) -> HttpResponse:
    """The page of a round, with its verification."""
    row = _get_round_or_404(round_id)
    by, subject = request.user, audit_log.build_subject(row)
    rows = Result.objects.filter(round=row).select_related("user")
    results = list(rows.order_by("seat", "is_behind", "user"))
    context: dict[str, Any] = {
        **_round_context(row),
        "check": verification.verify_round(row),
        "changes": detail.list_changes(row),
        "hands": [(one.user, hand) for one in results for hand in one.list_hands()],
        "shows_cards": may_show_cards(row),
        "money": detail.list_money(row),
        "results": results,
    }
    context["cannot_decide"] = _explain_undecidable(request, row, context["void"])
    if by.has_perm("accounts.view_act"):
        context["acts"] = audit_log.list_entries(subject)
    if by.has_perm("tables.view_report"):
        reports = Report.objects.filter(round=row).select_related("user", "answered_by")
        context["reports"] = reports.order_by("pk")
    return render_page(request, "rounds/round.html", _("Round %(id)s") % {"id": row.pk}, context)


@operator_page("tables.void_round", *ASKS)
def void_round(request: HttpRequest, round_id: int) -> HttpResponse:
    """Void a round or request it: form, preview, confirmation."""
    row, operator = _get_round_or_404(round_id), Operator.from_request(request)
    form = VoidForm(post_data(request))
    try:
        plan = rounds_voids.preview_void(row, operator, server_clock.now())
    except OperationRefused as refused:
        return _redirect(request, row, refused)
    if form.is_valid():
        if plan.needs_second and not reauthentication.is_factor_recent(request):
            return reauthentication.redirect_to_factor(request)
        data = form.cleaned_data
        request_void = partial(
            rounds_voids.request_void,
            row.pk,
            operator,
            data["reason"],
            fingerprint=data["seen"],
        )
        void = attempt(form, lambda: dispatch.run(request_void))
        if void is not None:
            messages.success(request, _result_message(void))
            return redirect("admin:round", row.pk)
    form.show(plan)
    title = _("Void round %(id)s") % {"id": row.pk}
    return render_page(
        request, "rounds/void.html", title, {**_round_context(row), "plan": plan, "form": form}
    )


@operator_page("tables.approve_void", *ASKS)
def decide_void(request: HttpRequest, void_id: int) -> HttpResponse:
    """Approve or refuse another operator's void."""
    void = get_object_or_404(Void.objects.select_related("asked_by", "decided_by"), pk=void_id)
    row, operator = _get_round_or_404(void.round_id), Operator.from_request(request)
    form = DecideForm(post_data(request))
    try:
        now = server_clock.now()
        plan = rounds_voids.preview_void(row, operator, now, waiting=void)
    except OperationRefused as refused:
        return _redirect(request, row, refused)
    if form.is_valid():
        is_approved = form.cleaned_data["decision"] == "approve"
        if is_approved and not reauthentication.is_factor_recent(request):
            return reauthentication.redirect_to_factor(request)
        result = attempt(form, lambda: _run_decision(form, void.pk, operator))
        if result is not None:
            messages.success(request, _result_message(result))
            return redirect("admin:round", row.pk)
    form.show(plan)
    title = _("Decide on the void of round %(id)s") % {"id": row.pk}
    context = {**_round_context(row), "plan": plan, "form": form, "void": void}
    return render_page(request, "rounds/void.html", title, context)


WITHDRAW = Operation(
    title=gettext_lazy("Take back your request to void round %(name)s"),
    effects=(
        gettext_lazy("The round stands. Nobody else has to decide."),
        gettext_lazy("You can request the void again."),
    ),
    form=OptionalReasonForm,
    button=gettext_lazy("Take back the request"),
    do=lambda operator, void_id, data: _withdraw(operator, void_id, data["reason"]),
    success=gettext_lazy("Your request was taken back. The round stands."),
    is_so="",
)


@operator_page("tables.void_round", *ASKS)
def withdraw_void(request: HttpRequest, void_id: int) -> HttpResponse:
    """Take back the operator's own request for a void."""
    void = get_object_or_404(Void.objects.select_related("asked_by", "decided_by"), pk=void_id)
    own = reverse("admin:round", args=[void.round_id])
    try:
        rounds_voids.verify_may_withdraw(void, Operator.from_request(request))
    except OperationRefused as refused:
        messages.error(request, str(refused))
        return redirect(own)
    name = str(void.round_id)
    crumbs = ((_("Rounds"), reverse("admin:rounds")), (name, own))
    return run_action(request, WITHDRAW, void.pk, Subject(name, own, crumbs))


def _withdraw(operator: Operator, void_id: int, reason: str) -> bool:
    """Raises :class:`CannotVoid`."""
    dispatch.run(lambda now: rounds_voids.withdraw_void(void_id, operator, reason, now))
    return True


def _run_decision(form: DecideForm, void_id: int, operator: Operator) -> Void:
    if form.cleaned_data["decision"] == "approve":
        fingerprint = form.cleaned_data["seen"]
        return dispatch.run(
            partial(rounds_voids.approve_void, void_id, operator, fingerprint=fingerprint)
        )
    reason = form.cleaned_data["reason"]
    return dispatch.run(partial(rounds_voids.refuse_void, void_id, operator, reason))


def _result_message(void: Void) -> str:
    if void.status == Void.Status.DONE:
        return _("The round is void. All its transfers were reversed.")
    if void.status == Void.Status.REFUSED:
        return _("The void was refused. The round stands.")
    return _("This void exceeds your limit. It now waits for another operator.")


def _redirect(request: HttpRequest, row: Round, refused: OperationRefused) -> HttpResponse:
    """Redirect to the round's page with the reason of the refusal."""
    messages.error(request, str(refused))
    return redirect("admin:round", row.pk)


def _get_round_or_404(round_id: int) -> Round:
    rows = Round.objects.select_related("table", "shoe").defer("table__state")
    return get_object_or_404(rows, pk=round_id)


def _explain_undecidable(request: HttpRequest, row: Round, void: Void | None) -> str:
    """Why this operator, who may approve voids, cannot decide about the one that waits; empty if there is
    no reason, or it is the operator's own.
    """
    if void is None or void.status != Void.Status.WAITING:
        return ""
    if not request.user.has_perm("tables.approve_void"):
        return ""
    operator = Operator.from_request(request)
    if void.asked_by_id == operator.user_id:
        return ""
    try:
        rounds_voids.preview_void(row, operator, server_clock.now(), waiting=void)
    except OperationRefused as refused:
        return str(refused)
    return ""


def _round_context(row: Round) -> dict[str, Any]:
    """The common context of all pages about a round."""
    voids = Void.objects.filter(round=row).select_related("asked_by", "decided_by")
    return {
        "round": row,
        "rules": row.rules,
        "differences": rules.list_differences(row.rules),
        "void": next((void for void in voids if void.status not in ENDED), None),
        "is_over": row.dealt_at is not None and row.finished_at is not None,
    }
