"""The adapter of allauth.mfa: names, the QR code, and error messages."""

from __future__ import annotations

from typing import Any

import segno
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.utils.translation import gettext, gettext_lazy

from accounts import site_settings
from accounts.models import User


class MFAAdapter(DefaultMFAAdapter):
    """Names the site and its users as its pages do, and never by an e-mail address."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": gettext_lazy("That is wrong, or it was used before. Try again."),
    }

    def get_totp_label(self, user: Any) -> str:
        """The name under which an app lists the account."""
        return self._get_user_identifier(user)

    def _get_user_identifier(self, user: Any) -> str:
        return str(user.get_username())

    def get_totp_issuer(self) -> str:
        """The name of the site, as its pages show it."""
        return self._get_site_name()

    def _get_site_name(self) -> str:
        name: str = site_settings.get().name
        return name

    def build_totp_svg(self, url: str) -> str:
        """The QR code for an authenticator app, dark on light in both colour schemes."""
        return segno.make_qr(url, error="m").svg_inline(omitsize=True, light="#fff")

    def generate_authenticator_name(
        self,
        user: User,
        type: Authenticator.Type,  # noqa: A002 - allauth's name
    ) -> str:
        """The suggested name of a passkey: "Passkey", "Passkey 2"."""
        number = Authenticator.objects.filter(user=user.pk, type=type).count() + 1
        return gettext("Passkey") if number == 1 else gettext("Passkey %(number)s") % {
            "number": number
        }  # fmt: skip
