"""Codes of authenticator apps and recovery codes. No code is valid twice.

allauth remembers used codes in the cache for 30 seconds. Here the time step of the last one is
stored with the secret, so that neither a restart nor another process accepts it again.
"""

from __future__ import annotations

import time
from typing import Final

from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa import app_settings
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.mfa.utils import decrypt
from django.db import transaction

TOLERANCE: Final = 1
"""How many time steps the clock of a device may be before or behind the server's."""
LAST_STEP: Final = "last_step"


def find_step(secret: str, code: str, *, after: int = -1) -> int | None:
    """The time step of a code of an authenticator app; ``None`` if it is wrong, or not ``after``."""
    now = int(time.time()) // app_settings.TOTP_PERIOD
    for step in range(max(now - TOLERANCE, after + 1), now + TOLERANCE + 1):
        if compare_user_code(actual=code, expected=format_hotp_value(hotp_value(secret, step))):
            return step
    return None


def store_step(authenticator: Authenticator, step: int) -> None:
    """Store the step of a used code: it and earlier ones are not accepted again."""
    authenticator.data[LAST_STEP] = step
    authenticator.save(update_fields=["data"])


@transaction.atomic
def use_code(user_id: int, code: str) -> Authenticator | None:
    """Use a code of the user's app, or a recovery code; ``None`` if it is wrong or used."""
    rows = Authenticator.objects.select_for_update().filter(user=user_id).order_by("pk")
    for row in rows.exclude(type=Authenticator.Type.WEBAUTHN):
        if row.type == Authenticator.Type.TOTP:
            last = row.data.get(LAST_STEP, -1)
            step = find_step(decrypt(row.data["secret"]), code, after=last)
            if step is not None:
                store_step(row, step)
                return row
        elif row.wrap().validate_code(code):
            row.refresh_from_db()
            return row
    return None
