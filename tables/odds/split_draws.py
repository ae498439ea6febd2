"""Whether the hands of a split and the dealer may need more cards than are left."""

from __future__ import annotations

from functools import cache
from typing import Final

from tables.odds.hand_values import HandValues, Play
from tables.odds.hands import ACE, KINDS, POINTS

_LONGEST_SEARCH: Final = 50_000
"""The number of states after which a search ends: then the cards may run out."""
_STANDS: Final = 17
_Cards = tuple[int, ...]
"""The cards that are left, by kind."""


class _TooLongError(Exception):
    """The search has not ended within :data:`_LONGEST_SEARCH` states."""


def may_run_out(values: HandValues, play: Play, pair: int, max_hands: int) -> bool:
    """Whether the cards may run out after ``pair`` is split, into ``max_hands`` hands at most, and each
    hand is played by ``play``. ``values`` has the hands of that split.
    """
    left = values.unseen.counts.copy()
    left[pair] -= 2
    if left @ POINTS > _count_most_points(values, play, pair, max_hands):
        return False
    try:
        return _Search(values, play, pair, max_hands).runs_out(tuple(left.tolist()))
    except _TooLongError:
        return True


def _count_most_points(values: HandValues, play: Play, pair: int, max_hands: int) -> int:
    """The most points, with an ace as 1, that the hands and the dealer draw."""
    draws = play.hits | play.doubles
    highest = int(values.hands.hard[draws].max(initial=0))
    of_dealer = _STANDS - 1 + KINDS - int(POINTS[values.up])
    return max_hands * (highest + KINDS - int(POINTS[pair])) + of_dealer


class _Search:
    """All that may be drawn, one hand after the other, until the cards do not suffice."""

    def __init__(self, values: HandValues, play: Play, pair: int, max_hands: int) -> None:
        self._play, self._pair = play, pair
        self._child = values.hands.child
        self._root = values.hands.find_root(pair)
        self._max_hands = 2 if pair == ACE else max_hands  # aces are never split again
        self._hits_soft_17 = values.rules.hits_soft_17
        self._up = values.up
        self._states = 0
        self._runs_out = cache(self._runs_out_in_hand)
        self._dealer_runs_out = cache(self._runs_out_of_dealer)

    def runs_out(self, left: _Cards) -> bool:
        """Whether the two hands of the first split, and what follows, may need more cards."""
        return self._runs_out(left, self._root, 1, 2, is_alive=False)

    def _runs_out_in_hand(
        self, left: _Cards, row: int, waiting: int, number: int, *, is_alive: bool
    ) -> bool:
        """In the hand of ``row``, with ``waiting`` of ``number`` hands after it. ``is_alive``: whether
        a hand before it is not bust.
        """
        self._states += 1
        if self._states > _LONGEST_SEARCH:
            raise _TooLongError
        is_root = row == self._root
        if not (is_root or self._play.hits[row] or self._play.doubles[row]):
            return self._runs_out_after(left, waiting, number, is_alive=True)
        if sum(left) <= 1:  # the last one is the hole card
            return True
        for kind, after in _draw_each(left):
            if is_root and kind == self._pair and number < self._max_hands:
                is_short = self._runs_out(after, row, waiting + 1, number + 1, is_alive=is_alive)
            elif (child := int(self._child[row, kind])) < 0:
                is_short = self._runs_out_after(after, waiting, number, is_alive=is_alive)
            elif self._play.doubles[row]:
                is_short = self._runs_out_after(after, waiting, number, is_alive=True)
            else:
                is_short = self._runs_out(after, child, waiting, number, is_alive=is_alive)
            if is_short:
                return True
        return False

    def _runs_out_after(self, left: _Cards, waiting: int, number: int, *, is_alive: bool) -> bool:
        if waiting:
            return self._runs_out(left, self._root, waiting - 1, number, is_alive=is_alive)
        return is_alive and self._dealer_runs_out(
            left, int(POINTS[self._up]), has_ace=self._up == ACE
        )

    def _runs_out_of_dealer(self, left: _Cards, hard: int, *, has_ace: bool) -> bool:
        is_soft = has_ace and hard <= 11
        total = hard + 10 * is_soft
        if total > _STANDS or (total == _STANDS and not (is_soft and self._hits_soft_17)):
            return False
        if not any(left):
            return True
        return any(
            self._dealer_runs_out(after, hard + kind + 1, has_ace=has_ace or kind == ACE)
            for kind, after in _draw_each(left)
        )


def _draw_each(left: _Cards) -> list[tuple[int, _Cards]]:
    """Each kind of card that is left, and what is left without one of it."""
    return [
        (kind, (*left[:kind], number - 1, *left[kind + 1 :]))
        for kind, number in enumerate(left)
        if number
    ]
