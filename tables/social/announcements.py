"""Announcements and maintenance notices for pages."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Final

from accounts.lib.sql.select import Select
from accounts.lib.times import to_milliseconds
from accounts.models import HouseSettings
from tables.models import Table
from tables.protocol.frames import Announcement, HouseNews, PublicHouse, PublicMaintenance

SHOWN_FOR: Final = dt.timedelta(minutes=10)
"""How long an announcement is shown to newly opened pages."""


_settings = Select(lambda: HouseSettings.objects.filter(pk=1))


def send_settings() -> Callable[[], list[HouseSettings]]:
    """Read the row of the settings; return a function for it, to be called after a pipeline."""
    return _settings.send()


def read_epoch() -> str:
    """The current epoch; it changes after a restore."""
    (row,) = _settings()
    return row.epoch


def get_site_state(now: dt.datetime) -> PublicHouse:
    """The public state of the site."""
    (row,) = _settings()
    return build_site_state(row, now)


def build_site_state(row: HouseSettings, now: dt.datetime) -> PublicHouse:
    """The public state of the site with these settings."""
    maintenance = None
    if row.maintenance_at is not None:
        maintenance = PublicMaintenance(to_milliseconds(row.maintenance_at), row.maintenance_says)
    return PublicHouse(_build_announcement(row.announcement, row.announced_at, now), maintenance)


def get_table_announcement(table: Table, now: dt.datetime) -> Announcement | None:
    """The last announcement to this table, if recent."""
    return _build_announcement(table.announcement, table.announced_at, now)


def build_frame(now: dt.datetime) -> HouseNews:
    """The frame with the state of the site, for open pages."""
    return HouseNews(to_milliseconds(now), get_site_state(now))


def _build_announcement(text: str, at: dt.datetime | None, now: dt.datetime) -> Announcement | None:
    if not text or at is None or at + SHOWN_FOR <= now:
        return None
    return Announcement(text, to_milliseconds(at))
