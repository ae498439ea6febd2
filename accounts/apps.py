from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks


class AccountsConfig(AppConfig):
    name = "accounts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        checks.register(check_mail, deploy=True)


def check_mail(**_: Any) -> list[checks.CheckMessage]:
    """Check that e-mails can be sent, and from an address that mail servers accept."""
    if settings.MAIL_QUEUE_BACKEND.endswith("console.EmailBackend"):
        return [
            checks.Warning(
                "EMAIL_URL is not set: e-mails are printed to the console, and nobody can confirm "
                "an address or replace a forgotten password.",
                hint="Set EMAIL_URL=smtp+tls://user:password@host:587 and DEFAULT_FROM_EMAIL.",
                id="house.W002",
            )
        ]
    if settings.DEFAULT_FROM_EMAIL.endswith("@localhost"):
        return [
            checks.Warning(
                f"E-mails come from {settings.DEFAULT_FROM_EMAIL}, which mail servers refuse.",
                hint="Set DEFAULT_FROM_EMAIL to an address of your own, at the site's domain.",
                id="house.W003",
            )
        ]
    return []
