"""Invite codes: short enough to be read aloud, too long to be guessed."""

from __future__ import annotations

import secrets
from typing import Final

LENGTH: Final = 8
ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without letters that look alike; a code has 40 bits."""
_MISTAKEN: Final = str.maketrans("OIL", "011")
_BETWEEN: Final = str.maketrans("", "", " -–\t\u00a0")


def generate_code() -> str:
    """Generate a random code."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def parse_code(text: str) -> str | None:
    """Parse a typed code; ``None`` if it is none.

    >>> parse_code(" k7qm-9tXd "), parse_code("K7QM9TX"), parse_code("OOII llAB")
    ('K7QM9TXD', None, '001111AB')
    """
    code = text.upper().translate(_BETWEEN).translate(_MISTAKEN)
    return code if len(code) == LENGTH and set(code) <= set(ALPHABET) else None
