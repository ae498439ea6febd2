"""URLs with a query string."""

from __future__ import annotations

from collections.abc import Mapping

from django.urls import reverse
from django.utils.http import urlencode


def url_with_query(name: str, query: Mapping[str, str | int], *args: str) -> str:
    """The URL of a named page, with a query string if there is one.

    >>> url_with_query("history", {"rules": "piles"})
    '/history/?rules=piles'
    """
    path = reverse(name, args=args)
    return f"{path}?{urlencode(query)}" if query else path
