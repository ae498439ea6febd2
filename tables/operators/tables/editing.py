"""Opening and editing tables, recorded in the audit log."""

from __future__ import annotations

import datetime as dt
import hashlib
from enum import StrEnum
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils.translation import gettext, gettext_lazy

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.lib.errors import OperationRefused
from accounts.models import Act
from tables.engine.options import customize
from tables.game import commit, lifecycle, pending_settings
from tables.models import Round, Table
from tables.protocol import codec
from tables.state.effects import Effects
from tables.state.live_table import LiveTable

Settings = dict[str, Any]
"""Values by name of the table's field; see :data:`pending_settings.SETTINGS`."""


STAYS_PRIVATE: Final = gettext_lazy(
    "Private rounds were played here, so this table must stay private. Clone it to create a "
    "public one."
)


class TableIsClosed(OperationRefused):
    """The table is closed."""

    def __init__(self) -> None:
        said = gettext("This table is closed. You can't change it.")
        super().__init__(said)


class StaysPrivate(OperationRefused):
    """A table with private rounds cannot become public."""

    def __init__(self) -> None:
        super().__init__(str(STAYS_PRIVATE))


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


def settings_hash(settings: Settings) -> str:
    """A hash of settings, by which a form identifies the ones it showed."""
    text = codec.encode([(name, settings[name]) for name in pending_settings.SETTINGS])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def edit_settings(
    operator: Operator,
    table_id: int,
    made_from: str,
    wanted: Settings,
    reason: str,
    now: dt.datetime,
) -> Effects[EditOutcome]:
    """Change the settings of a table to ``wanted``: at once if there is no round and no bet, else
    from the next round on.

    ``made_from`` is the :func:`settings_hash` of the settings that the operator saw, with pending ones.
    Raises ``Table.DoesNotExist``, :class:`TableIsClosed`, :class:`ChangedMeanwhile`,
    :class:`StaysPrivate`, and :class:`OptionError` for rules that cannot be played.
    """
    with transaction.atomic():
        live = _lock_open_table(table_id, now)
        row, before = live.row, pending_settings.pending_or_current(live.row)
        if settings_hash(before) != made_from:
            raise ChangedMeanwhile
        if must_stay_private(row) and not wanted["is_private"]:
            raise StaysPrivate
        customize(row.rules_key, wanted["rules_options"])
        return _store(live, operator, before, wanted, reason)


def must_stay_private(row: Table) -> bool:
    """Whether the table is private and has rounds, which only their players may see."""
    return row.is_private and Round.objects.filter(table=row).exists()


def withdraw_change(
    operator: Operator, table_id: int, made_from: str, reason: str, now: dt.datetime
) -> Effects[EditOutcome]:
    """Withdraw the pending change of a table. Raises as :func:`edit_settings` does."""
    with transaction.atomic():
        live = _lock_open_table(table_id, now)
        before = pending_settings.pending_or_current(live.row)
        if settings_hash(before) != made_from:
            raise ChangedMeanwhile
        return _store(live, operator, before, pending_settings.get_settings(live.row), reason)


def _lock_open_table(table_id: int, now: dt.datetime) -> LiveTable:
    live = LiveTable.lock(table_id, now)
    if live.row.closed_at is not None:
        raise TableIsClosed
    return live


def _store(
    live: LiveTable, operator: Operator, before: Settings, wanted: Settings, reason: str
) -> Effects[EditOutcome]:
    """Store the pending settings and apply those that can be applied now."""
    row, present = live.row, pending_settings.get_settings(live.row)
    after = {name: value for name, value in wanted.items() if value != before[name]}
    if not after:
        return Effects(EditOutcome.NOTHING)
    coming = {name: value for name, value in wanted.items() if value != present[name]}
    row.coming = coming or None
    was = {name: before[name] for name in after}
    subject = audit_log.build_subject(row)
    audit_log.record(
        operator, Act.What.EDIT_TABLE, subject, before=was, after=after, reason=reason, at=live.now
    )
    changes = (commit.commit_table(live),)
    if row.coming is not None:
        return Effects(EditOutcome.WAITS, changes)
    return Effects(EditOutcome.HOLDS if coming else EditOutcome.TAKEN_BACK, changes)


def open_table(
    operator: Operator, rules_key: str, settings: Settings, *, code: str, like: Table | None = None
) -> Table:
    """Open one of the site's tables, once for each ``code``, the code of its invite link.

    ``like`` is the cloned table. Raises :class:`OptionError`.
    """
    try:
        with transaction.atomic():
            table = lifecycle.open_table(rules_key=rules_key, code=code, **settings)
            _record_opening(operator, table, like=like)
            return table
    except IntegrityError:
        opened = Table.objects.filter(code=code).first()
        if opened is None:
            raise
        return opened  # The form was sent twice.


def _record_opening(operator: Operator, table: Table, *, like: Table | None = None) -> None:
    """Record the opening of a table in the audit log, with its settings."""
    after = {"rules_key": table.rules_key, **pending_settings.get_settings(table)}
    if like is not None:
        after["like"] = audit_log.build_subject(like)
    audit_log.record(operator, Act.What.OPEN_TABLE, audit_log.build_subject(table), after=after)
