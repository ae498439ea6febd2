"""The names of all topics a socket can follow."""

from __future__ import annotations

LOBBY = "lobby"


def table_topic(table_id: int) -> str:
    """What everybody at this table sees."""
    return f"table.{table_id}"


def user_topic(user_id: int) -> str:
    """What this user alone is told."""
    return f"user.{user_id}"
