"""The home page."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import user_of
from accounts.lib import server_clock
from accounts.users import limits
from tables.game import rebuys
from tables.lobby import home
from tables.models import Seat
from tables.protocol.commands import Leave
from tables.protocol.frames import Err
from tables.realtime import dispatch
from tables.views.decorators import busy_leads_to


@never_cache
@require_safe
@login_required
def home_page(request: HttpRequest) -> HttpResponse:
    """The home page, the main menu of seed 003."""
    user, now = user_of(request), server_clock.now()
    context = {
        "seats": home.seats_of(user),
        "tables": home.tables_of(user),
        "rebuy": rebuys.rebuy_state(user, now),
        "limits": limits.in_force(user, now),
    }
    return render(request, "tables/lobby/home.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@busy_leads_to("home")
def leave_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Leave a table from the home page. With an open hand, which then stands, it asks first."""
    user = user_of(request)
    seats = {seat.table_id: seat for seat in home.seats_of(user)}
    seat = seats.get(table_id)
    if seat is None:
        messages.info(request, _("You no longer have a seat there."))
        return redirect("home")
    if request.method != "POST":
        return render(request, "tables/lobby/leave_table.html", {"seat": seat})
    answer = dispatch.execute_and_wait(table_id, user.pk, Leave(uuid.uuid4()))
    if isinstance(answer, Err):
        messages.error(request, answer.message)
    elif Seat.objects.filter(table=table_id, user=user).exists():
        said = _("Your hand at %(table)s stands. You leave your seat after this round.")
        messages.success(request, said % {"table": seat.table})
    else:
        messages.success(request, _("You have left %(table)s.") % {"table": seat.table})
    return redirect("home")
