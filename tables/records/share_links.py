"""Signed links to a round that show the name of the player who shared it."""

from __future__ import annotations

from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.lib.ids import parse_id

_SALT = "tables.records.sharing"
_SIGNS = 32
"""The length of the signature in hexadecimal digits: 128 bits."""


def create_share_token(round_id: int, user_id: int) -> str:
    """The token of this player's link to this round."""
    return f"{user_id}-{_sign(round_id, user_id)}"


def verify_share_token(round_id: int, text: str | None) -> int | None:
    """The id of the user who shared the link; ``None`` if the token is not for this round."""
    written, _, signature = (text or "").partition("-")
    user_id = parse_id(written)
    if user_id is None or not constant_time_compare(signature, _sign(round_id, user_id)):
        return None
    return user_id


def _sign(round_id: int, user_id: int) -> str:
    return salted_hmac(_SALT, f"{round_id}/{user_id}", algorithm="sha256").hexdigest()[:_SIGNS]
