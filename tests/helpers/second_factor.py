"""The second factor of people in tests: an authenticator app, and its codes at the login."""

from __future__ import annotations

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.test import Client

from accounts.models import User
from tests.helpers.app_codes import SECRET, code_of
from tests.helpers.socket_player import PASSWORD

CODE_PAGE = "/accounts/2fa/login/"


def give_app(user: User, secret: str = SECRET) -> Authenticator:
    """Turn on an authenticator app for the user, if there is none, with recovery codes."""
    authenticator = Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).first()
    if authenticator is not None:
        return authenticator
    RecoveryCodes.activate(user)
    app: Authenticator = TOTP.activate(user, secret).instance
    return app


def log_in_with_code(client: Client, user: User, onward: str = "") -> Any:
    """Log in with the password and the code of the user's app; the answer to the code.

    The code of the step before, so that a test may use the one of now.
    """
    give_app(user)
    form = {"login": user.username, "password": PASSWORD, "next": onward}
    answer = client.post("/accounts/login/", form)
    assert answer["Location"] == CODE_PAGE, answer
    return client.post(CODE_PAGE, {"code": code_of(steps=-1)})


def recovery_codes_of(user: User) -> list[str]:
    """The unused recovery codes."""
    row = Authenticator.objects.get(user=user, type=Authenticator.Type.RECOVERY_CODES)
    codes: list[str] = row.wrap().get_unused_codes()
    return codes
