"""Commitments to words for the shuffle, and the words shown with the first bet.

The rules are in ``docs/fairness.md``, "The steps". All of it is in the table's private
state; what counts is public, as ``commitment`` of a seat and in ``shoe_shuffled``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tables.engine.errors import RuleViolation
from tables.engine.provably_fair import shuffle
from tables.state.game_state import GameState

MOST_COMMITMENTS: Final = 10
"""The limit of commitments of a seat before a shuffle: each is a change of the table."""


def is_open(game: GameState, seat: int) -> bool:
    """Whether a commitment of this seat counts for the next shuffle: no words are shown yet."""
    return not _is_fresh(game) or (not game.words and seat not in game.bets)


def store_commitment(game: GameState, seat: int, commitment: str) -> None:
    """Store the commitment of a seat.

    Raises :class:`RuleViolation` ``too_fast``.
    """
    number = game.commitments_made.get(seat, 0) + 1
    if number > MOST_COMMITMENTS:
        raise RuleViolation(
            "too_fast", "Your browser changed its words for this shuffle too often."
        )
    game.commitments_made[seat] = number
    commitments = game.commitments if is_open(game, seat) else game.next_commitments
    commitments[seat] = commitment


def verify_words(game: GameState, seat: int, words: str) -> None:
    """Check the words of a bet.

    Raises :class:`RuleViolation` ``bad_words``, ``words_not_shown``.
    """
    if not shuffle.are_valid_words(words):
        raise RuleViolation("bad_words", "Words for the shuffle must be plain letters on one line.")
    if not _must_reveal(game, seat) or (seat in game.words and words in ("", game.words[seat])):
        return
    if seat in game.words or (words and not _match_commitment(game, seat, words)):
        raise RuleViolation("bad_words", "These are not the words your browser committed to.")
    if not _match_commitment(game, seat, words):
        raise RuleViolation(
            "words_not_shown",
            "Another of your browsers has already added random words to this shuffle. Bet in "
            "that browser, or wait for the next round.",
        )


def store_words(game: GameState, seat: int, words: str, next_commitment: str | None) -> None:
    """Store the verified words of a bet, and the seat's commitment for the next shuffle."""
    if _must_reveal(game, seat) and seat not in game.words:
        game.words[seat] = words
    if next_commitment is not None:
        commitments = game.next_commitments if _is_fresh(game) else game.commitments
        commitments[seat] = next_commitment


def _must_reveal(game: GameState, seat: int) -> bool:
    """Whether a bet of this seat is on the first round of a shoe, and it has committed in time."""
    return _is_fresh(game) and seat in game.commitments


def _is_fresh(game: GameState) -> bool:
    """Whether the order of the next shoe is not fixed yet."""
    return game.shoe is None or game.shoe.cards is None


def _match_commitment(game: GameState, seat: int, words: str) -> bool:
    return shuffle.compute_commitment(seat, words) == game.commitments[seat]


def drop_words(game: GameState) -> None:
    """Discard the shown words: the next ones must not be chosen with knowledge of them."""
    for seat in game.words:
        game.commitments.pop(seat, None)
    game.words, game.gone = {}, {}
    game.commitments |= game.next_commitments
    game.next_commitments = {}


def discard_seat(game: GameState, seat: int, player: str) -> None:
    """Discard commitment and words of a seat that becomes free.

    If words are already shown, a commitment is stored in ``gone`` for the proof.
    """
    game.words.pop(seat, None)
    commitment = game.commitments.pop(seat, None)
    for by_seat in (game.next_commitments, game.commitments_made):
        by_seat.pop(seat, None)
    if not game.words:
        game.gone = {}
    elif commitment is not None:
        game.gone[seat] = [commitment, player]


def withhold(game: GameState, seat: int, player: str) -> None:
    """The server bets for a seat, without its words: in the proof its commitment is absent.

    It counts for the next shuffle, unless the player commits anew. Words that are shown already stay.
    """
    if not _must_reveal(game, seat) or seat in game.words:
        return
    commitment = game.commitments.pop(seat)
    game.gone[seat] = [commitment, player]
    game.next_commitments.setdefault(seat, commitment)


def discard_all(game: GameState) -> None:
    """Discard all commitments and words: after a restore they may be known."""
    game.words, game.gone, game.commitments = {}, {}, {}
    game.next_commitments, game.commitments_made = {}, {}


def list_contributions(game: GameState) -> list[dict[str, Any]]:
    """The published contributions to the shuffle by seat; ``words`` is null without a bet."""
    if is_of_first_method(game):
        seat_words = sorted(game.words.items())
        return [_contribution(seat, None, words) for seat, words in seat_words if seat in game.bets]
    contributions = []
    for seat in sorted({*game.bets, *game.commitments}):
        is_shown = seat in game.words
        commitment = game.commitments.get(seat) if is_shown or seat not in game.bets else None
        words = game.words.get(seat, "") if seat in game.bets else None
        contributions.append(_contribution(seat, commitment, words))
    contributions += [
        _contribution(seat, commitment, None) for seat, (commitment, _) in game.gone.items()
    ]
    return sorted(contributions, key=lambda one: (one["seat"], one["words"] is None))


def is_of_first_method(game: GameState) -> bool:
    """Whether the next shoe was sealed before players committed to their words."""
    return game.shoe is not None and game.shoe.method == shuffle.FIRST_METHOD


def _contribution(seat: int, commitment: str | None, words: str | None) -> dict[str, Any]:
    return {"seat": seat, "commitment": commitment, "words": words}


def word_lines(contributions: Sequence[Mapping[str, Any]], method: str) -> list[tuple[int, str]]:
    """Seat and words of each seat that showed some, for the shuffle."""
    return [
        (one["seat"], one["words"])
        for one in contributions
        if one["words"] is not None
        and (one["commitment"] is not None or method == shuffle.FIRST_METHOD)
    ]
