"""The revenue chart: a bar for each row, with its confidence band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Final

from tables.operators.books.confidence_band import ConfidenceBand
from tables.operators.books.revenue_row import RevenueRow
from tables.records.balance_chart import ChartTick, compute_ticks

WIDTH, HEIGHT = 600, 200
"""The box of the chart. The page scales it."""
_BAR: Final = 0.6
"""The width of a bar, as a share of its slot."""
_WIDEST: Final = 40.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One row of the books. Lengths are text, for the SVG."""

    row: RevenueRow
    x: str
    width: str
    y: str
    height: str
    middle: str
    low: str
    """The ends of the band; empty without one."""
    high: str

    @property
    def is_outside(self) -> bool:
        """Whether the result is outside the band."""
        return self.row.verdict == "outside"

    @property
    def is_loss(self) -> bool:
        """Whether the house result is negative."""
        return self.row.made < 0


@dataclass(frozen=True, slots=True)
class RevenueChart:
    """The bars from left to right, and their scale."""

    bars: tuple[Bar, ...]
    ticks: tuple[ChartTick, ...]
    """From top to bottom, at equal distances."""
    zero: str


def draw_chart(rows: Sequence[RevenueRow]) -> RevenueChart | None:
    """Draw a chart of these rows in this order; ``None`` if nothing was staked."""
    staked = [row for row in rows if row.staked > 0]
    if not staked:
        return None
    bands = [band for row in staked if (band := _visible_band(row)) is not None]
    low = min(0, *(row.made for row in staked), *(floor(band.low) for band in bands))
    high = max(0, *(row.made for row in staked), *(ceil(band.high) for band in bands))
    scale = compute_ticks(low, high)
    top, bottom = scale[0], scale[-1]

    def y(amount: float) -> float:
        return HEIGHT * (top - amount) / (top - bottom)

    place = WIDTH / len(staked)
    width = min(_BAR * place, _WIDEST)
    bars = []
    for number, row in enumerate(staked):
        middle = place * (number + 0.5)
        band = _visible_band(row)
        bars.append(
            Bar(
                row=row,
                x=f"{middle - width / 2:.1f}",
                width=f"{width:.1f}",
                y=f"{y(max(row.made, 0)):.1f}",
                height=f"{abs(y(row.made) - y(0)):.1f}",
                middle=f"{middle:.1f}",
                low=f"{y(band.low):.1f}" if band else "",
                high=f"{y(band.high):.1f}" if band else "",
            )
        )
    ticks = tuple(ChartTick(amount, f"{y(amount):.1f}") for amount in scale)
    return RevenueChart(tuple(bars), ticks, f"{y(0):.1f}")


def _visible_band(row: RevenueRow) -> ConfidenceBand | None:
    """The band to draw; ``None`` if it does not cover everything that the bar counts."""
    is_complete = row.band is not None and row.band.has_enough_plays and not row.unplayable
    return row.band if is_complete else None
