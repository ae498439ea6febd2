"""Bets behind: the stakes of watchers on the hands of seated players.

They are in the state of the table (:class:`tables.state.game_state.GameState`), so that a table
without them does the same work as before. A backed hand is played by its player alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from tables.engine.player_hand import PlayerHand
from tables.engine.rules import Ruleset
from tables.models import Table

MOST_BACKERS: Final = 3
"""The limit of backers of a seat."""


def has_place(row: Table, rules: Ruleset) -> bool:
    """Whether a bet behind has a meaning at this table, which is played by ``rules``.

    It needs stakes that the dealer pays alone. In seed 003 the dealer's account matches each bet
    of the player into one pot, of which a third person has no part; in the other rule sets without
    stakes nothing can be bet. Chips of the table belong to those who sit there.
    """
    return rules.stakes is not None and not rules.is_matched and not row.has_chips


def is_offered(row: Table, rules: Ruleset) -> bool:
    """Whether watchers may bet behind at this table, which is played by ``rules``."""
    return row.has_behind and has_place(row, rules)


@dataclass(slots=True)
class Backing:
    """What one watcher has staked on a seat: on the next round, or on the hands in play."""

    seat: int
    user_id: int
    name: str
    """The name of the backer when the bet was placed."""
    first: int
    """The stake before the deal, in hundredths."""
    goes_along: bool
    """Whether the stake is raised on a double and on a split."""
    stakes: list[int]
    """In hundredths, for each hand of the seat in order; 0 on a hand without a part of the stake."""
    paid: int = 0
    """The payouts so far, with the stakes."""

    @classmethod
    def place(cls, seat: int, user_id: int, name: str, stake: int, *, goes_along: bool) -> Self:
        """A bet on the next round."""
        return cls(seat, user_id, name, stake, goes_along, [stake])

    @property
    def total(self) -> int:
        """All stakes, in hundredths."""
        return sum(self.stakes)

    def double(self, hand: int) -> int:
        """Double the stake on a hand (from 1); returns what was added."""
        added = self.stakes[hand - 1]
        self.stakes[hand - 1] += added
        return added

    def split(self, hand: int, added: int) -> None:
        """Follow a split of this hand: ``added`` is staked on the new hand, the next one."""
        self.stakes.insert(hand, added)

    def sum_open(self, hands: Sequence[PlayerHand]) -> int:
        """The stakes on those of the seat's hands that are open."""
        return sum(stake for hand, stake in zip(hands, self.stakes, strict=True) if hand.is_open)

    def to_state(self) -> list[Any]:
        """The bet as plain JSON values."""
        return [
            self.seat, self.user_id, self.name, self.first, int(self.goes_along), self.stakes,
            self.paid,
        ]  # fmt: skip

    @classmethod
    def from_state(cls, state: Sequence[Any]) -> Self:
        """The bet that :meth:`to_state` stored."""
        seat, user_id, name, first, goes_along, stakes, paid = state
        return cls(seat, user_id, name, first, bool(goes_along), list(stakes), paid)
