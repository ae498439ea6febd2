"""What sign-up adds to a new user."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts import bank, sessions
from accounts.models import NAME_TAKEN, User


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

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Who had the right password is told why it does not help."""
        return render(request, "account/account_inactive.html", {"kept_out": user}, status=403)

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Not in a browser whose player is frozen: the session there is a guest's only way back."""
        return sessions.frozen_user(request.session) is None

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Back to the lobby, and not to the empty form."""
        return reverse("lobby")
