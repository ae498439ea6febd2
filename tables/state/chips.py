"""The chips of a stored table: on it and in its rack."""

from __future__ import annotations

from typing import Final, NamedTuple

from django.db.models import Exists, OuterRef, Q, Sum

from accounts.models import WalletEntry
from tables.models import Round, Seat, Table
from tables.protocol import codec
from tables.state.game_state import GameState, UnreadableState

_AT_ONCE: Final = 1_000


class TableChips(NamedTuple):
    """The chips of a table, in hundredths."""

    staked: int
    """On the table, with the dealer's matches."""
    rack: int
    """The free chips of the rack: see :func:`free_chips`."""


def free_chips(game: GameState, held: int) -> int:
    """What is free of the ``held`` chips of a rack, in hundredths.

    A rack changes when a round is over. Until then the bets that it matches are not free, and what
    it has won or lost already is its own.
    """
    return held + game.settled - game.matched


def read_chips(row: Table, held: int | None = None) -> TableChips:
    """The chips of a table by its stored state; of a state that cannot be read only the rack's.

    ``held`` is the balance of the rack, if it is not the one of ``row.rack``.
    """
    held = row.rack.balance if held is None else held
    try:
        game = GameState.from_text(row.rules, row.state)
    except UnreadableState:
        return TableChips(0, held)
    return TableChips(game.staked + game.matched, free_chips(game, held))


def sum_open_stakes() -> int:
    """The stakes less payouts of all open rounds, in hundredths: what is in no account."""
    is_taken = Exists(Seat.objects.filter(table=OuterRef("pk")))
    tables = Table.objects.filter(Q(phase=Table.Phase.PLAYING) | is_taken).order_by()
    texts = tables.values_list("state", flat=True).iterator()
    last = [round_id for text in texts if (round_id := _find_round_id(text)) is not None]
    sum_ = 0
    for first in range(0, len(last), _AT_ONCE):
        some = Round.objects.filter(pk__in=last[first : first + _AT_ONCE], finished_at=None)
        # Two statements: a join would not use the index of the entries.
        open_ids = list(some.order_by().values_list("pk", flat=True))
        entries = WalletEntry.objects.filter(round__in=open_ids)
        sum_ -= entries.aggregate(sum=Sum("amount", default=0))["sum"]
    return sum_


def _find_round_id(text: str) -> int | None:
    """The id of the current or last round in a stored state, also of another version."""
    try:
        round_id: int | None = codec.decode_state(text).get("round_id")
    except ValueError:
        return None
    return round_id
