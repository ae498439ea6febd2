"""A verifiable shuffle: sealed before the bets, mixed with the players' words.

1. Before betting, the table shows the *commitment*: SHA-256 of a new 32-byte *secret*.
2. Each player has *words*, and shows a commitment to them before any words are shown: SHA-256 of
   the line ``seat:words``. The words are shown with the bet.
3. Secret, label and words give a stream of 32-bit numbers: HMAC-SHA-256 under the secret of
   ``card-room-2``, the label, each ``seat:words`` and a block number from 0, a line each.
4. The decks, each in the order of :data:`~tables.engine.cards.DECK`, are shuffled from the end
   (Fisher-Yates) with those numbers. Numbers that would bias the choice are rejected.
5. When the shoe is retired the secret is published, and the shuffle can be recomputed.

``docs/fairness.md`` is the specification, :mod:`tables.engine.provably_fair.proof` the check.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Sequence
from hashlib import sha256
from struct import iter_unpack
from typing import Final

from tables.engine.cards import DECK, Card

METHOD: Final = "card-room-2"
"""The name of this method."""
FIRST_METHOD: Final = "card-room-1"
"""The former method: the same, with words that were not committed."""
METHODS: Final = (METHOD, FIRST_METHOD)
SECRET_BYTES: Final = 32
MOST_WORDS: Final = 64
"""The maximum length of a player's words."""

_RANGE: Final = 2**32


def seal_of(secret: bytes) -> str:
    """The seal: SHA-256 of the secret, in hexadecimal.

    >>> seal_of(bytes(32))[:16]
    '66687aadf862bd77'
    """
    return sha256(secret).hexdigest()


def compute_commitment(seat: int, words: str) -> str:
    """A player's commitment: SHA-256 of ``seat:words``, in hexadecimal.

    >>> compute_commitment(1, "abc")[:16]
    'fac4d75282e3de35'
    """
    return sha256(format_words(seat, words).encode()).hexdigest()


def format_words(seat: int, words: str) -> str:
    """The line of a seat's words in the stream.

    >>> format_words(3, "abc")
    '3:abc'
    """
    return f"{seat}:{words}"


def are_valid_words(text: str) -> bool:
    """Whether a player's ``text`` can be mixed in: printable ASCII, on one line, not too long."""
    return len(text) <= MOST_WORDS and text.isascii() and (not text or text.isprintable())


def shuffle_shoe(
    secret: bytes,
    label: str,
    words: Sequence[tuple[int, str]],
    decks: int,
    method: str = METHOD,
) -> tuple[Card, ...]:
    """The cards of a shoe in the order in which they are dealt.

    ``label`` distinguishes shoes with the same secret and words; ``words`` are seat and words of
    the players who showed them with a bet on its first round, in seat order.
    """
    return tuple(shuffle(list(DECK * decks), generate_numbers(secret, label, words, method)))


def shuffle(cards: list[Card], stream: Iterator[int]) -> list[Card]:
    """Shuffle ``cards`` in place with the numbers of ``stream``, which are below 2**32."""
    for last in range(len(cards) - 1, 0, -1):
        size = last + 1
        fair = _RANGE - _RANGE % size
        number = next(stream)
        while number >= fair:
            number = next(stream)
        place = number % size
        cards[last], cards[place] = cards[place], cards[last]
    return cards


def generate_numbers(
    secret: bytes, label: str, words: Sequence[tuple[int, str]], method: str = METHOD
) -> Iterator[int]:
    """The endless stream of 32-bit numbers, eight to a block, the highest byte first."""
    lines = [method, label, *(format_words(seat, text) for seat, text in words), ""]
    start = hmac.new(secret, "\n".join(lines).encode(), sha256)
    block = 0
    while True:
        mac = start.copy()
        mac.update(str(block).encode())
        for (number,) in iter_unpack(">I", mac.digest()):
            yield number
        block += 1
