"""The six rule sets: five from the seed texts, and that of modern tables."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from tables.engine.errors import Text
from tables.engine.rules import DealOrder, Ruleset, Stakes, Tie

CLASSIC: Final = Ruleset(
    key="classic",
    title=Text("Classic"),
    summary=Text("No bets. Beat the dealer, then decide together whether to play again."),
    source="seed 000",
    seats=3,
    deal_order=DealOrder.PLAYER_BY_PLAYER,
    hole_card_first=True,
)

HEADS_UP: Final = Ruleset(
    key="heads-up",
    title=Text("Heads-up"),
    summary=Text("No bets. One on one: you against the dealer."),
    source="seed 001",
    seats=1,
    deal_order=DealOrder.PLAYER_BY_PLAYER,
    hole_card_first=True,
)

PILES: Final = Ruleset(
    key="piles",
    title=Text("Piles"),
    summary=Text("One deck, no reshuffle. Win hands to collect their cards; the larger pile wins."),
    source="seed 002",
    seats=1,
    deal_order=DealOrder.PLAYER_BY_PLAYER,
    has_piles=True,
    twenty_one_wins=True,
    peek=True,
)

POT: Final = Ruleset(
    key="pot",
    title=Text("Pot"),
    summary=Text(
        "The dealer matches your bet in a pot. The winner takes it; the dealer wins ties."
    ),
    source="seed 003",
    seats=3,
    deal_order=DealOrder.PLAYER_BY_PLAYER,
    stakes=Stakes(minimum=200, maximum=50_000),
    is_matched=True,
    tie=Tie.DEALER_WINS,
)

CASINO: Final = Ruleset(
    key="casino",
    title=Text("Casino"),
    summary=Text("Blackjack pays 3 to 2; double and split; the dealer stands on every 17."),
    source="seed 004",
    seats=3,
    deal_order=DealOrder.ONE_TO_EACH,
    stakes=Stakes(minimum=1_000, maximum=None),
    natural_pays=Fraction(3, 2),
    twenty_one_stands=True,
    peek=True,
    double_down=True,
    max_hands=2,
)

VEGAS: Final = Ruleset(
    key="vegas",
    title=Text("Vegas"),
    summary=Text("Six decks and a cut card, insurance, late surrender, splits to four hands."),
    source="what players of today's tables expect",
    seats=3,
    deal_order=DealOrder.ONE_TO_EACH,
    decks=6,
    cut_card=Fraction(3, 4),
    stakes=Stakes(minimum=500, maximum=100_000),
    natural_pays=Fraction(3, 2),
    twenty_one_stands=True,
    peek=True,
    double_down=True,
    max_hands=4,
    split_aces_once=True,
    insurance=True,
    surrender=True,
)

PRESETS: Final = {rules.key: rules for rules in (CASINO, VEGAS, POT, CLASSIC, HEADS_UP, PILES)}
"""All rule sets by key, in the order of the lobby."""
