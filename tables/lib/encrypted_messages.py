"""Messages that only processes with the site's key can read or write (AES-256-GCM)."""

from __future__ import annotations

import os
from functools import cache
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.utils.crypto import salted_hmac

NONCE_BYTES: Final = 12


class UnreadableMessage(Exception):
    """The message was encrypted with another key or for another purpose, or was changed."""


def encrypt(message: bytes, purpose: bytes) -> bytes:
    """Encrypt a message; :func:`decrypt` has to name the same ``purpose``."""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + _get_cipher(settings.SECRET_KEY).encrypt(nonce, message, purpose)


def decrypt(encrypted: bytes, purpose: bytes) -> bytes:
    """The message. Raises :class:`UnreadableMessage`."""
    nonce, rest = encrypted[:NONCE_BYTES], encrypted[NONCE_BYTES:]
    try:
        return _get_cipher(settings.SECRET_KEY).decrypt(nonce, rest, purpose)
    except (InvalidTag, ValueError) as error:
        raise UnreadableMessage from error


@cache
def _get_cipher(secret_key: str) -> AESGCM:
    return AESGCM(salted_hmac("messages", "key", secret_key, algorithm="sha256").digest())
