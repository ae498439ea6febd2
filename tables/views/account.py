"""Views of the account page: name, sessions, deletion."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from http.client import FOUND
from typing import Any

from allauth.account.utils import url_str_to_user_pk
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from accounts.audit_log import Operator
from accounts.doors.access import Doors
from accounts.http import check_rate_limit, get_user
from accounts.lib import server_clock
from accounts.models import User
from accounts.users import limits, reauthentication, sessions
from accounts.users.forms import ColourForm, DeleteForm, NameForm, TimeForm
from accounts.users.second_factor import requirement
from tables.game import account_deletion
from tables.game.account_deletion import FrozenAccount, StillPlaying
from tables.models import Seat
from tables.realtime import dispatch, publishing
from tables.records.skill import skill_leaderboard
from tables.social import calls, invites
from tables.views.decorators import redirect_busy_to, redirect_get_to

View = Callable[..., HttpResponse]


@never_cache
@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """The account page."""
    return _render_page(request, NameForm(user=get_user(request)))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("account")
@reauthentication.require_recent_password
@redirect_busy_to("account")
def change_name(request: HttpRequest) -> HttpResponse:
    """Change the name; the user's open pages reload."""
    user = get_user(request)
    if user.is_guest:
        return redirect("keep-account")
    if answer := check_rate_limit(request, "try_name"):
        return answer
    form = NameForm(request.POST, user=user)
    if not form.is_valid():
        return _render_page(request, form)
    if answer := check_rate_limit(request, "change_name"):
        return answer
    if not form.save(Operator.from_request(request) if user.is_staff else None):
        return _render_page(request, form)
    name = form.cleaned_data["username"]
    if name != user.username:
        publishing.reload_pages(user.pk)
        message = _("Your name is now %(name)s. Use it to log in.")
        messages.success(request, message % {"name": name})
    return redirect("account")


def leave_seats_first(view: View) -> View:
    """Have a guest leave all seats before ``view`` saves the account, if it waits for approval then:
    it could not finish its hands.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        has_seat = Seat.objects.filter(user=request.user.pk).exists
        is_guest = isinstance(request.user, User) and request.user.is_guest
        if is_guest and Doors(request).holds_new_accounts and has_seat():
            message = _(
                "A saved account waits for an operator's approval before it can play. Leave your seat "
                "first."
            )
            messages.warning(request, message)
            return redirect("home")
        return view(request, *args, **kwargs)

    return wrapped


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("account")
@redirect_busy_to("account")
def change_colour(request: HttpRequest) -> HttpResponse:
    """Choose the colour of the name; the user's open pages reload."""
    if answer := check_rate_limit(request, "change_colour"):
        return answer
    user = get_user(request)
    form = ColourForm(request.POST, user=user)
    if not form.is_valid():
        messages.error(request, _("Choose one of the colours."))
    elif form.save():
        publishing.reload_pages(user.pk)
        messages.success(request, _("The colour of your name is saved."))
    return redirect("account")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("account")
@redirect_busy_to("account")
def set_time(request: HttpRequest) -> HttpResponse:
    """Choose the time zone and the form of dates; the user's open pages reload."""
    if answer := check_rate_limit(request, "set_time"):
        return answer
    user = get_user(request)
    form = TimeForm(request.POST, user=user)
    if not form.is_valid():
        messages.error(request, _("Choose a time zone and a form of dates from the lists."))
    else:
        form.save()
        publishing.reload_pages(user.pk)
        messages.success(request, _("Your time zone and form of dates are saved."))
    return redirect("account")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("account")
@redirect_busy_to("account")
def set_listed(request: HttpRequest) -> HttpResponse:
    """Show or hide the name on the leaderboard."""
    user = get_user(request)
    is_listed = "listed" in request.POST
    mine = User.objects.filter(pk=user.pk, is_active=True, is_guest=False)
    if mine.update(is_listed=is_listed):
        visible_message = _("You'll appear on the leaderboard once you have played enough rounds.")
        hidden_message = _("You won't appear on the leaderboard.")
        messages.success(request, visible_message if is_listed else hidden_message)
    return redirect("account")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("account")
@redirect_busy_to("account")
def set_skill_listed(request: HttpRequest) -> HttpResponse:
    """Show or hide the name on the leaderboard of skill."""
    user = get_user(request)
    if not user.is_guest:
        is_listed = "listed" in request.POST
        skill_leaderboard.set_listed(user, is_listed=is_listed)
        visible_message = _(
            "You'll appear on the leaderboard of skill once you have made enough decisions."
        )
        hidden_message = _("You won't appear on the leaderboard of skill.")
        messages.success(request, visible_message if is_listed else hidden_message)
    return redirect("account")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_get_to("account")
@redirect_busy_to("account")
def end_sessions(request: HttpRequest) -> HttpResponse:
    """Log out everywhere, or everywhere else. Open table pages of these sessions are closed."""
    user = get_user(request)
    if answer := check_rate_limit(request, "end_sessions"):
        return answer
    is_everywhere = "everywhere" in request.POST
    current = None if is_everywhere else request.session.session_key
    by = Operator.from_request(request) if user.is_staff else None
    sessions.end_sessions(user.pk, server_clock.now(), but=current, by=by)
    calls.drop_ended(server_clock.now(), user.pk)
    publishing.close_ended_sessions(user.pk)
    if is_everywhere:
        logout(request)
        messages.success(request, _("You are logged out on all devices."))
        return redirect("lobby")
    messages.success(request, _("You are logged out on all other devices."))
    return redirect("account")


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@redirect_busy_to("delete-account")
def delete_account(request: HttpRequest) -> HttpResponse:
    """Delete the account: preview, then confirmation."""
    user = get_user(request)
    if answer := check_rate_limit(request, "delete_account"):
        return answer
    form = DeleteForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        try:
            dispatch.run(partial(account_deletion.delete_account, user.pk))
        except StillPlaying:
            message = _("You have a bet or a hand on a table. Finish that round first.")
            form.add_error(None, message)
        except FrozenAccount:
            form.add_error(None, _("An operator has frozen this account. It can't be deleted."))
        else:
            logout(request)
            messages.success(request, _("Your account was deleted."))
            return redirect("lobby")
    return render(request, "account/delete.html", {"form": form})


def close_ended_pages(view: View) -> View:
    """Close the table pages of the sessions that ``view`` ends.

    A session that continues has a new key, which the browser gets with the response. Its own pages
    would reconnect too early with the old key: the next periodic check closes them.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        user_id, key = request.user.pk, request.session.session_key
        response = view(request, *args, **kwargs)
        if request.method == "POST" and user_id is not None:
            goes_on = request.user.pk == user_id
            if not goes_on:
                invites.delete_cookie(response)
            calls.drop_ended(server_clock.now(), user_id)
            publishing.close_ended_sessions(user_id, but=key if goes_on else None)
        return response

    return wrapped


def close_owner_pages(view: View) -> View:
    """Close all table pages of the user in the URL, whose password ``view`` resets."""

    @wraps(view)
    def wrapped(request: HttpRequest, *, uidb36: str, key: str) -> HttpResponse:
        response = view(request, uidb36=uidb36, key=key)
        if request.method == "POST" and response.status_code == FOUND:
            user_id = int(url_str_to_user_pk(uidb36))
            calls.drop_ended(server_clock.now(), user_id)
            publishing.close_ended_sessions(user_id)
        return response

    return wrapped


def _render_page(request: HttpRequest, form: NameForm) -> HttpResponse:
    user, now = get_user(request), server_clock.now()
    own = sessions.list_request_sessions(request, user, now)
    context = {
        "name_form": form,
        "colour_form": ColourForm(user=user),
        "time_form": TimeForm(user=user),
        "now": now,
        "sessions": own,
        "has_others": any(not session.is_current for session in own),
        "is_skill_listed": skill_leaderboard.is_listed(user),
        "limits": limits.load_current_limits(user, now),
        "has_second_factor": bool(requirement.load_authenticators(user.pk)),
    }
    return render(request, "account/account.html", context)
