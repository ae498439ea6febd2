"""Amounts in hundredths, formatted for people."""

from __future__ import annotations


def format_money(hundredths: int) -> str:
    """Format hundredths in units; whole units without decimals.

    >>> format_money(2250), format_money(1000), format_money(1234567)
    ('22.50', '10', '12,345.67')
    """
    units, rest = divmod(abs(hundredths), 100)
    sign = "−" if hundredths < 0 else ""
    return f"{sign}{units:,}.{rest:02}" if rest else f"{sign}{units:,}"
