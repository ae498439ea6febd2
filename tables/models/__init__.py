"""Tables, who sits at them, who is with them, and what was played there."""

from __future__ import annotations

from tables.models.company import Admission, ChatLine, Silence, Visit
from tables.models.play import Change, Hand, PileGame, Round, Shoe
from tables.models.results import LISTED_FROM, LOST, WON, Result, Standing, Tally
from tables.models.table import Seat, Table

__all__ = [
    "LISTED_FROM",
    "LOST",
    "WON",
    "Admission",
    "Change",
    "ChatLine",
    "Hand",
    "PileGame",
    "Result",
    "Round",
    "Seat",
    "Shoe",
    "Silence",
    "Standing",
    "Table",
    "Tally",
    "Visit",
]
