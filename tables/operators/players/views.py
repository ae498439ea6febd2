"""Views of players: search, and one player's page."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import audit_log
from accounts.http import get_user
from accounts.ledger import adjustments as ledger_adjustments
from accounts.ledger import transfers
from accounts.lib import server_clock
from accounts.lib.errors import OperationRefused
from accounts.lists import export, player_list
from accounts.lists.export import Amount, ListFile
from accounts.lists.forms import ListForm
from accounts.lists.player_list import PlayerFilters, PlayerPage
from accounts.models import Act, Transfer, User
from accounts.staff import assignment
from accounts.users import former_names, limits, sessions
from tables.models import Seat, Table
from tables.operators.lists import list_context
from tables.operators.permissions import operator_page, render_page
from tables.operators.players import freezing
from tables.operators.players.forms import (
    NoteForm,
    PlayerRoundsForm,
    PlayerStatementForm,
    SearchForm,
)
from tables.operators.rounds import reports as rounds_reports
from tables.records import rounds, statement
from tables.records.rounds import RoundCursor, RoundFilters
from tables.records.statement import StatementFilters, StatementPage

MOST_ROWS = 50
"""The number of notes, actions, reports and tables listed for a player, newest first."""


@operator_page("accounts.view_user")
def players(request: HttpRequest) -> HttpResponseBase:
    """The players found by a search, or the newest ones; none if a filter is invalid."""
    form = SearchForm(request.GET)
    is_valid = form.is_valid()
    if is_valid and export.is_wanted(request):
        return export.download(request, _players_file(form.filters), form.query, logged=form.logged)
    after = form.cleaned_data["after"] if is_valid else ""
    page = player_list.list_players(form.filters, after=after) if is_valid else PlayerPage([], None)
    context = {
        **list_context(form),
        "players": page.users,
        "balances": transfers.get_balances(user.pk for user in page.users),
        "formerly": page.formerly,
        "onward_url": f"?{urlencode({**form.query, 'after': page.onward})}"
        if page.onward
        else None,
        "first_url": f"?{urlencode(form.query)}" if after else None,
    }
    return render_page(request, "players/list.html", _("Players"), context)


def _players_file(filters: PlayerFilters) -> ListFile:
    columns = (
        "number", "name", "former_name", "guest", "operator", "frozen_since", "muted_until",
        "deleted", "email", "joined", "balance_in_units",
    )  # fmt: skip

    def read(after: str | None) -> tuple[list[list[object]], str | None]:
        page = player_list.list_players(filters, after=after or "", size=export.AT_ONCE)
        balances = transfers.get_balances(user.pk for user in page.users)
        rows: list[list[object]] = [
            [
                user.pk, user.username, page.formerly.get(user.pk), user.is_guest, user.is_staff,
                user.frozen_at, user.silenced_until, user.is_deleted, user.email, user.date_joined,
                Amount(balances[user.pk]) if user.pk in balances else None,
            ]
            for user in page.users
        ]  # fmt: skip
        return rows, page.onward

    return ListFile("players", columns, export.read_pages(read))


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
        "former_names": former_names.list_names([user.pk]).get(user.pk, [])[:MOST_ROWS],
    }
    if request.user.has_perm("accounts.view_act"):
        context["acts"] = acts.exclude(what=Act.What.NOTE)[:MOST_ROWS]
    if request.user.has_perm("tables.view_report"):
        reports = rounds_reports.filter_for(request.user.pk)
        context["reports"] = reports.filter(user=user)[:MOST_ROWS]
        context["reports_about"] = reports.filter(about=user)[:MOST_ROWS]
    return render_page(request, "players/player.html", user.username, context)


@operator_page("accounts.view_transfer")
def player_statement(request: HttpRequest, user_id: int) -> HttpResponseBase:
    """The player's statement, as the player sees it; empty if a filter is invalid."""
    user, form = get_object_or_404(User, pk=user_id), PlayerStatementForm(request.GET)
    is_valid, before = form.is_valid(), request.GET.get("before")
    if is_valid and export.is_wanted(request):
        file = _statement_file(user, form.filters)
        logged = {**form.logged, "player": audit_log.build_subject(user)}
        return export.download(request, file, form.query, logged=logged)
    lines = StatementPage([], None, None)
    if is_valid:
        lines = statement.list_lines(user.pk, form.filters, before=before)
    adjustments = [
        line.transfer_id
        for line in lines.lines
        if line.transfer_id is not None and line.words.kind == Transfer.Kind.ADJUSTMENT
    ]
    context = {
        **page_context(request, user, "player_statement"),
        **list_context(form),
        "page": lines,
        "reversible": ledger_adjustments.find_reversible(adjustments) if adjustments else set(),
        "older_url": _page_query(form, lines.older) if lines.older else None,
        "newest_url": _page_query(form, None) if before else None,
    }
    title = _("Statement of %(name)s") % {"name": user.username}
    return render_page(request, "players/statement.html", title, context)


def _statement_file(user: User, filters: StatementFilters) -> ListFile:
    columns = (
        "entry", "transfer", "time", "what", "table", "round_at_table", "round", "to_or_from",
        "amount_in_units", "balance_in_units", "reason",
    )  # fmt: skip
    pages = (
        [
            (
                line.id, line.transfer_id, line.at, line.words.what,
                *((round_.table, round_.number, round_.id) if round_ else (None, None, None)),
                line.words.other_side, Amount(line.amount), Amount(line.balance),
                line.words.because,
            )
            for line in lines
            for round_ in [line.words.round]
        ]
        for lines in statement.iter_lines(user.pk, filters, at_once=export.AT_ONCE)
    )  # fmt: skip
    return ListFile(f"statement-{user.pk}", columns, pages)


@operator_page("tables.view_hand")
def player_rounds(request: HttpRequest, user_id: int) -> HttpResponseBase:
    """All rounds of the player, newest first, also those before the history was cleared."""
    user, form = get_object_or_404(User, pk=user_id), PlayerRoundsForm(request.GET)
    user.history_since = None
    is_valid = form.is_valid()
    if is_valid and export.is_wanted(request):
        file = _rounds_file(user, form.filters)
        logged = {**form.logged, "player": audit_log.build_subject(user)}
        return export.download(request, file, form.query, logged=logged)
    before = RoundCursor.parse(form.cleaned_data["before"]) if is_valid else None
    page = rounds.list_rounds(user, form.filters, before=before) if is_valid else None
    older = page.older if page is not None else None
    context = {
        **page_context(request, user, "player_rounds"),
        **list_context(form),
        "rounds": page.rounds if page is not None else [],
        "older_url": f"?{urlencode({**form.query, 'before': older})}" if older else None,
        "newest_url": f"?{urlencode(form.query)}" if before else None,
    }
    title = _("Rounds of %(name)s") % {"name": user.username}
    return render_page(request, "players/rounds.html", title, context)


def _rounds_file(user: User, filters: RoundFilters) -> ListFile:
    columns = (
        "round", "ended", "table", "table_name", "round_at_table", "rules", "hands", "outcome",
        "bet_behind", "stake_in_units", "payout_in_units", "net_in_units",
    )  # fmt: skip
    pages = (
        [
            (
                played.id, played.result.finished_at, played.result.table_id,
                played.result.table.name, played.number, played.result.rules_key,
                len(played.hands), played.result.outcome, played.is_behind,
                Amount(played.stake), Amount(played.payout), Amount(played.net),
            )
            for entry in entries
            for played in entry.rounds
        ]
        for entries in rounds.iter_entries(user, filters, size=export.AT_ONCE)
    )  # fmt: skip
    return ListFile(f"rounds-of-{user.pk}", columns, pages)


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


def _page_query(form: ListForm, before: int | None) -> str:
    query = {**form.query, **({"before": before} if before else {})}
    return f"?{urlencode(query)}"
