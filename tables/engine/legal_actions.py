"""The check whether an action is legal."""

from __future__ import annotations

from tables.engine.actions import Action
from tables.engine.errors import RuleViolation
from tables.engine.player_hand import PlayerHand, Turn
from tables.engine.round_state import RoundState


def verify(round_: RoundState, action: Action, turn: Turn, funds: int) -> None:
    """Raise :class:`RuleViolation` unless ``action`` is legal for the hand ``turn`` names.

    ``funds`` is the player's available money, in hundredths. Codes: ``round_over``,
    ``not_your_turn``, ``insurance_first``, ``cannot_insure``, ``cannot_double``,
    ``cannot_split``, ``cannot_surrender``, ``cannot_afford``.
    """
    if round_.turn is None:
        raise RuleViolation("round_over", "This round is over.")
    if turn is not round_.turn and turn != round_.turn:
        raise RuleViolation("not_your_turn", "It is not this hand's turn.")
    if action is Action.HIT or action is Action.STAND:
        _verify_in_play(round_)
        return
    hand = round_.hand_at(turn)
    if action.is_about_insurance:
        verify_insurance(round_, action, hand, funds)
        return
    _verify_in_play(round_)
    if action is Action.DOUBLE_DOWN:
        _verify_double_down(round_, hand, funds)
    elif action is Action.SPLIT:
        _verify_split(round_, hand, funds)
    else:
        _verify_surrender(round_, hand)


def insurance_stake(hand: PlayerHand) -> int:
    """The price of insurance: half the stake of the hand, in hundredths."""
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
    if not round_.rules.insurance:
        raise RuleViolation("cannot_insure", "Insurance is not played at this table.")
    if not round_.is_insurance_asked:
        raise RuleViolation("cannot_insure", "Insurance is not offered now.")
    if action is Action.INSURE and funds < insurance_stake(hand):
        raise RuleViolation("cannot_afford", "There is not enough money to insure.")


def _verify_in_play(round_: RoundState) -> None:
    if round_.is_insurance_asked:
        raise RuleViolation("insurance_first", "Take or decline insurance first.")


def _verify_double_down(round_: RoundState, hand: PlayerHand, funds: int) -> None:
    rules = round_.rules
    if not rules.double_down:
        raise RuleViolation("cannot_double", "Doubling is not played at this table.")
    if len(hand.hand.cards) != 2:
        raise RuleViolation("cannot_double", "Only the first two cards can be doubled.")
    if hand.hand.from_split and not rules.double_after_split:
        raise RuleViolation("cannot_double", "A split hand cannot be doubled at this table.")
    if funds < hand.stake:
        raise RuleViolation("cannot_afford", "There is not enough money to double.")


def _verify_split(round_: RoundState, hand: PlayerHand, funds: int) -> None:
    assert round_.turn is not None
    cards = hand.hand.cards
    if round_.rules.max_hands == 1:
        raise RuleViolation("cannot_split", "Splitting is not played at this table.")
    if len(cards) != 2 or cards[0].points != cards[1].points:
        raise RuleViolation("cannot_split", "Only two cards of equal value can be split.")
    if hand.hand.from_split and cards[0].rank == "A":
        raise RuleViolation("cannot_split", "Aces are not split again.")
    if len(round_.seats[round_.turn.seat]) >= round_.rules.max_hands:
        raise RuleViolation("cannot_split", "These cards cannot be split any further.")
    if funds < hand.stake:
        raise RuleViolation("cannot_afford", "There is not enough money to split.")


def _verify_surrender(round_: RoundState, hand: PlayerHand) -> None:
    if not round_.rules.surrender:
        raise RuleViolation("cannot_surrender", "Surrender is not played at this table.")
    if hand.hand.from_split:
        raise RuleViolation("cannot_surrender", "A split hand cannot be surrendered.")
    if len(hand.hand.cards) != 2:
        raise RuleViolation("cannot_surrender", "Only the first two cards can be surrendered.")
