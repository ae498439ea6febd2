"""Announcements to all players, and planned maintenance."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import transaction

from accounts import audit_log
from accounts.audit_log import SITE, Operator
from accounts.maintenance import Maintenance, get_planned
from accounts.models import Act, HouseSettings
from tables.models import Seat, Table
from tables.protocol.frames import Announced, HouseNews
from tables.protocol.topics import SITE as SITE_TOPIC
from tables.protocol.topics import table_topic
from tables.realtime import dispatch
from tables.social import announcements
from tables.state import locking
from tables.state.effects import Effects


def announce_at(operator: Operator, table_id: int, text: str) -> bool:
    """Send an announcement to one table. False if it is closed, or has just got the same text.

    Raises ``Table.DoesNotExist``, and like all functions here ``DatabaseError`` or
    ``TimeoutError`` if the database does not answer in time.
    """
    work = partial(_set_table_announcement, operator, table_id, text)
    return _run_and_publish(work, table_topic(table_id), table_id=table_id)


def announce(operator: Operator, text: str) -> bool:
    """Send an announcement to all tables and the lobby. False if they have just got the same."""
    return _run_and_publish(partial(_set_announcement, operator, text))


def take_back_at(operator: Operator, table_id: int, at: dt.datetime) -> bool:
    """Take back the announcement to one table that was made ``at``. Publish it to its open pages.

    False if it is not shown any more: taken back, replaced, or too old.
    """
    work = partial(_clear_table_announcement, operator, table_id, at)
    return _run_and_publish(work, table_topic(table_id), table_id=table_id)


def take_back(operator: Operator, at: dt.datetime) -> bool:
    """Take back the announcement to all tables and the lobby. False as :func:`take_back_at`."""
    return _run_and_publish(partial(_clear_announcement, operator, at))


def plan_id(maintenance: Maintenance | None) -> str:
    """An identifier of a plan; empty for none."""
    return maintenance.at.isoformat() if maintenance else ""


def plan_maintenance(operator: Operator, at: dt.datetime, says: str, *, instead_of: str) -> bool:
    """Plan maintenance: from ``at`` on no round begins. Publish it to all pages.

    ``instead_of`` is the :func:`plan_id` of the plan that this one replaces. False if another plan is
    in force, for example after a double click.
    """
    return _run_and_publish(partial(_plan_maintenance, operator, at, says, instead_of))


def end_maintenance(operator: Operator) -> bool:
    """Cancel or end maintenance. False if none is planned."""
    return _run_and_publish(partial(_end_maintenance, operator))


def _run_and_publish(
    work: Callable[[dt.datetime], Announced | HouseNews | None],
    topic: str = SITE_TOPIC,
    *,
    table_id: int = 0,
) -> bool:
    """Run it in the writer thread and publish it; returns whether anything changed.

    A change for the whole site may touch seats at any table, so it has no ``table_id``.
    """

    def in_transaction(now: dt.datetime) -> Effects[bool]:
        with transaction.atomic():
            frame = work(now)
        return Effects(True, frames=((topic, frame),)) if frame else Effects(value=False)

    return dispatch.run(in_transaction)


def _set_table_announcement(
    operator: Operator, table_id: int, text: str, now: dt.datetime
) -> Announced | None:
    row = Table.objects.select_for_update().defer("state").get(pk=table_id)
    previous = announcements.get_table_announcement(row, now)
    if row.closed_at is not None or (previous is not None and previous.text == text):
        return None
    _set_text(operator, row, audit_log.build_subject(row), text, now)
    announcement = announcements.get_table_announcement(row, now)
    assert announcement is not None
    return Announced(announcement)


def _set_announcement(operator: Operator, text: str, now: dt.datetime) -> HouseNews | None:
    settings = _lock_settings()
    previous = announcements.get_site_state(now).announcement
    if previous is not None and previous.text == text:
        return None
    _set_text(operator, settings, SITE, text, now)
    return announcements.build_frame(now)


def _clear_table_announcement(
    operator: Operator, table_id: int, at: dt.datetime, now: dt.datetime
) -> Announced | None:
    row = Table.objects.select_for_update().defer("state").get(pk=table_id)
    if row.announced_at != at or announcements.get_table_announcement(row, now) is None:
        return None
    _set_text(operator, row, audit_log.build_subject(row), "", now)
    return Announced(None)


def _clear_announcement(operator: Operator, at: dt.datetime, now: dt.datetime) -> HouseNews | None:
    settings = _lock_settings()
    if settings.announced_at != at or announcements.get_site_state(now).announcement is None:
        return None
    _set_text(operator, settings, SITE, "", now)
    return announcements.build_frame(now)


def _set_text(
    operator: Operator, row: Table | HouseSettings, subject: str, text: str, now: dt.datetime
) -> None:
    """Store and record an announcement; an empty text takes the last one back."""
    what = Act.What.ANNOUNCE if text else Act.What.UNANNOUNCE
    before, after = {"announcement": row.announcement}, {"announcement": text}
    row.announcement, row.announced_at = text, now if text else None
    row.save(update_fields=["announcement", "announced_at"])
    audit_log.record(operator, what, subject, before=before, after=after, at=now)


def _plan_maintenance(
    operator: Operator, at: dt.datetime, says: str, instead_of: str, now: dt.datetime
) -> HouseNews | None:
    table_ids, settings = _lock_tables_and_settings(now)
    if plan_id(get_planned()) != instead_of:
        return None
    if now < at:
        _restart_absence_timers(settings, table_ids, now)
    return _set_maintenance(operator, Act.What.MAINTAIN, settings, at, says, now)


def _end_maintenance(operator: Operator, now: dt.datetime) -> HouseNews | None:
    table_ids, settings = _lock_tables_and_settings(now)
    if settings.maintenance_at is None:
        return None
    _restart_absence_timers(settings, table_ids, now)
    return _set_maintenance(operator, Act.What.REOPEN, settings, None, "", now)


def _lock_tables_and_settings(now: dt.datetime) -> tuple[list[int], HouseSettings]:
    """Lock the tables with absent players, then the settings: tables come first in the lock order."""
    absent = Seat.objects.filter(away_since__lt=now).order_by("table")
    table_ids = list(absent.values_list("table", flat=True).distinct())
    locking.lock_tables(table_ids)
    return table_ids, _lock_settings()


def _restart_absence_timers(
    settings: HouseSettings, table_ids: list[int], now: dt.datetime
) -> None:
    """Restart the absence timers at these tables, if maintenance has begun."""
    if settings.maintenance_at is not None and settings.maintenance_at <= now:
        Seat.objects.filter(table__in=table_ids, away_since__lt=now).update(away_since=now)


def _set_maintenance(
    operator: Operator,
    what: Act.What,
    settings: HouseSettings,
    at: dt.datetime | None,
    says: str,
    now: dt.datetime,
) -> HouseNews:
    before = _log_values(settings)
    settings.maintenance_at, settings.maintenance_says = at, says
    settings.save(update_fields=["maintenance_at", "maintenance_says"])
    audit_log.record(operator, what, SITE, before=before, after=_log_values(settings), at=now)
    return announcements.build_frame(now)


def _lock_settings() -> HouseSettings:
    return HouseSettings.objects.select_for_update().get(pk=1)


def _log_values(settings: HouseSettings) -> dict[str, Any]:
    """The maintenance as stored in the audit log."""
    at = settings.maintenance_at
    return {"at": at.isoformat() if at else None, "says": settings.maintenance_says}
