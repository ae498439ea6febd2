"""The ``script_words`` and ``house_name`` tags."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import format_html

from accounts import site_settings
from tables.texts.js_catalog import get_catalog

register = template.Library()


@register.simple_tag
def script_words() -> str:
    """The script tag of the translated sentences, placed before the scripts; empty in English."""
    words = get_catalog()
    if words is None:
        return ""
    return format_html('<script defer src="{}"></script>', reverse("words", args=[words.version]))


@register.simple_tag
def house_name() -> str:
    """The name of the site, also where a page has no request."""
    return site_settings.get().name
