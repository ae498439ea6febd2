"""The websocket URL of a table's page."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode

PLAYER, LANGUAGE = "player", "language"


def build_table_url(table_id: int, user_id: int | None, language: str) -> str:
    """The URL for a page rendered in this language for this user; ``None`` without a login."""
    player = {} if user_id is None else {PLAYER: user_id}
    return f"/ws/tables/{table_id}/?{urlencode({**player, LANGUAGE: language})}"


def parse_player_id(query: bytes) -> str | None:
    """The player id that the page sent in its URL; ``None`` without one."""
    return _value_in(query, PLAYER)


def language_in(query: bytes) -> str:
    """The language that the page sent in its URL; empty without one."""
    return _value_in(query, LANGUAGE) or ""


def _value_in(query: bytes, name: str) -> str | None:
    said = parse_qs(query.decode("latin-1")).get(name)
    return said[0] if said else None
