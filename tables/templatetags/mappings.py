"""The ``of`` filter: values of mappings in templates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from django import template

K = TypeVar("K")
V = TypeVar("V")
register = template.Library()


@register.filter
def of(mapping: Mapping[K, V], key: K) -> V | None:
    """The value of a mapping for a key, or ``None``."""
    return mapping.get(key)
