"""Views for guests: play as a guest, keep the account. The choice of the language."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
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
from django.views.decorators.http import require_http_methods, require_safe

from accounts import site_settings
from accounts.doors import access, invites
from accounts.http import (
    add_retry_after,
    check_rate_limit,
    consume_rate_limit,
    describe_wait,
    find_wait,
)
from accounts.lib import languages, server_clock
from accounts.lib.site_links import is_on_site
from accounts.models import User
from accounts.staff import invites as staff_invites
from accounts.users import guests, sessions
from accounts.users.signup_forms import GuestForm, KeepForm

View = Callable[..., HttpResponse]


def get_next_url(request: HttpRequest) -> str:
    """The URL in ``next`` if it is on this site, else an empty text."""
    onward = request.POST.get("next") or request.GET.get("next") or ""
    return onward if is_on_site(onward) else ""


@never_cache
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def guest(request: HttpRequest) -> HttpResponse:
    """Create a guest account and log in. A logged-in user is only redirected.

    It needs no CSRF token: after a double click the second request has that of the old session.
    """
    if request.user.is_authenticated:
        return _redirect_on(request)
    if sessions.find_frozen_user(request.session) is not None:
        return _redirect_on(request)  # with the notice; a new session would replace the old one
    if request.method != "POST":
        return redirect_to_login(get_next_url(request) or reverse("lobby"))
    if not site_settings.get().allows_guests:
        context = {"next": get_next_url(request)}
        return render(request, "account/no_guests.html", context, status=HTTPStatus.FORBIDDEN)
    return _log_in_guest(request)


@csrf_protect
def _log_in_guest(request: HttpRequest) -> HttpResponse:
    form = GuestForm(request.POST)
    if not form.is_valid():  # counted as a sign-up: both say whether a name is taken
        return check_rate_limit(request, "signup") or _render_guest_form(request, form)
    if not consume_rate_limit(request, "guest"):
        return _render_too_many_guests(request)
    guest = form.save(languages.chosen_here(request.COOKIES))
    if guest is None:
        return _render_guest_form(request, form)
    login(request, guest)
    request.session.set_expiry(guests.SESSION)
    return _redirect_on(request)


def _render_guest_form(request: HttpRequest, form: GuestForm) -> HttpResponse:
    context = {"form": form, "next": get_next_url(request)}
    return render(request, "account/guest.html", context)


def _render_too_many_guests(request: HttpRequest) -> HttpResponse:
    seconds = find_wait(request, "guest")
    context = {"next": get_next_url(request), "wait": seconds and describe_wait(seconds)}
    page = render(request, "account/too_many_guests.html", context, status=429)
    add_retry_after(page, seconds)
    return page


@never_cache
@sensitive_post_parameters("password1", "password2")
@require_http_methods(["GET", "HEAD", "POST"])
def keep(request: HttpRequest) -> HttpResponse:
    """Give a guest account a name and a password."""
    if not isinstance(request.user, User):
        return redirect_to_login(_keep_url(request))
    if not request.user.is_guest:
        return _redirect_on(request)
    if not access.may_sign_up(request):
        return render(request, "account/signup_closed.html")
    if answer := check_rate_limit(request, "signup"):
        return answer
    form = KeepForm(request.POST if request.method == "POST" else None, guest=request.user)
    if form.is_valid():
        user = form.save(request)
        if user is not None:
            update_session_auth_hash(request, user)
            request.session.set_expiry(None)  # the default expiry
            message = gettext(
                "Your account is saved. From now on, log in as %(name)s with your password."
            )
            messages.success(request, message % {"name": user.username})
        if not form.errors:
            return _redirect_on(request)
    return render(request, "account/keep.html", {"form": form, "next": get_next_url(request)})


@require_http_methods(["GET", "HEAD", "POST"])
def set_language(request: HttpRequest) -> HttpResponse:
    """Choose the language: for this browser, and for the account if somebody is logged in."""
    chosen = languages.known(request.POST.get("language", ""))
    response = _redirect_on(request)
    if request.method != "POST":
        return response
    if not chosen:
        messages.error(request, gettext("Choose one of the languages in the list."))
        return response
    if isinstance(request.user, User):
        if answer := check_rate_limit(request, "set_language"):
            return answer
        User.objects.filter(pk=request.user.pk, is_active=True).update(language=chosen)
    languages.remember(response, chosen)
    return response


@never_cache
@require_safe
def sign_up_invite(request: HttpRequest, token: str) -> HttpResponse:
    """Follow an invite to sign up: keep it in the browser, and go on to the sign-up.

    It uses nothing up, so that a preview of the link may open it.
    """
    user, invite = request.user, invites.find(token)
    if isinstance(user, User) and not user.is_guest:
        messages.info(request, gettext("You have an account already."))
        return redirect("lobby")
    is_closed = site_settings.get().sign_up == access.SignUp.OFF
    if is_closed or not invites.is_valid(token, server_clock.now()):
        context = {"invite": invite, "is_closed": is_closed}
        status = HTTPStatus.NOT_FOUND if invite is None else HTTPStatus.GONE
        return render(request, "account/invite_ended.html", context, status=status)
    onward = "keep-account" if isinstance(user, User) else "account_signup"
    response = redirect(onward)
    invites.remember(response, token)
    return response


@never_cache
@require_safe
def waiting(request: HttpRequest) -> HttpResponse:
    """The page of an account that waits for approval, or was refused."""
    user = request.user
    if not isinstance(user, User):
        return redirect_to_login(request.path)
    if staff_invites.may_accept_waiting(request, user):
        return redirect("staff-invite")
    return render(request, "account/waiting.html") if user.is_held else _redirect_on(request)


def redirect_guests(view: View) -> View:
    """Redirect guests from ``view`` to the page that keeps the account, and then back."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if isinstance(request.user, User) and request.user.is_guest:
            return redirect(_keep_url(request))
        return view(request, *args, **kwargs)

    return wrapped


def confirm_other_user(view: View) -> View:
    """Confirm before ``view``, a link from an e-mail, logs out another user, perhaps a guest."""

    @wraps(view)
    def wrapped(request: HttpRequest, **at: str) -> HttpResponse:
        owner = _find_link_owner(**at)
        if owner is not None and request.user.pk not in (None, owner):
            return redirect(f"{reverse('account_logout')}?{urlencode({'next': request.path})}")
        return view(request, **at)

    return wrapped


def _find_link_owner(*, key: str, uidb36: str = "") -> int | None:
    """The user of a password reset or an address confirmation; ``None`` if the link is invalid."""
    if uidb36:
        token = UserTokenForm({"uidb36": uidb36, "key": key})
        return token.reset_user.pk if token.is_valid() else None
    confirmation = get_emailconfirmation_model().from_key(key)
    return confirmation.email_address.user_id if confirmation else None


def _redirect_on(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect(get_next_url(request) or reverse("lobby"))


def _keep_url(request: HttpRequest) -> str:
    onward = get_next_url(request)
    query = f"?{urlencode({'next': onward})}" if onward else ""
    return f"{reverse('keep-account')}{query}"
