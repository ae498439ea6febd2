"""What this process made of the tables that it played at last, so that nothing is made twice.

Another process may change a table at any moment, and so may an operator. So what is kept counts
only as long as the database says word for word what it was made of; and it is taken out while the
table is changed: whatever becomes of that change, nobody finds what is not stored.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from accounts.statement import Raw
from tables.engine.rules import Ruleset
from tables.game import Game
from tables.models import Seat, Table

MOST_KEPT: Final = 1_000


@dataclass(frozen=True, slots=True)
class Kept:
    """A table as it was stored last by this process."""

    state: str = ""
    game: Game | None = field(default=None, repr=False)
    rows: Mapping[Raw, Table] = field(default_factory=dict)
    """Its row with its maker, by what the database says of it."""
    seats: Mapping[Raw, Seat] = field(default_factory=dict)
    """Those taken, with their players and wallets, by what the database says of them."""

    def game_of(self, rules: Ruleset, state: str) -> Game:
        """The game that is stored as ``state``. Raises :class:`~tables.game.UnreadableState`."""
        if self.game is not None and self.state == state and self.game.rules == rules:
            return self.game
        return Game.from_text(rules, state)


_kept: Final[OrderedDict[int, Kept]] = OrderedDict()
"""By table id; what was kept last is at the end."""


def take(table_id: int) -> Kept:
    """What is kept of a table, which is kept no longer."""
    return _kept.pop(table_id, _NOTHING)


def keep(table_id: int, kept: Kept) -> None:
    """Have this at hand for the next change of the table."""
    _kept[table_id] = kept
    if len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)


_NOTHING: Final = Kept()
