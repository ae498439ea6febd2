"""A chart of play: one code for each total or pair against each up card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tables.engine.actions import Action
from tables.engine.cards import Card
from tables.engine.hand import Hand
from tables.odds.hands import kind_of

UP_CARDS: Final = "23456789TA"
"""The columns, in the order of printed charts."""
HARD: Final = tuple(map(str, range(5, 21)))
SOFT: Final = tuple(map(str, range(13, 21)))
PAIRS: Final = tuple(2 * letter for letter in UP_CARDS)
LETTERS: Final = "A23456789T"
"""The letter of each kind of card."""

Rows = Mapping[str, Mapping[str, str]]
"""Codes by row and by up card."""

ACTIONS: Final = {
    "H": (Action.HIT,),
    "S": (Action.STAND,),
    "Dh": (Action.DOUBLE_DOWN, Action.HIT),
    "Ds": (Action.DOUBLE_DOWN, Action.STAND),
    "P": (Action.SPLIT,),
    "Rh": (Action.SURRENDER, Action.HIT),
    "Rs": (Action.SURRENDER, Action.STAND),
    "Rp": (Action.SURRENDER, Action.SPLIT),
}
"""The actions of each code; the first that is legal is meant."""


@dataclass(frozen=True, slots=True)
class Chart:
    """The codes of :data:`ACTIONS`, by row and by up card of :data:`UP_CARDS`."""

    hard: Rows
    soft: Rows
    pairs: Rows

    def action(self, hand: Hand, up: Card, can: Callable[[Action], bool]) -> Action:
        """What the chart says of ``hand``; ``can`` says which actions are legal."""
        column = LETTERS[kind_of(up)]
        for code in self._codes(hand, column):
            for action in ACTIONS[code]:
                if action in (Action.HIT, Action.STAND) or can(action):
                    return action
        return Action.STAND if hand.total == 21 else Action.HIT  # 21; 4, or two aces

    def _codes(self, hand: Hand, column: str) -> list[str]:
        """The code of the pair, if it is one, then that of the total."""
        first, *others = map(kind_of, hand.cards)
        pair = [self.pairs[2 * LETTERS[first]][column]] if others == [first] else []
        rows = self.soft if hand.is_soft else self.hard
        total = rows.get(str(hand.total), {}).get(column)
        return pair + ([] if total is None else [total])

    def to_json(self) -> dict[str, Any]:
        """The chart as plain values."""
        return {
            name: {row: dict(codes) for row, codes in rows.items()}
            for name, rows in (("hard", self.hard), ("soft", self.soft), ("pairs", self.pairs))
        }
