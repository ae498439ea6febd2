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
    """Where ``next`` leads, if that is on this site; else empty."""
    onward = request.POST.get("next") or request.GET.get("next") or ""
    return onward if leads_here(onward) else ""


@never_cache
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def guest(request: HttpRequest) -> HttpResponse:
    """Begin to play at once. Who is logged in already is only led on.

    That needs no token: a button pressed twice sends the old one for a session that is new.
    """
    if request.user.is_authenticated:
        return _led_on(request)
    if sessions.frozen_user(request.session) is not None:
        return _led_on(request)  # where the notice is; a new session would be the end of the old
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
    """A name and a password of their own for a guest, who loses nothing by it."""
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
            request.session.set_expiry(None)  # from now on as long as everybody's
            said = gettext(
                "Your account is kept: log in as %(name)s with your password from now on."
            )
            messages.success(request, said % {"name": kept.username})
        if not form.errors:
            return _led_on(request)
    return render(request, "account/keep.html", {"form": form, "next": next_here(request)})


def not_for_guests(view: View) -> View:
    """``view`` for everybody else; a guest is led to what makes it possible, and then back."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if isinstance(request.user, User) and request.user.is_guest:
            return redirect(_keep_url(request))
        return view(request, *args, **kwargs)

    return guarded


def not_for_others(view: View) -> View:
    """``view`` shows what one user was sent by e-mail, and would log out anybody else who opens it.
    They are asked first: no link of somebody's ends what a guest has no other way back to.
    """

    @wraps(view)
    def guarded(request: HttpRequest, **at: str) -> HttpResponse:
        owner = _owner_of(**at)
        if owner is not None and request.user.pk not in (None, owner):
            return redirect(f"{reverse('account_logout')}?{urlencode({'next': request.path})}")
        return view(request, **at)

    return guarded


def _owner_of(*, key: str, uidb36: str = "") -> int | None:
    """Whose new password or whose address this is about, if it is good for anything."""
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
