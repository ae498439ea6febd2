"""Signed links to a round that show the name of the player who shared it."""

from __future__ import annotations

from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.lib.ids import parse_id

_SALT = "tables.records.sharing"
_SIGNS = 32
"""Hexadecimal digits of a signature that are used: 128 bits."""


def token(round_id: int, user_id: int) -> str:
    """What the link of this player to this round carries."""
    return f"{user_id}-{_signature(round_id, user_id)}"


def verify_share_token(round_id: int, text: str | None) -> int | None:
    """The id of the user who made the link, if it is one to this round."""
    written, _, signature = (text or "").partition("-")
    user_id = parse_id(written)
    if user_id is None or not constant_time_compare(signature, _signature(round_id, user_id)):
        return None
    return user_id


def _signature(round_id: int, user_id: int) -> str:
    return salted_hmac(_SALT, f"{round_id}/{user_id}", algorithm="sha256").hexdigest()[:_SIGNS]
