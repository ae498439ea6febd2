"""The second factor of people in tests: an authenticator app, and the codes that it shows."""

from __future__ import annotations

import time

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value

from accounts.models import User

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"  # noqa: S105 - of nobody
PERIOD = 30


def give_app(user: User, secret: str = SECRET) -> Authenticator:
    """Turn on an authenticator app for the user, if there is none, with recovery codes."""
    found = Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).first()
    if found is not None:
        return found
    RecoveryCodes.activate(user)
    app: Authenticator = TOTP.activate(user, secret).instance
    return app


def code_of(secret: str = SECRET, *, steps: int = 0) -> str:
    """The code that the app shows now, or so many steps of 30 seconds later."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // PERIOD + steps))


def recovery_codes_of(user: User) -> list[str]:
    """The unused recovery codes."""
    row = Authenticator.objects.get(user=user, type=Authenticator.Type.RECOVERY_CODES)
    codes: list[str] = row.wrap().get_unused_codes()
    return codes
