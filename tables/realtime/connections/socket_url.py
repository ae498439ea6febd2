"""The websocket URLs of pages."""

from __future__ import annotations

import datetime as dt
import re
from urllib.parse import parse_qs, urlencode

PLAYER, LANGUAGE, SINCE, SEQ = "player", "language", "since", "seq"


def build_table_url(table_id: int, user_id: int | None, language: str) -> str:
    """The URL for a page rendered in this language for this user; ``None`` without a login. Its script
    adds the last change that the page has.
    """
    return f"/ws/tables/{table_id}/?{_build_query(user_id, language)}"


def build_lobby_url(user_id: int | None, language: str) -> str:
    """The same for a page of the lobby, whose script adds the time of its list."""
    return f"/ws/lobby/?{_build_query(user_id, language)}"


def build_notices_url(user_id: int, language: str) -> str:
    """The same for any other page of a user."""
    return f"/ws/notices/?{_build_query(user_id, language)}"


def _build_query(user_id: int | None, language: str) -> str:
    player = {} if user_id is None else {PLAYER: user_id}
    return urlencode({**player, LANGUAGE: language})


def parse_player_id(query: bytes) -> str | None:
    """The player id that the page sent in its URL; ``None`` without one."""
    return _value_in(query, PLAYER)


def language_in(query: bytes) -> str:
    """The language that the page sent in its URL; empty without one."""
    return _value_in(query, LANGUAGE) or ""


def parse_since(query: bytes) -> dt.datetime | None:
    """The time of the list that the page has, sent in milliseconds; ``None`` without a valid one."""
    text = _value_in(query, SINCE) or ""
    if not re.fullmatch(r"[0-9]{1,13}", text):
        return None
    return dt.datetime.fromtimestamp(int(text) / 1000, dt.UTC)


def parse_seq(query: bytes) -> int | None:
    """The last change that the page of a table has; ``None`` without a valid one."""
    text = _value_in(query, SEQ) or ""
    return int(text) if re.fullmatch(r"[0-9]{1,15}", text) else None


def _value_in(query: bytes, name: str) -> str | None:
    values = parse_qs(query.decode("latin-1")).get(name)
    return values[0] if values else None
