"""Views of the second factor: allauth's, with this site's forms, redirects and checks."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import record_authentication
from allauth.account.models import Login
from allauth.account.utils import get_next_redirect_url
from allauth.mfa.base import views as base_views
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes import views as recovery_views
from allauth.mfa.totp import views as totp_views
from allauth.mfa.totp.internal import flows as totp_flows
from allauth.mfa.webauthn import views as webauthn_views
from allauth.mfa.webauthn.internal import auth as webauthn
from allauth.mfa.webauthn.internal import flows as webauthn_flows
from django.contrib.auth.decorators import login_required
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.http import require_safe

from accounts.http import add_retry_after, consume_rate_limit, find_wait, get_user
from accounts.models import Act, User
from accounts.users import login_log
from accounts.users.reauthentication import find_onward
from accounts.users.second_factor import challenges, codes, requirement

Type = Authenticator.Type
CHALLENGE_RATE: Final = "passkey_challenge"


@require_safe
@login_required
def index(request: HttpRequest) -> HttpResponse:
    """What the second factor of the user is, and links that change it."""
    user = get_user(request)
    rows = list(Authenticator.objects.filter(user=user).order_by("pk"))
    wrapped = {kind: [row.wrap() for row in rows if row.type == kind] for kind in Type}
    recovery = next(iter(wrapped[Type.RECOVERY_CODES]), None)
    has_one = bool(wrapped[Type.TOTP] or wrapped[Type.WEBAUTHN])
    context = {
        "app": next(iter(wrapped[Type.TOTP]), None),
        "passkeys": wrapped[Type.WEBAUTHN],
        "has_one": has_one,
        "has_codes": recovery is not None,
        "codes_left": len(recovery.get_unused_codes()) if recovery else 0,
        "is_needed": requirement.needs_one(user),
        "onward": find_onward(request) if has_one else "",
    }
    return render(request, "mfa/index.html", context)


class ActivateAppView(totp_views.ActivateTOTPView):
    """Turns on an authenticator app. The code that proves it is used, like any other."""

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            app, new_codes = totp_flows.activate_totp(self.request, form)
        except IntegrityError:  # turned on at the same moment, by a double click
            return redirect("mfa_index")
        codes.store_step(app, form.step)
        _note_added(self.request, app)
        return redirect("mfa_view_recovery_codes" if new_codes else "mfa_index")


class DeactivateAppView(totp_views.DeactivateTOTPView):
    """Turns off the authenticator app."""

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        _record_change(self.request, get_user(self.request), Type.TOTP, "removed")
        return response


class AddPasskeyView(webauthn_views.AddWebAuthnView):
    """Adds a passkey."""

    def form_valid(self, form: Any) -> HttpResponse:
        read = form.cleaned_data
        passkey, new_codes = webauthn_flows.add_authenticator(
            self.request, name=read["name"], credential=read["credential"]
        )
        _note_added(self.request, passkey)
        return redirect("mfa_view_recovery_codes" if new_codes else "mfa_index")


class RemovePasskeyView(webauthn_views.RemoveWebAuthnView):
    """Removes a passkey."""

    success_url = reverse_lazy("mfa_index")

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        _record_change(self.request, get_user(self.request), Type.WEBAUTHN, "removed")
        return response


class GenerateCodesView(recovery_views.GenerateRecoveryCodesView):
    """Replaces the recovery codes."""

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        _record_change(self.request, get_user(self.request), Type.RECOVERY_CODES, "new ones")
        return response


class RenamePasskeyView(webauthn_views.EditWebAuthnView):
    """Renames a passkey."""

    success_url = reverse_lazy("mfa_index")


class LoginPasskeyView(webauthn_views.LoginWebAuthnView):
    """Logs in by a passkey, and leads to the page that asked for the login.

    The browser of a visitor keeps the challenge in a cookie: a session row is created at login only.
    """

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not get_adapter(request).is_ajax(request):
            return redirect("account_login")
        if not consume_rate_limit(request, CHALLENGE_RATE, counts_get=True):
            refused = JsonResponse({}, status=HTTPStatus.TOO_MANY_REQUESTS)
            add_retry_after(refused, find_wait(request, CHALLENGE_RATE))
            return refused
        response = JsonResponse({"request_options": webauthn.begin_authentication()})
        challenges.store(response, webauthn.get_state() or {})
        webauthn.clear_state()
        return response

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        state = challenges.take(request)
        webauthn.clear_state()
        if state is not None:
            webauthn.set_state(state)
        response: HttpResponse = super().post(request, *args, **kwargs)
        webauthn.clear_state()  # after a passkey that was refused
        response.delete_cookie(challenges.COOKIE)
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        authenticator = form.cleaned_data["credential"]
        login = Login(
            user=authenticator.user, redirect_url=get_next_redirect_url(self.request, "next")
        )
        response: HttpResponse = webauthn_flows.perform_passwordless_login(
            self.request, authenticator, login
        )
        return response


class ConfirmPasskeyView(webauthn_views.ReauthenticateWebAuthnView):
    """Asks for a passkey again; a wrong one gets the page again, with the reason."""

    def form_invalid(self, form: Any) -> HttpResponse:
        page: HttpResponse = self.render_to_response(self.get_context_data(form=form))
        return page

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        values: dict[str, Any] = super().get_context_data(**context)
        return {**values, **context}


class RecoveryCodesView(recovery_views.ViewRecoveryCodesView):
    """Shows new recovery codes, once."""

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        values: dict[str, Any] = super().get_context_data(**context)
        return {**values, "onward": find_onward(self.request)}


authenticate = base_views.authenticate
reauthenticate = base_views.reauthenticate
activate_app = ActivateAppView.as_view()
deactivate_app = DeactivateAppView.as_view()
view_codes = RecoveryCodesView.as_view()
generate_codes = GenerateCodesView.as_view()
add_passkey = AddPasskeyView.as_view()
remove_passkey = RemovePasskeyView.as_view()
rename_passkey = RenamePasskeyView.as_view()
confirm_passkey = ConfirmPasskeyView.as_view()
login_by_passkey = LoginPasskeyView.as_view()


def _note_added(request: HttpRequest, authenticator: Authenticator) -> None:
    """A new factor was shown by adding it: the session is not asked for it at once."""
    user = get_user(request)
    record_authentication(
        request, user, "mfa", id=authenticator.pk, type=authenticator.type, reauthenticated=True
    )
    _record_change(request, user, authenticator.type, "added")


def _record_change(request: HttpRequest, user: User, kind: str, change: str) -> None:
    """Record a change of an operator's second factor, without its secret."""
    after = {login_log.WAYS[kind]: change}
    login_log.record(request, user, Act.What.EDIT_USER, after)
