"""The check whether an action is legal."""

from __future__ import annotations

from typing import Final

from tables.engine.actions import Action
from tables.engine.errors import RuleViolation
from tables.engine.player_hand import PlayerHand, Turn
from tables.engine.round_state import RoundState

PLENTY: Final = 10**15
"""Funds for any stake, in hundredths."""


def verify(round_: RoundState, action: Action, turn: Turn, funds: int) -> None:
    """Raise :class:`RuleViolation` unless ``action`` is legal for the hand ``turn`` names.

    ``funds`` is the player's available money, in hundredths. Codes: ``round_over``,
    ``not_your_turn``, ``insurance_first``, ``cannot_insure``, ``cannot_double``,
    ``cannot_split``, ``cannot_surrender``, ``cannot_afford``.
    """
    refusal = find_refusal(round_, action, turn, funds)
    if refusal is not None:
        raise refusal


def find_refusal(
    round_: RoundState, action: Action, turn: Turn, funds: int
) -> RuleViolation | None:
    """What :func:`verify` raises, or ``None``. Each frame asks it for every action, and raising an
    exception takes longer than the check.
    """
    if round_.turn is None:
        return RuleViolation("round_over", "This round is over.")
    if turn is not round_.turn and turn != round_.turn:
        return RuleViolation("not_your_turn", "It's not this hand's turn.")
    if action.is_about_insurance:
        return _refuse_insurance(round_, action, round_.hand_at(turn), funds)
    if round_.is_insurance_asked:
        return RuleViolation("insurance_first", "Take or decline insurance first.")
    if action is Action.HIT or action is Action.STAND:
        return None
    hand = round_.hand_at(turn)
    if action is Action.DOUBLE_DOWN:
        return _refuse_double_down(round_, hand, funds)
    if action is Action.SPLIT:
        return _refuse_split(round_, hand, funds)
    return _refuse_surrender(round_, hand)


def insurance_stake(hand: PlayerHand) -> int:
    """The stake of insurance: half the stake of the hand, in hundredths."""
    return hand.stake // 2


def answers(round_: RoundState, seat: int, funds: int) -> tuple[Action, ...]:
    """The answers about insurance that this seat may give; its player has ``funds``."""
    hand = round_.seats[seat][0]
    if funds < insurance_stake(hand):
        return (Action.DECLINE,)
    return (Action.INSURE, Action.DECLINE)


def verify_insurance(round_: RoundState, action: Action, hand: PlayerHand, funds: int) -> None:
    """Raise :class:`RuleViolation` ``cannot_insure`` or ``cannot_afford`` unless the player of
    ``hand`` may give this answer about insurance, whether or not it is the hand's turn.
    """
    refusal = _refuse_insurance(round_, action, hand, funds)
    if refusal is not None:
        raise refusal


def _refuse_insurance(
    round_: RoundState, action: Action, hand: PlayerHand, funds: int
) -> RuleViolation | None:
    if not round_.rules.insurance:
        return RuleViolation("cannot_insure", "This table has no insurance.")
    if not round_.is_insurance_asked:
        return RuleViolation("cannot_insure", "Insurance isn't offered now.")
    if action is Action.INSURE and funds < insurance_stake(hand):
        return RuleViolation("cannot_afford", "You don't have enough chips for insurance.")
    return None


def _refuse_double_down(round_: RoundState, hand: PlayerHand, funds: int) -> RuleViolation | None:
    rules = round_.rules
    if not rules.double_down:
        return RuleViolation("cannot_double", "This table has no doubling.")
    if len(hand.hand.cards) != 2:
        return RuleViolation("cannot_double", "You can only double on the first two cards.")
    if hand.hand.from_split and not rules.double_after_split:
        return RuleViolation("cannot_double", "You can't double a split hand at this table.")
    if funds < hand.stake:
        return RuleViolation("cannot_afford", "You don't have enough chips to double.")
    return None


def _refuse_split(round_: RoundState, hand: PlayerHand, funds: int) -> RuleViolation | None:
    assert round_.turn is not None
    cards = hand.hand.cards
    if round_.rules.max_hands == 1:
        return RuleViolation("cannot_split", "This table has no splitting.")
    if len(cards) != 2 or cards[0].points != cards[1].points:
        return RuleViolation("cannot_split", "You can only split two cards of equal value.")
    if hand.hand.from_split and cards[0].rank == "A":
        return RuleViolation("cannot_split", "You can't split aces again.")
    if len(round_.seats[round_.turn.seat]) >= round_.rules.max_hands:
        return RuleViolation("cannot_split", "You can't split this hand again.")
    if funds < hand.stake:
        return RuleViolation("cannot_afford", "You don't have enough chips to split.")
    return None


def _refuse_surrender(round_: RoundState, hand: PlayerHand) -> RuleViolation | None:
    if not round_.rules.surrender:
        return RuleViolation("cannot_surrender", "This table has no surrender.")
    if hand.hand.from_split:
        return RuleViolation("cannot_surrender", "You can't surrender a split hand.")
    if len(hand.hand.cards) != 2:
        return RuleViolation("cannot_surrender", "You can only surrender on the first two cards.")
    return None
