"""Views for friends: open a table, follow an invite."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import is_counted, slowed_down
from tables import access
from tables.engine.presets import PRESETS
from tables.game.lifecycle import MOST_TABLES, TooManyInAnHour, TooManyTables
from tables.lobby.forms import MakeTableForm
from tables.models import Table
from tables.models.invite_codes import read_code
from tables.realtime import publishing
from tables.social import invites
from tables.texts import rules as texts_rules
from tables.views.tables import take_seat


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new_table(request: HttpRequest) -> HttpResponse:
    """Open a table and redirect to it."""
    form = MakeTableForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            table = form.open_table(maker_id=request.user.pk)
        except TooManyInAnHour:
            said = _("You've created %(number)s tables in the last hour. Try again later.")
            form.add_error(None, said % {"number": settings.TABLES_PER_HOUR})
        except TooManyTables:
            said = _("You already have %(number)s open tables. Close one of them first.")
            form.add_error(None, said % {"number": MOST_TABLES})
        else:
            publishing.publish_lobby()
            if refused := take_seat(request, table.pk, 1):
                messages.error(request, refused)
            return redirect("table", table.pk)
    pages = [texts_rules.rules_page(rules) for rules in PRESETS.values()]
    return render(request, "tables/lobby/new_table.html", {"form": form, "pages": pages})


@require_safe
def join_by_code(request: HttpRequest) -> HttpResponse:
    """Join by a typed code."""
    code = read_code(request.GET.get("code", ""))
    if code is not None and _is_guessing(request):
        return slowed_down(request)
    if code is None or _invited_to(request, code) is None:
        messages.error(request, _("No table has that code. Check it with your friend."))
        return redirect("lobby")
    return redirect("join", code)


@require_safe
def join(request: HttpRequest, code: str) -> HttpResponse:
    """Follow an invite: take a free seat and redirect to the table, or to the login first.

    A repeated GET is safe, also after a login. Requests from other sites' pages come without the
    session cookie (SameSite), so they cannot seat the user.
    """
    if _is_guessing(request):
        return slowed_down(request)
    table = _invited_to(request, read_code(code))
    if table is None:
        raise Http404
    if request.user.pk is None:
        page = render(request, "tables/lobby/invited.html", _invitation(table))
        invites.remember(request, page, table)
        return page
    access.remember(request.session, table)
    access.admit_by_invite(table, request.user.pk, invites.of_request(request))
    _take_a_seat(request, table)
    return redirect("table", table.pk)


def _take_a_seat(request: HttpRequest, table: Table) -> None:
    """Take the first free seat, or show why the user only watches."""
    taken = {seat.number: seat.user_id for seat in table.seats.all()}
    if request.user.pk in taken.values():
        return
    if table.is_locked and table.maker_id != request.user.pk:
        messages.info(request, _("The table is locked, so you are watching."))
        return
    refused = _("Every seat is taken, so you are watching.")
    for number in range(1, table.rules.seats + 1):
        if number not in taken:
            refused = take_seat(request, table.pk, number)
            if not refused:
                return
    messages.info(request, refused)


def _invitation(table: Table) -> dict[str, object]:
    taken = [seat.user.username for seat in table.seats.all()]
    return {
        "table": table,
        "maker": table.maker.username if table.maker else None,
        "players": taken,
        "differences": texts_rules.differences(table.rules),
        "free_seats": table.rules.seats - len(taken),
        "join_url": reverse("join", args=[table.code]),
    }


def _invited_to(request: HttpRequest, code: str | None) -> Table | None:
    """The open table of this code; a wrong code is counted."""
    tables = Table.objects.select_related("maker").defer("state").prefetch_related("seats__user")
    table = tables.filter(code=code or "", closed_at=None).first()
    if table is None:
        is_counted(request, "wrong_code", counts_get=True)
    return table


def _is_guessing(request: HttpRequest) -> bool:
    """Whether too many wrong codes came from this address; right ones are not counted."""
    return not is_counted(request, "wrong_code", counts_get=True, only_looks=True)
