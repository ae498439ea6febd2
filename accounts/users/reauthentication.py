"""Re-authentication: actions that a stolen session must not do need the password again, or the
second factor.
"""

from __future__ import annotations

import datetime as dt
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import wraps
from typing import Any, Final

from allauth.account.internal.flows.login import (
    _AUTHENTICATION_METHODS_USER_SESSION_KEY as RECORDS_USER_KEY,
)
from allauth.account.internal.flows.login import (
    AUTHENTICATION_METHODS_SESSION_KEY,
    get_authentication_records,
)
from allauth.account.internal.userkit import user_id_to_str
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import SESSION_KEY as USER_KEY
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.http import get_user
from accounts.lib.site_links import is_on_site
from accounts.models import Act, User
from accounts.users import login_log, sessions
from accounts.users.second_factor import requirement
from accounts.users.second_factor.requirement import Authenticators

View = Callable[..., HttpResponse]

SESSION_KEY: Final = "asked_again"
ONWARD_KEY: Final = "second_factor_onward"
"""Where in the session :func:`find_onward` looks."""
LONGEST: Final = 16 * 1024
"""The limit of a stored form, in characters."""
MOST_FORMS: Final = 5
"""The limit of stored forms in a session: somebody may have filled in several, in several tabs."""
NEVER_STORED: Final = ("password", "csrfmiddlewaretoken")
"""Fields that are not stored, by a part of their name: secrets and the old token."""


class Step(Enum):
    """What an operator has to do before an operators' page."""

    PASSWORD = 1
    FACTOR = 2
    SET_UP = 3


def is_recent(request: HttpRequest, seconds: int, method: str = "") -> bool:
    """Whether somebody re-authenticated in this session within ``seconds``, not counting logins.

    ``method`` is ``password`` or ``mfa``; by default either is enough.
    """
    return _is_recent(get_authentication_records(request, request.user), seconds, method)


def is_operator_recent(request: HttpRequest) -> bool:
    """Whether this session may open the operators' pages."""
    return find_step(request) is None


def find_step(request: HttpRequest) -> Step | None:
    """What the operator of this request has to do before an operators' page; ``None``: nothing."""
    user = get_user(request)
    return _find_step(user, get_authentication_records(request, user))


def is_socket_recent(session_key: str, now: dt.datetime) -> bool:
    """Whether the session of a socket may do what the operators' pages may."""
    session_data = sessions.load_unexpired([session_key], now).get(session_key)
    content = sessions.decode_content(session_data)
    user = User.objects.filter(pk=content.get(USER_KEY, 0)).first()
    if user is None or content.get(RECORDS_USER_KEY) != user_id_to_str(user):
        return False
    return _find_step(user, content.get(AUTHENTICATION_METHODS_SESSION_KEY, [])) is None


def is_factor_recent(request: HttpRequest) -> bool:
    """Whether the second factor was shown within five minutes; without one, the password entered."""
    user = get_user(request)
    records = get_authentication_records(request, user)
    authenticators = requirement.load_authenticators(user.pk)
    if authenticators:
        records = [record for record in records if requirement.is_of(record, authenticators)]
    return _is_recent(records, settings.ACCOUNT_REAUTHENTICATION_TIMEOUT)


def _find_step(user: User, records: Sequence[Mapping[str, Any]]) -> Step | None:
    authenticators = requirement.load_authenticators(user.pk)
    if authenticators and not requirement.is_shown(records, authenticators):
        return Step.FACTOR
    if not _is_recent(records, settings.OPERATOR_REAUTHENTICATION_TIMEOUT):
        return Step.PASSWORD
    return Step.SET_UP if not authenticators and requirement.needs_one(user) else None


def _is_recent(records: Sequence[Mapping[str, Any]], seconds: int, method: str = "") -> bool:
    times = [
        record["at"]
        for record in records
        if record.get("reauthenticated") and method in ("", record.get("method"))
    ]
    return bool(times) and 0 <= time.time() - times[-1] < seconds


def require_recent_password(view: View) -> View:
    """Require a recent password for a POST to ``view``. Guests have none and pass."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        user = request.user
        if request.method != "POST" or not isinstance(user, User) or not user.has_usable_password():
            return view(request, *args, **kwargs)
        if is_recent(request, settings.ACCOUNT_REAUTHENTICATION_TIMEOUT, "password"):
            return view(request, *args, **kwargs)
        return redirect_to_password(request)

    return wrapped


def require_recent_factor(view: View) -> View:
    """Require a recent second factor for a POST to ``view``, or the password of who has none."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "POST" or is_factor_recent(request):
            return view(request, *args, **kwargs)
        return redirect_to_factor(request)

    return wrapped


def require_both(view: View) -> View:
    """Require a recent password for ``view``, and a recent second factor of who has one.

    For changes of the second factor. A form is not kept: it has secrets.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not is_recent(request, settings.ACCOUNT_REAUTHENTICATION_TIMEOUT, "password"):
            return redirect_to_password(request, keeps_form=False)
        if not is_factor_recent(request):
            return redirect_to_factor(request, keeps_form=False)
        return view(request, *args, **kwargs)

    return wrapped


def redirect_to_step(request: HttpRequest, step: Step) -> HttpResponse:
    """Redirect to what is missing, and then back, as :func:`redirect_to_password` does."""
    if step is Step.SET_UP:
        return _redirect_to_set_up(request)
    return redirect_to_password(request) if step is Step.PASSWORD else redirect_to_factor(request)


def redirect_to_factor(request: HttpRequest, *, keeps_form: bool = True) -> HttpResponse:
    """Redirect to the page that asks for the second factor, or for the password of who has none,
    and then back.
    """
    authenticators = requirement.load_authenticators(get_user(request).pk)
    if not authenticators:
        return redirect_to_password(request, keeps_form=keeps_form)
    onward = _find_onward(request, keeps_form=keeps_form)
    return redirect(f"{_find_factor_page(authenticators)}?{urlencode({'next': onward})}")


def _find_factor_page(authenticators: Authenticators) -> str:
    """The page that asks for a code, or that for a passkey if there is no app."""
    has_app = requirement.Type.TOTP in authenticators.values()
    return reverse("mfa_reauthenticate" if has_app else "mfa_reauthenticate_webauthn")


def _redirect_to_set_up(request: HttpRequest) -> HttpResponse:
    """Redirect to the page of the second factor, which leads back when there is one."""
    request.session[ONWARD_KEY] = _find_onward(request, keeps_form=True)
    message = gettext("Your role needs a second factor. Set one up to open the operators' pages.")
    messages.warning(request, message)
    return redirect("mfa_index")


def find_onward(request: HttpRequest) -> str:
    """Where an operator goes on who has set up a second factor on the way; empty without a way."""
    onward = str(request.session.get(ONWARD_KEY, ""))
    return onward if is_on_site(onward) else ""


@require_safe
@login_required
def lead_on(request: HttpRequest) -> HttpResponse:
    """Ask for what an operator's action at a table needs, one thing after the other; then lead to
    the page in ``next``.
    """
    step = find_step(request)
    if step is not None:
        return redirect_to_step(request, step)
    onward = request.GET.get("next", "")
    return redirect(onward if is_on_site(onward) else reverse("lobby"))


def redirect_to_password(request: HttpRequest, *, keeps_form: bool = True) -> HttpResponse:
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
    onward = _find_onward(request, keeps_form=keeps_form)
    return redirect(f"{reverse('account_reauthenticate')}?{urlencode({'next': onward})}")


def _find_onward(request: HttpRequest, *, keeps_form: bool) -> str:
    """The URL of the request, or the one that shows its form again."""
    is_kept = keeps_form and request.method == "POST"
    return store_form(request) if is_kept else request.get_full_path()


def store_form(request: HttpRequest, *, user_id: int | None = None) -> str:
    """Store a sent form in the session; return the URL that shows it again, or its own if it is too
    large.

    With ``user_id`` only that user sees it. The default is who is logged in.
    """
    fields = [
        [name, value]
        for name, values in request.POST.lists()
        for value in values
        if not any(word in name for word in NEVER_STORED)
    ]
    path = request.get_full_path()
    if sum(len(value) for _one, value in fields) > LONGEST:
        return path
    token = secrets.token_urlsafe(16)
    form = {"path": path, "fields": fields, "user": user_id or request.user.pk}
    others = list(load_stored_forms(request).items())[1 - MOST_FORMS :]
    request.session[SESSION_KEY] = {**dict(others), token: form}
    return reverse("ask-again", args=[token])


def load_stored_forms(request: HttpRequest) -> dict[str, dict[str, Any]]:
    """The stored forms of this session by their tokens, the newest last."""
    stored: dict[str, Any] = request.session.get(SESSION_KEY, {})
    # A session of an earlier version has one form, with its token in it.
    return {} if "token" in stored else stored


@never_cache
@require_safe
def confirm_stored_form(request: HttpRequest, token: str) -> HttpResponse:
    """Show a stored form for confirmation."""
    forms = load_stored_forms(request)
    form = forms.get(token)
    if form is None:
        raise Http404
    if not request.user.is_authenticated:
        return redirect(f"{reverse('account_login')}?{urlencode({'next': request.path})}")
    if form["user"] != request.user.pk:
        others = {key: other for key, other in forms.items() if key != token}
        request.session[SESSION_KEY] = others
        messages.warning(
            request, gettext("That form was filled in by another user. It was not sent.")
        )
        return redirect("lobby")
    fields = [(name, value) for name, value in form["fields"] if not name.startswith("_")]
    values = [value for _name, value in fields if _is_text(value)]
    return render(request, "account/ask_again.html", {"kept": form, "values": values})


def _is_text(value: str) -> bool:
    """Whether somebody may have written this value; others are ids and hashes of the page."""
    return bool(value) and not re.fullmatch(r"[\w-]{20,}", value, re.ASCII)


def renew_session(view: View) -> View:
    """Rotate the session key after ``view`` has checked the password or the second factor: other
    holders are logged out.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if request.method == "POST" and response.status_code == 302 and is_recent(request, 60):
            user = get_user(request)
            records = get_authentication_records(request, user)[-1:]
            login_log.record(request, user, Act.What.REAUTH, {"by": login_log.name_ways(records)})
            old = request.session.session_key
            request.session.cycle_key()
            UserSession.objects.filter(session_key=old).update(
                session_key=request.session.session_key
            )
        return response

    return wrapped
