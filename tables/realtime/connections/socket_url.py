"""The websocket URL of a table's page."""

from __future__ import annotations

from urllib.parse import parse_qs

PLAYER = "player"


def build_table_url(table_id: int, user_id: int | None) -> str:
    """The URL for a page rendered for this user, or for a visitor without a login."""
    query = "" if user_id is None else f"?{PLAYER}={user_id}"
    return f"/ws/tables/{table_id}/{query}"


def parse_player_id(query: bytes) -> str | None:
    """The player id that the page sent in its URL; ``None`` without one."""
    said = parse_qs(query.decode("latin-1")).get(PLAYER)
    return said[0] if said else None
