"""Views of operators: their list, roles, and changes that need a second one."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from accounts.audit_log import Operator
from accounts.http import get_user
from accounts.lib import server_clock
from accounts.lib.errors import OperationRefused
from accounts.models import User, WaitingChange
from accounts.staff import assignment, invites, roles, waiting_changes
from accounts.users import reauthentication
from tables.operators.actions import ASKS, Subject, attempt, post_data, show_preview
from tables.operators.permissions import operator_page, render_page
from tables.operators.players.action_views import player_subject
from tables.operators.staff import actions
from tables.operators.staff.forms import ChangeForm, RoleForm
from tables.operators.staff.staff_list import list_staff
from tables.realtime import dispatch


@operator_page(roles.MANAGE)
def staff(request: HttpRequest) -> HttpResponse:
    """The operators with roles, second factors and sessions; open invites; waiting changes."""
    now = server_clock.now()
    context = {
        "staff": list_staff(now),
        "invites": invites.list_open(now),
        "waiting": [
            (row, waiting_changes.describe(row)) for row in waiting_changes.list_waiting(now)
        ],
    }
    return render_page(request, "staff/list.html", _("Staff"), context)


@operator_page(roles.MANAGE, *ASKS)
@reauthentication.require_recent_factor
def player_role(request: HttpRequest, user_id: int) -> HttpResponse:
    """Give and take the roles of a user."""
    user, by = get_object_or_404(User, pk=user_id), get_user(request)
    try:
        assignment.verify_may_assign(by, user)
    except OperationRefused as refused:
        messages.error(request, str(refused))
        return redirect("admin:player", user.pk)
    form = RoleForm(post_data(request), user=user, by=by)
    if form.is_valid():
        data, operator = form.cleaned_data, Operator.from_request(request)
        assign = partial(
            actions.assign_roles, operator, user.pk, data["roles"], data.get("is_superuser")
        )
        result = attempt(form, lambda: dispatch.run(assign))
        if result is not None:
            _add_role_message(request, result)
            return redirect("admin:player", user.pk)
    waiting = waiting_changes.list_waiting(server_clock.now()).filter(user=user)
    effects: list[str | Promise] = [
        _("The roles apply at once. Open pages of %(name)s close.") % {"name": user.username}
    ]
    if not by.is_superuser:
        effects.append(
            _(
                "The role manager takes effect after 24 hours, or when a second operator approves it."
            )
        )
    effects += [waiting_changes.describe(change) for change in waiting]
    return show_preview(
        request, _("Role and password"), player_subject(request, user), form, effects,
        _("Save"), template="staff/role.html",
    )  # fmt: skip


@operator_page(roles.APPROVE, *ASKS)
@reauthentication.require_recent_factor
def decide_change(request: HttpRequest, change_id: int) -> HttpResponse:
    """Approve, refuse or withdraw a waiting change."""
    rows = WaitingChange.objects.select_related("asked_by", "decided_by", "user")
    change, by = get_object_or_404(rows, pk=change_id), get_user(request)
    try:
        waiting_changes.verify_may_refuse(change, by, server_clock.now())
    except OperationRefused as refused:
        messages.error(request, str(refused))
        return redirect("admin:index")
    note = ""
    try:
        waiting_changes.verify_may_approve(change, by, server_clock.now())
    except OperationRefused as refused:
        note = str(refused)
    is_own = change.asked_by_id == by.pk
    form = ChangeForm(post_data(request), is_own=is_own, may_approve=not note)
    if form.is_valid():
        result = attempt(form, lambda: _run_decision(request, form, change.pk))
        if result is not None:
            messages.success(request, _result_message(result))
            return redirect("admin:index")
    subject = Subject("", reverse("admin:index"), (), {"words": waiting_changes.describe(change)})
    return show_preview(
        request, _("Withdraw a request") if is_own else _("Decide on a change"), subject, form,
        [note] if note else [], _("Withdraw") if is_own else _("Decide"),
        template="staff/decide.html",
    )  # fmt: skip


def _run_decision(request: HttpRequest, form: ChangeForm, change_id: int) -> WaitingChange:
    operator, data = Operator.from_request(request), form.cleaned_data
    if data["decision"] == "approve":
        return dispatch.run(partial(actions.approve_change, change_id, operator))
    return dispatch.run(partial(actions.refuse_change, change_id, operator, data["reason"]))


def _result_message(change: WaitingChange) -> str:
    if change.status == WaitingChange.Status.DONE:
        return _("Approved. The change is in effect now.")
    if change.status == WaitingChange.Status.WITHDRAWN:
        return _("Withdrawn. Nothing changes.")
    return _("Refused. Nothing changes.")


def _add_role_message(request: HttpRequest, result: assignment.Assignment) -> None:
    words = {"name": result.user.username}
    if result.waits:
        message = _(
            "The role manager for %(name)s waits: it takes effect after 24 hours, or when a second "
            "operator approves it."
        )
        messages.warning(request, message % words)
    if result.is_changed:
        messages.success(request, _("The rights of %(name)s are saved and apply now.") % words)
    elif not result.waits:
        messages.warning(request, _("Nothing was changed."))
