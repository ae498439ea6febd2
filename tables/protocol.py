"""The wire: messages from and to browsers, and the stored text of a table's state.

``docs/protocol.md`` describes every message; a test holds the two together. Nothing else in the
project reads or writes JSON. Amounts are integer hundredths, times are milliseconds since 1970.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass
from enum import IntEnum
from typing import Annotated, Any, Final, NoReturn
from uuid import UUID

import msgspec
from msgspec import Meta, Struct

from tables.engine.cards import Card

MAX_FRAME_BYTES: Final = 4096
MAX_DEPTH: Final = 6


class CloseCode(IntEnum):
    """Why the server closed a socket."""

    PROTOCOL = 4400
    """Too many unreadable frames."""
    NO_SUCH_TABLE = 4404
    RATE = 4429
    """Too many frames in a short time."""
    RESTART = 4012
    """The server stops or restarts; come back. (daphne cannot send the standard 1012.)"""
    TRY_LATER = 4013
    """The reader was too slow, or the server is busy; come back. (Likewise 1013.)"""


class Unreadable(Exception):
    """A frame that is no command: ``code`` for programs, ``message`` for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


# From the browser


class Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag=str.lower):
    """Something a player wants done. ``id`` is made by the browser and is used once."""

    id: UUID


class Sit(Command, frozen=True):
    """Take a free seat."""

    seat: Annotated[int, Meta(ge=1, le=3)]


class Leave(Command, frozen=True):
    """Give the seat back: at once between rounds, after the round otherwise."""


class Decision(Command, frozen=True):
    """A command that answers what the table asks now: ``turn`` is the table's turn token."""

    turn: Annotated[int, Meta(ge=1, le=2**53)]


class Bet(Decision, frozen=True):
    """Stake ``stake`` hundredths on the next round; 0 where nothing is staked ("deal me in")."""

    stake: Annotated[int, Meta(ge=0, le=10**12)]


class Hit(Decision, frozen=True):
    """Take a card."""


class Stand(Decision, frozen=True):
    """Take no more cards."""


class Double(Decision, frozen=True):
    """Match the stake and take exactly one card more."""


class Split(Decision, frozen=True):
    """Make two hands of a pair, matching the stake."""


class Resync(Struct, frozen=True, forbid_unknown_fields=True, tag_field="t", tag="resync"):
    """Send me the table as it is: a frame was missed."""


AnyCommand = Sit | Leave | Bet | Hit | Stand | Double | Split
Incoming = AnyCommand | Resync


# To the browser


class PublicHand(Struct, frozen=True, omit_defaults=True):
    """A hand as everybody sees it."""

    cards: tuple[str, ...]
    total: int
    stake: int
    soft: bool = False
    doubled: bool = False
    outcome: str | None = None
    payout: int = 0


class PublicSeat(Struct, frozen=True, omit_defaults=True):
    """One place at the table. ``hands`` are of this round, or of the last one between rounds."""

    seat: int
    player: str | None = None
    stake: int | None = None
    """The bet for the coming round, once it is placed."""
    leaving: bool = False
    hands: tuple[PublicHand, ...] = ()


class PublicDealer(Struct, frozen=True, omit_defaults=True):
    """The dealer's cards, ``??`` for one that is face down; ``total`` of the visible ones."""

    cards: tuple[str, ...] = ()
    total: int = 0
    soft: bool = False


class Asked(Struct, frozen=True):
    """Whose decision the table waits for, and what is legal."""

    seat: int
    hand: int
    legal: tuple[str, ...]


class PublicTable(Struct, frozen=True):
    """Everything that anybody may know about a table."""

    phase: str
    turn: int
    deadline: int | None
    clock: int
    """Seconds of the clock that ``deadline`` ends, for drawing how much is left."""
    round: int | None
    seats: tuple[PublicSeat, ...]
    dealer: PublicDealer
    asked: Asked | None


class You(Struct, frozen=True):
    """What only the owner of a socket is told about themselves."""

    player: str | None
    balance: int | None


class Frame(Struct, frozen=True, tag_field="t", tag=str.lower):
    """A message to a browser."""


class Snapshot(Frame, frozen=True):
    """The table as it is: on joining and after a resync."""

    seq: int
    now: int
    table: PublicTable
    you: You


class Changed(Frame, frozen=True):
    """What just happened, and the whole table after it. ``seq`` is one more than before."""

    seq: int
    now: int
    events: tuple[dict[str, Any], ...]
    table: PublicTable


class Done(Frame, frozen=True):
    """The command ``id`` is committed; ``seq`` is the change it made."""

    id: UUID
    seq: int


class Err(Frame, frozen=True):
    """The command changed nothing: ``code`` for programs, ``message`` for the player."""

    id: UUID | None
    code: str
    message: str
    seq: int


class Wallet(Frame, frozen=True):
    """The player's own balance changed."""

    balance: int


class Heartbeat(Frame, frozen=True):
    """Every few seconds: the seq the viewer should be at."""

    seq: int
    now: int


class LobbyChanged(Frame, frozen=True, tag="lobby_changed"):
    """Some table in the lobby looks different now: fetch the list again."""


Outgoing = Snapshot | Changed | Done | Err | Wallet | Heartbeat | LobbyChanged


# Reading


def parse(text: str | None) -> Incoming:
    """The message in a text frame. Raises :class:`Unreadable`, and nothing else.

    Codes: ``bad_frame`` ``too_large`` ``bad_json`` ``bad_bet`` ``bad_cmd``.
    """
    if not text:
        raise Unreadable("bad_frame", "Only text frames are read here.")
    if len(text) > MAX_FRAME_BYTES or len(text.encode(errors="replace")) > MAX_FRAME_BYTES:
        raise Unreadable("too_large", f"A message has {MAX_FRAME_BYTES} bytes at most.")
    value = _parse_json(text)
    try:
        message: Incoming = msgspec.convert(value, Incoming)
    except UnicodeEncodeError as error:  # half a surrogate pair where a word should be
        raise Unreadable("bad_cmd", "There is no such command.") from error
    except msgspec.ValidationError as error:
        if value.get("t") == "bet" and str(error).endswith("`$.stake`"):
            raise Unreadable("bad_bet", "A stake is a whole number of hundredths.") from error
        raise Unreadable("bad_cmd", "There is no such command.") from error
    return message


def command_id_in(text: str | None) -> UUID | None:
    """The id in a frame that :func:`parse` refused, if one can be read, to answer under."""
    try:
        return UUID(_parse_json(text or "")["id"])
    except (Unreadable, KeyError, ValueError, AttributeError, TypeError):
        return None


def _parse_json(text: str) -> dict[str, Any]:
    """A JSON object, read strictly: no floats, no duplicate keys, no deep nesting."""
    if len(text) > MAX_FRAME_BYTES or _depth_of(text) > MAX_DEPTH:
        raise Unreadable("bad_json", "This is not a JSON object that can be read.")
    try:
        value = json.loads(
            text,
            parse_float=_refuse,
            parse_constant=_refuse,
            parse_int=_short_int,
            object_pairs_hook=_without_duplicates,
        )
    except (ValueError, RecursionError) as error:
        raise Unreadable("bad_json", "This is not a JSON object that can be read.") from error
    if type(value) is not dict:
        raise Unreadable("bad_json", "A message is a JSON object.")
    return value


def _depth_of(text: str) -> int:
    depth = deepest = 0
    for bracket in re.findall(r"[\[{\]}]", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _refuse(text: str) -> NoReturn:
    raise ValueError(text)


def _short_int(text: str) -> int:
    """An int; one too long to be any of ours becomes one that every bound refuses."""
    return int(text) if len(text) <= 17 else 10**17


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("duplicate keys")
    return value


# Writing


def encode(message: Struct | dict[str, Any] | list[Any] | tuple[Any, ...]) -> str:
    """JSON text."""
    return msgspec.json.encode(message).decode()


def decode_state(text: str) -> dict[str, Any]:
    """The private state that :func:`encode` stored in a table's row."""
    state: dict[str, Any] = msgspec.json.decode(text)
    return state


def wire_event(event: Any) -> dict[str, Any]:
    """An event as it goes over the wire: its snake_case name as ``type``, and its fields.

    >>> from tables.engine.events import HandStood
    >>> wire_event(HandStood(2, 1))
    {'type': 'hand_stood', 'seat': 2, 'hand': 1}
    """
    assert is_dataclass(event)
    values = {field.name: _wire_value(getattr(event, field.name)) for field in fields(event)}
    return {"type": _snake_case(type(event).__name__), **values}


def _wire_value(value: Any) -> Any:
    return str(value) if isinstance(value, Card) else value


def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
