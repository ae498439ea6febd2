"""The values of actions by the engine itself: every deal of a tiny shoe is played, as fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tables.engine.actions import Action
from tables.engine.cards import Card
from tables.engine.hand import Hand
from tables.engine.player_hand import PlayerHand, Turn
from tables.engine.round import Round
from tables.engine.rules import Ruleset
from tables.engine.shoe import Shoe

STAKE = 1_000_00
PLENTY = 10**12


def orders(cards: Counter[Card]) -> Iterator[tuple[Card, ...]]:
    """Each order of ``cards`` that differs; all are equally likely."""
    remaining = +cards
    if not remaining:
        yield ()
    for card in remaining:
        for rest in orders(remaining - Counter([card])):
            yield (card, *rest)


@dataclass
class EveryDeal:
    """All deals of ``unseen`` after ``hand`` and ``up`` lie on the table."""

    rules: Ruleset
    up: Card
    unseen: Counter[Card]
    best: dict[tuple[tuple[str, ...], bool], Action] = field(default_factory=dict)
    """The best action by the points of a hand, and whether it comes from a split."""

    def values(self, hand: Hand) -> dict[Action, Fraction]:
        """The value of each legal action; afterwards each hand is played by its cards alone."""
        round_ = self._start(hand, tuple(self.unseen.elements()))
        actions = [a for a in Action if not a.is_about_insurance]
        legal = [a for a in actions if round_.can(a, Turn(1, 1), PLENTY)]
        if not round_.has_choice(round_.seats[1][0]):
            legal = [Action.STAND]
        return {action: self._mean(hand, action) for action in legal}

    def _mean(self, hand: Hand, action: Action) -> Fraction:
        if action is Action.SPLIT:
            first, second = hand.cards
            assert first.points == second.points
            self._learn_after(Hand.from_cards([first], from_split=True))
        elif action is Action.HIT:
            self._learn_after(hand)
        total, number = Fraction(0), 0
        for order in orders(self.unseen):
            if self._is_checked_natural(order[0]):
                continue
            total += self._play(hand, action, order)
            number += 1
        return total / max(number, 1)  # none: after the check, such cards cannot be there

    def _learn_after(self, hand: Hand) -> None:
        """Find the best action for all that ``hand`` can become."""
        for card in list(+self.unseen):
            grown = hand.with_card(card)
            key = key_of(grown)
            if grown.is_bust or key in self.best:
                continue
            rest = EveryDeal(self.rules, self.up, self.unseen - Counter([card]), self.best)
            values = rest._values_without_split(grown)
            self.best[key] = max(values, key=lambda action: values[action])

    def _values_without_split(self, hand: Hand) -> dict[Action, Fraction]:
        if self.unseen.total() == 1:  # the hole card
            return {Action.STAND: Fraction(0)}
        round_ = self._start(hand, tuple(self.unseen.elements()))
        if not round_.has_choice(round_.seats[1][0]):
            return {Action.STAND: Fraction(0)}
        actions = (Action.STAND, Action.HIT, Action.DOUBLE_DOWN)
        legal = [a for a in actions if round_.can(a, Turn(1, 1), PLENTY)]
        return {action: self._mean(hand, action) for action in legal}

    def _is_checked_natural(self, hole: Card) -> bool:
        is_natural = Hand.from_cards([self.up, hole]).is_natural
        return self.rules.peek and self.up.points >= 10 and is_natural

    def _start(self, hand: Hand, order: Sequence[Card]) -> Round:
        hole, *rest = order
        dealer = [self.up, self.up]
        dealer[self.rules.hole_position] = hole
        stake = STAKE if self.rules.stakes else 0
        return Round(
            rules=self.rules,
            shoe=Shoe(tuple(rest)),
            seats={1: [PlayerHand(hand, stake)]},
            dealer=Hand.from_cards(dealer),
            turn=Turn(1, 1),
        )

    def _play(self, hand: Hand, action: Action, order: Sequence[Card]) -> Fraction:
        round_ = self._start(hand, order)
        round_.act(action, Turn(1, 1), PLENTY)
        while (turn := round_.turn) is not None:
            now = round_.hand_at(turn).hand
            wish = self.best.get(key_of(now), Action.STAND)
            if now.from_split and round_.can(Action.SPLIT, turn, PLENTY):
                wish = Action.SPLIT
            round_.act(wish, turn, PLENTY)
        return self._net(round_)

    def _net(self, round_: Round) -> Fraction:
        hands = round_.seats[1]
        if self.rules.has_piles:
            sign = {"win": 1, "push": 0}.get(str(hands[0].outcome), -1)
            return Fraction(sign * round_.cards_on_table)
        if not self.rules.stakes:
            return Fraction({"win": 1, "push": 0}.get(str(hands[0].outcome), -1))
        return Fraction(sum(hand.payout - hand.stake for hand in hands), STAKE)


def key_of(hand: Hand) -> tuple[tuple[str, ...], bool]:
    """What a player by the cards of one hand looks at."""
    return tuple(sorted(card.rank for card in hand.cards)), hand.from_split
