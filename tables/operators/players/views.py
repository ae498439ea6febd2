"""Views of players: search, and one player's page."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import audit_log
from accounts.http import get_user
from accounts.ledger import adjustments as ledger_adjustments
from accounts.ledger import transfers
from accounts.lib import server_clock
from accounts.lib.errors import OperationRefused
from accounts.models import Act, Transfer, User
from accounts.staff import assignment
from accounts.users import limits, search, sessions
from tables.models import Report, Seat, Table
from tables.operators.permissions import operator_page, render_page
from tables.operators.players import freezing
from tables.operators.players.forms import NoteForm, SearchForm
from tables.records import rounds, statement
from tables.records.rounds import RoundCursor
from tables.records.statement_form import StatementForm

MOST_ROWS = 50
"""The number of notes, actions, reports and tables listed for a player, newest first."""


@operator_page("accounts.view_user")
def players(request: HttpRequest) -> HttpResponse:
    """The players found by a search, or the newest ones."""
    form = SearchForm(request.GET)
    read = form.cleaned_data if form.is_valid() else None
    words = read["q"] if read else ""
    found = search.find_page(words, after=read["after"]) if read else search.PlayerPage([], None)
    onward = {"after": found.onward, **({"q": words} if words else {})}
    context = {
        "form": form,
        "players": found.users,
        "balances": transfers.get_balances(user.pk for user in found.users),
        "words": words,
        "onward_url": f"?{urlencode(onward)}" if found.onward else None,
        "first_url": f"?{urlencode({'q': words})}" if read and read["after"] else None,
    }
    return render_page(request, "players/list.html", _("Players"), context)


@operator_page("accounts.view_user")
def player(request: HttpRequest, user_id: int) -> HttpResponse:
    """A player's page: account, permissions, seats, sessions, notes and actions."""
    user, now = get_object_or_404(User, pk=user_id), server_clock.now()
    acts = audit_log.list_entries(audit_log.build_subject(user))
    seats = Seat.objects.filter(user=user).select_related("table").defer("table__state")
    context = {
        **page_context(request, user, "player"),
        "limits": limits.load_current_limits(user, now),
        "seats": seats.order_by("table")[:MOST_ROWS],
        "runs": Table.objects.filter(maker=user, closed_at=None).defer("state")[:MOST_ROWS],
        "sessions": sessions.list_sessions(user.pk, now),
        "notes": acts.filter(what=Act.What.NOTE)[:MOST_ROWS],
        "note_form": NoteForm(),
    }
    if request.user.has_perm("accounts.view_act"):
        context["acts"] = acts.exclude(what=Act.What.NOTE)[:MOST_ROWS]
    if request.user.has_perm("tables.view_report"):
        context["reports"] = Report.objects.filter(user=user)[:MOST_ROWS]
    return render_page(request, "players/player.html", user.username, context)


@operator_page("accounts.view_transfer")
def player_statement(request: HttpRequest, user_id: int) -> HttpResponse:
    """The player's statement, as the player sees it."""
    user, form = get_object_or_404(User, pk=user_id), StatementForm(request.GET)
    before = request.GET.get("before")
    lines = statement.list_lines(user.pk, form.filters, before=before)
    adjustments = [
        line.transfer_id
        for line in lines.lines
        if line.transfer_id is not None and line.words.kind == Transfer.Kind.ADJUSTMENT
    ]
    context = {
        **page_context(request, user, "player_statement"),
        "form": form,
        "page": lines,
        "reversible": ledger_adjustments.find_reversible(adjustments) if adjustments else set(),
        "older_url": _page_query(form, lines.older) if lines.older else None,
        "newest_url": _page_query(form, None) if before else None,
    }
    title = _("Statement of %(name)s") % {"name": user.username}
    return render_page(request, "players/statement.html", title, context)


@operator_page("tables.view_hand")
def player_rounds(request: HttpRequest, user_id: int) -> HttpResponse:
    """All rounds of the player, newest first, also those before the history was cleared."""
    user = get_object_or_404(User, pk=user_id)
    user.history_since = None
    before = RoundCursor.parse(request.GET.get("before", ""))
    found = rounds.list_rounds(user, before=before)
    context = {
        **page_context(request, user, "player_rounds"),
        "rounds": found.rounds,
        "older_url": f"?{urlencode({'before': found.older})}" if found.older else None,
        "newest_url": request.path if before else None,
    }
    title = _("Rounds of %(name)s") % {"name": user.username}
    return render_page(request, "players/rounds.html", title, context)


def page_context(request: HttpRequest, user: User, here: str) -> dict[str, object]:
    """The common context of all pages about a player."""
    places = [
        ("player", _("Overview"), "accounts.view_user"),
        ("player_statement", _("Statement"), "accounts.view_transfer"),
        ("player_rounds", _("Rounds"), "tables.view_hand"),
    ]
    by = get_user(request)
    return {
        "player": user,
        "balance": transfers.get_balances([user.pk]).get(user.pk),
        "is_gone": user.is_deleted,
        "is_self": by.pk == user.pk,
        "may_keep_out": _is_allowed(freezing.verify_may_freeze, by, user),
        "may_assign": _is_allowed(assignment.verify_may_assign, by, user),
        "here": here,
        "player_places": [
            (name, reverse(f"admin:{name}", args=[user.pk]), words)
            for name, words, permission in places
            if by.has_perm(permission)
        ],
    }


def _is_allowed(verify: Callable[[User, User], None], by: User, user: User) -> bool:
    try:
        verify(by, user)
    except OperationRefused:
        return False
    return True


def _page_query(form: StatementForm, before: int | None) -> str:
    query = {**form.query, **({"before": before} if before else {})}
    return f"?{urlencode(query)}"
