"""New settings of an open table, chosen in a form by an operator or by the host, and applied between two
rounds.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from django.db.models import Q
from django.utils.translation import gettext

from accounts.lib.errors import OperationRefused
from accounts.lib.money import format_money
from tables import access
from tables.engine.options import customize
from tables.game import seats, shoes
from tables.models import Match, Round, Table
from tables.protocol import codec
from tables.protocol.events import Reason, TableChanged
from tables.state import idle_seats
from tables.state.live_table import LiveTable
from tables.texts.refusals import STAYS_PRIVATE

Settings = dict[str, Any]
"""Values by name of the table's field; see :data:`SETTINGS`."""
SETTINGS: Final = (
    "name", "rules_options", "betting_seconds", "turn_seconds", "time_bank_seconds", "is_private",
    "is_locked", "has_chat", "has_hints", "has_behind", "idle_minutes", "fill_limit", "top_ups",
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
    if must_wait(live):
        return frozenset()
    waits = list_waiting(live, coming)
    present = get_settings(row)
    due = {n: value for n, value in coming.items() if n not in waits and value != present[n]}
    row.coming = {name: coming[name] for name in waits} or None
    if due:
        _apply_settings(live, due)
    if row.coming is None:
        row.coming_by = ""
    return frozenset(due)


def must_wait(live: LiveTable) -> bool:
    """Whether no setting can be applied now."""
    return live.game.is_playing or bool(live.game.bets)


def list_waiting(live: LiveTable, names: Iterable[str]) -> frozenset[str]:
    """The settings among these that cannot be applied now, between two rounds."""
    waiting_names = {"rules_options"} if _is_in_game_of_piles(live) else set()
    return frozenset(waiting_names & set(names))


def _is_in_game_of_piles(live: LiveTable) -> bool:
    shoe = live.game.shoe
    return live.rules.has_piles and shoe is not None and shoe.cards is not None


def _apply_settings(live: LiveTable, due: dict[str, Any]) -> None:
    row, decks = live.row, live.rules.decks
    live.return_all_behind()  # placed under the settings from before
    for name, value in due.items():
        setattr(row, name, value)
    row.save(update_fields=list(due))
    if "idle_minutes" in due:
        idle_seats.restart_timer(live)  # nobody loses a seat by a time that was not said before
    if "fill_limit" in due:
        row.auto_filled = 0
    if due.keys() != {"fill_limit"}:
        live.events.append(TableChanged(row.coming_by or None))
    seats.drop_forbidden_hints(live)
    if "rules_options" in due:
        _adopt_rules(live, decks)
    if row.is_private and "is_private" in due:
        for user_id in (
            *(seat.user_id for seat in live.seats.values()),
            *(entry.user_id for entry in live.queue),
        ):
            access.grant_access(row, user_id)


def _adopt_rules(live: LiveTable, decks_before: int) -> None:
    """Use the new rules of the row. Bets that were sent under the old rules become stale."""
    live.game.rules = live.row.rules
    live.row.turn += 1
    for number in [number for number in live.seats if number > live.rules.seats]:
        seats.free_seat(live, number, Reason.FEWER_SEATS)
    shoes.retire_if_incompatible(live, decks_before)


# What is chosen


class TableIsClosed(OperationRefused):
    """The table is closed."""

    def __init__(self) -> None:
        message = gettext("This table is closed. You can't change it.")
        super().__init__(message)


class MatchIsRunning(OperationRefused):
    """The rules of a match stay as they are until it is over."""

    def __init__(self) -> None:
        super().__init__(gettext("A match is being played. Its settings stay as they are."))


class StaysPrivate(OperationRefused):
    """A table with private rounds cannot become public."""

    def __init__(self) -> None:
        super().__init__(str(STAYS_PRIVATE))


class StackTooSmall(OperationRefused):
    """A full stack must be enough for the smallest bet."""

    def __init__(self, size: int) -> None:
        message = gettext("A stack at this table is %(size)s, so the minimum bet can't be more.")
        super().__init__(message % {"size": format_money(size)})


class NotHost(OperationRefused):
    """The user does not run the table, or not any more."""

    def __init__(self) -> None:
        super().__init__(gettext("Only the table's host can change its settings."))


class AccessIsFixed(OperationRefused):
    """A host makes no table private or public after its first round: it would change the leaderboard,
    or show rounds to others.
    """

    def __init__(self) -> None:
        message = gettext("Rounds were played here, so the table can't become private or public.")
        super().__init__(message)


class ChangedMeanwhile(Exception):
    """The settings changed since the form was shown."""


class EditOutcome(StrEnum):
    """The result of an edit."""

    NOTHING = "nothing"
    """No difference."""
    HOLDS = "holds"
    """Applied."""
    WAITS = "waits"
    """Applies from the next round on, or from the next game of piles, at least in part."""
    TAKEN_BACK = "taken_back"
    """The pending change was withdrawn."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What a choice of settings changes. Empty if nothing."""

    before: Settings
    after: Settings


def settings_hash(settings: Settings) -> str:
    """A hash of settings, by which a form identifies the ones it showed."""
    text = codec.encode([(name, settings[name]) for name in SETTINGS])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def lock_unchanged(table_id: int, now: dt.datetime, made_from: str) -> LiveTable:
    """Lock the table. Raises :class:`TableIsClosed`, :class:`MatchIsRunning` and
    :class:`ChangedMeanwhile`.
    """
    live = LiveTable.lock(table_id, now)
    verify_unchanged(live.row, made_from)
    return live


def verify_unchanged(row: Table, made_from: str) -> None:
    """Check that the settings are those of the form. Raises as :func:`lock_unchanged` does."""
    if row.closed_at is not None:
        raise TableIsClosed
    if row.match is not None and row.match.state == Match.State.RUNNING:
        raise MatchIsRunning
    if settings_hash(pending_or_current(row)) != made_from:
        raise ChangedMeanwhile


def verify(row: Table, new_settings: Settings) -> None:
    """Check whether the table may have these settings.

    Raises :class:`StaysPrivate`, :class:`StackTooSmall`, and :class:`OptionError` for rules that
    cannot be played.
    """
    if must_stay_private(row) and not new_settings["is_private"]:
        raise StaysPrivate
    rules = customize(row.rules_key, new_settings["rules_options"])
    if row.stack_size is not None and rules.stakes and rules.stakes.minimum > row.stack_size:
        raise StackTooSmall(row.stack_size)


def must_stay_private(row: Table) -> bool:
    """Whether the table is private and has rounds, which only their players may see."""
    return row.is_private and has_rounds(row)


def has_rounds(row: Table) -> bool:
    """Whether a round was dealt at the table, or may be: a bet is placed."""
    return Round.objects.filter(Q(dealt_at__isnull=False) | Q(finished_at=None), table=row).exists()


def set_pending(live: LiveTable, new_settings: Settings, *, by: str = "") -> Difference:
    """Have the commit apply these settings, now or after the round. ``by`` is the name of the host."""
    row, before = live.row, pending_or_current(live.row)
    present, new_settings = get_settings(row), {**before, **new_settings}
    after = {name: value for name, value in new_settings.items() if value != before[name]}
    if after:
        row.coming = {n: value for n, value in new_settings.items() if value != present[n]} or None
        row.coming_by = by
    return Difference({name: before[name] for name in after}, after)


def describe_outcome(row: Table, *, had_pending: bool) -> EditOutcome:
    """The result of a choice that changed something, after the commit."""
    if row.coming is not None:
        return EditOutcome.WAITS
    return EditOutcome.HOLDS if had_pending else EditOutcome.TAKEN_BACK
