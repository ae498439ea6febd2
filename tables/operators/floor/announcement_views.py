"""Views of announcements and maintenance."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log import Operator
from accounts.lib import server_clock
from accounts.lib.errors import BUSY, CHECK_FIRST
from accounts.maintenance import get_planned
from tables.operators.actions import (
    ASKS,
    Operation,
    Subject,
    add_result,
    attempt,
    post_data,
    run_action,
    show_preview,
)
from tables.operators.floor import announcements, overview
from tables.operators.floor.forms import AnnouncementForm, MaintenanceForm, TakeBackForm
from tables.operators.permissions import operator_page

ANNOUNCE = Operation(
    title=gettext_lazy("Announce to everyone"),
    effects=(
        gettext_lazy("Everyone who has a table or the lobby open sees it at once."),
        gettext_lazy("Anyone who opens one in the next ten minutes sees it too."),
    ),
    form=AnnouncementForm,
    button=gettext_lazy("Announce"),
    do=lambda operator, _house, data: announcements.announce(operator, data["text"]),
    success=gettext_lazy("The announcement was sent to everyone."),
    is_so=gettext_lazy("Everyone already got this announcement. Nothing was sent."),
)


@operator_page("accounts.announce", *ASKS)
def announce(request: HttpRequest) -> HttpResponse:
    """Send an announcement to all tables and the lobby."""
    return run_action(request, ANNOUNCE, 1, _subject())


@operator_page("accounts.announce", "POST")
def take_back(request: HttpRequest) -> HttpResponse:
    """Take back the announcement to all tables and the lobby."""
    run_take_back(request, announcements.take_back)
    return redirect("admin:floor")


def run_take_back(request: HttpRequest, act: Callable[[Operator, dt.datetime], bool]) -> None:
    """Take back the announcement that the form names, and add a message."""
    form, is_new = TakeBackForm(request.POST), False
    if form.is_valid():
        try:
            is_new = act(Operator.from_request(request), form.cleaned_data["made_at"])
        except BUSY:
            messages.error(request, CHECK_FIRST)
            return
    success = _("The announcement was taken back. Open pages don't show it any more.")
    is_so = _("That announcement isn't shown any more. Nothing was changed.")
    add_result(request, success, is_so, is_new=is_new)


@operator_page("accounts.maintain", *ASKS)
def maintenance(request: HttpRequest) -> HttpResponse:
    """Plan maintenance, or change its time."""
    now, plan = server_clock.now(), get_planned()
    initial = {"instead_of": announcements.plan_id(plan), "says": plan.says if plan else ""}
    form, subject = (
        MaintenanceForm(post_data(request), initial=initial),
        _subject(site=overview.load_site_state(now)),
    )
    if form.is_valid():
        operator, at, data = Operator.from_request(request), form.at(now), form.cleaned_data
        is_new = attempt(
            form,
            lambda: announcements.plan_maintenance(
                operator, at, data["says"], instead_of=data["instead_of"]
            ),
        )
        if is_new is not None:
            success = _("Maintenance is scheduled, and everyone was notified.")
            is_so = _("Another operator has just scheduled or cancelled it. Nothing was changed.")
            add_result(request, success, is_so, is_new=is_new)
            return redirect(subject.back)
    effects = [
        _("Everyone at a table or in the lobby sees a notice with a countdown at once."),
        _(
            "When it starts, no table takes bets or deals. Bets already placed are returned when "
            "their time runs out."),
        _("Rounds in play are finished, and nobody loses a seat."),
        _("The live tables page shows when no round is in play. Then you can stop the servers."),
    ]  # fmt: skip
    title, button = _("Maintenance"), _("Schedule maintenance")
    return show_preview(
        request, title, subject, form, effects, button, template="floor/maintenance.html"
    )


@operator_page("accounts.maintain", "POST")
def end_maintenance(request: HttpRequest) -> HttpResponse:
    """Cancel planned maintenance, or end it."""
    try:
        is_new = announcements.end_maintenance(Operator.from_request(request))
    except BUSY:
        messages.error(request, CHECK_FIRST)
    else:
        success = _("The site is open again, and everyone was notified.")
        is_so = _("No maintenance was scheduled. Nothing was changed.")
        add_result(request, success, is_so, is_new=is_new)
    return redirect("admin:floor")


def _subject(**around: Any) -> Subject:
    back = reverse("admin:floor")
    return Subject("", back, ((_("Live tables"), back),), around)
