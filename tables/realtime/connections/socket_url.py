"""The websocket URL of a table's page."""

from __future__ import annotations

from urllib.parse import parse_qs

PLAYER = "player"


def of_table(table_id: int, user_id: int | None) -> str:
    """For a page that was drawn for this user, or for somebody who watches."""
    query = "" if user_id is None else f"?{PLAYER}={user_id}"
    return f"/ws/tables/{table_id}/{query}"


def player_in(query: bytes) -> str | None:
    """For which player the page was drawn, by its own word; ``None`` where it does not say."""
    said = parse_qs(query.decode("latin-1")).get(PLAYER)
    return said[0] if said else None
