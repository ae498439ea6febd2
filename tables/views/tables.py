"""Views of lobby, table and rules."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any, TypedDict

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import is_prefetch
from accounts.lib import server_clock
from accounts.lib.site_links import site_host
from accounts.lib.times import to_milliseconds
from tables import access
from tables.advice import game_odds
from tables.engine.presets import PRESETS
from tables.engine.rules import Ruleset, Stakes, Tie
from tables.lib.urls import url_with_query
from tables.lobby import cards, table_list
from tables.lobby.table_list import LobbyCursor
from tables.models import Report, Table
from tables.protocol.frames import Snapshot
from tables.realtime import snapshots
from tables.realtime.connections import socket_url
from tables.social import invites, notices
from tables.state import idle_seats, sitting_out
from tables.texts import clocks
from tables.texts import odds as texts_odds
from tables.texts import rules as texts_rules
from tables.views import practice
from tables.views.decorators import mark_notices_seen


class TableRules(TypedDict):
    """The rules that the page of a table needs."""

    key: str
    title: str
    stakes: Stakes | None
    naturals: bool
    matched: bool
    piles: bool
    again: bool
    insurance: bool
    even_money: bool
    surrender: bool
    dealer_wins_ties: bool
    hits_soft_17: bool
    long_shoe: bool
    seats: int
    twenty_one_stands: bool


class TableConfig(TypedDict):
    """The configuration of the script of a table's page."""

    id: int
    name: str
    you: str | None
    account: int | None
    login_url: str
    password_url: str
    socket: str
    rules: TableRules
    seats: int
    snapshot: Snapshot


@require_safe
def lobby(request: HttpRequest) -> HttpResponse:
    """The lobby: open tables, a page at a time, with automatic updates."""
    return render(request, "tables/lobby/lobby.html", lobby_page(request))


@require_safe
def lobby_tables(request: HttpRequest) -> HttpResponse:
    """The list only, for the update of an open lobby."""
    return render(request, "tables/lobby/_tables.html", lobby_page(request))


def lobby_page(request: HttpRequest) -> dict[str, Any]:
    """The context of the lobby's page."""
    now = server_clock.now()  # before the list is read, so that later changes are sent
    after = LobbyCursor.parse(request.GET.get("after", ""))
    page = table_list.list_tables(request.user.pk, after)
    here = {} if after is None else {"after": str(after)}
    return {
        "cards": [cards.render_card(table) for table in page.tables],
        "socket": socket_url.build_lobby_url(request.user.pk, get_language() or ""),
        "now": to_milliseconds(now),
        "source": url_with_query("lobby-tables", here),
        "more_url": url_with_query("lobby", {"after": str(page.more)}) if page.more else None,
        "first_url": reverse("lobby") if here else None,
    }


@require_safe
def table(request: HttpRequest, table_id: int) -> HttpResponse:
    """One table, to play at or to watch."""
    row = get_visible_table(request, table_id)
    if row.is_private and request.user.pk is not None:
        access.admit_by_invite(row, request.user.pk, invites.get_request_codes(request))
        access.list_again(row, request.user.pk)
    if request.user.pk is not None and request.method == "GET" and not is_prefetch(request):
        mark_notices_seen(partial(notices.mark_table_seen, request.user.pk, row.pk))
    config = _build_config(request, row)
    game = game_odds.find(row.rules)
    context = {
        "table": row,
        "rules_page": texts_rules.build_page(row.rules),
        "clocks": _describe_clocks(row),
        "felt_text": texts_rules.felt_text(row.rules),
        "edge": None if game is None else texts_odds.describe_edge(row.rules, game),
        "odds_url": f"{reverse('table-rules', args=[row.pk])}#odds-heading",
        "report_reasons": Report.Reason.choices,
        "hides_money": row.rules.stakes is None,
        "config": msgspec.to_builtins(config),
    }
    return render(request, "tables/table/table.html", context)


@require_safe
def television(request: HttpRequest, table_id: int) -> HttpResponse:
    """One table on a large screen that everybody in the room sees. It has no buttons."""
    row = get_visible_table(request, table_id)
    config = msgspec.to_builtins(_build_config(request, row))
    context = {"table": row, "config": config, "site": site_host()}
    return render(request, "tables/table/television.html", context)


def _build_config(request: HttpRequest, row: Table) -> TableConfig:
    return {
        "id": row.pk,
        "name": row.name,
        "you": request.user.get_username() or None,
        "account": request.user.pk,
        "login_url": f"{reverse('account_login')}?next={request.path}",
        "password_url": f"{reverse('lead-on')}?next={request.path}",
        "socket": socket_url.build_table_url(row.pk, request.user.pk, get_language() or ""),
        "rules": _build_script_rules(row.rules),
        "seats": row.rules.seats,
        "snapshot": snapshots.table_snapshot(
            row.pk, request.user.pk, server_clock.now(), tells_round=True
        ),
    }


def _build_script_rules(rules: Ruleset) -> TableRules:
    return {
        "key": rules.key,
        "title": str(_(rules.title)),
        "stakes": rules.stakes,
        "naturals": rules.natural_pays is not None,
        "matched": rules.is_matched,
        "piles": rules.has_piles,
        "again": rules.asks_to_play_again,
        "insurance": rules.insurance,
        "even_money": rules.insurance and rules.natural_pays == Fraction(3, 2),
        "surrender": rules.surrender,
        "dealer_wins_ties": rules.tie is Tie.DEALER_WINS,
        "hits_soft_17": rules.hits_soft_17,
        "long_shoe": rules.keeps_its_shoe,
        "seats": rules.seats,
        "twenty_one_stands": rules.twenty_one_stands,
    }


@require_safe
def rules_index(request: HttpRequest) -> HttpResponse:
    """All rule sets, for comparison."""
    pages = [texts_rules.build_page(rules) for rules in PRESETS.values()]
    return render(request, "tables/rules/index.html", {"pages": pages})


@require_safe
def rules(request: HttpRequest, key: str) -> HttpResponse:
    """The rules of one preset."""
    if key not in PRESETS:
        raise Http404
    context = {
        "presets": PRESETS.values(),
        "practice_url": practice.practice_url(key, {}),
        **_rules_context(PRESETS[key]),
    }
    return render(request, "tables/rules/rules.html", context)


@require_safe
def table_rules(request: HttpRequest, table_id: int) -> HttpResponse:
    """The rules of one table, its own options included."""
    row = get_visible_table(request, table_id)
    context = {
        "table": row,
        "practice_url": practice.practice_url(row.rules_key, row.rules_options),
        "clocks": _describe_clocks(row),
        **_rules_context(row.rules),
    }
    return render(request, "tables/rules/rules.html", context)


def _describe_clocks(row: Table) -> tuple[str, ...]:
    idle = idle_seats.get_allowed_time(row)
    return clocks.describe_clocks(row, idle, sitting_out.LONGEST, sitting_out.MOST_ROUNDS)


def _rules_context(rules: Ruleset) -> dict[str, Any]:
    """The rules in words, and their value if its computation does not take too long."""
    game = game_odds.get(rules)
    return {
        "rules_page": texts_rules.build_page(rules),
        "odds": None if game is None else texts_odds.build_odds(rules, game),
    }


@require_safe
def fairness(request: HttpRequest) -> HttpResponse:
    """How the shuffle works, and how to check it."""
    return render(request, "tables/rules/fairness.html")


def get_visible_table(request: HttpRequest, table_id: int) -> Table:
    """The open table with this id; 404 without access."""
    tables, codes = Table.objects.select_related("maker"), invites.get_request_codes(request)
    row = access.find_visible(tables, table_id, request.user.pk, codes)
    if row is None:
        raise Http404
    return row
