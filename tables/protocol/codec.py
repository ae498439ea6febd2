"""JSON of the wire and of the stored state of tables.

The messages are in :mod:`tables.protocol.commands` and :mod:`tables.protocol.frames`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn
from uuid import UUID

import msgspec
from msgspec import Struct

from tables.engine.errors import ExplainedError
from tables.protocol.commands import Incoming
from tables.protocol.frames import Changed

MAX_FRAME_BYTES: Final = 4096
MAX_DEPTH: Final = 6


class FrameError(ExplainedError):
    """A frame that is no command; ``code`` is for programs."""

    def __init__(self, code: str, template: str, **values: object) -> None:
        super().__init__(template, **values)
        self.code = code


# Reading


def decode_command(text: str | None) -> Incoming:
    """Decode a text frame. Raises :class:`FrameError`, and nothing else.

    Codes: ``bad_frame`` ``too_large`` ``bad_json`` ``bad_text`` ``bad_bet`` ``bad_cmd``.
    """
    if not text:
        raise FrameError("bad_frame", "Only text frames are accepted.")
    if len(text) > MAX_FRAME_BYTES or len(text.encode(errors="replace")) > MAX_FRAME_BYTES:
        raise FrameError(
            "too_large", "A message can have at most %(most)s bytes.", most=MAX_FRAME_BYTES
        )
    value = _parse_json(text)
    is_plain = text.isascii() and "\\" not in text  # then all its texts are plain ASCII
    if not is_plain and not all(_is_storable_text(word) for word in _iterate_strings(value)):
        raise FrameError("bad_text", "The message contains invalid characters.")
    try:
        message: Incoming = _typed(text)
    except msgspec.ValidationError as error:
        if value.get("t") == "bet" and str(error).endswith("`$.stake`"):
            raise FrameError("bad_bet", "A bet must be a whole number of hundredths.") from error
        raise FrameError("bad_cmd", "Unknown command.") from error
    return message


def find_command_id(text: str | None) -> UUID | None:
    """The id in a frame that :func:`decode_command` refused; ``None`` without one."""
    try:
        return UUID(_parse_json(text or "")["id"])
    except (FrameError, KeyError, ValueError, AttributeError, TypeError):
        return None


def _parse_json(text: str) -> dict[str, Any]:
    """Parse a JSON object strictly: no floats, no duplicate keys, no deep nesting."""
    if len(text) > MAX_FRAME_BYTES or _is_deep(text):
        raise FrameError("bad_json", "The message is not valid JSON.")
    try:
        value = _strictly(text)
    except (ValueError, RecursionError) as error:
        raise FrameError("bad_json", "The message is not valid JSON.") from error
    if type(value) is not dict:
        raise FrameError("bad_json", "A message must be a JSON object.")
    return value


def _iterate_strings(value: object) -> Iterator[str]:
    """All strings in a decoded value, with names of fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _iterate_strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _iterate_strings(inner)


def _is_storable_text(word: str) -> bool:
    """Whether every database can store it: no half of a surrogate pair, and no NUL."""
    if word.isascii():
        return "\0" not in word
    return not any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in word)


def _is_deep(text: str) -> bool:
    """Whether the nesting is deeper than in any message."""
    return text.count("{") + text.count("[") > MAX_DEPTH and _nesting_depth(text) > MAX_DEPTH


def _nesting_depth(text: str) -> int:
    depth = deepest = 0
    for bracket in re.findall(r"[\[{\]}]", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(text)


def _parse_int(text: str) -> int:
    """Parse an int; a too long one becomes a value that every bound refuses."""
    return int(text) if len(text) <= 17 else 10**17


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("duplicate keys")
    return value


_typed: Final = msgspec.json.Decoder(Incoming).decode
_changed: Final = msgspec.json.Decoder(Changed).decode
_CHANGED_START: Final = '{"t":"changed"'
_strictly: Final = json.JSONDecoder(
    parse_float=_refuse_constant,
    parse_constant=_refuse_constant,
    parse_int=_parse_int,
    object_pairs_hook=_refuse_duplicates,
).decode


def is_changed(text: str) -> bool:
    """Whether an encoded frame is a ``changed`` frame."""
    return text.startswith(_CHANGED_START)


def decode_changed(text: str) -> Changed:
    """Decode a frame that another process of the site has encoded."""
    return _changed(text)


# Writing


def encode(message: Struct | dict[str, Any] | list[Any] | tuple[Any, ...]) -> str:
    """Encode a message or plain value as JSON text."""
    return msgspec.json.encode(message).decode()


def decode_state(text: str) -> dict[str, Any]:
    """Decode the private state of a table's row."""
    state: dict[str, Any] = msgspec.json.decode(text)
    return state


def decode_list(text: str) -> list[Any]:
    """Decode a stored list."""
    stored: list[Any] = msgspec.json.decode(text)
    return stored


def decode_events(text: str) -> list[dict[str, Any]]:
    """Decode the public events of a change."""
    events: list[dict[str, Any]] = msgspec.json.decode(text)
    return events
