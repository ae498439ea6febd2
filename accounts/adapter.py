"""What sign-up adds to a new user."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal.ratelimit import get_ip
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts import bank, sessions
from accounts.models import NAME_TAKEN, User
from accounts.requests import slowed_down


class AccountAdapter(DefaultAccountAdapter):
    """Opens an account with the starting money for everybody who signs up."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "username_taken": NAME_TAKEN,
        "email_taken": gettext_lazy("Somebody else gave us that address already."),
    }

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Store the new user and the wallet, or neither.

        The password is made unreadable before the transaction: that is slow, and others write.
        """
        filled: User = super().save_user(request, user, form, commit=False)
        with transaction.atomic():
            filled.save()
            bank.wallet_of(filled, at=timezone.now())
        return filled

    def set_password(self, user: User, password: str) -> None:
        """Write the password and nothing else: the rest may be another by now, or gone."""
        user.set_password(password)
        is_there = Q(is_active=True) | Q(frozen_at__isnull=False)
        User.objects.filter(is_there, pk=user.pk).update(password=user.password)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a password that may be wrong; after too many wrong ones none is looked at."""
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError as error:
            raise ImmediateHttpResponse(slowed_down(request)) from error

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """A name is counted for each address by itself: nobody else's tries keep its owner out."""
        name = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{name}:{get_ip(request)}"

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """Who has a new password by e-mail may use it at once. Here names are counted."""
        owners = User.objects.filter(emailaddress__email__iexact=credentials["email"])
        for name in owners.values_list("username", flat=True):
            super()._delete_login_attempts_cached_email(request, username=name)

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Who had the right password is told why it does not help."""
        return render(request, "account/account_inactive.html", {"kept_out": user}, status=403)

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Not in a browser whose player is frozen: the session there is a guest's only way back."""
        return sessions.frozen_user(request.session) is None

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Back to the lobby, and not to the empty form."""
        return reverse("lobby")
