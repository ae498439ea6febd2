"""Views and helpers that give a user a seat."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts import site_settings
from accounts.doors.access import may_sign_up
from accounts.http import (
    get_client_address,
    goes_on_after_login,
    is_cross_site,
    is_for_page,
    is_prefetch,
)
from accounts.lib.errors import BUSY, TRY_AGAIN
from tables import access
from tables.models import Table
from tables.protocol.commands import Sit
from tables.protocol.frames import Err
from tables.realtime import dispatch
from tables.realtime.connections import rate_limits
from tables.social import invites, seat_requests
from tables.views.tables import get_visible_table

MOST_SEATS = 3


@require_http_methods(["GET", "POST"])
def sit(request: HttpRequest, table_id: int, number: int) -> HttpResponse:
    """Take a free seat and redirect to the table.

    A visitor logs in first, and comes back with a GET and the cookie of the request. A GET without
    it only leads to the table, and so does one that is not somebody's own step to a page.
    """
    if request.user.pk is None:
        return _log_in_first(request, table_id, number)
    onward = redirect("table", table_id)
    if request.method == "POST":
        _table_to_sit_at(request, table_id)
        if not 1 <= number <= MOST_SEATS:
            messages.error(request, _("This table has no such seat."))
        elif error := take_seat(request, table_id, number):
            messages.error(request, error.message)
    elif _is_own_step(request) and seat_requests.is_for(request, table_id, number):
        take_free_seat(request, _table_to_sit_at(request, table_id), number)
        seat_requests.forget(onward)
    return onward


def _is_own_step(request: HttpRequest) -> bool:
    return is_for_page(request) and not is_cross_site(request) and not is_prefetch(request)


def _table_to_sit_at(request: HttpRequest, table_id: int) -> Table:
    """The table with this id, where the user's invite counts from now on; 404 without access."""
    table = get_visible_table(request, table_id)
    if table.is_private and request.user.pk is not None:
        access.admit_by_invite(table, request.user.pk, invites.get_request_codes(request))
    return table


def _log_in_first(request: HttpRequest, table_id: int, number: int) -> HttpResponse:
    login = redirect_to_login(request.path)
    if request.method == "POST" and 1 <= number <= MOST_SEATS:
        seat_requests.remember(login, table_id, number)
        is_open = may_sign_up(request) and site_settings.get().allows_guests
        everything = _("Log in, sign up or play as a guest to take that seat.")
        messages.info(request, everything if is_open else _("Log in to take that seat."))
        goes_on_after_login(login)
    return login


def take_seat(request: HttpRequest, table_id: int, number: int) -> Err | None:
    """Give the user a seat; return the refusal, if any."""
    assert request.user.pk is not None
    command = Sit(uuid.uuid4(), number)
    source = get_client_address(request)
    if rate_limits.is_over_command_rate(source, command):
        return Err(
            command.id, "too_fast", str(_("Too many messages at once. Wait a few seconds.")), 0
        )
    try:
        answer = dispatch.execute_and_wait(table_id, request.user.pk, command, address=source)
    except BUSY:
        return Err(command.id, "busy", str(TRY_AGAIN), 0)
    if isinstance(answer, Err) and answer.code != "already_seated":
        return answer
    return None


def take_free_seat(request: HttpRequest, table: Table, seat_number: int | None = None) -> None:
    """Give the user the wanted seat, or else the next free one, with a message if it is another.

    If the user may not sit down, the message says why, and also if the free seats are offered to
    players in line. That every seat is taken, the page says.
    """
    occupants = {seat.number: seat.user_id for seat in table.seats.all()}
    if request.user.pk in occupants.values():
        return
    if table.is_locked and table.maker_id != request.user.pk:
        messages.info(request, _("The table is locked, so you are watching."))
        return
    offer_error: Err | None = None
    for number in _in_order(table.rules.seats, seat_number or 1):
        if number in occupants:
            continue
        error = take_seat(request, table.pk, number)
        if error is None:
            if seat_number not in (None, number):
                message = _("Seat %(wanted)s was just taken, so you have seat %(number)s.")
                messages.info(request, message % {"wanted": seat_number, "number": number})
            return
        if error.code == "seat_offered":
            offer_error = error
        elif error.code != "seat_taken":
            messages.warning(request, error.message)
            return
    if offer_error is not None:
        message = _("%(why)s You can get in line.")
        messages.info(request, message % {"why": offer_error.message})


def _in_order(seats: int, first: int) -> list[int]:
    """The seat numbers from ``first`` on, and then those before it."""
    return [*range(first, seats + 1), *range(1, min(first, seats + 1))]
