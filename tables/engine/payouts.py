"""How a hand that has stood compares with the dealer's, and what it pays."""

from __future__ import annotations

from tables.engine.events import Outcome
from tables.engine.hand import Hand
from tables.engine.rules import Ruleset


def compare(rules: Ruleset, hand: Hand, dealer: Hand) -> Outcome:
    """How ``hand``, which is not bust, fares against the dealer's final hand.

    A natural, where naturals are paid, beats every other 21 (seed 004: "unless they too have
    blackjack").
    """
    if dealer.is_bust:
        return _winning_outcome(rules, hand)
    own, house = _strength(rules, hand), _strength(rules, dealer)
    if own > house:
        return _winning_outcome(rules, hand)
    return Outcome.PUSH if own == house else Outcome.LOSE


def payout(rules: Ruleset, outcome: Outcome, stake: int) -> int:
    """What is handed back for ``stake``, the stake included, in hundredths.

    Odds are paid to the hundredth, rounded down; whole-unit stakes at 3:2 never need it.
    """
    if outcome is Outcome.BLACKJACK:
        assert rules.natural_pays is not None
        return stake + int(stake * rules.natural_pays)
    return {Outcome.WIN: 2 * stake, Outcome.PUSH: stake}.get(outcome, 0)


def _strength(rules: Ruleset, hand: Hand) -> int:
    return 22 if hand.is_natural and rules.natural_pays is not None else hand.total


def _winning_outcome(rules: Ruleset, hand: Hand) -> Outcome:
    if hand.is_natural and rules.natural_pays is not None:
        return Outcome.BLACKJACK
    return Outcome.WIN
