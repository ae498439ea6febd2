"""Times in the viewer's zone, and for scripts. Before the browser has named its zone, they are in UTC and
say so.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.template.defaultfilters import date
from django.utils import timezone
from django.utils.formats import get_format
from django.utils.translation import gettext, pgettext

from accounts.lib import date_forms

UTC: Final = "UTC"


def to_milliseconds(moment: dt.datetime) -> int:
    """Milliseconds since 1970, as in JavaScript."""
    return round(moment.timestamp() * 1000)


def format_utc(moment: dt.datetime) -> str:
    """Format a time for readers of any zone: ``2026-11-25 22:40 UTC``."""
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d %H:%M} UTC"


def is_viewers_zone() -> bool:
    """Whether the active zone is the viewer's."""
    return timezone.get_current_timezone_name() != UTC


def format_date(value: dt.date | None, style: str | None = None) -> str:
    """Format like Django's ``date``, in the form that the reader has chosen."""
    pattern = get_format(style) if style else pgettext("date format", "j F Y, H:i")
    return str(date(value, date_forms.convert(pattern)))


def format_time(moment: dt.datetime, style: str | None = None) -> str:
    """Format a time in the active zone like Django's ``date``; "UTC" follows unless the zone is the
    viewer's.
    """
    text = format_date(timezone.localtime(moment), style)
    return text if is_viewers_zone() else gettext("%(time)s UTC") % {"time": text}
