"""Somebody's own account: name, sessions, and its end."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import limits, sessions
from accounts.models import User
from accounts.own_forms import DeleteForm, NameForm
from accounts.requests import too_many, user_of
from tables import runtime
from tables.deleting import StillPlaying

View = Callable[..., HttpResponse]


@never_cache
@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Everything about the account, and where to change it."""
    return _page(request, NameForm(user=user_of(request)))


@require_POST
@login_required
def change_name(request: HttpRequest) -> HttpResponse:
    """Another name; open pages of theirs are loaded again under it."""
    user = user_of(request)
    if user.is_guest:
        return redirect("keep-account")
    if answer := too_many(request, "change_name"):
        return answer
    form = NameForm(request.POST, user=user)
    if not form.is_valid() or not form.save():
        return _page(request, form)
    name = form.cleaned_data["username"]
    if name != user.username:
        runtime.tell_renamed(user.pk)
        said = _("You are %(name)s now. Log in with that name from now on.")
        messages.success(request, said % {"name": name})
    return redirect("account")


@require_POST
@login_required
def set_listed(request: HttpRequest) -> HttpResponse:
    """Show the name on the leaderboard, or do not."""
    user = user_of(request)
    is_listed = "listed" in request.POST
    if not user.is_guest:
        User.objects.filter(pk=user.pk).update(is_listed=is_listed)
        shown = _("The leaderboard shows you, once you have played enough rounds.")
        hidden = _("The leaderboard does not show you.")
        messages.success(request, shown if is_listed else hidden)
    return redirect("account")


@require_POST
@login_required
def end_sessions(request: HttpRequest) -> HttpResponse:
    """Log out everywhere, or everywhere else. Pages of tables that are open there are closed."""
    user = user_of(request)
    if answer := too_many(request, "end_sessions"):
        return answer
    is_everywhere = "everywhere" in request.POST
    current = None if is_everywhere else request.session.session_key
    sessions.end(user.pk, timezone.now(), but=current)
    runtime.tell_sessions_ended(user.pk)
    if is_everywhere:
        logout(request)
        messages.success(request, _("You are logged out everywhere."))
        return redirect("lobby")
    messages.success(request, _("You are logged out everywhere but here."))
    return redirect("account")


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete_account(request: HttpRequest) -> HttpResponse:
    """Say what goes and what is kept, and do it when it was confirmed."""
    user = user_of(request)
    if answer := too_many(request, "delete_account"):
        return answer
    form = DeleteForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        refused = _delete(user.pk)
        if not refused:
            logout(request)
            messages.success(request, _("Your account was deleted."))
            return redirect("lobby")
        form.add_error(None, refused)
    return render(request, "account/delete.html", {"form": form})


def _delete(user_id: int) -> str:
    """Delete the account, or say what stands against it."""
    try:
        runtime.delete_account(user_id)
    except StillPlaying:
        return _("A bet or a hand of yours lies on a table. Finish that round first.")
    except (DatabaseError, TimeoutError):
        return _("The house is busy. Try again in a moment.")
    return ""


def closes_pages(view: View) -> View:
    """``view`` ends sessions of who is logged in: pages of tables under those are told.

    Whose session goes on has a new key, of which the browser hears with the answer. Its own pages
    would come back too early, under the old one: they are told with the next look round.
    """

    @wraps(view)
    def told(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        user_id, key = request.user.pk, request.session.session_key
        response = view(request, *args, **kwargs)
        if request.method == "POST" and user_id is not None:
            runtime.tell_sessions_ended(user_id, but=key if request.user.pk == user_id else None)
        return response

    return told


def _page(request: HttpRequest, form: NameForm) -> HttpResponse:
    user, now = user_of(request), timezone.now()
    own = sessions.of_request(request, user, now)
    context = {
        "name_form": form,
        "sessions": own,
        "has_others": any(not session.is_current for session in own),
        "limits": limits.in_force(user, now),
    }
    return render(request, "account/account.html", context)
