"""Views of matches: the page, the link to a duplicate match, and what its players do there."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import check_rate_limit, count_request, render_too_many_requests
from accounts.lib.errors import OperationRefused
from accounts.lib.ids import LARGEST_ID
from accounts.lib.site_links import absolute_url
from tables import access
from tables.game.matches import duplicates, opening
from tables.game.matches.progress import FEWEST
from tables.models import Match, MatchPlayer, Shoe, Table
from tables.realtime import dispatch
from tables.records.matches.match_page import build_match_page
from tables.social import invites
from tables.views.decorators import redirect_busy_to, redirect_get_to
from tables.views.seats import take_free_seat


@never_cache
@require_safe
def match_page(request: HttpRequest, match_id: int) -> HttpResponse:
    """The standings and the rounds of a match; of a duplicate match also its shoes and its players."""
    return render(request, "tables/matches/match.html", _build_context(request, match_id))


@never_cache
@require_safe
def match_now(request: HttpRequest, match_id: int) -> HttpResponse:
    """The part of the page that changes, for an open page."""
    return render(request, "tables/matches/_now.html", _build_context(request, match_id))


@require_safe
@login_required
def match_invite(request: HttpRequest, match_id: int, code: str) -> HttpResponse:
    """Follow the link of a duplicate match to its page."""
    usage = count_request(request, "wrong_code", counts_get=True)
    if usage is None:
        return render_too_many_requests(request)
    match = _find(match_id, kind=Match.Kind.DUPLICATE, code=code.upper()).first()
    if match is None:
        raise Http404
    usage.rollback()
    access.store_match_invite(request.session, match)
    return redirect("match", match.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("lobby")
@redirect_busy_to("lobby")
def again(request: HttpRequest, match_id: int) -> HttpResponse:
    """Open the next match with the same settings for the same people, and go there."""
    match = _get_visible(request, match_id)
    if answer := check_rate_limit(request, "table_settings"):
        return answer
    assert request.user.pk is not None
    work = duplicates.open_rematch if match.is_duplicate else opening.open_rematch
    try:
        opened = dispatch.run(partial(work, match.pk, request.user.pk))
    except Match.DoesNotExist as nobody:
        raise Http404 from nobody
    except OperationRefused as refusal:
        messages.error(request, str(refusal))
    else:
        if match.is_duplicate:
            return redirect("match", opened)
        table = Table.objects.select_related("maker").prefetch_related("seats__user").get(pk=opened)
        take_free_seat(request, table)
        return redirect("table", opened)
    return redirect("match", match.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("lobby")
@redirect_busy_to("lobby")
def enter(request: HttpRequest, match_id: int) -> HttpResponse:
    """Enter a duplicate match before its start."""
    return _do(request, match_id, duplicates.enter)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("lobby")
@redirect_busy_to("lobby")
def withdraw(request: HttpRequest, match_id: int) -> HttpResponse:
    """Leave a duplicate match before its start, for the lobby: its page may be closed to who left."""
    answer = _do(request, match_id, duplicates.withdraw)
    match = Match.objects.get(pk=match_id)
    codes = invites.get_request_codes(request)
    return answer if access.may_see_match(match, request.user.pk, codes) else redirect("lobby")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("lobby")
@redirect_busy_to("lobby")
def start(request: HttpRequest, match_id: int) -> HttpResponse:
    """Start a duplicate match, and go to the own table, whose first clock runs."""
    answer = _do(request, match_id, duplicates.start)
    mine = MatchPlayer.objects.filter(match=match_id, user=request.user.pk, table__isnull=False)
    player = mine.first()
    return answer if player is None else redirect("table", player.table_id)


def _do(request: HttpRequest, match_id: int, work: Any) -> HttpResponse:
    match = _get_visible(request, match_id)
    if not match.is_duplicate:
        raise Http404
    if answer := check_rate_limit(request, "table_settings"):
        return answer
    try:
        dispatch.run(partial(work, match.pk, request.user.pk))
    except OperationRefused as refusal:
        messages.error(request, str(refusal))
    return redirect("match", match.pk)


def _build_context(request: HttpRequest, match_id: int) -> dict[str, Any]:
    match = _get_visible(request, match_id)
    players = list(match.players.order_by("pk"))
    page = build_match_page(match, request.user.pk, opening.find_host(match, players))
    may_enter = match.is_duplicate and match.state == Match.State.WAITING
    return {
        "page": page,
        "match": match,
        "may_enter": may_enter and not page.is_yours and len(players) < duplicates.MOST,
        "may_start": may_enter and page.is_host and len(players) >= FEWEST,
        "may_go_again": match.has_ended and page.is_yours and not _has_open_rematch(match),
        "link": absolute_url(reverse("match-invite", args=[match.pk, match.code])),
        "seals": _list_seals(match),
        "rules": _get_table_rules(match),
    }


def _has_open_rematch(match: Match) -> bool:
    if match.rematch is None:
        return False
    if match.is_duplicate:
        return match.rematch.state != Match.State.BROKEN_OFF
    return Table.objects.filter(match=match.rematch_id, closed_at=None).exists()


def _list_seals(match: Match) -> list[Shoe]:
    """The shoes of a duplicate match as they were sealed, in the order of the rounds."""
    if not match.is_duplicate or match.started_at is None:
        return []
    return list(Shoe.objects.filter(table__match=match, same_as=None).order_by("number"))


def _get_table_rules(match: Match) -> Any:
    if match.is_duplicate:
        return Table(**match.settings).rules
    table = Table.objects.filter(match=match).defer("state").first()
    return table.rules if table else None


def _get_visible(request: HttpRequest, match_id: int) -> Match:
    """The match with this id; 404 without access."""
    match = _find(match_id).first()
    if match is None or not access.may_see_match(
        match, request.user.pk, invites.get_request_codes(request)
    ):
        raise Http404
    return match


def _find(match_id: int, **more: str) -> QuerySet[Match]:
    return Match.objects.filter(pk=min(match_id, LARGEST_ID), **more).defer("secrets")
