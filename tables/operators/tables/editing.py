"""Opening and editing tables, recorded in the audit log."""

from __future__ import annotations

import datetime as dt

from django.db import IntegrityError, transaction

from accounts import audit_log
from accounts.audit_log import Operator
from accounts.models import Act
from tables.game import commit, lifecycle, pending_settings
from tables.game.pending_settings import EditOutcome, Settings
from tables.models import Table
from tables.state.effects import Effects
from tables.state.live_table import LiveTable


def edit_settings(
    operator: Operator,
    table_id: int,
    made_from: str,
    settings: Settings,
    reason: str,
    now: dt.datetime,
) -> Effects[EditOutcome]:
    """Change the settings of a table to ``settings``: at once if there is no round and no bet, else
    from the next round on.

    ``made_from`` is the :func:`settings_hash` of the settings that the operator saw, with pending ones.
    Raises ``Table.DoesNotExist``, :class:`TableIsClosed`, :class:`ChangedMeanwhile`,
    :class:`StaysPrivate`, and :class:`OptionError` for rules that cannot be played.
    """
    with transaction.atomic():
        live = pending_settings.lock_unchanged(table_id, now, made_from)
        pending_settings.verify(live.row, settings)
        return _store(live, operator, settings, reason)


def withdraw_change(
    operator: Operator, table_id: int, made_from: str, reason: str, now: dt.datetime
) -> Effects[EditOutcome]:
    """Withdraw the pending change of a table. Raises as :func:`edit_settings` does."""
    with transaction.atomic():
        live = pending_settings.lock_unchanged(table_id, now, made_from)
        return _store(live, operator, pending_settings.get_settings(live.row), reason)


def _store(
    live: LiveTable, operator: Operator, settings: Settings, reason: str
) -> Effects[EditOutcome]:
    """Store the pending settings and apply those that can be applied now."""
    difference = pending_settings.set_pending(live, settings)
    if not difference.after:
        return Effects(EditOutcome.NOTHING)
    audit_log.record(
        operator,
        Act.What.EDIT_TABLE,
        audit_log.build_subject(live.row),
        before=difference.before,
        after=difference.after,
        reason=reason,
        at=live.now,
    )
    had_pending = live.row.coming is not None
    changes = (commit.commit_table(live),)
    return Effects(pending_settings.describe_outcome(live.row, had_pending=had_pending), changes)


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
