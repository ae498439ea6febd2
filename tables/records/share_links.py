"""Signed links: to a round, with the name of the player who shared it, and to a settlement sheet."""

from __future__ import annotations

from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.lib.ids import parse_id

_SALT = "tables.records.sharing"
_SIGNS = 32
"""The length of the signature in hexadecimal digits: 128 bits."""


def create_share_token(round_id: int, user_id: int) -> str:
    """The token of this player's link to this round."""
    return f"{user_id}-{_sign(f'{round_id}/{user_id}')}"


def verify_share_token(round_id: int, text: str | None) -> int | None:
    """The id of the user who shared the link; ``None`` if the token is not for this round."""
    return _verify(str(round_id), text)


def create_sheet_token(table_id: int, user_id: int) -> str:
    """The token of this player's link to the settlement sheet of this table, which it opens to all."""
    return f"{user_id}-{_sign(f'table:{table_id}/{user_id}')}"


def verify_sheet_token(table_id: int, text: str | None) -> int | None:
    """The id of the user who shared the sheet; ``None`` if the token is not for this table."""
    return _verify(f"table:{table_id}", text)


def _verify(subject: str, text: str | None) -> int | None:
    id_text, _, signature = (text or "").partition("-")
    user_id = parse_id(id_text)
    if user_id is None or not constant_time_compare(signature, _sign(f"{subject}/{user_id}")):
        return None
    return user_id


def _sign(text: str) -> str:
    return salted_hmac(_SALT, text, algorithm="sha256").hexdigest()[:_SIGNS]
