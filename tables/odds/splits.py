"""The value of splitting a pair, with the rules' limit of hands.

Each split hand is played by its own cards, with both cards of the pair gone, and a card that makes
the same pair again is split as long as the limit allows it. All unseen cards are alike, so the
mean of a hand's result depends only on how many more cards of the pair are gone, and on whether its
second card may be one. How many hands there will be is counted by inclusion and exclusion over the
cards of the pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Final

import numpy as np

from tables.odds.dealer_hands import Floats
from tables.odds.hand_values import HandValues, Play
from tables.odds.hands import ACE, KINDS, Ints
from tables.odds.unseen_cards import UnseenCards


def value_of_split(values: HandValues, play: Play, pair: int, max_hands: int) -> float:
    """The value of splitting ``pair``, when the hand may become ``max_hands`` hands at most.

    ``values`` has the hands of that split; ``play`` is how they are played.
    """
    mean = _MeanOfHand(values, play, pair)
    if max_hands == 2 or pair == ACE:  # Aces are never split again.
        return 2 * mean.of_hand()
    total = 0.0
    for number in range(2, max_hands):
        total += (
            _count_orders(number)
            * number
            * mean.deck.chance_of_pairs(0, number - 2)
            * mean.without_pairs(number - 2, among=number - 1, may_pair=False)
        )
    all_split = mean.deck.chance_of_pairs(0, max_hands - 2)
    for whole in range(max_hands):
        orders = _count_orders_of_last_split(max_hands, whole)
        if not orders:
            continue
        value = (max_hands - whole) * mean.without_pairs(max_hands - 2, among=whole, may_pair=True)
        if whole:
            value += whole * mean.without_pairs(max_hands - 2, among=whole - 1, may_pair=False)
        total += orders * all_split * value
    return total


@cache
def _count_orders(number: int) -> int:
    """In how many orders second cards make ``number`` hands: each card of the pair makes one
    more, each other card completes one, and none is dealt after the last.
    """
    return _count_orders_from(2, number - 2, number)


def _count_orders_from(open_: int, pairs: int, whole: int) -> int:
    """Orders of ``pairs`` splits and ``whole`` complete hands in which ``open_`` hands without a
    second card become none with the last card, and not before.
    """
    if not open_:
        return int(pairs == whole == 0)
    orders = _count_orders_from(open_ + 1, pairs - 1, whole) if pairs else 0
    return orders + (_count_orders_from(open_ - 1, pairs, whole - 1) if whole else 0)


def _count_orders_of_last_split(max_hands: int, whole: int) -> int:
    """In how many orders the last split that is allowed comes when ``whole`` hands have their
    second card.
    """
    return _count_orders_to_split(2, max_hands - 2, whole)


def _count_orders_to_split(open_: int, pairs: int, whole: int) -> int:
    if not open_:
        return 0
    if pairs == 1 and not whole:
        return 1
    orders = _count_orders_to_split(open_ + 1, pairs - 1, whole) if pairs > 1 else 0
    return orders + (_count_orders_to_split(open_ - 1, pairs, whole - 1) if whole else 0)


@dataclass(frozen=True, slots=True)
class _Deck:
    """The cards that come after a pair was split, with further cards of the pair gone."""

    unseen: UnseenCards
    pair: int

    def draw_chances(self, extra: int) -> Floats:
        """The chances of the next card with ``extra`` cards of the pair gone besides the two."""
        removed = np.zeros((1, KINDS), dtype=np.int64)
        removed[0, self.pair] = 2 + extra
        return self.unseen.draw_chances(removed)[0]

    def chance_of_pairs(self, extra: int, number: int) -> float:
        """The chance that ``number`` given cards are all of the pair."""
        chance = 1.0
        for drawn in range(number):
            chance *= float(self.draw_chances(extra + drawn)[self.pair])
        return chance

    def ratio(self, extra: int, pairs: Ints, cards: Ints) -> Floats:
        """By how much the chance of drawing ``cards`` cards, ``pairs`` of them of the pair, changes
        when ``extra`` more of the pair are gone.
        """
        of_pair = int(self.unseen.counts[self.pair]) - 2
        number = int(self.unseen.counts.sum()) - 2
        of_all = _falls_ratio(number, extra, cards)
        enough = of_all > 0
        ratio = _falls_ratio(of_pair, extra, pairs) * enough / np.where(enough, of_all, 1)
        if self.unseen.hole_is_not is not None:
            is_pair = self.unseen.hole_is_not == self.pair
            excluded = int(self.unseen.counts[self.unseen.hole_is_not]) - 2 * is_pair
            still = excluded - extra * is_pair
            ratio *= (1 - excluded / number) / (1 - still / (number - extra))
        return ratio


class _MeanOfHand:
    """The mean result of one split hand, with further cards of the pair gone."""

    def __init__(self, values: HandValues, play: Play, pair: int) -> None:
        self.values, self.play, self.pair = values, play, pair
        self.root = values.hands.find_root(pair)
        self.deck = _Deck(values.unseen, pair)
        self.results: dict[bool, _Results] = {}

    def of_hand(self) -> float:
        """With no other card of the pair known to be gone, and any second card."""
        root = slice(self.root, self.root + 1)
        return float(self.values.after_draw(self.play.values, root)[0])

    def without_pairs(self, extra: int, *, among: int, may_pair: bool) -> float:
        """The mean of a hand's result times whether none of ``among`` other hands has a second
        card of the pair; its own second card may be one only with ``may_pair``.
        """
        if may_pair not in self.results:
            self.results[may_pair] = _add_up_results(self, may_pair=may_pair)
        results = self.results[may_pair]
        chances = [self.deck.chance_of_pairs(extra, number) for number in range(among + 1)]
        return sum(
            (-1) ** number * comb(among, number) * chance * results.mean(extra + number)
            for number, chance in enumerate(chances)
            if chance
        )


@dataclass(frozen=True, slots=True)
class _Results:
    """The wins and ties of a split hand by the cards that they take, and its stake."""

    deck: _Deck
    returns: Floats
    """The mean return, in stakes, of hands that take so many cards, and so many of the pair."""
    pairs: Ints
    cards: Ints
    stakes: Floats
    """``(10,)``: the mean stake by the second card."""

    def mean(self, extra: int) -> float:
        """The mean net, in stakes, with ``extra`` cards of the pair gone besides the two."""
        returned = float((self.returns * self.deck.ratio(extra, self.pairs, self.cards)).sum())
        return returned - float(self.deck.draw_chances(extra) @ self.stakes)


def _add_up_results(mean: _MeanOfHand, *, may_pair: bool) -> _Results:
    values, pair = mean.values, mean.pair
    hands, dealer = values.hands, values.dealer
    single, doubled = _ends(mean, may_pair=may_pair)
    weights = single + 2 * doubled
    rows = np.flatnonzero(weights)
    drawn = np.stack([hands.counts[rows, pair] - 1, hands.size[rows] - 1], axis=1)
    own, group = np.unique(drawn, axis=0, return_inverse=True)
    dealer_draws = np.stack([dealer.drawn[:, pair], dealer.size], axis=1)
    others, place = np.unique(dealer_draws, axis=0, return_inverse=True)
    by_group = np.eye(len(own))[group.reshape(-1)] * weights[rows, None]
    returns = by_group.T @ (
        values.chances[hands.removal[rows]] * (values.results_of_standing(rows) + 1)
    )
    stakes = 1.0 + mean.play.doubles[hands.child[mean.root]]
    stakes[pair] *= may_pair
    return _Results(
        deck=mean.deck,
        returns=returns @ np.eye(len(others))[place.reshape(-1)],
        pairs=own[:, None, 0] + others[None, :, 0],
        cards=own[:, None, 1] + others[None, :, 1],
        stakes=stakes,
    )


def _falls_ratio(number: int, extra: int, drawn: Ints) -> Floats:
    """(n-g)(n-g-1)... by n(n-1)..., ``drawn`` factors each."""
    factors = np.arange(int(drawn.max()) + 1)
    above = np.maximum(number - extra - factors[:-1], 0.0)
    below = np.maximum(number - factors[:-1], 1.0)
    return np.concatenate([[1.0], np.cumprod(above / below)])[drawn]


def _ends(mean: _MeanOfHand, *, may_pair: bool) -> tuple[Floats, Floats]:
    """``(rows,)`` each: the chance that a split hand ends, not bust, as this row: with its first
    stake, and doubled.
    """
    values, play = mean.values, mean.play
    hands = values.hands
    reach, single, doubled = np.zeros((3, len(hands.size)))
    first = values.draws[mean.root].copy()
    if not may_pair:
        first[mean.pair] = 0
    reach[hands.child[mean.root]] = first
    own = np.flatnonzero(hands.pair == mean.pair)
    for layer in np.split(own, np.flatnonzero(np.diff(hands.hard[own])) + 1):
        live = layer[reach[layer] > 0]
        hits, doubles = play.hits[live], play.doubles[live]
        stands = live[~hits & ~doubles]
        single[stands] = reach[stands]
        for target, moved in ((reach, live[hits]), (doubled, live[doubles])):
            child = hands.child[moved]
            chance = reach[moved, None] * values.draws[moved]
            np.add.at(target, child[child >= 0], chance[child >= 0])
    return single, doubled


# The round's result

MOST_NET: Final = 8
"""Stakes that four doubled hands may win or lose."""


def chances_of_net(values: HandValues, play: Play, pair: int, max_hands: int) -> Floats:
    """``(2 * MOST_NET + 1,)``: the chances of a round's net, from -8 to 8 stakes, after a split.

    An approximation, for the spread of a game only: the hands of a round depend on each other
    through the dealer's total, and not through the cards that they take from each other.
    """
    mean = _MeanOfHand(values, play, pair)
    chances = np.zeros(2 * MOST_NET + 1)
    if max_hands == 2 or pair == ACE:
        return _net_of_hands(mean, 2, may_pair=True)
    rest = 1.0
    for number in range(2, max_hands):
        extra = number - 2
        chance_of_pairs = mean.deck.chance_of_pairs(0, extra)
        alone = 1 - float(mean.deck.draw_chances(extra)[pair])
        chance = _count_orders(number) * chance_of_pairs * alone**number
        chances += chance * _net_of_hands(mean, number, may_pair=False)
        rest -= chance
    return chances + rest * _net_of_hands(mean, max_hands, may_pair=True)


def _net_of_hands(mean: _MeanOfHand, number: int, *, may_pair: bool) -> Floats:
    """The chances of the net of ``number`` hands, which are alike."""
    net = np.zeros(2 * MOST_NET + 1)
    by_total = _net_by_total(mean, may_pair=may_pair)
    for hand in by_total.T:  # one of the dealer's totals
        chance = hand.sum()
        if chance <= 0:
            continue
        several = np.ones(1)
        for _ in range(number):
            several = np.convolve(several, hand / chance)
        wide = len(several) // 2
        net[MOST_NET - wide : MOST_NET + wide + 1] += chance * several
    return net


def _net_by_total(mean: _MeanOfHand, *, may_pair: bool) -> Floats:
    """``(5, dealer's totals)``: the chances of one hand's net, -2 to 2, with the dealer's total."""
    values, hands = mean.values, mean.values.hands
    totals, is_total = values.dealer.by_total()
    net = np.zeros((5, len(totals)))
    lost = [1 - float(values.draws[mean.root, mean.pair]) * (not may_pair), 0.0]
    second = hands.child[mean.root]
    first = values.draws[mean.root] * (np.arange(KINDS) != mean.pair if not may_pair else 1)
    lost[1] = float((first * mean.play.doubles[second]).sum())
    lost[0] -= lost[1]
    for stake, ends in enumerate(_ends(mean, may_pair=may_pair), start=1):
        rows = np.flatnonzero(ends)
        chances = ends[rows, None] * (values.chances[hands.removal[rows]] @ is_total)
        results = values.results_by_total(totals)[rows]
        for sign in (-1, 0, 1):
            net[2 + sign * stake] += (chances * (results == sign)).sum(axis=0)
        lost[stake - 1] -= float(ends.sum())
    dealer = values.chances[hands.removal[mean.root]] @ is_total
    bust = np.maximum(dealer * sum(first) - net.sum(axis=0), 0)
    share = bust / max(bust.sum(), 1e-300)
    net[1] += lost[0] * share
    net[0] += lost[1] * share
    return net / net.sum()
