"""Hints: what the actions of an open decision are worth, from the cards that its player can see."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from tables.advice.known_cards import KnownCards, find_known_cards
from tables.engine.actions import Action
from tables.engine.hand import Hand
from tables.engine.player_hand import Turn
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.odds.unseen_cards import CannotHappenError
from tables.protocol.frames import Chances, HintValue

PLACES: Final = 4
"""The decimals of a value. A page shows fewer."""


def compute_hint(round_: Round, turn: Turn, legal: Collection[Action]) -> tuple[HintValue, ...]:
    """The values of the ``legal`` actions of a hand, the best one first.

    ``turn`` names the hand; while insurance is asked, its answers are the actions. Empty if there is
    no value, such as with too few cards in the shoe. Takes up to 100 ms: not for the event loop or
    the writer thread.
    """
    cards = find_known_cards(round_, turn)
    stake = round_.hand_at(turn).stake if round_.rules.stakes else None
    return evaluate_known(cards, stake, legal)


def evaluate_known(
    cards: KnownCards, stake: int | None, legal: Collection[Action]
) -> tuple[HintValue, ...]:
    """The values of the ``legal`` actions from the known cards alone, the best one first.

    ``stake`` is that of the hand in hundredths, ``None`` where nothing is staked.
    """
    try:
        decision = cards.evaluate()
    except CannotHappenError:
        return ()
    values = decision.values
    if Action.INSURE in legal:
        if decision.insurance is None:
            return ()
        values = _value_answers(cards.rules, Hand.from_cards(cards.hand), decision.insurance)
    return tuple(
        _build_value(action, value, stake, decision.chances.get(action))
        for action, value in values.items()
        if action in legal
    )


def _value_answers(rules: Ruleset, hand: Hand, insurance: float) -> dict[Action, float]:
    """The values of both answers: of the side bet alone, or of the whole hand with a natural.

    A natural has no decision afterwards, so its player compares two results: at 3:2, to insure
    it is even money.
    """
    declined = 0.0
    if hand.is_natural and rules.natural_pays is not None:
        without_natural = 2 * (1 - insurance) / 3  # see ``insurance`` of a decision
        declined = float(rules.natural_pays) * without_natural
    answers = {Action.INSURE: declined + insurance, Action.DECLINE: declined}
    return dict(sorted(answers.items(), key=lambda answer: -answer[1]))


def _build_value(
    action: Action,
    value: float,
    stake: int | None,
    chances: tuple[float, float, float] | None,
) -> HintValue:
    money = None if stake is None else round(value * stake)
    rounded = None if chances is None else Chances(*(round(one, PLACES) for one in chances))
    return HintValue(str(action), round(value, PLACES), money, rounded)
