"""Names of the topics that a socket can follow."""

from __future__ import annotations

LOBBY = "lobby"
"""Messages between processes about the list of tables: :func:`table_topic` of a table whose card
changed, :func:`hidden_table` of one that became private, :func:`user_topic` of a user without
access to one from now on, :data:`LIST_AGAIN`."""
LOBBY_PAGES = "lobby.pages"
"""Frames for the open lobbies of one process."""
LIST_AGAIN = "list"
"""The message that some were missed, so that pages have to fetch the list."""
SITE = "house"
"""Frames for all pages with a table or the lobby."""
EVICTIONS = "doors"
"""Eviction messages between processes: :func:`table_topic` to check the sockets of a table,
:func:`session_eviction` to check those of a user, :func:`reload_message` to make a user's pages reload."""


def table_topic(table_id: int) -> str:
    """The topic of a table."""
    return f"table.{table_id}"


def hidden_table(table_id: int) -> str:
    """The message that a public table became private."""
    return f"hidden.{table_id}"


def parse_hidden(message: str) -> int | None:
    """The id of the table of :func:`hidden_table`; ``None`` for other messages."""
    return _parse_number(message, "hidden")


def user_topic(user_id: int) -> str:
    """The topic of a user's own pages."""
    return f"user.{user_id}"


def parse_user(topic: str) -> int | None:
    """The id of the user of a topic; ``None`` for other topics."""
    return _parse_number(topic, "user")


def session_eviction(user_id: int, but: str | None) -> str:
    """The message that sessions of this user may have ended, except the one ``but``."""
    return f"sessions.{user_id}.{but or ''}"


def reload_message(user_id: int) -> str:
    """The message that the pages of this user must reload."""
    return f"renamed.{user_id}"


def parse_table(topic: str) -> int | None:
    """The id of the table of a topic; ``None`` for other topics."""
    return _parse_number(topic, "table")


def _parse_number(topic: str, prefix: str) -> int | None:
    kind, _, number = topic.partition(".")
    return int(number) if kind == prefix and number.isdecimal() else None
