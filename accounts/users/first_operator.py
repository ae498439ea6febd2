"""The page that makes the first operator, by the link that a server prints at its start."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from allauth.account.internal.flows.reauthentication import reauthenticate_by_password
from django import forms
from django.contrib.auth import login
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.doors import first_links
from accounts.http import check_rate_limit, get_client_address
from accounts.lib import names, server_clock
from accounts.lib.form_fields import NameField
from accounts.models import NAME_TAKEN, User
from accounts.users import names as new_names


class FirstOperatorForm(forms.Form):
    """The name and the password of the first operator. The name may be a reserved one."""

    username = NameField(help_text=names.HELP)
    password1 = forms.CharField(
        label=gettext_lazy("Password"),
        help_text=gettext_lazy("8 characters or more, and hard to guess."),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_username(self) -> str:
        """Check the name."""
        return new_names.clean(self.cleaned_data["username"], may_be_reserved=True)

    def clean(self) -> dict[str, Any]:
        """Check the password, which must not be like the name."""
        data: dict[str, Any] = super().clean() or {}
        if password := data.get("password1"):
            try:
                validate_password(password, User(username=data.get("username", "")))
            except forms.ValidationError as error:
                self.add_error("password1", error)
        return data


@never_cache
@sensitive_post_parameters("password1")
@require_http_methods(["GET", "HEAD", "POST"])
def first_operator(request: HttpRequest, token: str) -> HttpResponse:
    """Make the first operator, log in, and go to the operators' pages."""
    if answer := check_rate_limit(request, "signup", counts_get=True):
        return answer
    if not first_links.is_valid(token):
        return _render_ended(request)
    form = FirstOperatorForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            user = first_links.make_operator(
                token,
                name=form.cleaned_data["username"],
                encoded_password=make_password(form.cleaned_data["password1"]),
                address=get_client_address(request),
                now=server_clock.now(),
            )
        except first_links.LinkEnded:
            return _render_ended(request)
        except IntegrityError:
            form.add_error("username", NAME_TAKEN)
        else:
            login(request, user)
            reauthenticate_by_password(request)
            return redirect("admin:index")
    return render(request, "account/first_operator.html", {"form": form})


def _render_ended(request: HttpRequest) -> HttpResponse:
    return render(request, "account/first_link_ended.html", status=HTTPStatus.NOT_FOUND)
