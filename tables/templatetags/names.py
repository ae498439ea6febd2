"""The ``isolated`` filter, and ``isolated_list`` for several names."""

from __future__ import annotations

from collections.abc import Iterable

from django import template

from accounts.lib.names import isolated

register = template.Library()
register.filter(isolated)


@register.filter
def isolated_list(names: Iterable[str]) -> str:
    """The names with commas between them, whatever the direction of each."""
    return ", ".join(map(isolated, names))
