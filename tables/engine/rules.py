"""Rule sets as data. The engine asks a rule, never which preset is being played."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final


class DealOrder(StrEnum):
    """Who gets which card first."""

    PLAYER_BY_PLAYER = "player_by_player"
    """Both cards of each player in turn, then the dealer's down card and up card (seed 000)."""
    ONE_TO_EACH = "one_to_each"
    """One to each player and one up to the dealer; again, the dealer's face down (seed 004)."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """What may be staked on a hand before the cards, in hundredths of a unit."""

    minimum: int
    maximum: int | None
    """``None``: no limit but the bankroll."""
    unit: int = 100
    """Every stake is a multiple of it."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """One way to play. The presets and their sources are in :data:`PRESETS`."""

    key: str
    title: str
    summary: str
    """One sentence for the lobby."""
    seats: int
    deal_order: DealOrder
    decks: int = 1
    """Packs of 52 in the shoe, which is shuffled before every round."""
    stakes: Stakes | None = None
    """``None``: nothing is staked; what is kept is won, lost and pushed."""
    natural_pays: Fraction | None = None
    """Odds on a natural; ``None``: a natural is just 21."""
    twenty_one_stands: bool = False
    """Whether a hand of 21 is not asked for a decision."""
    peek: bool = False
    """Whether the dealer checks the hole card under an ace or a ten-value card first."""
    double_down: bool = False
    """On the first two cards of a hand, a split hand included."""
    max_hands: int = 1
    """How many hands one seat's cards may become by splitting; 1: no split."""


CLASSIC: Final = Ruleset(
    key="classic",
    title="Classic",
    summary="No money: beat the dealer, and the table decides whether to play again.",
    seats=3,
    deal_order=DealOrder.PLAYER_BY_PLAYER,
)

CASINO: Final = Ruleset(
    key="casino",
    title="Casino",
    summary="Blackjack pays 3 to 2; double and split; the dealer stands on every 17.",
    seats=3,
    deal_order=DealOrder.ONE_TO_EACH,
    stakes=Stakes(minimum=1_000, maximum=None),
    natural_pays=Fraction(3, 2),
    twenty_one_stands=True,
    peek=True,
    double_down=True,
    max_hands=2,
)

PRESETS: Final = {rules.key: rules for rules in (CASINO, CLASSIC)}
"""Every rule set that can be played, by key: ``casino`` is seed 004, ``classic`` seed 000."""
