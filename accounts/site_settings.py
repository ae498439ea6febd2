"""The settings of the site in the memory of this process.

Every page shows the name of the site, and most of them ask who may sign up. Reading the row for
each page would be a query more, so a process remembers it: it is read before the first request, each
second after that (``tables.realtime.runtime``), and at once in the process in which it was changed.
"""

from __future__ import annotations

import time
from typing import Final

import structlog
from django.core.exceptions import SynchronousOnlyOperation
from django.db import Error as DatabaseError

from accounts.lib import languages
from accounts.models import HouseSettings

log = structlog.get_logger()

RETRY_SECONDS: Final = 1.0
"""The pause after a failed read."""


class _Memory:
    row: HouseSettings | None = None
    failed_at: float | None = None


def get() -> HouseSettings:
    """The settings, to read and not to change. The defaults, while they could never be read."""
    if _Memory.row is None and not _has_just_failed():
        try:
            refresh()
        except (DatabaseError, SynchronousOnlyOperation):
            _Memory.failed_at = time.monotonic()
            log.warning("site_settings_unread")
    return _Memory.row or HouseSettings()


def refresh() -> None:
    """Read the settings. Raises database errors; then the earlier ones stay."""
    remember(HouseSettings.objects.get(pk=1))


def remember(row: HouseSettings) -> None:
    """Use this row from now on."""
    _Memory.row = row
    languages.offer([code for code in row.languages.split(",") if code], row.default_language)


def forget() -> None:
    """Forget the settings, as at the start of a process."""
    _Memory.row = _Memory.failed_at = None


def _has_just_failed() -> bool:
    failed_at = _Memory.failed_at
    return failed_at is not None and time.monotonic() - failed_at < RETRY_SECONDS
