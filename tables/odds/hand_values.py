"""The value of each action with each hand, by the cards of the hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tables.engine.rules import Ruleset, Tie
from tables.odds.dealer_hands import BUST, NATURAL, DealerHands, Floats, list_dealer_hands
from tables.odds.hands import ACE, NOT_SPLIT, Bools, Hands, Ints
from tables.odds.unseen_cards import CannotHappenError, UnseenCards

SURRENDER: Final = -0.5
"""The value of surrender, in stakes."""
NOT_LEGAL: Final = -np.inf
SHOE_TOO_SHORT: Final = "Too few cards are left: the shoe may run out in this round."


@dataclass(frozen=True, slots=True)
class Play:
    """What is done with each row of hands that has a decision; it stands if neither is true."""

    hits: Bools
    doubles: Bools
    values: Floats
    """``(rows,)``: the value of each row when it is played so."""


@dataclass(slots=True)
class HandValues:
    """The values of the rows of ``hands``, in stakes of the hand (at ``piles`` in cards).

    An action that is not legal has the value minus infinity. What comes after an action is played
    for the best value by the cards of the hand alone. Splits are not among them.
    """

    rules: Ruleset
    unseen: UnseenCards
    """Without the cards of the hand."""
    hands: Hands
    up: int
    dealer: DealerHands = field(init=False)
    chances: Floats = field(init=False)
    """``(removals, dealer's hands)``: the chance of each of the dealer's hands."""
    draws: Floats = field(init=False)
    """``(rows, 10)``: the chance of each kind of card to come next."""
    standing: Floats = field(init=False)
    """``(rows, 3)``: the chances to win, tie and lose when standing."""
    stand: Floats = field(init=False)
    hit: Floats = field(init=False)
    double: Floats = field(init=False)
    best: Floats = field(init=False)
    """The value of the best of these three; for a hand without a decision that of standing."""

    def __post_init__(self) -> None:
        rules, hands = self.rules, self.hands
        dealer = list_dealer_hands(
            self.up,
            hits_soft_17=rules.hits_soft_17,
            without_hole=self.unseen.hole_is_not,
            is_any_last=rules.has_piles,
        )
        self.dealer = dealer.select(np.all(dealer.drawn <= self.unseen.counts, axis=1))
        self.chances = self.unseen.dealer_chances(hands.removals, self.dealer)
        if rules.has_piles:
            self._stop_dealer_without_cards()
        self.draws = self.unseen.draw_chances(hands.removed)
        self.standing = self._chances_of_standing()
        self.stand = self._value_of_standing()
        self._decide()

    def _stop_dealer_without_cards(self) -> None:
        """Leave dealer's hands that are not final to decks which end with them."""
        remaining = self.unseen.counts.sum() - self.hands.removals.sum(axis=1)
        ends = remaining[:, None] == self.dealer.size
        self.chances *= self.dealer.is_final | ends

    def verify_enough_cards(self, row: int) -> None:
        """Raise :class:`CannotHappenError` if the cards may run out while the hand of ``row`` is
        played on for the best value, after any first action.
        """
        is_met = np.zeros(len(self.hands.size), dtype=bool)
        is_met[row] = True
        hits = self.best_play().hits
        hits[row] = self.has_decision()[row]
        for met in range(row, len(is_met)):
            if is_met[met] and hits[met]:
                child = self.hands.child[met]
                is_met[child[(child >= 0) & (self.draws[met] > 0)]] = True
        if (self.chances.sum(axis=1)[self.hands.removal[is_met]] < 1 - 1e-9).any():
            raise CannotHappenError(SHOE_TOO_SHORT)

    def has_decision(self) -> Bools:
        """``(rows,)``: whether the rules let the player decide (``RoundState.has_choice``)."""
        rules, hands = self.rules, self.hands
        is_over = np.zeros(len(hands.size), dtype=bool)
        if rules.split_aces_once:
            is_over |= (hands.pair == ACE) & (hands.size >= 2)
        if rules.natural_pays is not None:
            is_over |= is_natural(hands)
        if rules.twenty_one_stands or rules.twenty_one_wins:
            is_over |= hands.total == 21
        if rules.has_piles:  # The hole card is the last one.
            is_over |= self.unseen.counts.sum() - hands.removed.sum(axis=1) <= 1
        return ~is_over

    def can_double(self) -> Bools:
        """``(rows,)``: whether the hand may be doubled."""
        rules, hands = self.rules, self.hands
        can = self.has_decision() & (hands.size == 2) & rules.double_down
        return can if rules.double_after_split else can & (hands.pair == NOT_SPLIT)

    def can_surrender(self) -> Bools:
        """``(rows,)``: whether the hand may be surrendered."""
        hands = self.hands
        is_first = (hands.size == 2) & (hands.pair == NOT_SPLIT)
        return self.has_decision() & is_first & self.rules.surrender

    def results_of_standing(self, rows: Ints) -> Floats:
        """``(rows, dealer's hands)``: 1 for a win, 0 for a tie that pushes, -1 for a loss."""
        totals, is_total = self.dealer.by_total()
        return self.results_by_total(totals)[rows] @ is_total.T

    def _chances_of_standing(self) -> Floats:
        totals, is_total = self.dealer.by_total()
        chances = (self.chances @ is_total)[self.hands.removal]
        results = self.results_by_total(totals)
        return np.stack([(chances * (results == sign)).sum(axis=1) for sign in (1, 0, -1)], axis=1)

    def chances_of_play(self, play: Play) -> Floats:
        """``(rows, 3)``: the chances to win, tie and lose with ``play``."""
        chances = self.standing.copy()
        for rows in self.hands.layers():
            hits, doubles = play.hits[rows, None], play.doubles[rows, None]
            chances[rows] = np.where(hits, self.results_after_draw(chances, rows), chances[rows])
            doubled = self.results_after_draw(self.standing, rows)
            chances[rows] = np.where(doubles, doubled, chances[rows])
        return chances

    def results_after_draw(self, chances: Floats, rows: slice = slice(None)) -> Floats:
        """The mean of ``chances`` (of all rows) after one card more to each of ``rows``."""
        child = self.hands.child[rows]
        results = np.where((child < 0)[:, :, None], [0.0, 0.0, 1.0], chances[child])
        return np.einsum("rk,rkc->rc", self.draws[rows], results)

    def payout_of_win(self) -> Floats:
        """``(rows,)``: what a win pays, in stakes."""
        pays = np.ones(len(self.hands.size))
        if self.rules.natural_pays is not None:
            pays[is_natural(self.hands)] = float(self.rules.natural_pays)
        return pays

    def results_by_total(self, totals: Ints) -> Floats:
        """``(rows, totals)``: the sign of the result against each of the dealer's totals."""
        own = self.hands.total.copy()
        if self.rules.natural_pays is not None:
            own[is_natural(self.hands)] = NATURAL
            others = totals
        else:
            others = np.where(totals == NATURAL, 21, totals)
        signs = np.sign(own[:, None] - others[None, :]).astype(float)
        if self.rules.tie is Tie.DEALER_WINS:
            signs[signs == 0] = -1
        signs[:, totals == BUST] = 1
        if self.rules.twenty_one_wins:
            signs[self.hands.total == 21] = 1
        return signs

    def _value_of_standing(self) -> Floats:
        if self.rules.has_piles:
            return self._cards_of_standing()
        return self.standing[:, 0] * self.payout_of_win() - self.standing[:, 2]

    def _cards_of_standing(self) -> Floats:
        """What the piles differ by after this hand: all its cards go to the winner."""
        totals, is_total = self.dealer.by_total()
        removal = self.hands.removal
        chances = (self.chances @ is_total)[removal]
        cards = (self.chances @ (is_total * (1 + self.dealer.size[:, None])))[removal]
        cards += chances * self.hands.size[:, None]
        values: Floats = (cards * self.results_by_total(totals)).sum(axis=1)
        if self.rules.twenty_one_wins:  # at once, before the dealer draws
            return np.where(self.hands.total == 21, self.hands.size + 2.0, values)
        return values

    def value_of_bust(self) -> Floats:
        """``(rows,)``: the value of being bust with the next card."""
        if self.rules.has_piles:
            return -(self.hands.size + 3.0)
        return np.full(len(self.hands.size), -1.0)

    def after_draw(self, values: Floats, rows: slice = slice(None)) -> Floats:
        """The mean of ``values`` (of all rows) after one card more to each of ``rows``."""
        child = self.hands.child[rows]
        bust = self.value_of_bust()[rows]
        results = np.where(child < 0, bust[:, None], values[child])
        mean: Floats = (self.draws[rows] * results).sum(axis=1)
        return mean

    def best_play(self) -> Play:
        """The play with the best value by the cards of each hand."""
        doubles = (self.double > self.stand) & (self.double >= self.hit)
        return Play(~doubles & (self.hit > self.stand), doubles, self.best)

    def make_play(self, hits: Bools, doubles: Bools) -> Play:
        """The play that hits and doubles these rows."""
        play = Play(hits, doubles, np.where(doubles, self.double, self.stand))
        for rows in self.hands.layers():
            hit = self.after_draw(play.values, rows)
            play.values[rows] = np.where(hits[rows], hit, play.values[rows])
        return play

    def _decide(self) -> None:
        """From the hands with the highest totals down, since each card adds to the total."""
        self.double = np.where(self.can_double(), 2 * self.after_draw(self.stand), NOT_LEGAL)
        self.hit = np.full(len(self.stand), NOT_LEGAL)
        self.best = self.stand.copy()
        has_decision = self.has_decision()
        for rows in self.hands.layers():
            hit = self.after_draw(self.best, rows)
            self.hit[rows] = np.where(has_decision[rows], hit, NOT_LEGAL)
            without_hit = np.maximum(self.stand[rows], self.double[rows])
            self.best[rows] = np.maximum(without_hit, self.hit[rows])


def is_natural(hands: Hands) -> Bools:
    """``(rows,)``: whether the hand is a natural, paid or not."""
    return (hands.pair == NOT_SPLIT) & (hands.size == 2) & (hands.total == 21)
