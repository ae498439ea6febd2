"""Amounts in hundredths, formatted for people."""

from __future__ import annotations

import re
from typing import Final

_PLAIN: Final = re.compile(r"[0-9]+([.,][0-9]{1,2})?")
_GROUPED_BY_COMMA: Final = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]{1,2})?")
_GROUPED_BY_POINT: Final = re.compile(r"[0-9]{1,3}(\.[0-9]{3})+,[0-9]{1,2}")


def format_money(hundredths: int) -> str:
    """Format hundredths in units; whole units without decimals.

    >>> format_money(2250), format_money(1000), format_money(1234567)
    ('22.50', '10', '12,345.67')
    """
    units, rest = divmod(abs(hundredths), 100)
    sign = "−" if hundredths < 0 else ""
    return f"{sign}{units:,}.{rest:02}" if rest else f"{sign}{units:,}"


def plain_units(typed: str) -> str:
    """An amount in units as somebody typed it, without thousands separators and with a decimal
    point. Both ways of writing are read where only one meaning is possible; anything else is
    returned as it is, for the caller to refuse.

    >>> plain_units("1,157.50"), plain_units("1.157,50"), plain_units("7,5"), plain_units("1,157")
    ('1157.50', '1157.50', '7.5', '1157')
    >>> plain_units("7,5,0"), plain_units("1.157")
    ('7,5,0', '1.157')
    """
    text = typed.strip()
    if _PLAIN.fullmatch(text):
        return text.replace(",", ".")
    if _GROUPED_BY_COMMA.fullmatch(text):
        return text.replace(",", "")
    if _GROUPED_BY_POINT.fullmatch(text):
        return text.replace(".", "").replace(",", ".")
    return typed
