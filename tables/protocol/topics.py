"""Names of the topics that a socket can follow."""

from __future__ import annotations

LOBBY = "lobby"
HOUSE = "house"
"""Frames for all pages with a table or the lobby."""
EVICTIONS = "doors"
"""Eviction messages between processes: :func:`table_topic` to check the sockets of a table,
:func:`sessions_of` to check those of a user, :func:`renamed` to make a user's pages reload."""


def table_topic(table_id: int) -> str:
    """The topic of a table."""
    return f"table.{table_id}"


def user_topic(user_id: int) -> str:
    """The topic of a user's own pages."""
    return f"user.{user_id}"


def user_in(topic: str) -> int | None:
    """The id of the user of a topic; ``None`` for other topics."""
    return _number_in(topic, "user")


def sessions_of(user_id: int, but: str | None) -> str:
    """The message that sessions of this user may have ended, except the one ``but``."""
    return f"sessions.{user_id}.{but or ''}"


def renamed(user_id: int) -> str:
    """The message that the pages of this user must reload."""
    return f"renamed.{user_id}"


def table_in(topic: str) -> int | None:
    """The id of the table of a topic; ``None`` for other topics."""
    return _number_in(topic, "table")


def _number_in(topic: str, wanted: str) -> int | None:
    kind, _, number = topic.partition(".")
    return int(number) if kind == wanted else None
