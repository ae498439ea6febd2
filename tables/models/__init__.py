"""Tables, who sits at them, who is with them, and what was played there."""

from __future__ import annotations

from tables.models.company import Admission, ChatLine, Silence, Visit
from tables.models.play import Change, Hand, PileGame, Round, Shoe
from tables.models.table import Seat, Table

__all__ = [
    "Admission",
    "Change",
    "ChatLine",
    "Hand",
    "PileGame",
    "Round",
    "Seat",
    "Shoe",
    "Silence",
    "Table",
    "Visit",
]
