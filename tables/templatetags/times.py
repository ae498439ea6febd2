"""Times in the viewer's zone."""

from __future__ import annotations

import datetime as dt

from django import template
from django.utils.translation import gettext

from accounts.lib import times

register = template.Library()


@register.filter(expects_localtime=True)
def zoned(moment: dt.datetime | None, style: str | None = None) -> str:
    """Format a time like ``date``; "UTC" follows unless the zone is the viewer's."""
    return times.format_time(moment, style) if moment else ""


@register.simple_tag
def zone_note() -> str:
    """`` (UTC)`` after the heading of times, unless they are in the viewer's zone."""
    note = gettext("(UTC)")  # not inside the f-string, where xgettext does not look
    return "" if times.is_viewers_zone() else f" {note}"
