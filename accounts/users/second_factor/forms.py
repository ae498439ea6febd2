"""Forms of the second factor: allauth's, with codes that are valid once, and failures recorded."""

from __future__ import annotations

from typing import Any, Final

from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.base.internal.flows import check_rate_limit
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    EditWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from django import forms
from django.core.exceptions import ValidationError
from django.forms.fields import InvalidJSONInput
from django.utils.translation import gettext_lazy

from accounts.lib.form_fields import LineField
from accounts.models import Act
from accounts.users import login_log
from accounts.users.second_factor import codes

LONGEST_CODE: Final = 40
LONGEST_NAME: Final = 40
UNREADABLE: Final = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)
"""What the parsers of passkeys raise on data that no browser sends."""


def _code_field() -> forms.CharField:
    attributes = {"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false",
                  "inputmode": "numeric"}  # fmt: skip
    return forms.CharField(
        label=gettext_lazy("Code"),
        max_length=LONGEST_CODE,
        widget=forms.TextInput(attrs=attributes),
    )


class _CodeMixin:
    """Checks a code of the app, or a recovery code."""

    failed_as = Act.What.LOGIN_FAILED
    user: Any
    cleaned_data: dict[str, Any]
    fields: dict[str, forms.Field]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"] = _code_field()

    def clean_code(self) -> str:
        """Use the code; a wrong one counts against the limit of its account."""
        clear_limit = check_rate_limit(self.user)
        code: str = self.cleaned_data["code"]
        authenticator = codes.use_code(self.user.pk, code)
        if authenticator is None:
            login_log.record_failure(context.request, self.user, self.failed_as, "code")
            raise get_adapter().validation_error("incorrect_code")
        authenticator.user = self.user
        self.authenticator = authenticator
        clear_limit()
        return code


class LoginCodeForm(_CodeMixin, AuthenticateForm):
    """A code at the login."""


class CodeForm(_CodeMixin, ReauthenticateForm):
    """A code that is asked for again."""

    failed_as = Act.What.REAUTH_FAILED


class AppForm(ActivateTOTPForm):
    """Turns on an authenticator app. ``step`` is the time step of its first code."""

    step: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"] = _code_field()
        self.fields["code"].help_text = gettext_lazy("The 6 digits that the app shows now.")

    def clean_code(self) -> str:
        clear_limit = check_rate_limit(self.user, error_key="rate_limited")
        code: str = self.cleaned_data["code"]
        step = codes.find_step(self.secret, code)
        if step is None:
            raise get_adapter().validation_error("incorrect_code")
        self.step = step
        clear_limit()
        return code


class CredentialField(forms.JSONField):
    """What a passkey has signed, as JSON; a number that is too long for Python is no JSON."""

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except ValidationError:
            raise
        except ValueError as error:
            message = self.error_messages["invalid"]
            raise ValidationError(message, code="invalid", params={"value": ""}) from error

    def bound_data(self, data: Any, initial: Any) -> Any:
        try:
            return super().bound_data(data, initial)
        except ValueError:
            return InvalidJSONInput(data)


class _PasskeyMixin:
    """Checks what a passkey has signed; unreadable data is wrong like any other."""

    failed_as = Act.What.LOGIN_FAILED
    user: Any

    def clean_credential(self) -> Any:
        try:
            return super().clean_credential()  # type: ignore[misc]
        except ValidationError:
            self._record_failure()
            raise
        except UNREADABLE as error:
            self._record_failure()
            raise get_adapter().validation_error("incorrect_code") from error

    def _record_failure(self) -> None:
        if self.user is not None:
            login_log.record_failure(context.request, self.user, self.failed_as, "passkey")


class LoginPasskeyForm(_PasskeyMixin, AuthenticateWebAuthnForm):
    """A passkey after the password."""

    credential = CredentialField()


class PasswordlessForm(_PasskeyMixin, LoginWebAuthnForm):
    """A passkey in place of the password. Who it is about is not known before it is valid."""

    credential = CredentialField()


class PasskeyForm(_PasskeyMixin, ReauthenticateWebAuthnForm):
    """A passkey that is asked for again."""

    credential = CredentialField()
    failed_as = Act.What.REAUTH_FAILED


class AddPasskeyForm(AddWebAuthnForm):
    """Adds a passkey or a security key."""

    credential = CredentialField()
    name = LineField(
        label=gettext_lazy("Name"), required=False, max_length=LONGEST_NAME,
        help_text=gettext_lazy("So that you can tell several apart."),
    )  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields.get("passwordless")
        if field is not None:
            field.label = gettext_lazy("Use it to log in without a password")
            field.help_text = gettext_lazy(
                "It asks for your fingerprint, face or PIN instead. Untick this if a security key "
                "can't do that."
            )
            field.initial = True

    def clean(self) -> dict[str, Any]:
        try:
            cleaned: dict[str, Any] = super().clean()
        except UNREADABLE as error:
            raise get_adapter().validation_error("incorrect_code") from error
        return cleaned


class RenamePasskeyForm(EditWebAuthnForm):
    """Renames a passkey."""

    name = LineField(label=gettext_lazy("Name"), max_length=LONGEST_NAME)
