"""URLs of the accounts app, and wrapped URLs of allauth."""

from __future__ import annotations

from allauth.account import views as allauth_views
from django.urls import path, re_path

from accounts import views
from accounts.mail import views as mail_views
from accounts.users.reauthentication import ask_again, required

urlpatterns = [
    path("guest/", views.guest, name="guest"),
    path("language/", views.set_language, name="set-language"),
    path("keep/", views.keep, name="keep-account"),
    # Not for guests: these pages need a password.
    path("signup/", views.not_for_guests(allauth_views.signup)),
    path("email/", views.not_for_guests(required(mail_views.email))),
    path("password/reset/", mail_views.reset_password),
    path("again/<str:token>/", ask_again, name="ask-again"),
    re_path(
        r"^confirm-email/(?P<key>[-:\w]+)/$", views.not_for_others(allauth_views.confirm_email)
    ),
]
