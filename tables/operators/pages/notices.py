"""The pages on which operators tell the whole house something."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.db import Error as DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.maintenance import planned
from accounts.trail import Operator
from tables.operators import floor, notices
from tables.operators.floor_forms import AnnouncementForm, MaintenanceForm
from tables.operators.gate import IS_BUSY, page, shown


@page("accounts.announce", "GET", "HEAD", "POST")
def announce(request: HttpRequest) -> HttpResponse:
    """Tell all tables and the lobby something."""
    form = AnnouncementForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        text = form.cleaned_data["text"]
        _tell(
            request,
            lambda who: notices.announce(who, text),
            done=_("Everybody was told."),
            is_so=_("Everybody was told just that already."),
        )
        return redirect("admin:floor")
    effects = (
        _("Everybody who has a table or the lobby open sees it at once."),
        _("So does who opens one in the next ten minutes."),
    )
    context = {"form": form, "effects": effects, "button": _("Announce")}
    return shown(request, "floor_act.html", _("Announce something to everybody"), context)


@page("accounts.maintain", "GET", "HEAD", "POST")
def maintenance(request: HttpRequest) -> HttpResponse:
    """Plan maintenance, or plan it for another moment."""
    now, plan = timezone.now(), planned()
    initial = {"instead_of": notices.mark(plan), "says": plan.says if plan else ""}
    form = MaintenanceForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        at, data = form.at(now), form.cleaned_data
        _tell(
            request,
            lambda who: notices.plan_maintenance(
                who, at, data["says"], instead_of=data["instead_of"]
            ),
            done=_("Maintenance is planned, and everybody was told."),
            is_so=_("It was planned or called off meanwhile. Nothing was changed."),
        )
        return redirect("admin:floor")
    context = {"form": form, "house": floor.house(now)}
    return shown(request, "maintenance.html", _("Maintenance"), context)


@page("accounts.maintain", "POST")
def end_maintenance(request: HttpRequest) -> HttpResponse:
    """Call it off, or open the house again."""
    _tell(
        request,
        notices.end_maintenance,
        done=_("The house is open, and everybody was told."),
        is_so=_("No maintenance was planned. Nothing was changed."),
    )
    return redirect("admin:floor")


def _tell(request: HttpRequest, act: Callable[[Operator], bool], *, done: str, is_so: str) -> None:
    try:
        is_new = act(Operator.of(request))
    except (DatabaseError, TimeoutError):
        messages.error(request, IS_BUSY)
    else:
        level = messages.SUCCESS if is_new else messages.WARNING
        messages.add_message(request, level, done if is_new else is_so)
