"""The value of each legal action with one hand, from all cards that its player can see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tables.engine.actions import Action
from tables.engine.cards import Card
from tables.engine.payouts import INSURANCE_PAYS
from tables.engine.rules import Ruleset
from tables.odds.dealer_hands import Floats, hole_of_natural
from tables.odds.hand_values import SHOE_TOO_SHORT, SURRENDER, HandValues
from tables.odds.hands import ACE, KINDS, NOT_SPLIT, POINTS, TEN, Ints, all_hands, kind_of
from tables.odds.split_draws import may_run_out
from tables.odds.splits import value_of_split
from tables.odds.unseen_cards import CannotHappenError, UnseenCards

CARDS_OF_A_DECK: Final = np.array([4] * (KINDS - 1) + [16])


@dataclass(frozen=True, slots=True)
class Decision:
    """The legal actions of a hand and their values, the best one first."""

    values: dict[Action, float]
    """In stakes of the hand; at ``piles`` the cards by which the piles will differ. With the
    dealer's check: after it, without a natural."""
    insurance: float | None
    """The value of insurance, in stakes of the hand; ``None`` where it is not offered."""
    chances: dict[Action, tuple[float, float, float]]
    """The chances to win, tie and lose with hit and stand, for ``piles``; otherwise empty."""

    @property
    def best(self) -> Action:
        """The action with the highest value."""
        return next(iter(self.values))


def count_kinds(cards: Iterable[Card]) -> Ints:
    """``(10,)``: the number of cards of each kind.

    >>> count_kinds([Card.parse("As"), Card.parse("Kd")]).tolist()
    [1, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    """
    return np.bincount([kind_of(card) for card in cards], minlength=KINDS)


def evaluate(
    rules: Ruleset,
    hand: Iterable[Card],
    up: Card,
    other_cards: Iterable[Card] = (),
    *,
    from_split: bool = False,
    split_hands: int | None = None,
) -> Decision:
    """The values of what may be done with ``hand`` against ``up``.

    ``other_cards`` are all other cards that the player has seen since the shoe was shuffled.
    ``hand`` is one of ``split_hands`` hands of a seat after a split (2 where nothing is said).
    Raises :class:`CannotHappenError` with a sentence if such cards cannot be there.
    """
    cards = tuple(hand)
    own = count_kinds(cards)
    _verify_hand(own)
    if split_hands is None:
        split_hands = 2 if from_split else 1
    outside_cards = (up, *other_cards)
    _verify_cards(rules, [*cards, *outside_cards])
    counts = rules.decks * CARDS_OF_A_DECK - count_kinds(outside_cards)
    hole_is_not = hole_of_natural(kind_of(up)) if rules.peek else None
    unseen = UnseenCards(counts, hole_is_not)
    _verify_hole(unseen, own)
    hands = all_hands().select_from(own)
    pair = kind_of(cards[0]) if from_split else NOT_SPLIT
    hands = replace(hands, pair=np.full(len(hands.pair), pair))
    values = HandValues(rules, unseen, hands, kind_of(up))
    row = values.hands.find(own, pair)
    values.verify_enough_cards(row)
    action_values = {Action.STAND: float(values.stand[row])}
    if values.has_decision()[row]:
        action_values[Action.HIT] = float(values.hit[row])
        if values.can_double()[row]:
            action_values[Action.DOUBLE_DOWN] = float(values.double[row])
        if _can_split(rules, own, split_hands):
            max_hands = rules.max_hands - split_hands + 1
            action_values[Action.SPLIT] = _evaluate_split(values, kind_of(cards[0]), max_hands)
        if values.can_surrender()[row]:
            action_values[Action.SURRENDER] = SURRENDER
    return Decision(
        values=dict(sorted(action_values.items(), key=lambda item: -item[1])),
        insurance=None if from_split else _evaluate_insurance(rules, unseen, own, up),
        chances=_chances_of_results(values, row) if rules.has_piles else {},
    )


def _verify_hand(own: Ints) -> None:
    if own.sum() < 2:
        raise CannotHappenError("A hand has at least two cards.")
    if own @ POINTS > 21:
        raise CannotHappenError("This hand is over 21.")


def _verify_cards(rules: Ruleset, cards: Iterable[Card]) -> None:
    card, number = Counter(cards).most_common(1)[0]
    if number > rules.decks:
        raise CannotHappenError(f"There are {number} times {card}, and {rules.decks} in the shoe.")


def _verify_hole(unseen: UnseenCards, own: Ints) -> None:
    remaining = unseen.counts - own
    if unseen.hole_is_not is not None and remaining.sum() <= remaining[unseen.hole_is_not]:
        raise CannotHappenError("With these cards the dealer has a blackjack.")


def _can_split(rules: Ruleset, own: Ints, split_hands: int) -> bool:
    """See ``legal_actions``: a pair of equal points, no aces again, as many hands as allowed."""
    is_pair = own.sum() == 2 and own.max() == 2
    return bool(
        is_pair and split_hands < rules.max_hands and not (own[ACE] == 2 and split_hands > 1)
    )


def _evaluate_split(values: HandValues, pair: int, max_hands: int) -> float:
    everything = all_hands()
    hands = everything.select(everything.pair == pair)
    split = HandValues(values.rules, values.unseen, hands, values.up)
    split.verify_enough_cards(split.hands.find_root(pair))
    play = split.best_play()
    if may_run_out(split, play, pair, max_hands):
        raise CannotHappenError(SHOE_TOO_SHORT)
    return value_of_split(split, play, pair, max_hands)


def _evaluate_insurance(rules: Ruleset, unseen: UnseenCards, own: Ints, up: Card) -> float | None:
    """Insurance is for half the stake, asked before the check of the hole card."""
    if not rules.insurance or kind_of(up) != ACE or own.sum() != 2:
        return None
    remaining = unseen.counts - own
    chance = float(remaining[TEN] / remaining.sum())
    return (INSURANCE_PAYS * chance - (1 - chance)) / 2


def _chances_of_results(values: HandValues, row: int) -> dict[Action, tuple[float, float, float]]:
    hit = values.results_after_draw(values.chances_of_play(values.best_play()))
    return {Action.STAND: _as_chances(values.standing[row]), Action.HIT: _as_chances(hit[row])}


def _as_chances(row: Floats) -> tuple[float, float, float]:
    win, tie, lose = row.tolist()
    return win, tie, lose
