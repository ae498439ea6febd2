"""Decode the JSON of a proof, as specified in ``docs/fairness.md``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from tables.engine.cards import Card
from tables.engine.presets import PRESETS
from tables.engine.provably_fair import shuffle
from tables.engine.rules import Ruleset

MOST_DECKS: Final = 8
LARGEST: Final = 2**53 - 1
"""The largest number: larger ones are not exact in all JSON parsers."""
DEALER: Final = "d"
FACE_DOWN: Final = "??"
"""A hole card that was never turned over, because the round was aborted."""
HASH: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
"""A secret of 32 bytes, or a SHA-256."""

_Kind = TypeVar("_Kind")


class ProofError(ValueError):
    """The text is no proof. (A forged proof has faults instead.)"""


@dataclass(frozen=True, slots=True)
class SeatWords:
    """The contribution of one seat to the shuffle."""

    seat: int
    commitment: str | None
    """``None``: no contribution."""
    words: str


@dataclass(frozen=True, slots=True)
class DealtRound:
    """A round that was dealt from the shoe."""

    number: int
    rules: Ruleset | None
    """The preset; ``None`` when there is none of that name."""
    decks: int
    """The number of decks by the rules and options of the table."""
    most_seats: int
    seats: tuple[int, ...]
    """The seats with cards."""
    first: int
    """The place of its first card in the shoe, from 0."""
    cards: tuple[Card | None, ...]
    """In the order in which they were dealt; ``None`` for one that was never turned over."""
    to: tuple[str, ...]
    """The receiver of each card: the number of a seat, or :data:`DEALER`."""
    is_broken_off: bool


@dataclass(frozen=True, slots=True)
class Proof:
    """A decoded proof."""

    method: str
    label: str
    decks: int
    commitment: str
    secret: str
    words: tuple[SeatWords, ...]
    absent: tuple[SeatWords, ...]
    """Seats that had committed to words and did not bet."""
    rounds: tuple[DealtRound, ...]
    retired_because: str

    @property
    def is_of_first_method(self) -> bool:
        """Whether it is of the first method, without commitments of players."""
        return self.method == shuffle.FIRST_METHOD


def read_proof(published: Mapping[str, Any]) -> Proof:
    """Read the JSON of a proof. Raises :class:`ProofError` when it is not one."""
    try:
        return _parse_proof(published)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ProofError(f"This is not a proof of a shoe: {error}.") from error


def _parse_proof(published: Mapping[str, Any]) -> Proof:
    method = _expect(published["method"], str)
    if method not in shuffle.METHODS:
        raise ValueError(f"unknown method {method!r}")
    if published["secret"] is None:
        raise ValueError("the secret is still sealed")
    decks = _expect(published["decks"], int)
    if not 1 <= decks <= MOST_DECKS:
        raise ValueError(f"{decks} decks")
    return Proof(
        method=method,
        label=_expect(published["label"], str),
        decks=decks,
        commitment=_expect(published["commitment"], str),
        secret=_expect(published["secret"], str),
        words=tuple(_parse_words(entry) for entry in _expect(published["words"], list)),
        absent=tuple(
            SeatWords(_expect(entry["seat"], int), _expect(entry["commitment"], str), "")
            for entry in _expect(published["absent"], list)
        ),
        rounds=tuple(_parse_round(entry) for entry in _expect(published["rounds"], list)),
        retired_because=_expect(published["retired_because"], str),
    )


def _expect(value: Any, kind: type[_Kind]) -> _Kind:
    """``value``, if it is of exactly this type: ``True`` is no number, and 1.0 is 1, as in JSON."""
    if kind is int and type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is not kind:
        raise TypeError(f"{value!r} in the place of {kind.__name__}")
    if isinstance(value, str):
        value.encode()  # half a surrogate pair is no text
    if isinstance(value, int) and abs(value) > LARGEST:
        raise ValueError(f"{value} is too large")
    return value


def _parse_words(entry: Mapping[str, Any]) -> SeatWords:
    commitment = entry["commitment"]
    return SeatWords(
        seat=_expect(entry["seat"], int),
        commitment=None if commitment is None else _expect(commitment, str),
        words=_expect(entry["words"], str),
    )


def _parse_round(entry: Mapping[str, Any]) -> DealtRound:
    options = _expect(entry["options"], dict)
    rules = PRESETS.get(_expect(entry["rules"], str))
    return DealtRound(
        number=_expect(entry["round"], int),
        rules=rules,
        decks=_expect(options.get("decks", rules.decks if rules else 0), int),
        most_seats=_expect(options.get("seats", rules.seats if rules else 0), int),
        seats=tuple(_expect(seat, int) for seat in _expect(entry["seats"], list)),
        first=_expect(entry["first"], int),
        cards=tuple(_parse_card(text) for text in _expect(entry["cards"], str).split(" ") if text),
        to=tuple(filter(None, _expect(entry["to"], str).split(" "))),
        is_broken_off=_expect(entry["broken_off"], bool),
    )


def _parse_card(text: str) -> Card | None:
    return None if text == FACE_DOWN else Card.parse(text)
