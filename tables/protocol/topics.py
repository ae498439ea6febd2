"""Names of the topics that a socket can follow."""

from __future__ import annotations

LOBBY = "lobby"
HOUSE = "house"
"""What concerns everybody who has a table or the lobby open."""
EVICTIONS = "doors"
"""Who may have to leave, for the processes themselves: :func:`table_topic` of a table whose
watchers have to be looked at again, :func:`sessions_of` somebody, of which some may have ended, and
:func:`renamed` for somebody whose pages have to be loaded again."""


def table_topic(table_id: int) -> str:
    """What everybody at this table sees."""
    return f"table.{table_id}"


def user_topic(user_id: int) -> str:
    """What this user alone is told."""
    return f"user.{user_id}"


def user_in(topic: str) -> int | None:
    """The id of the user who alone is told what is on a topic."""
    return _number_in(topic, "user")


def sessions_of(user_id: int, but: str | None) -> str:
    """That sessions of this user may have ended; that with the key ``but`` is of no concern."""
    return f"sessions.{user_id}.{but or ''}"


def renamed(user_id: int) -> str:
    """That the pages of this user have to be loaded again."""
    return f"renamed.{user_id}"


def table_in(topic: str) -> int | None:
    """The id of the table that a topic is about."""
    return _number_in(topic, "table")


def _number_in(topic: str, wanted: str) -> int | None:
    kind, _, number = topic.partition(".")
    return int(number) if kind == wanted else None
