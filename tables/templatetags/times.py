"""Times in the viewer's zone."""

from __future__ import annotations

import datetime as dt

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django.utils.translation import gettext

from accounts.lib import date_forms, times

register = template.Library()


@register.filter(expects_localtime=True, is_safe=False)
def date(value: dt.date | None, style: str | None = None) -> str:
    """Django's ``date``, in the form that the reader has chosen. It replaces Django's on all pages."""
    return times.format_date(value, style) if value else ""


@register.filter(expects_localtime=True)
def zoned(moment: dt.datetime | None, style: str | None = None) -> str:
    """Format a time like ``date``; "UTC" follows unless the zone is the viewer's."""
    return times.format_time(moment, style) if moment else ""


@register.simple_tag
def own_time() -> str:
    """The attributes of a page that tell its scripts the zone and the clock of the reader."""
    zone = format_html(' data-zone="{}"', timezone.get_current_timezone_name())
    clock = mark_safe(' data-clock="12"') if date_forms.is_twelve_hours() else ""
    return format_html("{}{}", zone if times.is_viewers_zone() else "", clock)


@register.simple_tag
def zone_note() -> str:
    """`` (UTC)`` after the heading of times, unless they are in the viewer's zone."""
    note = gettext("(UTC)")  # not inside the f-string, where xgettext does not look
    return "" if times.is_viewers_zone() else f" {note}"
