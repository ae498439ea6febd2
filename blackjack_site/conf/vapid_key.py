"""The key with which this site signs what it sends to push services (VAPID).

A private key of the curve P-256 is a number: 32 random bytes, in base64 as push services write it.
"""

from __future__ import annotations

import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from pathlib import Path
from typing import Final

from django.core.exceptions import ImproperlyConfigured

from blackjack_site.conf.secret_key import create_key_file

BYTES: Final = 32
_ORDER: Final = 0xFFFFFFFF_00000000_FFFFFFFF_FFFFFFFF_BCE6FAAD_A7179E84_F3B9CAC2_FC632551
"""The number of points of the curve; a key is below it."""


def generate_vapid_key() -> str:
    """A new private key."""
    number = secrets.randbelow(_ORDER - 1) + 1
    return urlsafe_b64encode(number.to_bytes(BYTES)).decode().rstrip("=")


def is_vapid_key(text: str) -> bool:
    """Whether the text is a private key.

    >>> is_vapid_key(generate_vapid_key()), is_vapid_key("A" * 43), is_vapid_key("short")
    (True, False, False)
    """
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return False
    return len(raw) == BYTES and 0 < int.from_bytes(raw) < _ORDER


def read_or_make_vapid_key(folder: Path) -> str:
    """Read the key in ``folder``; create one, readable only by its owner, if it is missing.

    Raises ``ImproperlyConfigured`` if the file is no key.
    """
    path = folder / "vapid_key"
    try:
        if not os.path.lexists(path):
            create_key_file(path, generate_vapid_key())
        key = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        fault = getattr(error, "strerror", None) or "it is no text"
        raise ImproperlyConfigured(
            f"The key for push messages cannot be read from {path} ({fault}): make it a file of the "
            "user who runs the site, or set VAPID_KEY."
        ) from error
    if not is_vapid_key(key):
        raise ImproperlyConfigured(
            f"The key for push messages in {path} is none: put the key there that was kept "
            "elsewhere, or remove the file, and a new one is made; then players have to turn calls "
            "on anew."
        )
    return key
