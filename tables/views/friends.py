"""Views about friends: the page with its forms, and the people of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Final

import structlog
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import check_rate_limit, get_user, is_prefetch
from accounts.lib import server_clock
from accounts.lib.ids import parse_id
from accounts.views import get_next_url
from tables.realtime import publishing
from tables.social import friend_list, friends, invites, invites_by_name, notices
from tables.social.friends import NotPossible
from tables.state.effects import Effects
from tables.views.decorators import mark_notices_seen, redirect_busy_to, redirect_get_to
from tables.views.tables import get_visible_table

log = structlog.get_logger()

Action = Callable[..., Effects[str]]

ACTIONS: Final[dict[str, tuple[Action, str]]] = {
    "ask": (friends.ask, "ask_friend"),
    "accept": (friends.accept, "friends"),
    "decline": (friends.decline, "friends"),
    "withdraw": (friends.withdraw, "friends"),
    "end": (friends.end, "friends"),
    "block": (friends.block, "friends"),
    "unblock": (friends.unblock, "friends"),
    "invite": (invites_by_name.invite, "invite_by_name"),
}
"""The actions by the last part of their address, each with its rate limit."""


@never_cache
@require_safe
@login_required
def friends_page(request: HttpRequest) -> HttpResponse:
    """Friends, requests, notices, and who is here. Its notices are seen then."""
    user, now = get_user(request), server_clock.now()
    context = {
        "people": friend_list.build_page(user, invites.get_request_codes(request), now),
        "notices": notices.list_shown(user.pk, now),
    }
    if not is_prefetch(request) and request.method == "GET":
        mark_notices_seen(partial(notices.mark_seen, user.pk))
    name = "_lists" if request.headers.get("X-Requested-With") == "fetch" else "friends"
    return render(request, f"tables/friends/{name}.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("friends")
@redirect_busy_to("friends")
def act(request: HttpRequest, action: str) -> HttpResponse:
    """Do something about another player. A script gets the sentence as JSON."""
    if action not in ACTIONS:
        raise Http404
    work, limit = ACTIONS[action]
    if answer := check_rate_limit(request, limit):
        return answer
    user, name = get_user(request), request.POST.get("player", "")
    options = {}
    if action == "invite":
        options["table_id"] = parse_id(request.POST.get("table", "")) or 0
    try:
        effects = work(user.pk, name, server_clock.now(), **options)
        publishing.publish_threadsafe(effects)
        message, is_done = effects.value, True
    except NotPossible as refusal:
        message, is_done = str(refusal), False
    if request.headers.get("X-Requested-With") == "fetch":
        return JsonResponse({"isDone": is_done, "says": message})
    (messages.success if is_done else messages.error)(request, message)
    return HttpResponseRedirect(get_next_url(request) or reverse("friends"))


@never_cache
@require_safe
@login_required
def people_here(request: HttpRequest, table_id: int) -> HttpResponse:
    """The people at a table, and whom the player may invite to it, for its page."""
    table = get_visible_table(request, table_id)
    user, now = get_user(request), server_clock.now()
    people = friend_list.list_people(user, table, now)
    invitable = friend_list.list_invitable(user, table, now)
    return JsonResponse(
        {
            "isGuest": user.is_guest,
            "people": [asdict(one) for one in people],
            "invitable": [asdict(one) for one in invitable],
        }
    )
