"""The names of all topics a socket can follow."""

from __future__ import annotations

LOBBY = "lobby"
DOORS = "doors"
"""Which table's watchers have to be looked at again, for the processes themselves."""


def table_topic(table_id: int) -> str:
    """What everybody at this table sees."""
    return f"table.{table_id}"


def user_topic(user_id: int) -> str:
    """What this user alone is told."""
    return f"user.{user_id}"


def table_in(topic: str) -> int | None:
    """The id of the table that a topic is about."""
    kind, _, name = topic.partition(".")
    return int(name) if kind == "table" else None
