"""Views for guests: play as a guest, keep the account."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.forms import UserTokenForm
from allauth.account.models import get_emailconfirmation_model
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.http import is_counted, too_many
from accounts.lib import server_clock
from accounts.lib.site_links import leads_here
from accounts.models import User
from accounts.users import guests, sessions
from accounts.users.signup_forms import KeepForm

View = Callable[..., HttpResponse]


def next_here(request: HttpRequest) -> str:
    """The URL in ``next`` if it is on this site, else an empty text."""
    onward = request.POST.get("next") or request.GET.get("next") or ""
    return onward if leads_here(onward) else ""


@never_cache
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def guest(request: HttpRequest) -> HttpResponse:
    """Create a guest account and log in. A logged-in user is only redirected.

    It needs no CSRF token: after a double click the second request has that of the old session.
    """
    if request.user.is_authenticated:
        return _led_on(request)
    if sessions.frozen_user(request.session) is not None:
        return _led_on(request)  # with the notice; a new session would replace the old one
    if request.method != "POST":
        return redirect_to_login(next_here(request) or reverse("lobby"))
    return _begin_as_guest(request)


@csrf_protect
def _begin_as_guest(request: HttpRequest) -> HttpResponse:
    if not is_counted(request, "guest"):
        context = {"next": next_here(request)}
        return render(request, "account/too_many_guests.html", context, status=429)
    login(request, guests.new_guest(at=server_clock.now()))
    request.session.set_expiry(guests.SESSION)
    return _led_on(request)


@never_cache
@sensitive_post_parameters("password1", "password2")
@require_http_methods(["GET", "HEAD", "POST"])
def keep(request: HttpRequest) -> HttpResponse:
    """Give a guest account a name and a password."""
    if not isinstance(request.user, User):
        return redirect_to_login(_keep_url(request))
    if not request.user.is_guest:
        return _led_on(request)
    if answer := too_many(request, "signup"):
        return answer
    form = KeepForm(request.POST if request.method == "POST" else None, guest=request.user)
    if form.is_valid():
        kept = form.save(request)
        if kept is not None:
            update_session_auth_hash(request, kept)
            request.session.set_expiry(None)  # the default expiry
            said = gettext(
                "Your account is saved. From now on, log in as %(name)s with your password."
            )
            messages.success(request, said % {"name": kept.username})
        if not form.errors:
            return _led_on(request)
    return render(request, "account/keep.html", {"form": form, "next": next_here(request)})


def not_for_guests(view: View) -> View:
    """Redirect guests from ``view`` to the page that keeps the account, and then back."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if isinstance(request.user, User) and request.user.is_guest:
            return redirect(_keep_url(request))
        return view(request, *args, **kwargs)

    return guarded


def not_for_others(view: View) -> View:
    """Ask before ``view``, a link from an e-mail, logs out another user. Otherwise a foreign link
    could end a guest's session, the only access to the account.
    """

    @wraps(view)
    def guarded(request: HttpRequest, **at: str) -> HttpResponse:
        owner = _owner_of(**at)
        if owner is not None and request.user.pk not in (None, owner):
            return redirect(f"{reverse('account_logout')}?{urlencode({'next': request.path})}")
        return view(request, **at)

    return guarded


def _owner_of(*, key: str, uidb36: str = "") -> int | None:
    """The user of a password reset or an address confirmation; ``None`` if the link is invalid."""
    if uidb36:
        token = UserTokenForm({"uidb36": uidb36, "key": key})
        return token.reset_user.pk if token.is_valid() else None
    confirmation = get_emailconfirmation_model().from_key(key)
    return confirmation.email_address.user_id if confirmation else None


def _led_on(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect(next_here(request) or reverse("lobby"))


def _keep_url(request: HttpRequest) -> str:
    onward = next_here(request)
    query = f"?{urlencode({'next': onward})}" if onward else ""
    return f"{reverse('keep-account')}{query}"
