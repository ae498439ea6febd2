"""The sign-up form, and the one thing that allauth's does not foresee."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import SignupForm as AllauthSignupForm
from django.contrib import messages
from django.db import IntegrityError
from django.http import HttpRequest
from django.shortcuts import redirect


class SignupForm(AllauthSignupForm):
    """Two people may ask for one name at the same moment: the database decides, and says so."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "Name"
        self.fields["username"].help_text = "Up to 20 letters and digits, no blanks."
        self.fields["email"].help_text = "Only to reset a forgotten password."

    def try_save(self, request: HttpRequest) -> Any:
        try:
            return super().try_save(request)
        except IntegrityError:
            messages.error(request, "Somebody plays under that name already.")
            return None, redirect(request.get_full_path())
