"""Secrets in links. Only their hashes are stored."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

BYTES: Final = 24


def make_token() -> str:
    """Make a secret of 32 characters for a link."""
    return secrets.token_urlsafe(BYTES)


def hash_token(token: str) -> str:
    """The hash under which a secret is stored. It is random, so it needs no salt and no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()
