"""Views of announcements and maintenance."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.audit_log import Operator
from accounts.lib import server_clock
from accounts.maintenance import get_planned
from tables.operators.actions import (
    ASKS,
    BUSY,
    Operation,
    Subject,
    add_result,
    attempt,
    post_data,
    run_action,
    show_preview,
)
from tables.operators.floor import announcements, overview
from tables.operators.floor.forms import AnnouncementForm, MaintenanceForm
from tables.operators.permissions import IS_BUSY, operator_page

ANNOUNCE = Operation(
    title=gettext_lazy("Announce something to everybody"),
    effects=(
        gettext_lazy("Everybody who has a table or the lobby open sees it at once."),
        gettext_lazy("So does who opens one in the next ten minutes."),
    ),
    form=AnnouncementForm,
    button=gettext_lazy("Announce"),
    do=lambda operator, _house, data: announcements.announce(operator, data["text"]),
    done=gettext_lazy("Everybody was told."),
    is_so=gettext_lazy("Everybody was told just that already."),
)


@operator_page("accounts.announce", *ASKS)
def announce(request: HttpRequest) -> HttpResponse:
    """Send an announcement to all tables and the lobby."""
    return run_action(request, ANNOUNCE, 1, _subject())


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
        operator, at, read = Operator.from_request(request), form.at(now), form.cleaned_data
        is_new = attempt(
            form,
            lambda: announcements.plan_maintenance(
                operator, at, read["says"], instead_of=read["instead_of"]
            ),
        )
        if is_new is not None:
            done = _("Maintenance is planned, and everybody was told.")
            is_so = _("It was planned or called off meanwhile. Nothing was changed.")
            add_result(request, done, is_so, is_new=is_new)
            return redirect(subject.back)
    effects = [
        _("Everybody at a table and in the lobby sees a notice with a countdown, at once."),
        _("From that moment on no bet is taken and nothing is dealt at any table. Bets that lie "
          "there go back when their clock runs out."),
        _("Rounds that are played are finished, and nobody loses a seat."),
        _("The floor says when no round is in play any more: then the servers can be stopped."),
    ]  # fmt: skip
    title, button = _("Maintenance"), _("Plan maintenance")
    return show_preview(
        request, title, subject, form, effects, button, template="floor/maintenance.html"
    )


@operator_page("accounts.maintain", "POST")
def end_maintenance(request: HttpRequest) -> HttpResponse:
    """Cancel planned maintenance, or end it."""
    try:
        is_new = announcements.end_maintenance(Operator.from_request(request))
    except BUSY:
        messages.error(request, IS_BUSY)
    else:
        done = _("The house is open, and everybody was told.")
        is_so = _("No maintenance was planned. Nothing was changed.")
        add_result(request, done, is_so, is_new=is_new)
    return redirect("admin:floor")


def _subject(**around: Any) -> Subject:
    back = reverse("admin:floor")
    return Subject("", back, ((_("The floor"), back),), around)
