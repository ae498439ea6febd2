"""Times in the viewer's zone. Before the browser has told it, they are UTC and say so."""

from __future__ import annotations

import datetime as dt
from typing import Final

from django import template
from django.template.defaultfilters import date
from django.utils import timezone
from django.utils.translation import gettext

register = template.Library()
UTC: Final = "UTC"


@register.filter(expects_localtime=True)
def zoned(moment: dt.datetime | None, style: str | None = None) -> str:
    """Format a time like ``date``; "UTC" follows unless the zone is the viewer's."""
    text = str(date(moment, style))
    if not text or timezone.get_current_timezone_name() != UTC:
        return text
    return gettext("%(time)s UTC") % {"time": text}


@register.simple_tag
def zone_note() -> str:
    """`` (UTC)`` after the heading of times, unless they are in the viewer's zone."""
    if timezone.get_current_timezone_name() != UTC:
        return ""
    note = gettext("(UTC)")
    return f" {note}"
