"""One up card from a fresh shoe: all first hands, their chances and the values of their actions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tables.engine.rules import Ruleset
from tables.odds.dealer_hands import Floats, hole_of_natural
from tables.odds.decisions import CARDS_OF_A_DECK
from tables.odds.hand_values import HandValues, Play
from tables.odds.hands import KINDS, NOT_SPLIT, Ints, all_hands
from tables.odds.splits import value_of_split
from tables.odds.unseen_cards import UnseenCards


@dataclass(slots=True)
class FirstCards:
    """The first hands of one player against one up card."""

    rules: Ruleset
    up: int
    values: HandValues = field(init=False)
    rows: Ints = field(init=False)
    """The rows of the hands of two cards."""
    chance_of_up: float = field(init=False)
    chances: Floats = field(init=False)
    """Of each of :attr:`rows`: to get this hand, with this up card."""
    naturals: Floats = field(init=False)
    """Of each of :attr:`rows`: that the dealer's check then finds a natural."""

    def __post_init__(self) -> None:
        counts = self.rules.decks * CARDS_OF_A_DECK
        self.chance_of_up = counts[self.up] / counts.sum()
        counts = counts - (np.arange(KINDS) == self.up)
        hole = hole_of_natural(self.up) if self.rules.peek else None
        hands = all_hands()
        is_possible = (hands.removed <= counts).all(axis=1)
        if self.rules.max_hands == 1:
            is_possible &= hands.pair == NOT_SPLIT
        hands = hands.select(is_possible)
        self.values = HandValues(self.rules, UnseenCards(counts, hole), hands, self.up)
        self.rows = np.flatnonzero((hands.size == 2) & (hands.pair == NOT_SPLIT))
        cards = hands.counts[self.rows]
        number = counts.sum()
        ways = np.where(
            cards.max(axis=1) == 2,
            (cards * counts * (counts - 1)).sum(axis=1) / 2,
            2 * np.prod(np.where(cards > 0, counts, 1), axis=1),
        )
        self.chances = self.chance_of_up * ways / (number * (number - 1))
        self.naturals = (
            np.zeros(len(self.rows)) if hole is None
            else (counts[hole] - cards[:, hole]) / (number - 2)
        )  # fmt: skip

    def split_value(self, pair: int, play: Play) -> float:
        """The value of splitting ``pair`` when all its hands are played by ``play``."""
        return value_of_split(self.values, play, pair, self.rules.max_hands)
