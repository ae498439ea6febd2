"""Views that end sessions of players and operators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext_lazy

from accounts.audit_log import Operator
from accounts.lib import server_clock
from accounts.models import User
from tables.operators.actions import ASKS, Operation, run_action
from tables.operators.forms import OptionalReasonForm
from tables.operators.permissions import operator_page
from tables.operators.players.action_views import player_subject
from tables.operators.staff import actions

IS_GUEST = gettext_lazy(
    "%(name)s is a guest, and the session is the only access to the account: nobody can open it after "
    "its last session."
)


@operator_page("accounts.end_session", *ASKS)
def end_session(request: HttpRequest, user_id: int, session_id: int) -> HttpResponse:
    """End one session of a user."""

    def end(operator: Operator, pk: int, data: dict[str, Any]) -> bool:
        return actions.end_session(operator, pk, session_id, data["reason"], server_clock.now())

    action = Operation(
        title=gettext_lazy("End a session of %(name)s"),
        effects=(gettext_lazy("This browser is logged out, and its open pages close at once."),),
        form=OptionalReasonForm,
        button=gettext_lazy("End this session"),
        do=end,
        success=gettext_lazy("The session of %(name)s has ended."),
        is_so=gettext_lazy("This session of %(name)s had already ended."),
    )
    return _run_action(request, user_id, action)


@operator_page("accounts.end_session", *ASKS)
def end_all_sessions(request: HttpRequest, user_id: int) -> HttpResponse:
    """End all sessions of a user."""

    def end(operator: Operator, pk: int, data: dict[str, Any]) -> bool:
        return actions.end_all_sessions(operator, pk, data["reason"], server_clock.now())

    action = Operation(
        title=gettext_lazy("End all sessions of %(name)s"),
        effects=(
            gettext_lazy(
                "%(name)s is logged out in all browsers, and all open pages close at once."
            ),
        ),
        form=OptionalReasonForm,
        button=gettext_lazy("End all sessions"),
        do=end,
        success=gettext_lazy("All sessions of %(name)s have ended."),
        is_so=gettext_lazy("%(name)s had no sessions."),
    )
    return _run_action(request, user_id, action)


def _run_action(request: HttpRequest, user_id: int, action: Operation) -> HttpResponse:
    user = get_object_or_404(User, pk=user_id)
    if user.is_guest:
        action = replace(action, effects=(*action.effects, IS_GUEST))
    subject = player_subject(request, user)
    if "staff" in request.GET:
        subject = replace(subject, back=reverse("admin:staff"))
    return run_action(request, action, user.pk, subject)
