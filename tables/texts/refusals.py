"""Refusals of the engine and stored sentences, translated.

The engine is independent of Django, so its sentences are English: in :class:`Text` and in the
templates of refusals. Sentences of the site that are stored for many readers, such as the reason of
a pause, are English as well. They are translated here before they are shown.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy, pgettext

from tables.engine.errors import ExplainedError, Text

STAYS_PRIVATE: Final = gettext_lazy(
    "Private rounds were played here, so this table must stay private. Clone it to create a "
    "public one."
)


def translate_refusal(refusal: ExplainedError) -> str:
    """The sentence of a refusal, in the active language."""
    values = {name: _translate_value(value) for name, value in refusal.values.items()}
    return str(gettext(refusal.template) % values)


def translate_stored(text: str) -> str:
    """The translation of a stored sentence of the site; what an operator typed stays as it is."""
    return gettext(text) if text else ""


def _translate_value(value: object) -> object:
    if isinstance(value, Text):
        return translate_stored(value)
    if isinstance(value, dt.datetime):
        moment = value.astimezone(dt.UTC)
        return f"{date_format(moment, pgettext('date format', 'j F Y, H:i'))} UTC"
    if isinstance(value, dt.date):
        return date_format(value, pgettext("date format", "j F Y"))
    return value
