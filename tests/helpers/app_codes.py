"""The codes of an authenticator app, computed from its secret as RFC 6238 says."""

from __future__ import annotations

import base64
import hashlib
import hmac
import struct
import time

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
"""Of the apps that tests set up by themselves."""
PERIOD = 30
GIVE_APP = "from tests.helpers.second_factor import give_app; give_app(user)"
"""For ``manage.py shell``: an app for ``user``."""


def code_of(secret: str = SECRET, *, steps: int = 0) -> str:
    """The code that the app shows now, or so many steps of 30 seconds later."""
    counter = struct.pack(">Q", int(time.time()) // PERIOD + steps)
    digest = hmac.new(base64.b32decode(secret), counter, hashlib.sha1).digest()
    start = digest[-1] & 0x0F
    (number,) = struct.unpack(">I", digest[start : start + 4])
    return f"{(number & 0x7FFFFFFF) % 1_000_000:06}"
