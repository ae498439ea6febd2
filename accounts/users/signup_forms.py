"""Sign-up and password forms: allauth's with this site's fields and checks."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import (
    AddEmailForm,
    ChangePasswordForm,
    ResetPasswordForm,
    default_token_generator,
)
from allauth.account.forms import LoginForm as AllauthLoginForm
from allauth.account.forms import SignupForm as AllauthSignupForm
from allauth.account.internal.flows.email_verification import send_verification_email_for_user
from allauth.account.internal.flows.signup import send_unknown_account_mail
from allauth.account.utils import setup_user_email, user_pk_to_url_str
from allauth.utils import set_form_field_order
from django import forms
from django.contrib import messages
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_lazy

from accounts.doors import access
from accounts.lib import names, server_clock
from accounts.lib.form_fields import ColourField, NameField
from accounts.mail import addresses
from accounts.models import NAME_TAKEN, User
from accounts.users import guests, search
from accounts.users import names as new_names

SIGN_UP_REFUSED = gettext_lazy("Sign-up is closed for you. No account was created.")


class LoginForm(AllauthLoginForm):
    """Log-in. The name may be typed in any case and any form of its letters."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"] = NameField()
        set_form_field_order(self, ["login", "password"])

    def clean_login(self) -> str:
        """The name as it is stored, by which allauth looks up the user."""
        name: str = self.cleaned_data["login"]
        user = search.find_by_name(name)
        return user.username if user is not None else name


class SignupForm(AllauthSignupForm):
    """Sign-up. If two users want one name at the same moment, the database refuses one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"] = NameField(help_text=names.HELP)
        self.fields["email"].label = gettext("E-mail address (optional)")
        self.fields["email"].help_text = gettext("Used only to reset a forgotten password.")
        # In place of a list of all rules for passwords: a refused one is explained.
        self.fields["password1"].help_text = gettext("8 characters or more, and hard to guess.")

    def try_save(self, request: HttpRequest) -> Any:
        try:
            return super().try_save(request)
        except IntegrityError:
            messages.error(request, NAME_TAKEN)
        except access.SignUpRefused:
            messages.error(request, SIGN_UP_REFUSED)
        return None, redirect(request.get_full_path())


class GuestForm(forms.Form):
    """The name of a guest and its colour; without them, the site chooses."""

    name = NameField(
        required=False,
        autocomplete="nickname",
        label=gettext_lazy("Your name"),
        help_text=gettext_lazy(
            "Up to 20 letters or digits, no spaces. Leave it empty to get a random name."
        ),
    )

    colour = ColourField(required=False, label=gettext_lazy("Colour of your name (optional)"))

    def clean_name(self) -> str:
        """Check a chosen name."""
        name: str = self.cleaned_data["name"]
        return new_names.clean(name) if name else ""

    def save(self, language: str) -> User | None:
        """Create the guest; ``None`` if the name was just taken. Then the form has an error."""
        name, colour = self.cleaned_data["name"], self.cleaned_data["colour"]
        try:
            return guests.create_guest(
                at=server_clock.now(), language=language, name=name, colour=colour
            )
        except IntegrityError:
            self.add_error("name", NAME_TAKEN)
            return None


class KeepForm(SignupForm):
    """Sign-up for a guest, with the same fields and rules."""

    def __init__(self, *args: Any, guest: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.guest = guest
        self.fields["username"].initial = guest.username
        self.fields["username"].help_text = gettext(
            "Keep this name or choose another: up to 20 letters or digits, no spaces."
        )

    def clean_username(self) -> str:
        """Check the name; the guest's own name in another case is allowed."""
        return new_names.clean(self.cleaned_data["username"], owner=self.guest)

    def save(self, request: HttpRequest) -> User | None:
        """Convert the guest; ``None`` if there is no guest, the name was just taken, or the site
        does not let the guest sign up (any more).

        Then the form has an error, and nothing was changed.
        """
        data = self.cleaned_data
        name, email = data["username"], data["email"]
        encoded = make_password(data["password1"])  # slow, so before the transaction
        try:
            with transaction.atomic():
                user = guests.convert(self.guest, name=name, encoded_password=encoded, email=email)
                if user is not None:
                    access.admit(request, user, server_clock.now())
                    user.save(update_fields=access.ADMITTED)
                    setup_user_email(request, user, [])
        except IntegrityError:
            self.add_error("username", NAME_TAKEN)
            return None
        except access.SignUpRefused:
            self.add_error(None, SIGN_UP_REFUSED)
            return None
        if user is not None and user.email:
            send_verification_email_for_user(request, user)
        return user


class AddressForm(AddEmailForm):
    """Adds the e-mail address of the account."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = gettext("E-mail address")


class ResetForm(ResetPasswordForm):
    """Requests a password reset by an e-mail to a suitable address."""

    users: list[User]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = gettext("E-mail address")

    def clean_email(self) -> str:
        email = str(get_adapter().clean_email(self.cleaned_data["email"].lower()))
        self.users = addresses.find_owners(email)
        return email

    def save(self, request: HttpRequest, **_kwargs: Any) -> str:
        """Send one e-mail, for any number of accounts, also for none."""
        email: str = self.cleaned_data["email"]
        adapter = get_adapter()
        links = [
            (user.username, adapter.get_reset_password_from_key_url(
                f"{user_pk_to_url_str(user)}-{default_token_generator.make_token(user)}"
            ))
            for user in self.users
        ]  # fmt: skip
        if links:
            adapter.send_mail("account/email/password_reset_key", email, {"links": links})
        else:
            send_unknown_account_mail(request, email)
        return email


class PasswordForm(ChangePasswordForm):
    """Changes the password, with the old one; wrong ones count like failed logins."""

    def clean_oldpassword(self) -> str:
        password: str = self.cleaned_data["oldpassword"]
        if not get_adapter().reauthenticate(self.user, password):
            raise get_adapter().validation_error("enter_current_password")
        return password
