"""Refusals of the engine, translated.

The engine needs nothing of ours, so it says everything in English: in :class:`Words`, and in the
templates of refusals. Whoever shows them to people translates them here.
"""

from __future__ import annotations

from django.utils.translation import gettext

from tables.engine.errors import Explained, Words


def translate_refusal(refusal: Explained) -> str:
    """Why something is refused."""
    values = {
        name: gettext(value) if isinstance(value, Words) else value
        for name, value in refusal.values.items()
    }
    return str(gettext(refusal.template) % values)
