from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.http import urlencode

from accounts import site_settings
from accounts.doors.access import Doors
from accounts.ledger import transfers
from accounts.lib import languages as site_languages
from accounts.models import User
from accounts.users import sessions


def wallet(request: HttpRequest) -> dict[str, int | None]:
    """``wallet_balance`` in hundredths, for the head of every page; ``None`` without a wallet."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {"wallet_balance": transfers.get_balances([user.pk]).get(user.pk)}


def frozen(request: HttpRequest) -> dict[str, User | None]:
    """``frozen``: the frozen user of this browser's session, for a notice on every page."""
    user = getattr(request, "user", None)
    if user is None or user.is_authenticated:
        return {}
    return {"frozen": sessions.find_frozen_user(request.session)}


def return_link(request: HttpRequest) -> dict[str, str]:
    """``back_here``: the query that returns to this page after a login or sign-up."""
    if request.path.startswith("/accounts/"):
        onward = request.GET.get("next")
        return {"back_here": f"?{urlencode({'next': onward})}" if onward else ""}
    return {"back_here": f"?{urlencode({'next': request.path})}"}


def languages(request: HttpRequest) -> dict[str, list[tuple[str, str]]]:
    """``languages``: code and own name of each, for the choice; empty if there is only one."""
    names = site_languages.names()
    return {"languages": list(names.items()) if len(names) > 1 else []}


def site(request: HttpRequest) -> dict[str, Any]:
    """``house``: the settings of the site. ``doors``: what they let the reader of the page do."""
    return {"house": site_settings.get(), "doors": Doors(request)}
