"""Calls on a device, when it is the player's turn and no page of the table is in sight."""

from __future__ import annotations

from dataclasses import asdict

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.http import check_rate_limit, get_user
from accounts.lib import server_clock
from tables.lib import push_keys
from tables.social import calls
from tables.views.decorators import redirect_get_to


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def calls_here(request: HttpRequest) -> HttpResponse:
    """Tell whether this session is called, and the site's key; with POST, call it."""
    user, key = get_user(request), request.session.session_key or ""
    if request.method != "POST":
        kinds = calls.find_kinds(user.pk, key)
        data = {
            "isOn": kinds is not None,
            "key": push_keys.get_public_key(),
            "kinds": asdict(kinds or calls.Kinds()),
        }
        return JsonResponse(data)
    if answer := check_rate_limit(request, "calls"):
        return answer
    try:
        device = calls.Device(
            *(request.POST.get(name, "") for name in ("endpoint", "p256dh", "auth"))
        )
    except calls.NotASubscription as error:
        raise Http404 from error
    calls.subscribe(user.pk, key, device, get_language() or "", server_clock.now())
    kinds = calls.find_kinds(user.pk, key) or calls.Kinds()
    return JsonResponse({"isOn": True, "kinds": asdict(kinds)})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("account")
def choose_calls(request: HttpRequest) -> HttpResponse:
    """Choose what this session is called for."""
    if answer := check_rate_limit(request, "call_kinds"):
        return answer
    kinds = calls.Kinds(*(name in request.POST for name in ("turns", "seats", "friends")))
    is_on = calls.choose_kinds(get_user(request).pk, request.session.session_key or "", kinds)
    return JsonResponse({"isOn": is_on, "kinds": asdict(kinds)})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("account")
def end_calls(request: HttpRequest) -> HttpResponse:
    """Call this session no more."""
    calls.unsubscribe(get_user(request).pk, request.session.session_key or "")
    return JsonResponse({"isOn": False})
