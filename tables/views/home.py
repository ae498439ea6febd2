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

from accounts.http import get_user
from accounts.lib import server_clock
from accounts.users import limits
from tables import access
from tables.engine.presets import PRESETS
from tables.game import rebuys
from tables.lobby import home
from tables.models import Seat
from tables.protocol.commands import Leave
from tables.protocol.frames import Err
from tables.realtime import dispatch, publishing
from tables.state.effects import Effects
from tables.views.decorators import redirect_busy_to, redirect_get_to
from tables.views.seats import take_seat


@never_cache
@require_safe
@login_required
def home_page(request: HttpRequest) -> HttpResponse:
    """The home page, the main menu of seed 003."""
    user, now = get_user(request), server_clock.now()
    context = {
        "seats": home.list_seats(user),
        "rule_sets": PRESETS.values(),
        "last_rules": home.last_rules(user),
        "tables": home.list_tables(user, now),
        "matches": home.list_matches(user),
        "rebuy": rebuys.get_rebuy_state(user, now),
        "limits": limits.load_current_limits(user, now),
    }
    return render(request, "tables/lobby/home.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_busy_to("home")
def leave_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Leave a table from the home page. With an open hand, which then stands, it asks first."""
    user = get_user(request)
    seats = {seat.table_id: seat for seat in home.list_seats(user)}
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
        message = _("Your hand at %(table)s stands. You leave your seat after this round.")
        messages.success(request, message % {"table": seat.table})
    else:
        messages.success(request, _("You have left %(table)s.") % {"table": seat.table})
    return redirect("home")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("home")
@redirect_busy_to("home")
def start_game(request: HttpRequest) -> HttpResponse:
    """Take a seat at a public table of the chosen rules, an empty one if there is one."""
    user, key = get_user(request), request.POST.get("rules", "")
    if key not in PRESETS:
        messages.error(request, _("Choose one of the rule sets."))
        return redirect("home")
    for table_id, number in home.free_seats(user, key):
        error = take_seat(request, table_id, number)
        if error is None:
            return redirect("table", table_id)
        if error.code not in (
            "seat_taken",
            "seat_offered",
            "table_locked",
            "table_closed",
            "removed",
            "banned",
        ):
            messages.error(request, error.message)
            return redirect("home")
    if (own_seat := home.seat_with_rules(user, key)) is not None:
        messages.info(request, _("You already have a seat here. No other table is free."))
        return redirect("table", own_seat)
    message = _(
        "No seat is free at a public table with %(rules)s rules. Create a table of your own."
    )
    messages.warning(request, message % {"rules": _(PRESETS[key].title)})
    return redirect("home")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("home")
@redirect_busy_to("home")
def unlist_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Take a table of somebody else off the user's lists. A visit puts it back."""
    user = get_user(request)
    if name := access.take_off_lists(table_id, user.pk):
        message = _("Removed %(table)s from your list. Open the table again to put it back.")
        messages.success(request, message % {"table": name})
        publishing.publish_threadsafe(Effects(None, lobby_of=(user.pk,)))
    return redirect("home")
