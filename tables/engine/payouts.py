"""The outcome of a hand against the dealer's, and its payout."""

from __future__ import annotations

from typing import Final

from tables.engine.events import Outcome
from tables.engine.hand import Hand
from tables.engine.rules import Ruleset, Tie

INSURANCE_PAYS: Final = 2
"""The odds of insurance, to one."""


def compare(rules: Ruleset, hand: Hand, dealer: Hand) -> Outcome:
    """The outcome of ``hand``, which is not bust, against the dealer's final hand.

    A natural, where naturals are paid, beats every other 21 (seed 004: "unless they too have
    blackjack"). The rules decide a tie (seed 003: "if tie then dealer wins").
    """
    if dealer.is_bust:
        return _winning_outcome(rules, hand)
    own, other = _strength(rules, hand), _strength(rules, dealer)
    if own > other:
        return _winning_outcome(rules, hand)
    if own == other and rules.tie is Tie.PUSH:
        return Outcome.PUSH
    return Outcome.LOSE


def payout(rules: Ruleset, outcome: Outcome, stake: int) -> int:
    """The payout for ``stake``, with the stake, in hundredths.

    Odds and half stakes are rounded down to the hundredth; whole units need no rounding.
    """
    if outcome is Outcome.WIN:
        return 2 * stake
    if outcome is Outcome.PUSH:
        return stake
    if outcome is Outcome.BLACKJACK:
        assert rules.natural_pays is not None
        return stake + stake * rules.natural_pays.numerator // rules.natural_pays.denominator
    if outcome is Outcome.SURRENDER:
        return stake // 2
    return 0


def insurance_payout(stake: int, *, has_natural: bool) -> int:
    """The payout for an insurance of ``stake`` hundredths, with the stake."""
    return stake * (1 + INSURANCE_PAYS) if has_natural else 0


def _strength(rules: Ruleset, hand: Hand) -> int:
    return 22 if rules.natural_pays is not None and hand.is_natural else hand.total


def _winning_outcome(rules: Ruleset, hand: Hand) -> Outcome:
    if rules.natural_pays is not None and hand.is_natural:
        return Outcome.BLACKJACK
    return Outcome.WIN
