"""Views of statistics and leaderboard."""

from __future__ import annotations

import datetime as dt

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.http import get_user
from accounts.ledger import gaming_days
from accounts.lib import server_clock
from accounts.models import User
from tables.models import LISTED_FROM, LISTED_FROM_DECISIONS
from tables.records import balance_chart, leaderboard
from tables.records import player_stats as rounds_counted
from tables.records.player_stats import Period
from tables.records.skill import skill_leaderboard, skill_stats
from tables.records.skill.session_card import load_session_card
from tables.results import projector

PERIODS = {Period.DAY: _("Today"), Period.WEEK: _("The last 7 days"), Period.ALL: _("All")}


@never_cache
@require_safe
@login_required
def figures(request: HttpRequest) -> HttpResponse:
    """The statistics of the user, and the balance over time."""
    user = get_user(request)
    period, now = Period.parse(request.GET.get("period")), server_clock.now()
    days = gaming_days.load()
    since = period.first_day(days.day_of(now))
    begin = None if since is None else days.begin_of(since)
    projector.catch_up_for_page()
    rule_stats = rounds_counted.load_rule_stats(user.pk, since)
    is_empty = period is Period.ALL and not rule_stats
    skill = skill_stats.load_skill(user.pk, begin)
    context = {
        "period": period,
        "periods": PERIODS.items(),
        "in_all": rule_stats[0] if rule_stats else None,
        "by_rules": rule_stats[1:],
        "is_empty": is_empty,
        "days": () if period is Period.DAY else rounds_counted.load_day_stats(user.pk, since),
        "skill": skill[0] if skill else None,
        "skill_by_rules": skill[1:],
        "luck": skill_stats.build_luck_chart(user.pk, begin) if skill else None,
        "chart": None if is_empty else balance_chart.build_chart(user, since, now),
    }
    return render(request, "tables/stats/stats.html", context)


@never_cache
@require_safe
@login_required
def session_card(request: HttpRequest, table_id: int) -> HttpResponse:
    """The card of the user's session at a table, which began at ``since`` in milliseconds, as a part
    of a page; empty without a round.
    """
    try:
        # Pages know it rounded to milliseconds, perhaps up.
        since = dt.datetime.fromtimestamp((int(request.GET["since"]) - 1) / 1000, dt.UTC)
    except (KeyError, ValueError, OverflowError, OSError) as error:
        raise Http404 from error
    projector.catch_up_for_page()
    card = load_session_card(get_user(request).pk, table_id, since)
    if card is None:
        return HttpResponse()
    return render(request, "tables/table/_session_card.html", {"card": card})


@never_cache
@require_safe
def leaders(request: HttpRequest) -> HttpResponse:
    """The leaderboard, with the user's own line in it or below it."""
    projector.catch_up_for_page()
    places = leaderboard.list_rows()
    context = {"places": places, "listed_from": LISTED_FROM, "most": leaderboard.PLACES}
    if isinstance(request.user, User) and request.user.pk not in [p.user_id for p in places]:
        context["own"] = leaderboard.load_own_rank(request.user)
    return render(request, "tables/stats/leaderboard.html", context)


@never_cache
@require_safe
def skill_leaders(request: HttpRequest) -> HttpResponse:
    """The leaderboard of skill, with the user's own line in it or below it."""
    places = skill_leaderboard.list_rows()
    context = {
        "places": places,
        "listed_from": LISTED_FROM_DECISIONS,
        "most": leaderboard.PLACES,
    }
    if isinstance(request.user, User) and request.user.pk not in [p.user_id for p in places]:
        context["own"] = skill_leaderboard.load_own_skill(request.user)
    return render(request, "tables/stats/skill_leaderboard.html", context)
