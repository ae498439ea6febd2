"""Views for friends: open a table, follow an invite."""

from __future__ import annotations

from http import HTTPStatus
from io import BytesIO

import segno
import structlog
from allauth.core.internal.ratelimit import RateLimitUsage
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import (
    count_request,
    get_user,
    is_cross_site,
    is_for_page,
    render_too_many_requests,
)
from accounts.lib import server_clock
from accounts.lib.errors import BUSY, OperationRefused
from accounts.lib.plain_text import to_plain_line
from accounts.lib.site_links import absolute_url
from accounts.users.signup_forms import GuestForm
from tables import access
from tables.advice import game_odds
from tables.engine.presets import PRESETS
from tables.game import lifecycle
from tables.game.matches import duplicates, opening
from tables.lobby.forms import DUPLICATE, MATCH, PlayerTableForm
from tables.models import Match, OldCode, Table
from tables.models.invite_codes import parse_code
from tables.realtime import publishing
from tables.social import invites, invites_by_name
from tables.texts import rules as texts_rules
from tables.texts.odds import describe_edge
from tables.views.decorators import require_table_maker
from tables.views.seats import take_free_seat, take_seat
from tables.views.tables import lobby_page

log = structlog.get_logger()

LONGEST_TYPED = 20
"""The length of the field of a typed code."""


@require_http_methods(["GET", "HEAD", "POST"])
@require_table_maker
@login_required
def new_table(request: HttpRequest) -> HttpResponse:
    """Open a table and redirect to it."""
    form = PlayerTableForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            if form.cleaned_data["play"] == DUPLICATE:
                return redirect("match", _create_duplicate(request, form).pk)
            table = _create_table(request, form)
        except OperationRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            publishing.publish_lobby(table.pk)
            _notify_friends(table)
            if error := take_seat(request, table.pk, 1):
                messages.error(request, error.message)
            return redirect("table", table.pk)
    pages = [texts_rules.build_page(rules) for rules in PRESETS.values()]
    games = game_odds.find_all(PRESETS.values())
    edges = {rules.key: describe_edge(rules, game) for rules, game in games.items()}
    context = {
        "form": form,
        "pages": pages,
        "edges": edges,
        "most_tables": lifecycle.has_most_tables(get_user(request).pk)
        and lifecycle.explain_most_tables(),
    }
    return render(request, "tables/lobby/new_table.html", context)


def _notify_friends(table: Table) -> None:
    """Tell the host's friends. The table is open, also if the site is too busy for this."""
    try:
        news = invites_by_name.notify_friends(table, server_clock.now())
    except BUSY:
        log.warning("friends_not_told", table_id=table.pk)
    else:
        publishing.publish_threadsafe(news)


def _create_table(request: HttpRequest, form: PlayerTableForm) -> Table:
    """Create the table of a valid form, or a match with its table."""
    rules_key, host_id = form.cleaned_data["rules_key"], request.user.pk
    assert host_id is not None
    if form.cleaned_data["play"] == MATCH:
        return opening.open_match(
            rules_key=rules_key,
            host_id=host_id,
            rounds=form.rounds_of_match,
            stack=form.match_stack_size,
            **form.settings,
        )
    return lifecycle.open_table(rules_key=rules_key, host_id=host_id, **form.settings)


def _create_duplicate(request: HttpRequest, form: PlayerTableForm) -> Match:
    """Create the duplicate match of a valid form."""
    names = (
        "name", "rules_options", "betting_seconds", "turn_seconds", "time_bank_seconds", "has_hints",
    )  # fmt: skip
    assert request.user.pk is not None
    assert form.rounds_of_match is not None
    return duplicates.open_duplicate(
        rules_key=form.cleaned_data["rules_key"],
        host_id=request.user.pk,
        rounds=form.rounds_of_match,
        stack=form.match_stack_size,
        **{name: form.settings[name] for name in names},
    )


@require_safe
def join_by_code(request: HttpRequest) -> HttpResponse:
    """Join by a typed code. The lobby shows a wrong one again, with the error."""
    if "code" not in request.GET:
        return redirect("lobby")
    text = request.GET["code"]
    code = parse_code(text)
    usage = _count_code(request)
    if code is not None and usage is None:
        return render_too_many_requests(request)
    if code is None or (_open_table(code) is None and not _was_valid(code)):
        line = to_plain_line(text)[:LONGEST_TYPED]
        context = {**lobby_page(request), "typed_code": line, "is_wrong_code": True}
        return render(request, "tables/lobby/lobby.html", context)
    if usage is not None:
        usage.rollback()
    return redirect("join", code)


@require_safe
def join(request: HttpRequest, code: str) -> HttpResponse:
    """Follow an invite: take a free seat and redirect to the table, or to the login first.

    A repeated GET is safe, also after a login. Requests from other sites' pages come without the
    session cookie (SameSite), so they cannot seat the user.
    """
    usage = _count_code(request)
    if usage is None:
        return render_too_many_requests(request)
    table_code = parse_code(code) or ""
    table = _open_table(table_code)
    if table is None:
        return _invalid_invite(request, table_code)
    usage.rollback()
    if request.user.pk is None:
        page = render(request, "tables/lobby/invited.html", _invitation_context(table))
        invites.store_invite(request, page, table)
        return page
    if table.is_private and access.is_banned(table, request.user.pk):
        messages.error(request, _("The host has banned you from this table."))
        return redirect("lobby")
    access.store_invite(request.session, table)
    access.admit_by_invite(table, request.user.pk, invites.get_request_codes(request))
    take_free_seat(request, table)
    return redirect("table", table.pk)


@require_safe
def invite_qr(request: HttpRequest, code: str) -> HttpResponse:
    """The QR code of an invite link as an image. It reads no table, and tells nothing of one."""
    table_code = parse_code(code)
    if table_code is None:
        raise Http404
    link = absolute_url(reverse("join", args=[table_code]))
    image = BytesIO()
    # Dark on light in both colour schemes: some cameras read no other.
    segno.make_qr(link, error="m").save(image, kind="svg", omitsize=True, light="#fff")
    return HttpResponse(image.getvalue(), content_type="image/svg+xml")


def _invitation_context(table: Table) -> dict[str, object]:
    players = [seat.user.username for seat in table.seats.all()]
    return {
        "table": table,
        "maker": table.maker.username if table.maker else None,
        "players": players,
        "differences": texts_rules.list_differences(table.rules),
        "free_seats": table.rules.seats - len(players),
        "join_url": reverse("join", args=[table.code]),
        "guest_form": GuestForm(),
    }


def _open_table(code: str) -> Table | None:
    """The open table of this code."""
    tables = Table.objects.select_related("maker").defer("state").prefetch_related("seats__user")
    return tables.filter(code=code, closed_at=None).first()


def _invalid_invite(request: HttpRequest, code: str) -> HttpResponse:
    """The page of a code that leads to no table: closed, renewed, or never valid."""
    closed_table = Table.objects.filter(code=code, closed_at__isnull=False).defer("state").first()
    old = OldCode.objects.filter(code=code).select_related("table").defer("table__state").first()
    context = {
        "closed": closed_table,
        "is_renewed": old is not None,
        # An old code is not enough to read the name of the table.
        "is_closed": closed_table is not None
        or (old is not None and old.table.closed_at is not None),
    }
    status = HTTPStatus.GONE if closed_table or old else HTTPStatus.NOT_FOUND
    return render(request, "tables/lobby/invalid_invite.html", context, status=status)


def _was_valid(code: str) -> bool:
    """Whether a table had this code once, or has it and is closed."""
    is_old = OldCode.objects.filter(code=code).exists()
    return is_old or Table.objects.filter(code=code).exists()


def _count_code(request: HttpRequest) -> RateLimitUsage | None:
    """Count the code as a wrong one; ``None`` if too many came from this address.

    It is counted before anything is answered, so that no number of requests at once is answered; a
    right code is given back. Images and frames of other sites' pages are refused: a visitor of such
    a page has guessed nothing.
    """
    if is_cross_site(request) and not is_for_page(request):
        raise PermissionDenied
    return count_request(request, "wrong_code", counts_get=True)
