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
    """A table as it was stored last by this process."""

    state: str = ""
    game: GameState | None = field(default=None, repr=False)
    row: tuple[Raw, Table] | None = None
    """What the database said of its row when it was asked, and the row with its maker."""
    seats: tuple[tuple[Raw, Seat], ...] = ()
    """The same of those taken, with their players and wallets."""
    round_row: Round | None = None
    """The row of the round that is bet on, or played, or was played last."""
    generation: int = 0
    """While this goes on nothing need be asked again; 0 where something is missing here. See
    :mod:`accounts.lib.sql.sqlite_cache`.
    """

    def game_of(self, rules: Ruleset, state: str) -> GameState:
        """The game that is stored as ``state``. Raises :class:`~tables.state.game_state.UnreadableState`."""
        if self.game is not None and self.state == state and self.game.rules == rules:
            return self.game
        return GameState.from_text(rules, state)


_kept: Final[OrderedDict[int, tuple[int, CachedTable]]] = OrderedDict()
"""By table id, each with its number; what was kept last is at the end."""
_numbers: Final = itertools.count(1)
_wallets_moved: Final[dict[int, int]] = {}
"""With which number each user's wallet changed last. What was kept before does not say so."""


def pop(table_id: int) -> CachedTable:
    """What is kept of a table, which is kept no longer."""
    number, kept = _kept.pop(table_id, (0, _NOTHING))
    if any(_wallets_moved.get(seat.user_id, 0) > number for _, seat in kept.seats):
        return replace(kept, generation=0)
    return kept


def put(table_id: int, kept: CachedTable, moved: Iterable[int] = ()) -> None:
    """Have this at hand for the next change of the table; this one moved the wallets of users."""
    number = next(_numbers)
    _kept[table_id] = number, kept
    _wallets_moved.update(dict.fromkeys(moved, number))
    if len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)
    if len(_wallets_moved) > MOST_WALLETS:
        _kept.clear()
        _wallets_moved.clear()


_NOTHING: Final = CachedTable()
