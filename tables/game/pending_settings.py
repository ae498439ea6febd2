"""New settings of an open table, applied between two rounds."""

from __future__ import annotations

from typing import Any, Final

from tables import access
from tables.game import seats, shoes
from tables.models import Table
from tables.protocol.events import Reason, TableChanged
from tables.state.live_table import LiveTable

SETTINGS: Final = (
    "name", "rules_options", "betting_seconds", "turn_seconds", "is_private", "is_locked",
    "has_chat", "has_hints", "fill_limit",
)  # fmt: skip
"""The fields of a table that can be changed while it is open. The rule set cannot."""


def get_settings(row: Table) -> dict[str, Any]:
    """The current settings, by name of the field."""
    return {name: getattr(row, name) for name in SETTINGS}


def pending_or_current(row: Table) -> dict[str, Any]:
    """The settings after the pending ones are applied."""
    return {**get_settings(row), **(row.coming or {})}


def apply_pending(live: LiveTable) -> frozenset[str]:
    """Apply the pending settings that can be applied now; returns the changed fields.

    Nothing changes during a round or while a bet is placed, and no rule during a game of piles.
    A closed table does not change.
    """
    row, coming = live.row, live.row.coming or {}
    if row.closed_at is not None:
        row.coming = None
        return frozenset()
    if live.game.is_playing or live.game.bets:
        return frozenset()
    waits = {name for name in ("rules_options",) if _is_in_game_of_piles(live)} & set(coming)
    present = get_settings(row)
    due = {n: value for n, value in coming.items() if n not in waits and value != present[n]}
    row.coming = {name: coming[name] for name in waits} or None
    if due:
        _apply_settings(live, due)
    return frozenset(due)


def _is_in_game_of_piles(live: LiveTable) -> bool:
    shoe = live.game.shoe
    return live.rules.has_piles and shoe is not None and shoe.cards is not None


def _apply_settings(live: LiveTable, due: dict[str, Any]) -> None:
    row, decks = live.row, live.rules.decks
    for name, value in due.items():
        setattr(row, name, value)
    row.save(update_fields=list(due))
    if "fill_limit" in due:
        row.auto_filled = 0
    if due.keys() != {"fill_limit"}:
        live.events.append(TableChanged())
    seats.drop_forbidden_hints(live)
    if "rules_options" in due:
        _adopt_rules(live, decks)
    if row.is_private and "is_private" in due:
        for user_id in (
            *(s.user_id for s in live.seats.values()),
            *(e.user_id for e in live.queue),
        ):
            access.grant_access(row, user_id)


def _adopt_rules(live: LiveTable, decks_before: int) -> None:
    """Use the new rules of the row. Bets that were sent under the old rules become stale."""
    live.game.rules = live.row.rules
    live.row.turn += 1
    for number in [number for number in live.seats if number > live.rules.seats]:
        seats.free_seat(live, number, Reason.FEWER_SEATS)
    shoes.retire_if_incompatible(live, decks_before)
