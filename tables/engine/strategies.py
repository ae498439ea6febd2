"""Strategies: mimic the dealer, never bust, and the published basic strategy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tables.engine.actions import Action
from tables.engine.legal_actions import PLENTY
from tables.engine.player_hand import Turn
from tables.engine.round import Round
from tables.engine.rules import Ruleset, Tie

Strategy = Callable[[Round, Turn], Action]
"""Chooses the action for the current hand."""


def mimic_dealer(round_: Round, turn: Turn) -> Action:
    """As the dealer does: hit below 17, stand on 17 and more. Never anything else."""
    if round_.is_insurance_asked:
        return Action.DECLINE
    return Action.HIT if round_.hand_at(turn).hand.total < 17 else Action.STAND


def never_bust(round_: Round, turn: Turn) -> Action:
    """Stand on hard 12 or more and on soft 18 or more, hit all else. Never anything else."""
    if round_.is_insurance_asked:
        return Action.DECLINE
    hand = round_.hand_at(turn).hand
    stands = hand.total >= (18 if hand.is_soft else 12)
    return Action.STAND if stands else Action.HIT


# Basic strategy for several decks, dealer stands on all 17s, doubling after splits: one row for
# each hand, one column for each of the dealer's up cards 2 3 4 5 6 7 8 9 T A.
#   h hit   s stand   d double, else hit   D double, else stand   p split   r surrender, else hit
#   q split where split hands can be doubled, else hit
# Source: the total-dependent chart as published, e.g. by the Wizard of Odds ("4 to 8 decks,
# dealer stands on soft 17").
_HARD: Final = {
    8: "hhhhhhhhhh",
    9: "hddddhhhhh",
    10: "ddddddddhh",
    11: "dddddddddh",
    12: "hhssshhhhh",
    13: "ssssshhhhh",
    14: "ssssshhhhh",
    15: "ssssshhhrh",
    16: "ssssshhrrr",
    17: "ssssssssss",
}
_SOFT: Final = {
    13: "hhhddhhhhh",
    14: "hhhddhhhhh",
    15: "hhdddhhhhh",
    16: "hhdddhhhhh",
    17: "hddddhhhhh",
    18: "sDDDDsshhh",
    19: "ssssssssss",
}
_PAIRS: Final = {
    2: "qqpppphhhh",
    3: "qqpppphhhh",
    4: "hhhqqhhhhh",
    5: "ddddddddhh",
    6: "qpppphhhhh",
    7: "pppppphhhh",
    8: "pppppppppp",
    9: "pppppsppss",
    10: "ssssssssss",
    11: "pppppppppp",
}


def basic_strategy(round_: Round, turn: Turn) -> Action:
    """The total-dependent basic strategy, as far as the rules allow its actions.

    It is for :data:`BASIC_IS_FOR`; :func:`describe_misfit` names the rules for which it is wrong.
    """
    if round_.is_insurance_asked:
        return Action.DECLINE
    hand = round_.hand_at(turn).hand
    column = round_.upcard.points - 2
    if round_.can(Action.SPLIT, turn, PLENTY):
        wish = _PAIRS[hand.cards[0].points][column]
        if wish == "p" or (wish == "q" and round_.rules.double_after_split):
            return Action.SPLIT
    row = _SOFT[max(13, min(hand.total, 19))] if hand.is_soft else _HARD[_hard_row(hand.total)]
    return _first_legal(row[column], round_, turn)


def _hard_row(total: int) -> int:
    return max(8, min(total, 17))


def _first_legal(wish: str, round_: Round, turn: Turn) -> Action:
    if wish in "dD" and round_.can(Action.DOUBLE_DOWN, turn, PLENTY):
        return Action.DOUBLE_DOWN
    if wish == "r" and round_.can(Action.SURRENDER, turn, PLENTY):
        return Action.SURRENDER
    return Action.STAND if wish in "sD" else Action.HIT


BASIC_IS_FOR: Final = (
    "rules where ties push: the published chart for four to eight decks, with a dealer who stands "
    "on soft 17 and checks for blackjack"
)


def describe_misfit(strategy: str, rules: Ruleset) -> str:
    """Why ``strategy`` is wrong for these rules; empty if it fits."""
    if strategy != "basic":
        return ""
    if rules.tie is not Tie.PUSH:
        return "a tie is lost here, and the chart takes it for a bet that comes back"
    if rules.has_piles:
        return "cards are the score here, and 21 wins at once"
    return ""


STRATEGIES: Final[dict[str, Strategy]] = {
    "mimic": mimic_dealer,
    "never-bust": never_bust,
    "basic": basic_strategy,
}
"""The strategies by their name in ``manage.py simulate``."""
