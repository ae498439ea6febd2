"""Checking a shoe from what was published about it, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tables.engine import fair
from tables.engine.cards import format_cards, parse_cards


class ProofError(ValueError):
    """A text that is no proof at all, as opposed to one that proves foul play."""


def faults(proof: Mapping[str, Any]) -> Iterator[str]:
    """What is not as it should be in ``proof``, a sentence each; nothing when it is in order.

    ``proof`` has ``method``, ``label``, ``decks``, ``commitment`` and ``secret`` (hexadecimal),
    ``words`` (``[seat, words]`` in seat order) and ``rounds``: for each its number ``round``, the
    place ``first`` of its first card in the shoe (from 0), and all its ``cards`` in the order in
    which they were dealt. Raises :class:`ProofError` when something of it is missing.
    """
    try:
        yield from _faults(proof)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ProofError(f"This is not a proof of a shoe: {error}.") from error


def _faults(proof: Mapping[str, Any]) -> Iterator[str]:
    if proof["method"] != fair.METHOD:
        raise ValueError(f"unknown method {proof['method']!r}")
    if proof["secret"] is None:
        raise ValueError("the secret is still sealed")
    decks = int(proof["decks"])
    if not 1 <= decks <= 8:
        raise ValueError(f"{decks} decks")
    secret = bytes.fromhex(proof["secret"])
    if fair.commitment(secret) != proof["commitment"]:
        yield "The secret is not the one that was sealed before the bets."
    words = [(int(seat), str(text)) for seat, text in proof["words"]]
    shoe = fair.shuffled(secret, proof["label"], words, decks)
    for round_ in proof["rounds"]:
        dealt = parse_cards(round_["cards"])
        first = int(round_["first"])
        computed = shoe[first : first + len(dealt)]
        if first < 0 or dealt != computed:
            yield (
                f"Round {int(round_['round'])} was dealt {format_cards(dealt)}, "
                f"but the shoe says {format_cards(computed)}."
            )
