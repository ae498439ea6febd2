"""Amounts in hundredths, as people read and type them in the active language.

Files, logs and stored texts hold amounts in one form for all languages: hundredths, or units by
:func:`accounts.lib.downloads.format_decimal`.
"""

from __future__ import annotations

import re
from typing import Final

from django.utils.functional import lazy
from django.utils.translation import get_language

_SEPARATORS: Final = {
    "de": (".", ","),
    "es": (".", ","),
    "fr": ("\N{NARROW NO-BREAK SPACE}", ","),
}
"""Between thousands, and before decimals, by language; in the others ``,`` and ``.``."""

_THOUSANDS: Final = r"[1-9][0-9]{0,2}(%s[0-9]{3})+"
_BY_COMMA: Final = _THOUSANDS % ","
_BY_POINT: Final = _THOUSANDS % r"\."
_BY_SPACE: Final = _THOUSANDS % r"[ \u00a0\u202f]"

_PLAIN: Final = re.compile(r"[0-9]+([.,][0-9]{1,2})?")
_TWO_SEPARATORS: Final = re.compile(rf"({_BY_COMMA}\.|{_BY_POINT},)[0-9]{{1,2}}")
_GROUPED_BY_COMMA: Final = re.compile(_BY_COMMA)
_GROUPED_BY_POINT: Final = re.compile(rf"{_BY_POINT}|{_BY_SPACE}(,[0-9]{{1,2}})?")


def format_money(hundredths: int) -> str:
    """Format hundredths in units; whole units without decimals.

    >>> format_money(2250), format_money(1000), format_money(1234567)
    ('22.50', '10', '12,345.67')
    """
    thousands, decimals = _SEPARATORS.get(get_language() or "", (",", "."))
    units, rest = divmod(abs(hundredths), 100)
    sign = "−" if hundredths < 0 else ""
    whole = f"{units:,}".replace(",", thousands)
    return f"{sign}{whole}{decimals}{rest:02}" if rest else f"{sign}{whole}"


format_money_lazy = lazy(format_money, str)
"""The same, in the language that is active where the text is shown."""


def plain_units(typed: str) -> str:
    """An amount in units as somebody typed it, without thousands separators and with a decimal
    point. ``1,157`` and ``1.157`` are thousands or nothing, by the active language. Of other
    amounts both ways of writing are read where only one meaning is possible; anything else is
    returned as it is, for the caller to refuse.

    >>> plain_units("1,157.50"), plain_units("1.157,50"), plain_units("7,5"), plain_units("1,157")
    ('1157.50', '1157.50', '7.5', '1157')
    >>> plain_units("7,5,0"), plain_units("1.157")
    ('7,5,0', '1.157')
    """
    text = typed.strip()
    if _PLAIN.fullmatch(text):
        return text.replace(",", ".")
    grouped = _GROUPED_BY_POINT if get_language() in _SEPARATORS else _GROUPED_BY_COMMA
    if grouped.fullmatch(text) or _TWO_SEPARATORS.fullmatch(text):
        *before, last = re.split("[^0-9]", text)
        return "".join(before) + (last if len(last) == 3 else f".{last}")
    return typed
