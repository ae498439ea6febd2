"""URLs of the accounts app, and wrapped URLs of allauth."""

from __future__ import annotations

from allauth.account import views as allauth_views
from django.contrib.auth.decorators import login_required
from django.urls import path, re_path
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_safe

from accounts import views
from accounts.mail import views as mail_views
from accounts.users.reauthentication import (
    View,
    confirm_stored_form,
    lead_on,
    require_both,
    require_recent_password,
)
from accounts.users.second_factor import views as factor_views


def own_factor(view: View) -> View:
    """A page that changes the user's second factor. Guests have no password, and so none of it."""
    guarded = views.redirect_guests(login_required(require_both(view)))
    return never_cache(sensitive_post_parameters("code", "credential")(guarded))


def asks_for_factor(view: View) -> View:
    """A page that asks for the second factor."""
    return never_cache(sensitive_post_parameters("code", "credential")(view))


urlpatterns = [
    path("guest/", views.guest, name="guest"),
    path("language/", views.set_language, name="set-language"),
    path("keep/", views.keep, name="keep-account"),
    path("invited/<str:token>/", views.sign_up_invite, name="sign-up-invite"),
    path("waiting/", views.waiting, name="waiting"),
    # Not for guests: these pages need a password.
    path("signup/", views.redirect_guests(allauth_views.signup)),
    path("email/", views.redirect_guests(require_recent_password(mail_views.email))),
    path("password/reset/", mail_views.reset_password),
    path("again/<str:token>/", confirm_stored_form, name="ask-again"),
    path("operator/", views.redirect_guests(lead_on), name="lead-on"),
    re_path(
        r"^confirm-email/(?P<key>[-:\w]+)/$", views.confirm_other_user(allauth_views.confirm_email)
    ),
    # The names are those that allauth.mfa leads to.
    path("2fa/", views.redirect_guests(factor_views.index), name="mfa_index"),
    path("2fa/login/", asks_for_factor(factor_views.authenticate), name="mfa_authenticate"),
    path("2fa/app/", own_factor(factor_views.activate_app), name="mfa_activate_totp"),
    path("2fa/app/remove/", own_factor(factor_views.deactivate_app), name="mfa_deactivate_totp"),
    path("2fa/codes/", require_safe(own_factor(factor_views.view_codes)), name="mfa_view_recovery_codes"),
    path(
        "2fa/codes/new/", own_factor(factor_views.generate_codes),
        name="mfa_generate_recovery_codes",
    ),
    path("2fa/passkeys/add/", own_factor(factor_views.add_passkey), name="mfa_add_webauthn"),
    path(
        "2fa/passkeys/<int:pk>/remove/", own_factor(factor_views.remove_passkey),
        name="mfa_remove_webauthn",
    ),
    path(
        "2fa/passkeys/<int:pk>/name/", own_factor(factor_views.rename_passkey),
        name="mfa_edit_webauthn",
    ),
    path(
        "2fa/passkeys/login/", asks_for_factor(factor_views.login_by_passkey),
        name="mfa_login_webauthn",
    ),
]  # fmt: skip
