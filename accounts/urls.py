"""URLs of the accounts app, and wrapped URLs of allauth."""

from __future__ import annotations

from allauth.account import views as allauth_views
from django.urls import path, re_path

from accounts import views
from accounts.mail import views as mail_views
from accounts.users.reauthentication import confirm_stored_form, require_recent_password

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
    re_path(
        r"^confirm-email/(?P<key>[-:\w]+)/$", views.confirm_other_user(allauth_views.confirm_email)
    ),
]
