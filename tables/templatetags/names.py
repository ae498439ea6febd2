"""The ``isolated`` filter."""

from __future__ import annotations

from django import template

from accounts.lib.names import isolated

register = template.Library()
register.filter(isolated)
