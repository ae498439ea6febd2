"""The sign-up form with the one thing that allauth's does not foresee, and the guests' form."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import SignupForm as AllauthSignupForm
from allauth.account.utils import setup_user_email
from django.contrib import messages
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.shortcuts import redirect
from django.utils.translation import gettext

from accounts import guests
from accounts.models import NAME_TAKEN, User


class SignupForm(AllauthSignupForm):
    """Two people may ask for one name at the same moment: the database decides, and says so."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = gettext("Name")
        self.fields["username"].help_text = gettext("Up to 20 letters and digits, no blanks.")
        self.fields["email"].help_text = gettext("Only to reset a forgotten password.")

    def try_save(self, request: HttpRequest) -> Any:
        try:
            return super().try_save(request)
        except IntegrityError:
            messages.error(request, NAME_TAKEN)
            return None, redirect(request.get_full_path())


class KeepForm(SignupForm):
    """Sign-up for somebody who plays already, as a guest: the same fields under the same rules."""

    def __init__(self, *args: Any, guest: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.guest = guest
        self.fields["username"].initial = guest.username
        self.fields["username"].help_text = gettext(
            "Keep this one or choose another: up to 20 letters and digits, no blanks."
        )

    def clean_username(self) -> str:
        """The made-up name is not taken by somebody else, in whatever case it is written."""
        name: str = self.cleaned_data["username"]
        if name.lower() == self.guest.username.lower():
            get_adapter().clean_username(name, shallow=True)
            return name
        return str(super().clean_username())

    def save(self, request: HttpRequest) -> User | None:
        """The kept user; ``None`` when there was nothing to keep, or the name was taken just now.

        Then the form has an error, and nothing was changed.
        """
        data = self.cleaned_data
        name, email = data["username"], data["email"]
        encoded = make_password(data["password1"])  # slow: not while others wait to write
        try:
            with transaction.atomic():
                user = guests.keep(self.guest, name=name, encoded_password=encoded, email=email)
                if user is not None:
                    setup_user_email(request, user, [])
        except IntegrityError:
            self.add_error("username", NAME_TAKEN)
            return None
        return user
