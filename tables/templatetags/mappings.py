"""The ``of`` filter: values of mappings in templates."""

from __future__ import annotations

from collections.abc import Mapping

from django import template

register = template.Library()


@register.filter
def of(found: Mapping[int, int], key: int) -> int | None:
    """The value of a mapping for a key, or ``None``."""
    return found.get(key)
