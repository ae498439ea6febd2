"""Re-authentication: actions that a stolen session must not do need the password again."""

from __future__ import annotations

import datetime as dt
import secrets
import time
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from allauth.account.internal.flows.login import (
    AUTHENTICATION_METHODS_SESSION_KEY,
    get_authentication_records,
)
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.models import Act, User
from accounts.users import sessions

View = Callable[..., HttpResponse]

SESSION_KEY: Final = "asked_again"
LONGEST: Final = 16 * 1024
"""The limit of a stored form, in characters."""
LEFT_OUT: Final = ("password", "csrfmiddlewaretoken")
"""Fields that are not stored, by a part of their name: secrets and the old token."""


def is_recent(request: HttpRequest, seconds: int) -> bool:
    """Whether the password was entered in this session within ``seconds``, not counting logins."""
    return _is_recent(get_authentication_records(request, request.user), seconds)


def is_operator_recent(request: HttpRequest) -> bool:
    """The same with the time limit of operators' pages."""
    return is_recent(request, settings.OPERATOR_REAUTHENTICATION_TIMEOUT)


def is_socket_recent(session_key: str, now: dt.datetime) -> bool:
    """The same for the session of a socket."""
    session_data = sessions.load_unexpired([session_key], now).get(session_key)
    records = sessions.decode_content(session_data).get(AUTHENTICATION_METHODS_SESSION_KEY, [])
    return _is_recent(records, settings.OPERATOR_REAUTHENTICATION_TIMEOUT)


def _is_recent(records: list[dict[str, Any]], seconds: int) -> bool:
    times = [record["at"] for record in records if record.get("reauthenticated")]
    return bool(times) and 0 <= time.time() - times[-1] < seconds


def require_recent_password(view: View) -> View:
    """Require a recent password for a POST to ``view``. Guests have none and pass."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        user = request.user
        if request.method != "POST" or not isinstance(user, User) or not user.has_usable_password():
            return view(request, *args, **kwargs)
        if is_recent(request, settings.ACCOUNT_REAUTHENTICATION_TIMEOUT):
            return view(request, *args, **kwargs)
        return redirect_to_password(request)

    return wrapped


def redirect_to_password(request: HttpRequest) -> HttpResponse:
    """Redirect to the page that asks for the password, and then back.

    A sent form is stored under a token that only this browser gets. It is shown again for
    confirmation, because another holder of the session could have stored it.
    """
    user = request.user
    onward = request.get_full_path()
    if isinstance(user, User) and not user.has_usable_password():
        if not user.is_guest:
            raise PermissionDenied
        return redirect(f"{reverse('keep-account')}?{urlencode({'next': onward})}")
    if request.method == "POST":
        onward = store_form(request)
    return redirect(f"{reverse('account_reauthenticate')}?{urlencode({'next': onward})}")


def store_form(request: HttpRequest, *, user_id: int | None = None) -> str:
    """Store a sent form in the session; return the URL that shows it again, or its own if it is too
    large.

    With ``user_id`` only that user sees it. The default is who is logged in.
    """
    fields = [
        [name, value]
        for name, values in request.POST.lists()
        for value in values
        if not any(word in name for word in LEFT_OUT)
    ]
    path = request.get_full_path()
    if sum(len(value) for _one, value in fields) > LONGEST:
        return path
    token = secrets.token_urlsafe(16)
    request.session[SESSION_KEY] = {"token": token, "path": path, "fields": fields}
    request.session[SESSION_KEY]["user"] = user_id or request.user.pk
    return reverse("ask-again", args=[token])


def _record_login(request: HttpRequest) -> None:
    operator = Operator.from_request(request)
    audit_log.record(operator, Act.What.LOG_IN, f"user:{operator.user_id}")


@never_cache
@require_safe
def confirm_stored_form(request: HttpRequest, token: str) -> HttpResponse:
    """Show a stored form for confirmation."""
    kept = request.session.get(SESSION_KEY, {})
    if not secrets.compare_digest(str(kept.get("token", "")).encode(), token.encode()):
        raise Http404
    if not request.user.is_authenticated:
        return redirect(f"{reverse('account_login')}?{urlencode({'next': request.path})}")
    if kept.get("user", request.user.pk) != request.user.pk:
        del request.session[SESSION_KEY]
        messages.warning(request, _("That form was filled in by another user. It was not sent."))
        return redirect("lobby")
    return render(request, "account/ask_again.html", {"kept": kept})


def renew_session(view: View) -> View:
    """Rotate the session key after ``view`` has checked the password: other holders are logged out."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if request.method == "POST" and response.status_code == 302 and is_recent(request, 60):
            if request.user.is_staff:
                _record_login(request)
            old = request.session.session_key
            request.session.cycle_key()
            UserSession.objects.filter(session_key=old).update(
                session_key=request.session.session_key
            )
        return response

    return wrapped
