"""The cache of decoded tables in this process.

Another process may change a table at any moment, and so may an operator. So an entry is used only
if the database row still equals the one that it was decoded from, or if nothing else was written
since. It is removed while its table changes, so that a failed change leaves nothing behind.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from accounts.lib.sql.driver import Raw
from tables.engine.rules import Ruleset
from tables.models import Round, Seat, Table
from tables.state.game_state import GameState

MOST_KEPT: Final = 1_000
MOST_WALLETS: Final = 100_000


@dataclass(frozen=True, slots=True)
class CachedTable:
    """A table as this process last stored it."""

    state: str = ""
    game: GameState | None = field(default=None, repr=False)
    row: tuple[Raw, Table] | None = None
    """The raw values of its row in the database, and the row with its maker."""
    seats: tuple[tuple[Raw, Seat], ...] = ()
    """The same for each taken seat, with player and wallet."""
    round_row: Round | None = None
    """The row of the current or last round."""
    generation: int = 0
    """The cache generation in which the entry is valid without a read; 0 if it is incomplete. See
    :mod:`accounts.lib.sql.sqlite_cache`.
    """

    def decode_game(self, rules: Ruleset, state: str) -> GameState:
        """Decode ``state``, or return the cached game. Raises ``UnreadableState``."""
        if self.game is not None and self.state == state and self.game.rules == rules:
            return self.game
        return GameState.from_text(rules, state)


_kept: Final[OrderedDict[int, tuple[int, CachedTable]]] = OrderedDict()
"""By table id, each with its sequence number; the newest is last."""
_numbers: Final = itertools.count(1)
_wallets_moved: Final[dict[int, int]] = {}
"""The sequence number of each user's last wallet change. Older entries have an old balance."""


def pop(table_id: int) -> CachedTable:
    """Remove the entry of a table from the cache and return it."""
    number, kept = _kept.pop(table_id, (0, _NOTHING))
    if any(_wallets_moved.get(seat.user_id, 0) > number for _, seat in kept.seats):
        return replace(kept, generation=0)
    return kept


def put(table_id: int, kept: CachedTable, moved: Iterable[int] = ()) -> None:
    """Store the entry of a table. ``moved`` are the users whose wallets this change moved."""
    number = next(_numbers)
    _kept[table_id] = number, kept
    _wallets_moved.update(dict.fromkeys(moved, number))
    if len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)
    if len(_wallets_moved) > MOST_WALLETS:
        _kept.clear()
        _wallets_moved.clear()


_NOTHING: Final = CachedTable()
