"""Admin pages of the ledger and of the site's settings. Those of users are registered with tables."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.models import Group

from accounts.admin import ledger, site_settings

__all__ = ["ledger", "site_settings"]

for library in (Group, EmailAddress, Authenticator, UserSession):
    # Roles come with the database, addresses belong to their owner, keys are secret.
    admin.site.unregister(library)
