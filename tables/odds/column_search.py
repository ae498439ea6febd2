"""The best chart: what to do by total, pair and up card, for a fresh shoe.

A chart knows less than its player: hard 16 is one cell for all its hands. The best chart is found
by changing one cell at a time as long as that adds to the value of the game. A hand never comes
back to a cell, so the gain of a change is the sum over the cell's hands of the chance to be there
times the difference of the two actions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from tables.odds.charts import HARD, LETTERS, SOFT
from tables.odds.dealer_hands import Floats
from tables.odds.first_cards import FirstCards
from tables.odds.hand_values import SURRENDER, Play
from tables.odds.hands import KINDS, Bools, Ints

Strings = npt.NDArray[np.str_]

HIT: Final = "H"
STAND: Final = "S"
DOUBLE: Final = "D"
SPLIT: Final = "P"
GIVE_UP: Final = "R"
OPTIONS: Final = (
    (HIT, HIT), (STAND, STAND), (DOUBLE, HIT), (DOUBLE, STAND), (GIVE_UP, HIT), (GIVE_UP, STAND),
    (SPLIT, HIT), (SPLIT, STAND),
)  # fmt: skip
"""What a cell may say: the action of the first two cards, and of more cards."""
AS_SOFT: Final = 22
PAIR: Final = 44
"""A cell is its hard total, or its soft total plus ``AS_SOFT``, or its kind of pair plus ``PAIR``."""
CELLS: Final = PAIR + KINDS
LEAST_GAIN: Final = 1e-14
"""A change that gains less makes no chart better: sums of this size are rounded off."""
DOUBTFUL_GAIN: Final = 2e-6
"""Gains with resplits are near this exact; smaller ones are computed anew."""
MOST_OF_RESPLITS: Final = 0.3
"""Splits whose first two hands are worth so much less than another action are never best."""


@dataclass(frozen=True, slots=True)
class Column:
    """The cells of one up card."""

    options: Ints
    """``(CELLS,)``: indices of :data:`OPTIONS`."""
    first: Strings
    then: Strings

    @classmethod
    def of_options(cls, options: Ints) -> Self:
        """The column with these options."""
        return cls(options, _FIRST[options], _THEN[options])


_FIRST: Final = np.array([first for first, _ in OPTIONS])
_THEN: Final = np.array([then for _, then in OPTIONS])


class ColumnSearch:
    """The search for the best column of one up card."""

    def __init__(self, first_cards: FirstCards) -> None:
        self.first_cards = first_cards
        values = first_cards.values
        self.values, hands = values, values.hands
        is_first = np.zeros(len(hands.size), dtype=bool)
        is_first[first_cards.rows] = True
        self.cell: Ints = np.where(hands.is_soft, AS_SOFT + hands.total, hands.hard)
        pairs = first_cards.rows[hands.counts[first_cards.rows].max(axis=1) == 2]
        self.cell[pairs] = PAIR + hands.counts[pairs].argmax(axis=1)
        self.weights = np.zeros(len(hands.size))
        self.weights[first_cards.rows] = first_cards.chances * (1 - first_cards.naturals)
        self.has_decision = values.has_decision()
        self.can_double = values.can_double()
        self.can_surrender = values.can_surrender()
        self.split_values: dict[tuple[int, bytes, bytes], float] = {}
        self.pair_rows = {int(self.cell[row]) - PAIR: int(row) for row in pairs}

    def find(self) -> Column:
        """The best column."""
        column = self._first_guess()
        while (better := self._improve(column)) is not None:
            column = better
        return self._settle_never_reached(column)

    # The value of a column

    def value(self, column: Column) -> float:
        """What the column adds to the value of the game, in stakes: the sum over its first hands
        of chance times value, after the dealer's check.
        """
        return float((self.weights * self._values(column)).sum())

    def net(self, column: Column) -> float:
        """What the column adds to the mean net of the game, in stakes."""
        if not self.values.rules.has_piles:
            return self.value(column)
        chances = self.values.chances_of_play(self.play(column))
        return float(self.weights @ (chances[:, 0] - chances[:, 2]))

    def codes(self, column: Column) -> dict[str, dict[str, str]]:
        """The codes of the column by the kinds and names of rows of a chart."""
        splits = self.best_splits(self.play(column))

        def code(cell: int) -> str:
            first, then = column.first[cell], column.then[cell]
            if first in (then, SPLIT):
                return str(first)
            if first == GIVE_UP and cell >= PAIR:
                pair = cell - PAIR
                if splits.get(pair, -np.inf) > self.values.best[self.pair_rows[pair]]:
                    then = SPLIT
            return f"{first}{then.lower()}"

        return {
            "hard": {row: code(int(row)) for row in HARD},
            "soft": {row: code(AS_SOFT + int(row)) for row in SOFT},
            "pairs": {2 * letter: code(PAIR + kind) for kind, letter in enumerate(LETTERS)},
        }

    def play(self, column: Column) -> Play:
        """How the rows are played; splits and surrenders are not in it."""
        first, then = column.first[self.cell], column.then[self.cell]
        doubles = (first == DOUBLE) & self.can_double
        return self.values.make_play((then == HIT) & self.has_decision & ~doubles, doubles)

    def _values(self, column: Column) -> Floats:
        """``(rows,)``: the values of the first hands."""
        play = self.play(column)
        values = play.values.copy()
        surrenders = (column.first[self.cell] == GIVE_UP) & self.can_surrender
        values[surrenders] = SURRENDER
        for pair, row in self.pair_rows.items():
            if column.first[PAIR + pair] == SPLIT:
                values[row] = self.split_value(pair, play)
        return values

    def split_value(self, pair: int, play: Play) -> float:
        """The value of splitting ``pair``, computed once for the same play of its hands."""
        own = self.values.hands.pair == pair
        key = (pair, play.hits[own].tobytes(), play.doubles[own].tobytes())
        if key not in self.split_values:
            self.split_values[key] = self.first_cards.split_value(pair, play)
        return self.split_values[key]

    def best_splits(self, play: Play) -> dict[int, float]:
        """The value of splitting each pair, where that may be best."""
        if self.values.rules.max_hands == 1:
            return {}
        root = {pair: self.values.hands.find_root(pair) for pair in self.pair_rows}
        twice = {pair: 2 * self.values.hit[row] for pair, row in root.items()}
        return {
            pair: self.split_value(pair, play)
            for pair, row in self.pair_rows.items()
            if twice[pair] > self.values.best[row] - MOST_OF_RESPLITS
        }

    # Changes

    def _sums(self, play: Play, weights: Floats, splits: dict[int, float]) -> Floats:
        """``(OPTIONS, cells)``: the sum over each cell's hands of weight times value of what the
        option makes of them, then played on by ``play``; minus infinity where it is not legal.
        """
        values = self.values
        after = {HIT: values.after_draw(play.values), STAND: values.stand}
        two = (values.hands.size == 2) & self.has_decision
        more = (values.hands.size > 2) & self.has_decision
        legal = {DOUBLE: self.can_double, GIVE_UP: self.can_surrender}
        first = {DOUBLE: values.double, GIVE_UP: np.full(len(two), SURRENDER)}

        def add_up(rows: Bools, results: Floats) -> Floats:
            products = weights[rows] * results[rows]
            return np.bincount(self.cell[rows], products, minlength=CELLS)

        sums = np.full((len(OPTIONS), CELLS), -np.inf)
        for number, (at_first, then) in enumerate(OPTIONS):
            if at_first == then:
                sums[number] = add_up(two | more, after[then])
            elif at_first == SPLIT:
                for pair, value in splits.items():
                    sums[number, PAIR + pair] = weights[self.pair_rows[pair]] * value
            else:
                is_legal = two & legal[at_first]
                there = np.bincount(self.cell[is_legal], minlength=CELLS) > 0
                total = add_up(is_legal, first[at_first])
                total = total + add_up(more | (two & ~is_legal), after[then])
                sums[number, there] = total[there]
        return sums

    def _reach(self, play: Play, column: Column | None, splits: Iterable[int]) -> Floats:
        """``(rows,)``: the chance to decide with each hand; for splits about the mean number."""
        values, hands = self.values, self.values.hands
        reach = self.weights.copy()
        for pair in splits:
            root = hands.find_root(pair)
            row = self.pair_rows[pair]
            reach[hands.child[root]] = 2 * reach[row] * values.draws[root]
            reach[row] = 0.0
        leaves = np.zeros(len(reach), dtype=bool)
        if column is not None:
            leaves = (column.first[self.cell] == GIVE_UP) & self.can_surrender
        for layer in reversed(hands.layers()):
            rows = np.arange(layer.start, layer.stop)
            rows = rows[play.hits[layer] & ~leaves[layer] & (reach[layer] > 0)]
            child = hands.child[rows]
            chance = reach[rows, None] * values.draws[rows]
            has_child = child >= 0
            np.add.at(reach, child[has_child], chance[has_child])
        for pair in splits:
            reach[self.pair_rows[pair]] = self.weights[self.pair_rows[pair]]
        return reach

    def _first_guess(self) -> Column:
        """What is best for each cell if its hands are reached as in the best play."""
        best = self.values.best_play()
        splits = self.best_splits(best)
        pairs = [p for p, value in splits.items() if value > self.values.best[self.pair_rows[p]]]
        sums = self._sums(best, self._reach(best, None, pairs), splits)
        return Column.of_options(sums.argmax(axis=0))

    def _improve(self, column: Column) -> Column | None:
        """A better column; ``None`` if no change of one cell adds to its value."""
        play = self.play(column)
        splits = self.best_splits(play)
        reach = self._reach(play, column, self._splits_of(column))
        sums = self._sums(play, reach, splits)
        gains = sums.max(axis=0) - sums[column.options, np.arange(CELLS)]
        if gains.max() < LEAST_GAIN:
            return self._try_doubtful(column, sums) if self.values.rules.max_hands > 2 else None
        value = self.value(column)
        options = np.where(gains >= LEAST_GAIN, sums.argmax(axis=0), column.options)
        for cells in (gains >= LEAST_GAIN, gains == gains.max()):
            changed = Column.of_options(np.where(cells, options, column.options))
            if self.value(changed) > value:
                return changed
        return None

    def _try_doubtful(self, column: Column, sums: Floats) -> Column | None:
        value = self.value(column)
        losses = sums[column.options, np.arange(CELLS)] - sums
        losses[column.options, np.arange(CELLS)] = np.inf
        for option, cell in np.argwhere((losses > 0) & (losses < DOUBTFUL_GAIN)):
            options = column.options.copy()
            options[cell] = option
            changed = Column.of_options(options)
            if self.value(changed) > value + LEAST_GAIN:
                return changed
        return None

    def _settle_never_reached(self, column: Column) -> Column:
        """Cells of hands that the chart never leads to say what is best if all others hit."""
        everything = Play(self.has_decision, np.zeros_like(self.has_decision), self.values.best)
        for _ in range(3):  # They lead to each other.
            play = self.play(column)
            splits = self.best_splits(play)
            sums = self._sums(play, self._reach(play, column, self._splits_of(column)), splits)
            usual = self._sums(play, self._reach(everything, None, splits), splits)
            equal = sums >= sums[column.options, np.arange(CELLS)] - LEAST_GAIN
            column = Column.of_options(np.where(equal, usual, -np.inf).argmax(axis=0))
        return column

    def _splits_of(self, column: Column) -> list[int]:
        return [pair for pair in self.pair_rows if column.first[PAIR + pair] == SPLIT]
