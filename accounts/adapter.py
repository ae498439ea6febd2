"""What sign-up adds to a new user."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from accounts import bank
from accounts.models import User


class AccountAdapter(DefaultAccountAdapter):
    """Opens an account with the starting money for everybody who signs up."""

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Store the new user and the wallet, or neither."""
        with transaction.atomic():
            saved: User = super().save_user(request, user, form, commit)
            bank.wallet_of(saved, at=timezone.now())
        return saved

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Back to the lobby, and not to the empty form."""
        return reverse("lobby")
