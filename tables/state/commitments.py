"""Commitments to words for the shuffle, and the words shown with the first bet.

The rules are in ``docs/fairness.md``, "The order of things". All of it is in the table's private
state; what counts is public, as ``commitment`` of a seat and in ``shoe_shuffled``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tables.engine.errors import RuleViolation
from tables.engine.provably_fair import shuffle
from tables.state.game_state import GameState

MOST_COMMITMENTS: Final = 10
"""How often one seat may commit anew before a shuffle: each is a change of the table."""


def is_open(game: GameState, seat: int) -> bool:
    """Whether what this seat commits to counts for the next shuffle: nobody has shown words."""
    return not _is_fresh(game) or (not game.words and seat not in game.bets)


def commit(game: GameState, seat: int, commitment: str) -> None:
    """Note the commitment of a seat.

    Raises :class:`RuleViolation` ``too_fast``.
    """
    number = game.commitments_made.get(seat, 0) + 1
    if number > MOST_COMMITMENTS:
        raise RuleViolation("too_fast", "Your words for this shuffle were changed too often.")
    game.commitments_made[seat] = number
    kept = game.commitments if is_open(game, seat) else game.next_commitments
    kept[seat] = commitment


def verify_words(game: GameState, seat: int, words: str) -> None:
    """Check the words that come with a bet.

    Raises :class:`RuleViolation` ``bad_words``, ``words_not_shown``.
    """
    if not shuffle.are_words(words):
        raise RuleViolation("bad_words", "Words for the shuffle are plain letters on one line.")
    if not _must_show(game, seat) or (seat in game.words and words in ("", game.words[seat])):
        return
    if seat in game.words or (words and not _fit(game, seat, words)):
        raise RuleViolation("bad_words", "These are not the words that you committed to.")
    if not _fit(game, seat, words):
        raise RuleViolation(
            "words_not_shown",
            "Another browser of yours has added words to this shuffle. Bet there, or from the "
            "next round on.",
        )


def show(game: GameState, seat: int, words: str, next_commitment: str | None) -> None:
    """Note the words of a bet that was verified, and what the seat commits to for the next."""
    if _must_show(game, seat) and seat not in game.words:
        game.words[seat] = words
    if next_commitment is not None:
        kept = game.next_commitments if _is_fresh(game) else game.commitments
        kept[seat] = next_commitment


def _must_show(game: GameState, seat: int) -> bool:
    """Whether a bet of this seat is on the first round of a shoe, and it has committed in time."""
    return _is_fresh(game) and seat in game.commitments


def _is_fresh(game: GameState) -> bool:
    """Whether the order of the next shoe is not fixed yet."""
    return game.shoe is None or game.shoe.cards is None


def _fit(game: GameState, seat: int, words: str) -> bool:
    return shuffle.words_commitment(seat, words) == game.commitments[seat]


def drop_words(game: GameState) -> None:
    """Forget the words that were shown: nobody is to choose knowing them. Who showed them goes on
    with what they have committed to for the next shuffle.
    """
    for seat in game.words:
        game.commitments.pop(seat, None)
    game.words, game.gone = {}, {}
    game.commitments |= game.next_commitments
    game.next_commitments = {}


def forget(game: GameState, seat: int, player: str) -> None:
    """Forget what the player of a seat has committed to and shown: the seat is free.

    That somebody had committed and left when words were shown is on record all the same.
    """
    game.words.pop(seat, None)
    commitment = game.commitments.pop(seat, None)
    for kept in (game.next_commitments, game.commitments_made):
        kept.pop(seat, None)
    if not game.words:
        game.gone = {}
    elif commitment is not None:
        game.gone[seat] = [commitment, player]


def forget_all(game: GameState) -> None:
    """Forget what anybody has committed to and shown: all of it may be known."""
    game.words, game.gone, game.commitments = {}, {}, {}
    game.next_commitments, game.commitments_made = {}, {}


def mixed_in(game: GameState) -> list[dict[str, Any]]:
    """What each seat adds to the shuffle, in seat order, as it is published: ``words`` is null for
    a seat that has committed and not bet.
    """
    if is_of_first_method(game):
        given = sorted(game.words.items())
        return [_told(seat, None, words) for seat, words in given if seat in game.bets]
    told = []
    for seat in sorted({*game.bets, *game.commitments}):
        is_shown = seat in game.words
        commitment = game.commitments.get(seat) if is_shown or seat not in game.bets else None
        words = game.words.get(seat, "") if seat in game.bets else None
        told.append(_told(seat, commitment, words))
    told += [_told(seat, commitment, None) for seat, (commitment, _) in game.gone.items()]
    return sorted(told, key=lambda one: (one["seat"], one["words"] is None))


def is_of_first_method(game: GameState) -> bool:
    """Whether the next shoe was sealed before players committed to their words."""
    return game.shoe is not None and game.shoe.method == shuffle.FIRST_METHOD


def _told(seat: int, commitment: str | None, words: str | None) -> dict[str, Any]:
    return {"seat": seat, "commitment": commitment, "words": words}


def lines(told: Sequence[Mapping[str, Any]], method: str) -> list[tuple[int, str]]:
    """Seat and words of who has shown some, for the shuffle."""
    return [
        (one["seat"], one["words"])
        for one in told
        if one["words"] is not None
        and (one["commitment"] is not None or method == shuffle.FIRST_METHOD)
    ]
